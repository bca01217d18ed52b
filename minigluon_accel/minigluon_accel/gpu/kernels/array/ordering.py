"""sort, argsort and topk: each row is sorted in shared memory, and longer rows are merged through global memory; or a
warp finds the first few items of each row in a single pass."""

import math
from typing import NamedTuple

import numpy as np

from minigluon.backend import Spec

from ... import launch
from ...launch import In, Launch, Out, Scratch, SourceFile, Work, blocks, types
from ..movement import word_of, zeros
from ..registry import kernel_for

__all__ = ["SortLaunches", "sort_launches"]

SOURCE = SourceFile("array/ordering.cu")
ALONG_SOURCE = SourceFile("array/ordering_along.cu")
TILE = 1024                     # the number of items that a block sorts, as in array/ordering.cu
FEW = 32                        # the number of items that a warp finds without sorting: one per lane
WARPS, PART = 2 ** 14, 2048     # warps that keep a large device busy; minimum number of a row's elements per warp
MAX_PLACES = 2 ** 32            # the maximum elements per row, so that positions fit in one word with a 32-bit key


class SortLaunches(NamedTuple):
    """Rows of sorted items: the launches that create them, their scratch memory, and their location."""

    launches: list
    scratch: list
    items: Scratch
    held: int                   # the number of items that are stored per row
    defines: dict


def sort_launches(dtype, source, outer, n, inner, ascending=True, first=0):
    """Returns SortLaunches for the elements of operand `source` (outer, n, inner) along its middle axis.

    first: the index of the first available scratch buffer. Items are as in items.cuh.
    """
    defines, words = _defines(dtype, n)
    width = min(2 ** max(n - 1, 1).bit_length(), TILE)
    rows, per_row = outer * inner, -(-n // width)
    tiles = -(-rows * per_row // (TILE // width))
    launches = [Launch(SOURCE, "sort_tiles", defines, blocks(tiles, 1), launch.THREADS,
                       [Scratch(first), source, rows, n, inner, width, per_row, int(ascending)])]
    spec = Spec((rows * n * words,), np.dtype(np.int64))
    here, there = Scratch(first), Scratch(first + 1)
    while width < n:
        launches.append(Launch(SOURCE, "merge_runs", defines, blocks(rows * n), launch.THREADS,
                               [there, here, rows * n, n, width]))
        here, there, width = there, here, 2 * width
    return SortLaunches(launches, [spec] * min(len(launches), 2), here, n, defines)


def _defines(dtype, n):
    """Returns the defines for kernels on items of n-element rows, and the number of 8-byte words per item."""
    wide = np.dtype(dtype).itemsize == 8 or n >= MAX_PLACES
    return {**types(dtype, TO=dtype), **({"WIDE": "1"} if wide else {})}, 2 if wide else 1


def first_launches(dtype, source, outer, n, inner, count, ascending):
    """Returns SortLaunches for the first `count` items of each row, up to FEW: first per part, then overall."""
    defines, words = _defines(dtype, n)
    rows, launches, scratch, held = outer * inner, [], [], n
    while not launches or held > count:
        parts = max(1, min(-(-held // max(PART, 2 * count)), WARPS // rows))
        length = -(-held // parts)
        to, function, how = Scratch(len(scratch)), "first_of_items", [Scratch(len(scratch) - 1), rows, held]
        more = [parts, length, count]
        if not launches:
            function, how, more = "first_of_elements", [source, rows, held, inner], [*more, int(ascending)]
        launches.append(Launch(SOURCE, function, defines, blocks(32 * rows * parts), launch.THREADS,
                               [to, *how, *more]))
        held = parts * count
        scratch.append(Spec((rows * held * words,), np.dtype(np.int64)))
    return SortLaunches(launches, scratch, Scratch(len(scratch) - 1), held, defines)


def split(op, shape):
    """Returns (outer, n, inner): the shape with the operator's axis in the middle, or all elements for axis None."""
    if op.axis is None:
        return 1, math.prod(shape), 1
    axis = op.normalize_axis(op.axis, len(shape))
    return math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1:])


def _results(op, data, outputs, count=None):
    """Returns the Work for [(what: values, places or mask, output index, its dtype)] of the first `count` elements."""
    outer, n, inner = split(op, data.shape)
    count = n if count is None else count
    if not outer * count * inner:
        return Work()
    if count <= FEW and n >= 2 * FEW:
        order = first_launches(data.dtype, In(0), outer, n, inner, count, op.is_ascend)
    else:
        order = sort_launches(data.dtype, In(0), outer, n, inner, op.is_ascend)
    launches = list(order.launches)
    for what, number, dtype in outputs:
        if what == "mask":
            launches += zeros(data, Out(number))
        operands = [Out(number), *([In(0)] if what == "values" else []), order.items]
        launches.append(Launch(SOURCE, f"ordered_{what}", {**order.defines, "TO": types(dtype)["T"]},
                               blocks(outer * count * inner), launch.THREADS,
                               [*operands, outer * count * inner, n, order.held, count, inner]))
    return Work(*launches, scratch=order.scratch)


@kernel_for("sort")
def sort(op, inputs, outputs):
    return _results(op, inputs[0], [("values", 0, inputs[0].dtype)])


@kernel_for("argsort")
def argsort(op, inputs, outputs):
    return _results(op, inputs[0], [("places", 0, outputs[0].dtype)])


@kernel_for("topk")
def topk(op, inputs, outputs):
    data = inputs[0]
    results = {"value": ["values"], "mask": ["mask"], "indices": ["places"], "both": ["values", "places"]}[op.ret_typ]
    results = [(what, number, outputs[number].dtype) for number, what in enumerate(results)]
    return _results(op, data, results, op.k if op.k > 0 else None)


@kernel_for("_along_axis")
def along_axis(op, inputs, outputs):
    data, where = inputs
    return _along("along_axis", op, data, where, 1, outputs[0], [])


@kernel_for("_along_axis_grad")
def along_axis_grad(op, inputs, outputs):
    _, data, where = inputs
    return _along("along_axis_grad", op, data, where, 2, outputs[0], zeros(outputs[0], Out(0)))


def _along(function, op, data, where, place, out, before):
    if where.dtype.kind not in "iu":
        return f"places of {where.dtype}"
    _, n, inner = split(op, data.shape)
    _, count, _ = split(op, where.shape)
    total = math.prod(where.shape)
    if not total:
        return Work(*before)
    defines = {**word_of(out.dtype), "TI": types(where.dtype)["T"]}
    return Work(*before, Launch(ALONG_SOURCE, function, defines, blocks(total), launch.THREADS,
                                [Out(0), In(0), In(place), total, n, count, inner]))
