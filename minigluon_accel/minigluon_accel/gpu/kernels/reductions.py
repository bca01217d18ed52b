"""Reductions over axes, and the distribution of an array's lines among threads (see `reductions.cuh`).

The axes are merged into groups, alternately kept and reduced, and the reduced groups are processed in turn, starting
with the last. Each step is a reduction of [outer][rows][inner] over rows.
"""

import math

import numpy as np

from minigluon.backend import Spec

from ...strides import collapse, row_major, stretched
from ..launch import MAX_DIMS, THREADS, TYPES, In, Launch, Out, Scratch, SourceFile, Work, blocks, dims, size

__all__ = ["copied", "ctype", "filled", "reduce", "steps_of", "stepwise", "transform", "wide"]

REDUCE_SOURCE = SourceFile("math/reduce.cu")
COPYING_SOURCE = SourceFile("copying.cu")
MANY = 1024         # the number of blocks that keep a large device busy: a step with fewer blocks is divided further
WHOLE = In(0), Out(0)        # the default operands: the data and the result
MIN_ROWS = 8        # the minimum number of rows per thread in a chunk
EACH = 8            # the minimum number of rows per thread in a chunk
SHORT, LONG = 256, 1024     # number of a line's elements that a thread reads at once; shorter lines have fewer threads


def ctype(dtype):
    """Returns the dtype's name in CUDA C++."""
    return TYPES[np.dtype(dtype).name][0]


def wide(dtype):
    """Returns the dtype of the arithmetic on floats if the reference uses at least float32."""
    return np.promote_types(dtype, np.float32)


# -- distribution of lines --------------------------------------------------------------------------------------------


def _power_of_two(n):
    """Returns the smallest power of two that is at least n."""
    return 1 << max(n - 1, 0).bit_length()


def _by_rows(outer, rows, inner):
    return inner == 1 and (rows <= SHORT or (rows <= LONG and outer >= MANY))


