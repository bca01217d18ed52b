"""Reductions over axes: sum, mean, max, norm, argmax, ..., and what sums back what broadcasting has stretched.

The axes are joined to groups that are kept or reduced in turn, and the groups are reduced one after the other, the last
one first: each is a reduction of x[outer][rows][inner] over rows, see `csrc/math/reduce.c`.
"""

import math

from minigluon.backend import Spec

from ...engine import Call, Phase
from .. import programs
from ..registry import kernel_for, parts, reals, size

__all__ = ["reduce"]

AS_IS, DIVIDED, ROOT = 0, 1, 2
TILE = 128              # columns of a part at least: about the tile of `reduce.c`
LEAST_ROW = 2 ** 12     # elements of a row, or rows of columns, that are worth a chunk of their own
LEAST_ROWS = 2 ** 5
JOINED = {"square": "sum", "size": "sum", "nansum": "sum", "nanprod": "prod"}       # how their results are reduced


def reduce(kind, inputs, axes, out, finish=AS_IS, divisor=1.0):
    """The Call of a reduction of the first input over axes to `out`, Specs of one dtype; or why there is none."""
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
    kept = 1                # elements of an item behind the group
    for number, (length, is_reduced) in reversed(list(enumerate(groups))):
        if is_reduced:
            outer = math.prod(n for n, _ in groups[:number])
            steps += _steps(outer, length, kept)
        else:
            kept *= length
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
    """[(length, is it reduced)], neighbours joined and lengths of 1 left out; [] where nothing is reduced."""
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
    """[(outer, rows, inner, chunks)]: one step, or two where one would have less parts than its size is worth."""
    divided = parts(outer * rows * inner)
    units = outer * math.ceil(inner / TILE)
    least = LEAST_ROW if inner == 1 else LEAST_ROWS
    chunks = min(math.ceil(divided / units), rows // least)
    if chunks <= 1:
        return [(outer, rows, inner, 1)]
    return [(outer, rows, inner, chunks), (outer, chunks, inner, 1)]


def _nothing(kind, inputs, out, finish):
    """Where each result has one element of data, or none."""
    if not size(inputs[0]):
        return "a reduction of nothing"
    if kind.startswith("nan"):
        return "nothing to join"
    lines = programs.Lines()
    x = lines.add({"square": "square", "size": "abs"}.get(kind, "identity"), (out.shape, 0))
    if finish == ROOT:
        lines.add("sqrt", x)
    return programs.call(lines, inputs, out)


# -- operators ------------------------------------------------------------------------------------------------------

@kernel_for("sum", "prod", "max", "min", "nansum", "nanprod")
def reduction(op, inputs, outputs):
    return reduce(op.name, inputs, op.axes(len(inputs[0].shape)), outputs[0])


@kernel_for("_square_sum")
def square_sum(op, inputs, outputs):
    return reduce("square", inputs, op.axes(len(inputs[0].shape)), outputs[0])


@kernel_for("mean")
def mean(op, inputs, outputs):
    shape = inputs[0].shape
    axes = op.axes(len(shape))
    return reduce("sum", inputs, axes, outputs[0], DIVIDED, math.prod(shape[a] for a in axes))


@kernel_for("norm")
def norm(op, inputs, outputs):
    axes = op.axes(len(inputs[0].shape))
    if op.ord == 1:
        return reduce("size", inputs, axes, outputs[0])
    return reduce("square", inputs, axes, outputs[0], ROOT)


@kernel_for("_sum_like")
def sum_like(op, inputs, outputs):
    data, like = inputs[0].shape, outputs[0].shape
    full = (1,) * (len(data) - len(like)) + like
    axes = [a for a, (n, m) in enumerate(zip(data, full, strict=True)) if n != m]
    return reduce("sum", inputs, axes, outputs[0])


@kernel_for("_sum_channels")
def sum_channels(op, inputs, outputs):
    channels = outputs[0].shape == inputs[0].shape[1:2] or len(inputs[0].shape) == 1
    axes = [a for a in range(len(inputs[0].shape)) if a != 1 or not channels]
    return reduce("sum", inputs, axes, outputs[0])


@kernel_for("argmax", "argmin", "argmax_channel")
def arg(op, inputs, outputs):
    data = inputs[0]
    axis = 1 if op.name == "argmax_channel" else op.axis
    if reals(data, outputs[0]):
        return reals(data, outputs[0])
    if axis is None:
        outer, rows, inner = 1, size(data), 1
    else:
        axis %= len(data.shape)
        outer, rows, inner = math.prod(data.shape[:axis]), data.shape[axis], math.prod(data.shape[axis + 1:])
    if rows >= 2 ** 31:
        return f"{rows} elements in a row"
    return Call(Phase("arg", data.dtype, parts(size(data)), outer=outer, rows=rows, inner=inner,
                      smallest=int(op.name == "argmin")))


# -- stretching -----------------------------------------------------------------------------------------------------

def stretch(inputs, shape, out):
    """The Call that repeats the first input, seen in `shape`, along its axes of length 1."""
    if reals(inputs[0], out):
        return reals(inputs[0], out)
    lines = programs.Lines()
    lines.add("identity", (shape, 0))
    return programs.call(lines, inputs, out)


@kernel_for("broadcast_to", "broadcast_axis", "broadcast_like", "_stretch_like")
def broadcast(op, inputs, outputs):
    return stretch(inputs, inputs[0].shape, outputs[0])


@kernel_for("_along_channels")
def along_channels(op, inputs, outputs):
    return stretch(inputs, channel_shape(inputs[0].shape, outputs[0].shape), outputs[0])


def channel_shape(vector, like):
    """(C,) or (1,) in a shape that stretches along axis 1."""
    return (*vector, *(1,) * (len(like) - 2)) if len(like) > 1 else vector


@kernel_for("_spread_like")
def spread(op, inputs, outputs):
    return stretch(inputs, spread_shape(op, outputs[0].shape), outputs[0])


def spread_shape(op, like):
    """The shape of what was reduced, with 1 for the reduced axes."""
    axes = op.axes(len(like))
    return tuple(1 if a in axes else n for a, n in enumerate(like))
