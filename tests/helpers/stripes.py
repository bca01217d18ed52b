"""A data set for `minigluon train` that is small and easy, and the sizes of its pictures."""

import gzip
import struct

import numpy as np


def idx(array):
    return b"\0\0\x08" + bytes([array.ndim]) + struct.pack(f">{array.ndim}I", *array.shape) + array.tobytes()


def write_stripes(folder, compress=bytes, dotted=False):
    """idx files with four easy classes: a bright quarter."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(0)
    for part, count in (("train", 128), ("t10k", 32)):
        labels = rng.integers(0, 4, count).astype(np.uint8)
        images = rng.integers(0, 60, (count, 28, 28)).astype(np.uint8)
        for image, label in zip(images, labels, strict=True):
            image[label // 2 * 14:][:14, label % 2 * 14:][:, :14] += 150
        for kind, array in (("images-idx3-ubyte", images), ("labels-idx1-ubyte", labels)):
            name = f"{part}-{kind}"
            name = name.replace("-idx", ".idx") if dotted else name
            (folder / (name + (".gz" if compress is gzip.compress else ""))).write_bytes(compress(idx(array)))


def png_size(path):
    """(height, width) of a PNG that decodes and is not of one color."""
    from matplotlib.image import imread
    pixels = imread(path)
    assert np.ptp(pixels[..., :3]) > 0.5
    return pixels.shape[:2]
