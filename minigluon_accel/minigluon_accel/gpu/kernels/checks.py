"""Indices that must be in range: a kernel looks for one that is not, and the host raises the reference's error.

The host has to wait for the answer, so that such an operator is no part of a CUDA graph.
"""

import math

import numpy as np

from minigluon.backend import Spec
from minigluon.base import OutOfRangeError

from .. import launch
from ..launch import Enqueue, Launch, Scratch, SourceFile, Work, blocks, dims
from .transfers import download

__all__ = ["checked"]

INDEXING_SOURCE = SourceFile("array/indexing.cu")
MAX_ANSWERS = 256       # blocks, each with an answer


def checked(name, device, indices, where, lengths, defines, negative=False):
    """Work that raises OutOfRangeError, as operator `name`, for the first index out of range; or a reason to decline.

    indices (len(lengths), ...): the Spec of operand `where`; each row is for an axis of one of the lengths. With one
    length their shape does not matter. defines: those with which array/indexing.cu is compiled anyway. negative:
    indices count from the end, too, and the message names the axis.
    """
    count = math.prod(indices.shape)
    if not count:
        return Work()
    if len(lengths) > launch.MAX_DIMS:
        return f"{len(lengths)} axes"
    grid = min(blocks(count), MAX_ANSWERS)
    row = count // len(lengths)
    look = Launch(INDEXING_SOURCE, "find_outside", defines, grid, launch.THREADS,
                  [Scratch(0), where, count, row, int(negative), dims(lengths)])
    answers = Spec((grid,), np.dtype(np.int64))

    def answer(stream, pointers):
        first = int(download(device, stream, pointers[0], answers).min())
        if first == count:
            return
        index = download(device, stream, pointers[1] + first * indices.dtype.itemsize, Spec((1,), indices.dtype))
        with np.errstate(all="ignore"):
            number, axis = int(index.astype(np.int64)[0]), first // row
        raise OutOfRangeError(
            f"{name}: index {number} is out of range for axis {axis}, which has length {lengths[axis]}." if negative
            else f"{name}: index {number} is out of range; indices must be at least 0 and less than {lengths[0]}.")
    return Work(look, Enqueue(f"{name}: indices in range", answer, [Scratch(0), where], replayable=False),
                scratch=[answers])
