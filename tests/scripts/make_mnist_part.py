"""Write the images that `minigluon train` learns from: every fifth image of MNIST, in MNIST's own file format.

    python tests/scripts/make_mnist_part.py FOLDER            # FOLDER has MNIST's four original .gz files
    python tests/scripts/make_mnist_part.py FOLDER --check    # compare the package's files with the originals

The originals are recognized by their SHA-1, so the result is always the same. Files are compressed with zlib at level
9 and without a time; another implementation of zlib may write other bytes, with the same content.
"""

import argparse
import gzip
import hashlib
import pathlib
import sys

import numpy as np

EVERY = 5
TARGET = pathlib.Path(__file__).parents[2] / "minigluon" / "tools" / "cli" / "mnist"
ORIGINALS = {
    "train-images-idx3-ubyte.gz": "6c95f4b05d2bf285e1bfb0e7960c31bd3b3f8a7d",
    "train-labels-idx1-ubyte.gz": "2a80914081dc54586dbdf242f9805a6b8d2a15fc",
    "t10k-images-idx3-ubyte.gz": "c3a25af1f52dad7f726cce8cacb138654b760d48",
    "t10k-labels-idx1-ubyte.gz": "763e7fa3757d93b0cdec073cef058b2004252c17",
}


def part_of(idx):
    """Return every fifth entry of an idx file's bytes, as an idx file."""
    axes = idx[3]
    shape = np.frombuffer(idx, ">u4", axes, offset=4)
    entries = np.frombuffer(idx, np.uint8, offset=4 + 4 * axes).reshape(shape)[::EVERY]
    return idx[:4] + np.array(entries.shape, ">u4").tobytes() + entries.tobytes()


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=pathlib.Path, help="MNIST's original files")
    parser.add_argument("--check", action="store_true", help="write nothing; compare the package's files")
    options = parser.parse_args()
    for name, sha1 in ORIGINALS.items():
        packed = (options.folder / name).read_bytes()
        if hashlib.sha1(packed).hexdigest() != sha1:
            sys.exit(f"{options.folder / name} is not MNIST's original file: its SHA-1 is not {sha1}")
        part, path = part_of(gzip.decompress(packed)), TARGET / name
        if not options.check:
            path.write_bytes(gzip.compress(part, 9, mtime=0))
        elif gzip.decompress(path.read_bytes()) != part:
            sys.exit(f"{path} is not every fifth entry of {options.folder / name}")
        print(f"{name}: {path.stat().st_size:,} bytes, SHA-256 of the content {hashlib.sha256(part).hexdigest()}")


if __name__ == "__main__":
    main()
