"""MNIST and CIFAR-10 for tests, from files in the current folder, which are downloaded if they are missing."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import io
from ..base import FileFormatError, MXNetError
from ..common.types import Shape
from ..gluon import utils
from ..serialization.idx import read_idx

__all__ = ["download", "get_cifar10", "get_mnist", "get_mnist_iterator", "get_mnist_ubyte", "get_zip_data"]

_DATA = "http://data.mxnet.io/"
_MNIST = ("train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte")


def download(url: str, fname: str | None = None, dirname: str | None = None, overwrite: bool = False,
             retries: int = 5) -> str:
    """Download a file unless it exists. Returns its path.

    fname: the name of the file; by default the last part of the URL.
    dirname: the folder, created if necessary; by default the current one.
    url: the URL of the file.
    overwrite: True downloads it even if it exists.
    retries: the number of additional attempts after a failure.

    >>> with open("data.txt", "w") as file:
    ...     size = file.write("here already")
    >>> mx.test_utils.download("https://example.org/data.txt")
    'data.txt'
    """
    path = os.path.join(dirname or "", fname or url.split("/")[-1])
    if os.path.dirname(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
    return path if os.path.exists(path) and not overwrite else utils.download(url, path, overwrite, retries=retries)


def get_mnist() -> dict[str, Any]:
    """Return {'train_data', 'train_label', 'test_data', 'test_label'} as numpy.ndarrays: images (N, 1, 28, 28), float32
    from 0 to 1, and labels (N,), int8.

    The four files are read from the current folder or from 'data', gzipped or not; otherwise, they are downloaded to
    the current folder.

    >>> images = mx.test_utils.get_mnist()["train_data"]
    >>> images.shape[1:], images.dtype
    ((1, 28, 28), dtype('float32'))
    """
    images, labels, test_images, test_labels = (read_idx(_mnist_file(name)) for name in _MNIST)
    unit = lambda x: x[:, None].astype(np.float32) / 255
    return {"train_data": unit(images), "train_label": labels.astype(np.int8),
            "test_data": unit(test_images), "test_label": test_labels.astype(np.int8)}


def _mnist_file(name):
    for path in (f"{name}.gz", name, os.path.join("data", name), os.path.join("data", f"{name}.gz")):
        if os.path.exists(path):
            return path
    return _downloaded(f"{_DATA}data/mnist/{name}.gz", None, [name])


def get_mnist_ubyte() -> None:
    """Write the four MNIST files, not gzipped, to the folder 'data'.

    >>> import os
    >>> mx.test_utils.get_mnist_ubyte()
    >>> os.path.exists("data/train-images-idx3-ubyte")
    True
    """
    get_zip_data("data", f"{_DATA}mxnet/data/mnist.zip", "mnist.zip", _MNIST)


def get_cifar10() -> None:
    """Write CIFAR-10 as record files to the folder 'data/cifar'.

    >>> import os
    >>> mx.test_utils.get_cifar10()
    >>> os.path.exists("data/cifar/train.rec")
    True
    """
    names = [f"cifar/{name}" for name in ("train.rec", "test.rec", "train.lst", "test.lst")]
    get_zip_data("data", f"{_DATA}mxnet/data/cifar10.zip", "cifar10.zip", names)


def get_zip_data(data_dir: Any, url: str, data_origin_name: Any, names: Sequence[str] | None = None) -> None:
    """Download a zip archive to a folder and unpack it there. names: if all these files exist, nothing is done.

    data_dir: the folder.
    url: the URL of the archive.
    data_origin_name: the archive's name in the folder.

    >>> import os
    >>> os.makedirs("texts")
    >>> with open("texts/words.txt", "w") as file:
    ...     size = file.write("here already")
    >>> mx.test_utils.get_zip_data("texts", "https://example.org/words.zip", "words.zip", names=["words.txt"])
    """
    if names is not None and all(os.path.exists(os.path.join(data_dir, name)) for name in names):
        return
    path = _downloaded(url, data_dir, names or [data_origin_name], data_origin_name)
    try:
        with zipfile.ZipFile(path) as archive:
            archive.extractall(data_dir)        # never outside the folder, because zipfile drops '..' and roots
    except zipfile.BadZipFile as error:
        raise FileFormatError(f"{path} is not a zip archive, or is cut off ({error}). Delete it to download it "
                              "again.") from error


def _downloaded(url, dirname, names, fname=None):
    try:
        return download(url, fname, dirname)
    except MXNetError as error:
        folder = os.path.join(os.getcwd(), dirname or "")
        raise MXNetError(f"{error}\nWithout a download, put {', '.join(names)} into {folder}.") from error


def get_mnist_iterator(batch_size: int, input_shape: Shape, num_parts: int = 1, part_index: int = 0) -> Any:
    """Return (MNISTIter for training, MNISTIter for testing), from the files in 'data'.

    input_shape: (1, 28, 28) or (784,).
    batch_size: the batch size of both iterators.
    num_parts, part_index: the number of parts of the data, and the index of the part to read.

    >>> train, test = mx.test_utils.get_mnist_iterator(batch_size=2, input_shape=(784,))
    >>> next(train).data[0].shape
    (2, 784)
    """
    get_mnist_ubyte()
    files = [os.path.join("data", name) for name in _MNIST]
    options = {"batch_size": batch_size, "flat": len(input_shape) != 3, "num_parts": num_parts,
               "part_index": part_index}
    return tuple(io.MNISTIter(image=files[i], label=files[i + 1], **options) for i in (0, 2))
