"""Deformable convolutions: kernels for the columns and their gradients, combined with the existing matrix products."""

import math

from ...launch import THREADS, In, Launch, Out, SourceFile, Work, blocks, dims, size, types
from ..compose import composed
from ..movement import zeros
from ..registry import kernel_for
from ..vision.roi_align import in_planes

__all__ = []

SOURCE = SourceFile("nn/deformable.cu")


def _how(op, data, offset):
    """Returns the arguments common to all kernels: channels, groups, taps, windows, and struct Windows."""
    geometry, space = op.geometry(), offset.shape[2:]
    numbers = [*data.shape[2:], *space, geometry.kernel[1], *geometry.stride, *geometry.dilate, *geometry.pad,
               int(op.clamps)]
    return [data.shape[1], op.num_deformable_group, op.taps, math.prod(space), dims(numbers)]


def _launch(function, spec, threads, arguments):
    return Launch(SOURCE, function, types(spec.dtype), blocks(threads), THREADS, arguments)


@kernel_for("_deformable_columns")
def columns(op, inputs, outputs):
    (data, offset), out = inputs, outputs[0]
    if not size(out) or not size(data):
        return Work(*zeros(out, Out(0)))
    return Work(_launch("columns", out, size(out), [Out(0), In(0), In(1), size(out), *_how(op, data, offset)]))


@kernel_for("_deformable_data_grad")
def data_grad(op, inputs, outputs):
    _, data, offset = inputs
    planes = math.prod(data.shape[:2])
    return in_planes(SOURCE, "data_grad", outputs[0], planes, [In(0), In(2), planes,
                                                                        *_how(op, data, offset)])


@kernel_for("_deformable_offset_grad")
def offset_grad(op, inputs, outputs):
    _, data, offset = inputs
    threads = size(offset) // 2
    if not threads or not size(data):
        return Work(*zeros(outputs[0], Out(0)))
    return Work(_launch("offset_grad", offset, threads, [Out(0), In(0), In(1), In(2), threads,
                                                         *_how(op, data, offset)]))


@composed("_contrib_DeformableConvolution")
def deformable(op, F, data, offset, *filters, specs):
    return op.composed(F, F._deformable_columns(data, offset, **op.bent), *filters, space=specs[1].shape[2:])


@composed("_contrib_ModulatedDeformableConvolution")
def modulated(op, F, data, offset, mask, *filters, specs):
    weighed = op.weighed(F, F._deformable_columns(data, offset, **op.bent), mask)
    return op.composed(F, weighed, *filters, space=specs[1].shape[2:])
