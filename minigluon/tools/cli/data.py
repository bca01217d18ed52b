"""The images that `minigluon train` trains on."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

import numpy as np

from ...base import MXNetError, nearest
from ...gluon.data.vision import MNIST, FashionMNIST
from ...gluon.data.vision.files import read_idx
from ...imaging.resize import resize
from .extras import require

__all__ = ["Images", "load"]

DIGITS_TEST = 360       # the last fifth
CLOTHES = ["T-shirt", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "ankle boot"]


class Images(NamedTuple):
    """Images for training and testing. x: float32 (N, C, H, W), 0 ... 1. y: int32 (N,). names: the names of the
    classes."""

    title: str
    x_train: np.ndarray
    y_train: np.ndarray
    x_test: np.ndarray
    y_test: np.ndarray
    names: list


def load(source: Any) -> Images:
    """Load `Images` from 'mnist-part', 'digits', 'mnist', 'fashion-mnist' or a folder. Raises MXNetError if there are
    no images.
    """
    if source in _SOURCES:
        return _SOURCES[source]()
    if os.path.isdir(source):
        return _folder(source)
    raise MXNetError(f"--data {source}: there is no folder or data set of that name (data sets: "
                     f"{', '.join(_SOURCES)})." + nearest(source, _SOURCES))


def _mnist_part():
    """Return the fifth of MNIST that is in this package; mnist/README.md says where it comes from."""
    return _folder(os.path.join(os.path.dirname(__file__), "mnist"))._replace(title="a fifth of MNIST")


def _digits():
    require("sklearn", extra="digits", user="--data digits")
    from sklearn.datasets import load_digits
    data = load_digits()
    # 8 x 8 pixels with values 0 ... 16. They are enlarged as in MNIST, whose digits fill 20 x 20 pixels in the middle
    # of 28 x 28.
    x = resize(data.images[..., np.newaxis].astype(np.float32) / 16, 20, 20)
    x = np.pad(x, ((0, 0), (4, 4), (4, 4), (0, 0)))
    return _images("scikit-learn's digits", x[:-DIGITS_TEST], data.target[:-DIGITS_TEST],
                   x[-DIGITS_TEST:], data.target[-DIGITS_TEST:])


def _mnist():
    return _dataset("MNIST", MNIST, None)


def _fashion_mnist():
    return _dataset("Fashion-MNIST", FashionMNIST, CLOTHES)


def _dataset(title, kind, names):
    parts = []
    for train in (True, False):
        dataset = kind(train=train)
        parts += [dataset._data.asnumpy().astype(np.float32) / 255, dataset._label]
    return _images(title, *parts, names)


def _folder(folder):
    for place in (folder, os.path.join(folder, "mnist")):
        paths = [_find(place, name) for name in _IDX_NAMES]
        if all(paths):
            x_train, y_train, x_test, y_test = (read_idx(path) for path in paths)
            for x, y, path in ((x_train, y_train, paths[0]), (x_test, y_test, paths[2])):
                if x.ndim != 3 or y.ndim != 1 or len(x) != len(y):
                    raise MXNetError(f"{path}: images of shape {x.shape} do not match labels of shape {y.shape}")
            return _images(place, *(a if a.ndim == 1 else a[..., np.newaxis].astype(np.float32) / 255
                                    for a in (x_train, y_train, x_test, y_test)))
    missing = [name for name in _IDX_NAMES if not _find(folder, name)]
    raise MXNetError(f"--data {folder}: the folder does not hold {', '.join(missing)} (with or without .gz), nor does "
                     f"{os.path.join(folder, 'mnist')}. These are MNIST's original files; --data mnist-part "
                     "needs none.")


_IDX_NAMES = ["train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"]
_SOURCES = {"mnist-part": _mnist_part, "digits": _digits, "mnist": _mnist, "fashion-mnist": _fashion_mnist}


def _find(folder, name):
    """Return the path of an idx file, gzipped or not, or with the '.idx' spelling of some archives; or None."""
    for spelling in (name, name.replace("-idx", ".idx")):
        for path in (os.path.join(folder, spelling + ".gz"), os.path.join(folder, spelling)):
            if os.path.isfile(path):
                return path
    return None


def _images(title, x_train, y_train, x_test, y_test, names=None):
    """Return `Images`, given images (N, H, W, C)."""
    x_train, x_test = (np.ascontiguousarray(x.transpose(0, 3, 1, 2)) for x in (x_train, x_test))
    names = names or [str(i) for i in range(max(y_train.max(), y_test.max()) + 1)]
    return Images(title, x_train, y_train.astype(np.int32), x_test, y_test.astype(np.int32), names)
