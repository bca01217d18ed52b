"""Index checks: a kernel looks for an index out of range, and the reference's error is raised later.

Later kernels use the nearest valid index instead, so they stay within their arrays. See `gpu/out_of_range.py`.
"""

import math

import numpy as np

from minigluon.backend import Spec

from .. import launch
from ..launch import Launch, Scratch, SourceFile, Work, blocks, dims

__all__ = ["checked"]

INDEXING_SOURCE = SourceFile("array/indexing.cu")
MAX_ANSWERS = 256       # the number of blocks, each with one result


def checked(name, device, indices, where, lengths, defines, negative=False):
    """Returns Work that finds the first index out of range, for operator `name`'s error, or a reason for declining.

    indices (len(lengths), ...): the Spec of operand `where`; row i contains the indices along an axis of length
    lengths[i]. If there is only one length, the indices' shape does not matter. defines: those with which
    array/indexing.cu is compiled anyway. negative: whether indices may also count from the end and the message names
    the axis.
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
    outside = device.memory.outside
    note = Launch(INDEXING_SOURCE, "note_outside", defines, 1, launch.THREADS,
                  [np.uint64(outside.address), Scratch(0), grid, where, count, row, outside.number(name, negative),
                   dims(lengths)])
    return Work(look, note, scratch=[Spec((grid,), np.dtype(np.int64))])
