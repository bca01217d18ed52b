"""Arrays that lie in memory in ways that a kernel may not expect, in memory that ends where they end."""

import math

import numpy as np

__all__ = ["LAYOUTS", "fenced", "laid_out"]

FENCE = 1 << 14         # bytes on either side of an array: more than all the elements of a row


def laid_out(array, layout=None):
    """The elements of an array in memory of their own, which ends with the last of them.

    layout: one of LAYOUTS, or None for one piece. A read or write beside it is seen by AddressSanitizer.
    """
    return _LAYOUTS[layout](array) if layout else _in_one_piece(array)


def _in_one_piece(array):
    placed = np.empty(array.shape, array.dtype)
    placed[...] = array
    return placed


def _with_holes(array):
    if not array.ndim or not array.size:
        return _in_one_piece(array)
    memory = np.full(2 * array.size - 1, 7, array.dtype)
    strides = _in_one_piece(array).strides
    placed = np.lib.stride_tricks.as_strided(memory, array.shape, [2 * s for s in strides])
    placed[...] = array
    return placed


def _backwards(array):
    every = (slice(None, None, -1),) * array.ndim
    return _in_one_piece(array[every])[every]


def _transposed(array):
    return _in_one_piece(array.T).T


def _at_an_odd_address(array):
    memory = np.empty(array.nbytes + 1, np.uint8)
    placed = memory[1:].view(array.dtype).reshape(array.shape)
    placed[...] = array
    return placed


_LAYOUTS = {"with holes": _with_holes, "backwards": _backwards, "transposed": _transposed,
            "at an odd address": _at_an_odd_address}
LAYOUTS = list(_LAYOUTS)


def fenced(spec, fill):
    """(bytes, an array in the middle of them): `fill` in the array and in what lies beside it."""
    size = math.prod(spec.shape) * spec.dtype.itemsize
    block = np.full(FENCE + size + FENCE, fill, np.uint8)
    array = block[FENCE:FENCE + size].view(spec.dtype).reshape(spec.shape)
    if spec.dtype.kind == "b":
        array[...] = fill == 0xff
    return block, array


def unharmed(block, spec, fill):
    """Is what lies beside a `fenced` array as it was?"""
    behind = FENCE + math.prod(spec.shape) * spec.dtype.itemsize
    return bool((block[:FENCE] == fill).all() and (block[behind:] == fill).all())
