"""MNISTIter: batches from MNIST's original files."""

from __future__ import annotations

import logging

import numpy as np

from ..base import FileFormatError
from ..common.docstrings import share_sentences
from ..common.types import Contexts, DType
from ..serialization.atomic_write import unreadable
from ..serialization.idx import read_idx
from .native import MXDataIter
from .options import dtype_option, parses_options
from .text import part_of

__all__ = ["MNISTIter"]


class MNISTIter(MXDataIter):
    """Iterator over MNIST's images, scaled to 0 ... 255/256, and their digits.

    image, label: idx files, gzipped or not. Bytes after the array are skipped with a warning.
    flat: if True, data is (batch_size, 784); otherwise (batch_size, 1, 28, 28).
    shuffle: if True, use a fixed random order for all passes, determined by `seed` (different from MXNet's). Images at
    the
        end that do not fill a batch are dropped.
    silent: if True, log nothing.
    dtype: the dtype of images and digits; None means float32.
    num_parts, part_index: read only part part_index of num_parts equal parts.
    prefetch_buffer, ctx: accepted but ignored.

    >>> with open("images", "wb") as file:          # the idx format: 2 images of 2 x 2
    ...     size = file.write(bytes([0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 2]) + bytes([0, 128] * 4))
    >>> with open("labels", "wb") as file:
    ...     size = file.write(bytes([0, 0, 8, 1, 0, 0, 0, 2, 7, 7]))
    >>> batches = mx.io.MNISTIter(image="images", label="labels", batch_size=2, silent=True)
    >>> batch = batches.next()
    >>> batch.data[0].shape, batch.data[0].asnumpy().max().tolist(), batch.label[0].asnumpy().tolist()
    ((2, 1, 2, 2), 0.5, [7.0, 7.0])
    """

    @parses_options
    def __init__(self, *, image: str = "./train-images-idx3-ubyte", label: str = "./train-labels-idx1-ubyte",
                 batch_size: int = 128, shuffle: bool = True, flat: bool = False, seed: int = 0, silent: bool = False,
                 num_parts: int = 1, part_index: int = 0, prefetch_buffer: int = 4, ctx: Contexts = "gpu",
                 dtype: DType | None = None, data_name: str = "data", label_name: str = "softmax_label") -> None:
        pixels, digits = _read(image, 3), _read(label, 1)
        if len(pixels) != len(digits):
            raise FileFormatError(f"MNISTIter: {image!r} has {len(pixels)} images, {label!r} has {len(digits)} labels")
        part = part_of(len(pixels), num_parts, part_index)
        pixels, digits = pixels[part], digits[part]
        if shuffle:
            order = np.random.RandomState(_words(seed)).permutation(len(pixels))
            pixels, digits = pixels[order], digits[order]
        shape = (len(pixels), -1) if flat else (len(pixels), 1, *pixels.shape[1:])
        data = pixels.reshape(shape) / np.float32(256)
        dtype = dtype_option(dtype)
        super().__init__(data.astype(dtype, copy=False), digits.astype(dtype), batch_size, "drop", data_name,
                         label_name, knows_index=False)
        if not silent:
            logging.info("MNISTIter: load %d images, shuffle=%d, shape=%s", len(pixels), shuffle,
                         self.provide_data[0].shape)


def _read(path, rank):
    try:
        array = read_idx(path, more=True)
    except OSError as error:
        problem = unreadable(path, error, "an idx file, which gluon.data.vision.MNIST() downloads")
        raise FileFormatError(f"MNISTIter: {problem}") from error
    if array.ndim != rank:
        raise FileFormatError(f"MNISTIter: {path!r} holds an array with {array.ndim} axes, expected {rank}; image= and "
                              "label= may be swapped")
    return array


share_sentences(MXDataIter, MNISTIter)


def _words(seed):
    """Return a seed for NumPy's older generator: one 32-bit word, or the words of a larger or negative seed."""
    return seed if 0 <= seed < 2 ** 32 else [(seed >> shift) % 2 ** 32 for shift in (0, 32, 64)]
