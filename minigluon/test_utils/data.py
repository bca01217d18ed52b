"""Small data sets for tests and examples."""

import os

import numpy as np

from .. import io
from ..base import ArgumentError
from ..gluon.data.vision.datasets import MNIST
from ..gluon.utils import download as download_to

__all__ = ["DummyIter", "download", "get_mnist", "get_mnist_iterator"]


def download(url, fname=None, dirname=None, overwrite=False, retries=5):
    """Fetch a file to dirname/fname, by default under its own name here. Returns the path. Raises DownloadError."""
    name = fname or url.rsplit("/", 1)[-1]
    if dirname:
        os.makedirs(dirname, exist_ok=True)
    return download_to(url, os.path.join(dirname or "", name), overwrite, retries=retries)


def get_mnist(path=None):
    """MNIST as a dict: train_data (60000, 1, 28, 28) and test_data (10000, 1, 28, 28), float32 from 0 to 1, with
    train_label and test_label, int8 as in the file.

    path: the folder of the four files, by default $MXNET_HOME/datasets/mnist below ~/.mxnet; there they are downloaded
    if they are absent.
    """
    found = {}
    for part, train in (("train", True), ("test", False)):
        data = MNIST(path, train=train) if path else MNIST(train=train)
        images = data._data.asnumpy().transpose(0, 3, 1, 2)
        found[f"{part}_data"] = images.astype("float32") / 255
        found[f"{part}_label"] = data._label.astype("int8")
    return found


def get_mnist_iterator(batch_size, input_shape, num_parts=1, part_index=0, path=None):
    """(train, validation) iterators of MNIST: NDArrayIters whose data is called 'data' and labels 'softmax_label'.

    input_shape: (784,) for rows, (1, 28, 28) for images. num_parts, part_index: which part of the training data.
    """
    size = int(np.prod(input_shape))
    if size != 784:
        raise ArgumentError(f"get_mnist_iterator: input_shape is {input_shape} with {size} numbers, and an image "
                            "has 784")
    mnist = get_mnist(path)
    part = slice(part_index, None, num_parts)
    train = io.NDArrayIter(mnist["train_data"][part].reshape(-1, *input_shape), mnist["train_label"][part], batch_size,
                           shuffle=True)
    return train, io.NDArrayIter(mnist["test_data"].reshape(-1, *input_shape), mnist["test_label"], batch_size)


class DummyIter(io.DataIter):
    """The first batch of another iterator, again and again, for measuring."""

    def __init__(self, real_iter):
        super().__init__()
        self.real_iter = real_iter
        self.provide_data, self.provide_label = real_iter.provide_data, real_iter.provide_label
        self.batch_size = real_iter.batch_size
        self.the_batch = next(real_iter)

    def next(self):
        """The batch."""
        return self.the_batch

    def __iter__(self):
        return self
