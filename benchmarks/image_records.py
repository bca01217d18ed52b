"""Passes over a record file of JPEGs with ImageRecordIter, in minigluon and in the real MXNet in turns.

    python benchmarks/image_records.py --mxnet-python PYTHON [--images 1920] [--rounds 5] [--threads 1 2]

Draws images of 320 x 256, writes them to a record file, and reads them like a program that trains on ImageNet: randomly
cropped to 224 x 224, mirrored half the time, normalized, in batches of 64. PYTHON is the interpreter of an environment
with mxnet==1.9.1. Each measurement is a separate process that makes three passes and reports the faster of the last
two: processor time of all its threads, which other programs on the machine disturb less. Prints a table as Markdown.
"""

import argparse
import datetime
import importlib
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

PEERS = ("minigluon", "mxnet")
BATCH = 64
AUGMENTED = {"rand_crop": True, "rand_mirror": True, "mean_r": 123.68, "mean_g": 116.28, "mean_b": 103.53,
             "std_r": 58.395, "std_g": 57.12, "std_b": 57.375}


def draw(path, count):
    """Write images of rectangles on a smooth background with noise. Returns the mean size of the JPEGs in bytes."""
    from minigluon import image, recordio
    gen = np.random.default_rng(0)
    writer, size = recordio.MXRecordIO(path, "w"), 0
    for i in range(count):
        ground = gen.integers(0, 256, (8, 10, 3), dtype=np.uint8)
        pixels = image.imresize(ground, 320, 256, 2).asnumpy().astype(np.int16)
        for _ in range(12):
            x, y, width, height = gen.integers((0, 0, 5, 5), (320, 256, 100, 80))
            pixels[y:y + height, x:x + width] = gen.integers(0, 256, 3)
        pixels += gen.integers(-12, 13, pixels.shape, dtype=np.int16)
        record = recordio.pack_img((0, float(i % 10), i, 0), np.clip(pixels, 0, 255).astype(np.uint8), 90)
        writer.write(record)
        size += len(record)
    writer.close()
    return size / count


def passes(library, path, threads):
    """Return the processor seconds per image."""
    mx = importlib.import_module(library)
    batches = mx.io.ImageRecordIter(path_imgrec=path, data_shape=(3, 224, 224), batch_size=BATCH, verbose=0,
                                    preprocess_threads=threads, **AUGMENTED)
    times = []
    for _ in range(3):
        start, seen = time.process_time(), 0
        for batch in batches:
            batch.data[0].wait_to_read()
            seen += BATCH
        times.append((time.process_time() - start) / seen)
        batches.reset()
    return min(times[1:])


def measure(python, *arguments):
    """Return the result of `passes` in a process of that interpreter."""
    here = pathlib.Path(__file__).resolve()
    paths = [str(here.parents[1]), os.environ.get("PYTHONPATH", "")] if arguments[0] == "minigluon" else []
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    done = subprocess.run([python, "-W", "ignore", str(here), "--measure", *map(str, arguments)], env=environment,
                          check=True, stdout=subprocess.PIPE, text=True)
    return float(done.stdout.split()[-1]) * 1e3


def compare(args):
    from minigluon.common import hardware as machine
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "drawn.rec")
        size = draw(path, args.images)
        print(f"{datetime.date.today()}, {machine.processor()}, {machine.cores()} cores, load "
              f"{os.getloadavg()[0]:.0f}; {args.images} JPEGs of {size / 1e3:.0f} kB; processor time for an image, "
              f"medians of {args.rounds} rounds, range in brackets\n")
        print("| threads | minigluon | MXNet 1.9.1 | MXNet's time / minigluon's |\n|---|---|---|---|")
        pythons = dict(zip(PEERS, (sys.executable, args.mxnet_python), strict=True))
        for threads in args.threads:
            times = {library: [] for library in PEERS}
            for _ in range(args.rounds):
                for library, python in pythons.items():
                    times[library].append(measure(python, library, path, threads))
            ratio = statistics.median(b / a for a, b in zip(*times.values(), strict=True))
            cells = [f"{statistics.median(t):.2f} ms ({min(t):.2f} to {max(t):.2f})" for t in times.values()]
            print(f"| {threads} | {' | '.join(cells)} | {ratio:.2f} |", flush=True)


def main():
    if sys.argv[1:2] == ["--measure"]:
        library, path, threads = sys.argv[2:]
        print(passes(library, path, int(threads)))
        return
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mxnet-python", required=True)
    parser.add_argument("--images", type=int, default=1920)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    compare(parser.parse_args())


if __name__ == "__main__":
    main()
