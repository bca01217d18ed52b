"""Deformable convolution: columns of deformed windows, multiplied by the filters."""

import math

from minigluon.backend import Spec

from ...engine import Call, Phase
from ..matrix_product import Matrix, product
from ..registry import kernel_for, parts, reals, size


def _columns_call(op, name, data, offset, out, units, inputs, /, **operands):
    geometry, groups = op.geometry(), op.num_deformable_group
    images, channels, h, w = data.shape
    names = ("kernel", "stride", "dilate", "pad")
    windows = {f"{which}_{axis}": numbers[k] for which in names for numbers in [getattr(geometry, which)]
               for k, axis in enumerate("hw" if which == "kernel" else "yx")}
    work = size(out) if size(data) else 0
    if not work and size(out):
        return "no data"
    return reals(*inputs) or Call(Phase(
        name, data.dtype, min(parts(8 * work), images * groups * units) if work else 0, images=images,
        groups=groups, channels=channels // groups, h=h, w=w, rows=offset.shape[2], columns=offset.shape[3], **windows,
        clamps=int(op.clamps), **operands))


@kernel_for("_deformable_columns")
def columns(op, inputs, outputs):
    return _columns_call(op, "deformable_columns", *inputs, outputs[0], op.taps, inputs,
                         grad=0, data=0, offset=1, out=2)


@kernel_for("_contrib_DeformableConvolution")
def deformable(op, inputs, outputs):
    """Returns the Call that computes the columns in scratch memory, multiplies the filters by them, and adds the
    bias."""
    data, offset, weight, *bias = inputs
    (n, filters, *space), channels = outputs[0].shape, data.shape[1]
    if op.num_group > 1:
        return f"{op.num_group} groups of filters"
    depth, windows, out = channels * op.taps, math.prod(space), len(inputs)
    between = Spec((n, depth, windows), data.dtype)
    bend = _columns_call(op, "deformable_columns", data, offset, between, op.taps, inputs, grad=0, data=0, offset=1,
                         out=out + 1)
    if isinstance(bend, str):
        return bend
    multiply = product(data.dtype, (filters, windows), depth, Matrix(2, depth, 1),
                       Matrix(out + 1, windows, 1, depth * windows), out, batches=n)
    work = size(outputs[0])
    add = [Phase("add_row_bias", data.dtype, min(parts(work), n * filters) if work else 0, batches=n, rows=filters,
                 columns=windows, bias=3, out=out)] if bias else []
    return Call(*bend.phases, multiply, *add, scratch=[between])


@kernel_for("_deformable_data_grad")
def data_grad(op, inputs, outputs):
    _, data, offset = inputs
    return _columns_call(op, "deformable_data_grad", data, offset, outputs[0], 1, inputs,
                         grad=0, data=1, offset=2, out=3)


@kernel_for("_deformable_offset_grad")
def offset_grad(op, inputs, outputs):
    _, data, offset = inputs
    return _columns_call(op, "deformable_offset_grad", data, offset, outputs[0], op.taps, inputs,
                         grad=0, data=1, offset=2, out=3)
