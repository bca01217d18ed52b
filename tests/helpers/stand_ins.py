"""Small files in place of published data sets: what their examples do works without a download."""

import contextlib
import gzip
import os
import struct
from pathlib import Path
from unittest.mock import patch

import numpy as np

from minigluon.gluon.contrib.data import text
from minigluon.gluon.data import vision
from minigluon.gluon.data.vision import files

__all__ = ["stand_ins"]

LABELS = {"mnist": {"train": [5, 0], "t10k": [7, 2]}, "fashion-mnist": {"train": [9, 0], "t10k": [9, 2]}}
RECORDS = ["train.rec", "test.rec", "train.lst", "test.lst"]        # of mx.test_utils.get_cifar10
LINES = " = A heading = \n\n" + " the words of a line \n" * 1001


@contextlib.contextmanager
def stand_ins(folder):
    """In this block $MXNET_HOME is `folder`, with data sets of a few items, and the current folder has a folder 'data'.

    Their checksums count as the published ones.
    """
    home = Path(folder) / "datasets"
    published = {}
    for cls in (vision.MNIST, vision.FashionMNIST, vision.CIFAR10, vision.CIFAR100, text.WikiText2, text.WikiText103):
        for path, content in contents_of(cls, home):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            published[str(path)] = sha1_of(cls, path.name)
    write_data_folder(Path("data"))
    with patch.dict(os.environ, MXNET_HOME=str(folder)), patch.object(files, "sha1_of", published.__getitem__):
        yield


def contents_of(cls, home):
    """(path, bytes) of a class's files."""
    if issubclass(cls, vision.MNIST):
        for part, labels in LABELS[cls._folder].items():
            yield home / cls._folder / f"{part}-images-idx3-ubyte.gz", gzip.compress(images(len(labels)))
            yield home / cls._folder / f"{part}-labels-idx1-ubyte.gz", gzip.compress(idx(np.array(labels)))
    elif issubclass(cls, vision.CIFAR10):
        for name, _ in [*cls._files[True], *cls._files[False]]:
            yield home / cls._folder / name, bytes([3] * cls._label_bytes) + bytes(32 * 32 * 3)
    else:
        for name, _ in cls._segments.values():
            yield home / cls._name / name, LINES.encode()


def sha1_of(cls, name):
    """The published SHA-1 of a class's file."""
    known = dict(cls._segments.values() if issubclass(cls, text._WikiText) else cls._files[True] + cls._files[False])
    return known[name][0] if issubclass(cls, vision.MNIST) else known[name]


def write_data_folder(folder):
    """What mx.test_utils looks for in the current folder: MNIST's files, not gzipped, and CIFAR-10 as records."""
    (folder / "cifar").mkdir(parents=True)
    for part, labels in LABELS["mnist"].items():
        (folder / f"{part}-images-idx3-ubyte").write_bytes(images(len(labels)))
        (folder / f"{part}-labels-idx1-ubyte").write_bytes(idx(np.array(labels)))
    for name in RECORDS:
        (folder / "cifar" / name).write_bytes(b"")


def images(count):
    return idx(np.zeros((count, 28, 28)))


def idx(array):
    """The bytes of an idx file."""
    head = b"\0\0\x08" + bytes([array.ndim]) + struct.pack(f">{array.ndim}I", *array.shape)
    return head + array.astype("u1").tobytes()
