"""Arithmetic on lengths and strides."""

import numpy as np

__all__ = ["collapse", "row_major", "strided", "strides_of", "stretched"]


def collapse(shape, operands):
    """(lengths, strides of each operand) with the dimensions joined that can be walked as one.

    operands: for each array its strides along `shape`, in elements; 0 where it is repeated.
    """
    lengths, joined = [], [[] for _ in operands]
    for d, n in enumerate(shape):
        if n == 1:
            continue
        if lengths and all(kept[-1] == steps[d] * n for kept, steps in zip(joined, operands, strict=True)):
            lengths[-1] *= n
            for kept, steps in zip(joined, operands, strict=True):
                kept[-1] = steps[d]
            continue
        lengths.append(n)
        for kept, steps in zip(joined, operands, strict=True):
            kept.append(steps[d])
    return tuple(lengths), [tuple(kept) for kept in joined]


def row_major(shape, itemsize=1):
    """Strides of an array without gaps."""
    strides, step = [], itemsize
    for n in reversed(shape):
        strides.append(step)
        step *= max(n, 1)
    return tuple(reversed(strides))


def strides_of(buffer):
    """A buffer's strides in elements."""
    if buffer.strides is None:
        return row_major(buffer.shape)
    return tuple(s // buffer.dtype.itemsize for s in buffer.strides)


def stretched(shape, strides, to_shape):
    """The strides with which an array is walked as one of another shape: 0 along what is repeated."""
    extra = len(to_shape) - len(shape)
    if extra < 0:               # leading axes of length 1
        shape, strides, extra = shape[-extra:], strides[-extra:], 0
    return (0,) * extra + tuple(0 if n == 1 else s for n, s in zip(shape, strides, strict=True))


def strided(buffer):
    """A NumPy array of a buffer's shape and strides, to be sliced and never read: it has no memory."""
    strides = row_major(buffer.shape, buffer.dtype.itemsize) if buffer.strides is None else buffer.strides
    return np.lib.stride_tricks.as_strided(_NOTHING.view(buffer.dtype)[:1], buffer.shape, strides)


_NOTHING = np.zeros(8, np.uint8)
