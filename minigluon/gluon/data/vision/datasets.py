"""MNIST, Fashion-MNIST, CIFAR-10 and CIFAR-100, from their original files.

Each data set is read from `root`, by default in ~/.mxnet/datasets ($MXNET_HOME/datasets). Missing files are
downloaded; existing files are checked against their published SHA-1.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from .... import ndarray as nd
from ....base import FileFormatError
from ....common.docstrings import share_sentences
from ....context import cpu
from ..batches import rows_of
from ..dataset import Dataset
from .files import data_dir, extract, fetch, read_cifar, read_idx
from .images import ImageFolderDataset, ImageRecordDataset

__all__ = ["CIFAR10", "CIFAR100", "MNIST", "FashionMNIST", "ImageFolderDataset", "ImageRecordDataset"]


class _ImageDataset(Dataset):
    """Base class of datasets with images (N, H, W, C) uint8 in one NDArray and labels (N,) int32 in a numpy.ndarray.

    A sample is (image as an NDArray view, label as a number), or the result of `transform(image, label)`.
    """

    def __init__(self, root: str, transform: Callable[..., Any]) -> None:
        self._root = os.path.expanduser(root)
        self._transform = transform
        images, labels = self._read()
        if len(images) != len(labels):
            raise FileFormatError(f"{type(self).__name__} in {self._root}: {len(images)} images, but {len(labels)} "
                                  "labels. The files do not belong together.")
        self._data = nd.array(images, ctx=cpu(), dtype="uint8")
        self._label = labels.astype(np.int32)

    def __len__(self) -> int:
        return len(self._label)

    def __getitem__(self, idx: Any) -> Any:
        if self._transform is not None:
            return self._transform(self._data[idx], self._label[idx])
        return self._data[idx], self._label[idx]

    def rows(self, indices: Any) -> Any:
        if self._transform is not None or type(self).__getitem__ is not _ImageDataset.__getitem__:
            return None
        images, labels = rows_of(self._data, indices), rows_of(self._label, indices)
        return None if images is None else [images, labels]


class MNIST(_ImageDataset):
    """Handwritten digits (LeCun, Cortes, Burges 1998): 60,000 training and 10,000 test images (28, 28, 1), 0 ... 9.

    root: the folder that contains the four files '*-ubyte.gz'.
    train: True for the training images, False for the test images.
    transform: called with (image, label).

    >>> image, label = gluon.data.vision.MNIST(train=False)[0]
    >>> image.shape, int(label)
    ((28, 28, 1), 7)
    """

    _folder = "mnist"
    _files = {
        True: [("train-images-idx3-ubyte.gz", ["6c95f4b05d2bf285e1bfb0e7960c31bd3b3f8a7d"]),
               ("train-labels-idx1-ubyte.gz", ["2a80914081dc54586dbdf242f9805a6b8d2a15fc"])],
        False: [("t10k-images-idx3-ubyte.gz", ["c3a25af1f52dad7f726cce8cacb138654b760d48"]),
                ("t10k-labels-idx1-ubyte.gz", ["763e7fa3757d93b0cdec073cef058b2004252c17"])],
    }

    def __init__(self, root: str | None = None, train: bool = True,
                 transform: Callable[..., Any] | None = None) -> None:
        self._train = train
        super().__init__(data_dir(self._folder) if root is None else root, transform)

    def _read(self):
        images, labels = [read_idx(fetch(self._root, self._folder, name, sha1s))
                          for name, sha1s in self._files[bool(self._train)]]
        return images[..., np.newaxis], labels


class FashionMNIST(MNIST):
    """Zalando's clothing articles (Xiao, Rasul, Vollgraf 2017), in MNIST's format: 10 classes.

    Two releases exist: the first, from August 2017, is in MXNet's repository; the current one contains no duplicates.
    Both are accepted.

    >>> image, label = gluon.data.vision.FashionMNIST(train=False)[0]
    >>> image.shape, int(label)
    ((28, 28, 1), 9)
    """

    _folder = "fashion-mnist"
    _files = {
        True: [("train-images-idx3-ubyte.gz", ["0cf37b0d40ed5169c6b3aba31069a9770ac9043d",
                                               "95978b76b6897f6ca69a25145d01716efb615989"]),
               ("train-labels-idx1-ubyte.gz", ["236021d52f1e40852b06a4c3008d8de8aef1e40b",
                                               "09814cfef5a041118ceace42f8dae995319d331a"])],
        False: [("t10k-images-idx3-ubyte.gz", ["626ed6a7c06dd17c0eec72fa3be1740f146a2863",
                                               "5edda96c6d8c36ff915115a0e8136d370a021576"]),
                ("t10k-labels-idx1-ubyte.gz", ["17f9ab60e7257a1620f4ad76bbbaf857c3920701",
                                               "9caad14e1aff9adac77d3744963212d36af15bee"])],
    }


class CIFAR10(_ImageDataset):
    """Photographs of 10 classes of objects (Krizhevsky 2009): 50,000 training and 10,000 test images (32, 32, 3).

    root: the folder that contains the files '*.bin' or the archive 'cifar-10-binary.tar.gz'.

    >>> image, label = gluon.data.vision.CIFAR10(train=False)[0]
    >>> image.shape, int(label)
    ((32, 32, 3), 3)
    """

    _folder = "cifar10"
    _label_bytes = 1
    _archive = ("cifar-10-binary.tar.gz", "fab780a1e191a7eda0f345501ccd62d20f7ed891")
    _files = {
        True: [("data_batch_1.bin", "aadd24acce27caa71bf4b10992e9e7b2d74c2540"),
               ("data_batch_2.bin", "c0ba65cce70568cd57b4e03e9ac8d2a5367c1795"),
               ("data_batch_3.bin", "1dd00a74ab1d17a6e7d73e185b69dbf31242f295"),
               ("data_batch_4.bin", "aab85764eb3584312d3c7f65fd2fd016e36a258e"),
               ("data_batch_5.bin", "26e2849e66a845b7f1e4614ae70f4889ae604628")],
        False: [("test_batch.bin", "67eb016db431130d61cd03c7ad570b013799c88c")],
    }

    def __init__(self, root: str | None = None, train: bool = True,
                 transform: Callable[..., Any] | None = None) -> None:
        self._train = train
        super().__init__(data_dir(self._folder) if root is None else root, transform)

    def _read(self):
        files = self._files[bool(self._train)]
        absent = [name for name, _ in files if not os.path.exists(os.path.join(self._root, name))]
        if absent:
            name, sha1 = self._archive
            extract(fetch(self._root, self._folder, name, [sha1]), absent, self._root)
        parts = [read_cifar(fetch(self._root, self._folder, name, [sha1]), self._label_bytes) for name, sha1 in files]
        images, labels = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        return images, self._choose(labels)

    def _choose(self, labels):
        return labels[:, 0]


class CIFAR100(CIFAR10):
    """Photographs of 100 classes of objects in 20 groups (Krizhevsky 2009); sizes as in CIFAR10.

    root: the folder that contains the files '*.bin' or the archive 'cifar-100-binary.tar.gz'.
    fine_label: if True, the label is the class, otherwise the group.

    >>> image, label = gluon.data.vision.CIFAR100(train=False)[0]
    >>> image.shape
    (32, 32, 3)
    """

    _folder = "cifar100"
    _label_bytes = 2
    _archive = ("cifar-100-binary.tar.gz", "a0bb982c76b83111308126cc779a992fa506b90b")
    _files = {
        True: [("train.bin", "e207cd2e05b73b1393c74c7f5e7bea451d63e08e")],
        False: [("test.bin", "8fb6623e830365ff53cf14adec797474f5478006")],
    }

    def __init__(self, root: str | None = None, fine_label: bool = False, train: bool = True,
                 transform: Callable[..., Any] | None = None) -> None:
        self._fine_label = fine_label
        super().__init__(root, train, transform)

    def _choose(self, labels):
        return labels[:, int(bool(self._fine_label))]


share_sentences(MNIST, FashionMNIST, CIFAR10)
share_sentences(CIFAR10, CIFAR100)
