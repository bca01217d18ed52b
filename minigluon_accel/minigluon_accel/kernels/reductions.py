"""Reductions over axes.

The axes are merged into groups, alternately kept and reduced, and the reduced groups are processed in turn, starting
with the last. Each step is a reduction of x[outer][rows][inner] over rows (see `csrc/math/reduce.c`).
"""

import math

from minigluon.backend import Spec

from ..engine import Call, Phase
from . import programs
from .registry import parts, reals, size

__all__ = ["DIVIDED", "ROOT", "reduce"]

AS_IS, DIVIDED, ROOT = 0, 1, 2
TILE = 128              # the minimum number of columns in a part: about one tile of `reduce.c`
MIN_ROW = 2 ** 12     # the number of elements in a row, or of rows in columns, that are worth a separate chunk
MIN_ROWS = 2 ** 5
JOINED = {"square": "sum", "size": "sum", "nansum": "sum", "nanprod": "prod"}       # the reduction for their results


def reduce(kind, inputs, axes, out, finish=AS_IS, divisor=1.0):
    """Returns the Call that reduces the first input over axes to `out`, which has the same dtype, or the reason why
    there is none."""
    data = inputs[0]
    reason = reals(data, out)
    if reason:
        return reason
    if not size(out):
        return Call()
    groups = _groups(data.shape, axes)
    if not size(data) or not groups:
        return _nothing(kind, inputs, out, finish)
    steps = []              # (rows, inner, outer) of each reduction
    stride = 1                # the number of elements of an item along the axes after the group
    for number, (length, is_reduced) in reversed(list(enumerate(groups))):
        if is_reduced:
            outer = math.prod(n for n, _ in groups[:number])
            steps += _steps(outer, length, stride)
        else:
            stride *= length
    scratch, phases = [], []
    for number, (outer, rows, inner, chunks) in enumerate(steps):
        last = number == len(steps) - 1
        if not last:
            scratch.append(Spec((outer * chunks * inner,), out.dtype))
        name = kind if number == 0 else JOINED.get(kind, kind)
        phases.append(Phase(
            f"{name}_{'rows' if inner == 1 else 'columns'}", out.dtype, parts(outer * rows * inner),
            source=len(inputs) + number if number else 0, target=len(inputs) + (0 if last else number + 1),
            outer=outer, rows=rows, inner=inner, chunks=chunks, finish=finish if last else AS_IS, divisor=divisor))
    return Call(*phases, scratch=scratch)


def _groups(shape, axes):
    """Returns [(length, whether it is reduced)] of merged axes, without lengths of 1, or [] if nothing is reduced."""
    groups = []
    for d, n in enumerate(shape):
        if n == 1:
            continue
        if groups and groups[-1][1] == (d in axes):
            groups[-1] = groups[-1][0] * n, groups[-1][1]
        else:
            groups.append((n, d in axes))
    return groups if any(is_reduced for _, is_reduced in groups) else []


def _steps(outer, rows, inner):
    """Returns [(outer, rows, inner, chunks)]: one step, or two if one step would have too few parts for its size."""
    divided = parts(outer * rows * inner)
    units = outer * -(-inner // TILE)
    least = MIN_ROW if inner == 1 else MIN_ROWS
    chunks = min(-(-divided // units), rows // least)
    if chunks <= 1:
        return [(outer, rows, inner, 1)]
    return [(outer, rows, inner, chunks), (outer, chunks, inner, 1)]


def _nothing(kind, inputs, out, finish):
    """Returns the Call for results that are each computed from a single element of data, or from none."""
    if not size(inputs[0]):
        return "a reduction of nothing"
    if kind.startswith("nan"):
        return "nothing to join"
    lines = programs.LineProgram()
    if kind == "square" and finish == ROOT:
        kind = "size"           # the root of a single square, which might overflow or underflow
    lines.add({"square": "square", "size": "abs"}.get(kind, "identity"), (out.shape, 0))
    return programs.call(lines, inputs, out)
