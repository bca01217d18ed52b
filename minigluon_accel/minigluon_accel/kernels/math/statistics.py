"""Norms, argmax and argmin."""

from ...engine import Call, Phase
from ..reductions import ROOT, reduce
from ..registry import kernel_for, parts, reals, size


@kernel_for("norm")
def norm(op, inputs, outputs):
    axes = op.axes(len(inputs[0].shape))
    if op.ord == 1:
        return reduce("size", inputs, axes, outputs[0])
    return reduce("square", inputs, axes, outputs[0], ROOT)


@kernel_for("argmax", "argmin", "argmax_channel")
def arg(op, inputs, outputs):
    data = inputs[0]
    op.require_room(data)       # in the original dtype, before the computation uses a different dtype
    if reals(data, outputs[0]):
        return reals(data, outputs[0])
    outer, rows, inner = op.lines(data.shape)
    if rows >= 2 ** 31:
        return f"{rows} elements in a row"
    return Call(Phase("arg", data.dtype, parts(size(data)), outer=outer, rows=rows, inner=inner,
                      smallest=int(op.name == "argmin")))
