"""Moving elements: an operator that only moves elements consists of one or more launches of `move`.

NumPy computes source and target positions: the operator's view is applied to a placeholder, an array with that shape
but without memory, and the strides of the result are used.

    move(dtype, In(0), placeholder(shape).transpose(order), Out(0), placeholder(out_shape))
"""

import math

import numpy as np

from ...strides import placeholder, start
from .. import launch
from ..launch import In, Launch, Out, SourceFile, Work, blocks, limit_of_32_bits

__all__ = ["fill", "move", "walk", "word_of", "zeros"]

SOURCE = SourceFile("movement.cu")
WORDS = {1: "unsigned char", 2: "unsigned short", 4: "unsigned int", 8: "unsigned long long"}
TILE, ROWS = 32, 8              # as in movement.cu
SHORT = 8                       # shorter axes are not worth a tile
SMALL = limit_of_32_bits(2 ** 31)        # with fewer elements, 32-bit indices are used

# -- walks ------------------------------------------------------------------------------------------------------------


def joined(target, source):
    """Returns [[length, target's stride, source's stride]] of two views with equal shapes, largest target stride first.

    Axes that both views traverse as one axis are merged.
    """
    axes = [[n, a, b] for n, a, b in zip(target.shape, target.strides, source.strides, strict=True) if n != 1]
    axes.sort(key=lambda axis: -abs(axis[1]))
    whole = []
    for n, a, b in axes:
        if whole and whole[-1][1] == n * a and whole[-1][2] == n * b:
            whole[-1] = [whole[-1][0] * n, a, b]
        else:
            whole.append([n, a, b])
    return whole


def walk(axes):
    """Returns (struct Walk of strided_index.cuh, its define INDEX) for [[length, to, from]]."""
    if len(axes) > launch.MAX_DIMS:
        raise ValueError(f"{len(axes)} axes, and kernels have {launch.MAX_DIMS}")
    columns = np.zeros((3, launch.MAX_DIMS), np.int64)
    inverses = np.zeros((2, launch.MAX_DIMS), np.uint32)
    small = math.prod(n for n, _, _ in axes) < SMALL
    for d, axis in enumerate(axes):
        columns[:, d] = axis
        inverses[:, d] = inverse(axis[0]) if small else (0, 0)
    data = columns.tobytes() + inverses.tobytes() + np.int64(len(axes)).tobytes()
    return np.frombuffer(data, np.uint8), {"INDEX": "unsigned" if small else "long long"}


def inverse(n):
    """Returns (factor, shift) such that i // n == ((i * factor >> 32) + i) >> shift for all i below 2**31.

    With 2**shift >= n, 2**32 + factor is the least integer greater than 2**(32 + shift) / n. Its relative error is at
    most 2**-32, so no quotient of 31 bits changes to the next integer.
    """
    n = max(n, 1)
    shift = (n - 1).bit_length()
    return (2 ** 32 * (2 ** shift - n)) // n + 1, shift


def word_of(dtype):
    """Returns the define for elements of a dtype that are only moved."""
    return {"W": WORDS[np.dtype(dtype).itemsize]}


# -- launches ---------------------------------------------------------------------------------------------------------


def move(dtype, source, view, target, target_view):
    """Returns a list with a Launch that copies a view of `source` to a view of `target` of equal shape; [] if empty."""
    if view.shape != target_view.shape:
        raise ValueError(f"a view of shape {view.shape} does not go to one of {target_view.shape}")
    if not target_view.size:
        return []
    axes = joined(target_view, view)
    if len(axes) > launch.MAX_DIMS:        # more axes than a kernel supports: one launch for each slice along one of
                                           # the axes
        return [part for a, b in zip(_parts(view), _parts(target_view), strict=True)
                for part in move(dtype, source, a, target, b)]
    tiled = _tiled(dtype, source, view, target, target_view, axes)
    if tiled is not None:
        return [tiled]
    steps, index = walk(axes)
    return [Launch(SOURCE, "move", {**word_of(dtype), **index}, blocks(view.size), launch.THREADS,
                   [target, source, view.size, start(target_view), start(view), steps])]


def _parts(view):
    """Returns the views that result from indexing the first axis of length 2 or more."""
    axis = next(axis for axis, n in enumerate(view.shape) if n > 1)
    return [view[(*[slice(None)] * axis, i)] for i in range(view.shape[axis])]


def _tiled(dtype, source, view, target, target_view, axes):
    """Returns the launch that uses tiles of shared memory, or None if tiles would not help."""
    across = next((axis for axis in axes if abs(axis[1]) == 1), None)
    down = next((axis for axis in axes if abs(axis[2]) == 1), None)
    if across is None or down is None or across is down or min(across[0], down[0]) < SHORT:
        return None
    others = [axis for axis in axes if axis is not across and axis is not down]
    steps, index = walk(others)
    tiles_across, tiles_down = -(-across[0] // TILE), -(-down[0] // TILE)
    tiles = tiles_across * tiles_down * math.prod(n for n, _, _ in others)
    return Launch(SOURCE, "move_tiles", {**word_of(dtype), **index}, blocks(tiles, 1), (TILE, ROWS),
                  [target, source, tiles, tiles_across, tiles_down, across[0], down[0], across[1], across[2], down[1],
                   down[2], start(target_view), start(view), steps])


def fill(dtype, target, target_view, value):
    """Returns a list with a Launch that writes one number, converted to the dtype, to a view of operand `target`."""
    if not target_view.size:
        return []
    axes = joined(target_view, target_view)
    steps, index = walk(axes)
    with np.errstate(all="ignore"):
        word = np.array([value]).astype(dtype).view(f"u{np.dtype(dtype).itemsize}")[0]
    return [Launch(SOURCE, "fill", {**word_of(dtype), **index}, blocks(target_view.size), launch.THREADS,
                   [target, word, target_view.size, start(target_view), steps])]


def zeros(spec, target):
    """Returns a list with a Launch that fills operand `target`, which has this Spec, with zeros."""
    return fill(spec.dtype, target, placeholder(spec.shape), 0)


def one_view(out, view):
    """Returns the Work that creates the only output from a view of the first input."""
    return Work(*move(out.dtype, In(0), view, Out(0), placeholder(view.shape)))