def _width(rows, inner):
    """Returns the number of columns in a tile: the maximum for which each of 8 rows has threads."""
    return min(_power_of_two(inner), THREADS // min(8, _power_of_two(rows)))


def _chunks(outer, rows, inner):
    """Returns the number of parts into which a line of a tile is divided."""
    width = _width(rows, inner)
    units = outer * -(-inner // width)
    return max(1, min(-(-MANY // max(units, 1)), rows // (MIN_ROWS * THREADS // width)))


def _plan(outer, rows, inner, chunks=1, from_parts=False, to_parts=False):
    """Returns (suffix of the kernel's name, grid, parameters of a plan)."""
    if _by_rows(outer, rows, inner):
        lanes = min(32, max(_power_of_two(rows) // EACH, 1))
        return "rows", blocks(outer * lanes), dims([outer, rows, 1, 1, lanes, from_parts, to_parts])
    width = _width(rows, inner)
    grid = blocks(outer * chunks * -(-inner // width), 1)
    return "tiles", grid, dims([outer, rows, inner, chunks, width, from_parts, to_parts])


def stepwise(source, defines, steps, value_bytes, more=(), operands=WHOLE, scratch=0, prefix="reduce"):
    """Returns (launches, Specs of scratch) of a reduction in steps.

    steps: [(outer, rows, inner)]. value_bytes: the size of the kernel's Value. more: arguments appended to those of
    every step. operands: the data, and `to` for the kernel of the last step. scratch: the index of the first scratch
    buffer.
    """
    parts = []
    for outer, rows, inner in steps:
        chunks = 1 if _by_rows(outer, rows, inner) else _chunks(outer, rows, inner)
        parts.append((outer, rows, inner, chunks))
        if chunks > 1:
            parts.append((outer, chunks, inner, 1))
    launches, specs, where = [], [], operands[0]
    for number, (outer, rows, inner, chunks) in enumerate(parts):
        is_last = number == len(parts) - 1
        to = operands[1]
        if not is_last:
            to = Scratch(scratch + len(specs))
            specs.append(Spec((outer * chunks * inner * value_bytes // 8 + 1,), np.dtype("float64")))
        kind, grid, plan = _plan(outer, rows, inner, chunks, number > 0, not is_last)
        launches.append(Launch(source, f"{prefix}_{kind}", defines, grid, THREADS, [where, to, plan, *more]))
        where = to
    return launches, specs


def transform(source, function, defines, lines, arguments):
    """Returns the launch of a kernel that reads each line twice: first to reduce it, then to transform its elements."""
    kind, grid, plan = _plan(*lines)
    return Launch(source, f"{function}_{kind}", defines, grid, THREADS, [*arguments, plan])


def steps_of(shape, axes):
    """Returns [(outer, rows, inner)] for each step of a reduction over axes or, without axes, for one step over
    individual rows.

    If the array is empty, there is one step over lines without rows, with one line for each result.
    """
    if not math.prod(shape):
        return [(math.prod(n for d, n in enumerate(shape) if d not in axes), 0, 1)]
    groups = []
    for d, n in enumerate(shape):
        if n != 1 and groups and groups[-1][1] == (d in axes):
            groups[-1] = groups[-1][0] * n, groups[-1][1]
        elif n != 1:
            groups.append((n, d in axes))
    steps, inner = [], 1
    for number, (length, is_reduced) in reversed(list(enumerate(groups))):
        if is_reduced:
            steps.append((math.prod(n for n, _ in groups[:number]), length, inner))
        else:
            inner *= length
    return steps or [(math.prod(shape), 1, 1)]


# -- shared Works -----------------------------------------------------------------------------------------------------

JOINS = {"sum": ("added", "0"), "prod": ("multiplied", "1"),
         "max": ("larger", "MIN_VALUE"), "min": ("smaller", "MAX_VALUE")}


def reduce(data, axes, out, join, take="as_it_is", finish="kept", number=0.0, among=None, operands=WHOLE, scratch=0):
    """Returns the Work that reduces `data` over axes to `out`; both are Specs.

    among: the dtype of the arithmetic, if it differs from the default. join, take and finish are names of functions in
    `math/reduce.cu`; `number` is their argument. operands and scratch are as in `stepwise`.
    """
    if not size(out):
        return Work()
    among = TYPES[data.dtype.name][1] if among is None else ctype(among)
    joined, empty = JOINS[join]
    defines = {"FROM": ctype(data.dtype), "TO": ctype(out.dtype), "A": among, "JOIN": joined, "EMPTY": empty,
               "TAKE": take, "FINISH": finish}
    launches, scratch = stepwise(REDUCE_SOURCE, defines, steps_of(data.shape, axes), 4 if among == "float" else 8,
                                 [float(number)], operands, scratch)
    return Work(*launches, scratch=scratch)


def copied(source, target, shape=None):
    """Returns the Work of a copy to the target's dtype, or a string that says why there is none.

    shape: the source's shape, including axes of length 1, along which it is broadcast to the target's shape.
    """
    if not size(target):
        return Work()
    shape = source.shape if shape is None else shape
    lengths, (to, strides) = collapse(target.shape, [row_major(target.shape),
                                                     stretched(shape, row_major(shape), target.shape)])
    if len(lengths) > MAX_DIMS:
        return f"{len(lengths)} dimensions that cannot be joined"
    return Work(Launch(COPYING_SOURCE, "copy_strided", {"T": ctype(target.dtype), "FROM": ctype(source.dtype)},
                       blocks(size(target)), THREADS,
                       [Out(0), In(0), size(target), np.int32(len(lengths)), dims(lengths), dims(to), dims(strides)]))


def filled(target, value, where=WHOLE[1]):
    """Returns the Work that writes a number to all elements of operand `where`, whose Spec is `target`."""
    if not size(target):
        return Work()
    number = np.array(value).astype(target.dtype)[()]
    return Work(Launch(COPYING_SOURCE, "fill_strided", {"T": ctype(target.dtype), "FROM": "float"},
                       blocks(size(target)), THREADS,
                       [where, number, size(target), np.int32(1), dims([size(target)]), dims([1])]))
