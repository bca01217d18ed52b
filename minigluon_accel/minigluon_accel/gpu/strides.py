"""Strides of buffers."""

import numpy as np

from ..strides import row_major

__all__ = ["strided", "strides_of"]


def strides_of(buffer):
    """Returns a buffer's strides in elements."""
    if buffer.strides is None:
        return row_major(buffer.shape)
    return tuple(s // buffer.dtype.itemsize for s in buffer.strides)


def strided(buffer):
    """Returns a NumPy array with a buffer's shape and strides but without memory, to be sliced but never read."""
    strides = row_major(buffer.shape, buffer.dtype.itemsize) if buffer.strides is None else buffer.strides
    return np.lib.stride_tricks.as_strided(_NOTHING.view(buffer.dtype)[:1], buffer.shape, strides)


_NOTHING = np.zeros(8, np.uint8)
