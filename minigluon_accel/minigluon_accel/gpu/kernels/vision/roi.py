"""Regions of interest resized to one size, by maxima and means over whole elements."""

import math

from ...launch import THREADS, In, Launch, Out, SourceFile, Work, blocks, size, types
from ..registry import kernel_for
from .roi_align import in_planes

__all__ = []

SOURCE = SourceFile("vision/roi.cu")


def _work(function, out, arguments):
    if not size(out):
        return Work()
    return Work(Launch(SOURCE, function, types(out.dtype), blocks(size(out)), THREADS, arguments))


@kernel_for("ROIPooling")
def roi_pooling(op, inputs, outputs):
    data, out = inputs[0], outputs[0]
    return _work("pool", out, [Out(0), Out(1), In(0), In(1), size(out), data.shape[0], out.shape[1], *data.shape[2:],
                               *op.pooled, float(op.spatial_scale)])


@kernel_for("_roi_pooling_grad")
def roi_pooling_grad(op, inputs, outputs):
    _, winner, data, rois = inputs
    planes = math.prod(data.shape[:2])
    return in_planes(SOURCE, "pool_grad", outputs[0], planes, [
        In(0), In(1), In(3), planes, rois.shape[0], data.shape[1], math.prod(winner.shape[2:]),
        math.prod(data.shape[2:])])


@kernel_for("_roi_pooling_chosen")
def roi_pooling_chosen(op, inputs, outputs):
    data, out = inputs[0], outputs[0]
    return _work("pool_chosen", out, [Out(0), In(0), In(1), In(2), size(out), data.shape[0], out.shape[1],
                                      math.prod(out.shape[2:]), math.prod(data.shape[2:])])


@kernel_for("_contrib_PSROIPooling")
def score_pooling(op, inputs, outputs):
    data, out = inputs[0], outputs[0]
    return _work("score_pool", out, [Out(0), In(0), In(1), size(out), data.shape[0], out.shape[1], *data.shape[2:],
                                     op.pooled_size, op.groups, float(op.spatial_scale)])


@kernel_for("_PSROIPooling_grad")
def score_pooling_grad(op, inputs, outputs):
    _, data, rois = inputs
    planes, op = math.prod(data.shape[:2]), op.operator
    return in_planes(SOURCE, "score_pool_grad", outputs[0], planes, [
        In(0), In(2), planes, rois.shape[0], op.output_dim, *data.shape[2:], op.pooled_size, op.groups,
        float(op.spatial_scale)])
