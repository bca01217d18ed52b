"""Boxes, regions of interest and bent windows: loops over boxes and points, for which NumPy has no words."""

import math

from minigluon.backend import Spec

from ...engine import Call, Phase
from ..nn.matrix import Matrix, product
from ..registry import kernel_for, parts, reals, size

__all__ = []


@kernel_for("_contrib_box_nms")
def box_nms(op, inputs, outputs):
    data = inputs[0]
    *lead, n, width = data.shape
    batch = math.prod(lead)
    turn = 0 if op.in_format == op.out_format else 1 if op.out_format == "center" else 2
    return reals(data) or Call(Phase(
        "box_nms", data.dtype, min(batch, 64) if n else 0, batch=batch, n=n, width=width, first=op.coord_start,
        score=op.score_index, id_index=op.id_index, any_kind=int(op.force_suppress or op.id_index < 0),
        topk=max(op.topk, 0), centered=int(op.in_format == "center"), turn=turn, overlap=op.overlap_thresh,
        valid=op.valid_thresh, background=op.background_id))


@kernel_for("_contrib_MultiBoxDetection")
def detection(op, inputs, outputs):
    pictures, classes, anchors = inputs[0].shape
    if classes < 2:
        return "no class but the background"
    variances = {f"var{k}": variance for k, variance in enumerate(op.variances)}
    return reals(*inputs) or Call(Phase(
        "multibox_detection", inputs[0].dtype, min(pictures, 64) if anchors else 0, pictures=pictures, classes=classes,
        anchors=anchors, clip=int(op.clip), any_kind=int(op.force_suppress),
        suppresses=int(0 < op.nms_threshold <= 1), topk=max(op.nms_topk, 0), threshold=op.threshold,
        overlap=op.nms_threshold, **variances))


@kernel_for("ROIPooling")
def roi_pooling(op, inputs, outputs):
    data, rois = inputs
    pictures, channels, h, w = data.shape
    work = size(outputs[0])
    return reals(*inputs) or Call(Phase(
        "roi_pool", data.dtype, min(parts(16 * work), rois.shape[0]) if work else 0, pictures=pictures,
        channels=channels, h=h, w=w, regions=rois.shape[0], bins_y=op.pooled[0], bins_x=op.pooled[1],
        scale=op.spatial_scale))


def _region_fields(op, data, rois, /, **operands):
    pictures, channels, h, w = data.shape
    return dict(pictures=pictures, channels=channels, h=h, w=w, regions=rois.shape[0], bins_y=op.pooled[0],
                bins_x=op.pooled[1], samples=max(op.sample_ratio, 0), aligned=int(op.aligned), **operands,
                scale=op.spatial_scale)


def _declined(op, *specs):
    return reals(*specs) or ("position_sensitive" if op.position_sensitive else None)


@kernel_for("_contrib_ROIAlign")
def roi_align(op, inputs, outputs):
    data, rois = inputs
    work = size(outputs[0])
    return _declined(op, *inputs) or Call(Phase(
        "roi_align", data.dtype, min(parts(16 * work), rois.shape[0]) if work else 0,
        **_region_fields(op, data, rois, grad=0, rois=1, out=2)))


@kernel_for("_contrib_ROIAlign_grad")
def roi_align_grad(op, inputs, outputs):
    grad, data, rois = inputs
    work = size(outputs[0])
    return _declined(op, *inputs) or Call(Phase(
        "roi_align_grad", data.dtype, min(parts(16 * size(grad) + work, most=8), data.shape[1]) if work else 0,
        **_region_fields(op.operator, data, rois, grad=0, rois=2, out=3)))


def _bent_call(op, name, data, offset, out, units, inputs, /, **operands):
    geometry, groups = op.geometry(), op.num_deformable_group
    pictures, channels, h, w = data.shape
    names = ("kernel", "stride", "dilate", "pad")
    windows = {f"{which}_{axis}": numbers[k] for which in names for numbers in [getattr(geometry, which)]
               for k, axis in enumerate("hw" if which == "kernel" else "yx")}
    work = size(out) if size(data) else 0
    if not work and size(out):
        return "no data"
    return reals(*inputs) or Call(Phase(
        name, data.dtype, min(parts(8 * work), pictures * groups * units) if work else 0, pictures=pictures,
        groups=groups, channels=channels // groups, h=h, w=w, rows=offset.shape[2], columns=offset.shape[3], **windows,
        clamps=int(op.clamps), **operands))


@kernel_for("_deformable_columns")
def columns(op, inputs, outputs):
    return _bent_call(op, "deformable_columns", *inputs, outputs[0], op.taps, inputs, grad=0, data=0, offset=1, out=2)


@kernel_for("_contrib_DeformableConvolution")
def deformable(op, inputs, outputs):
    """The columns as scratch memory, the product of the filters with them, and the bias."""
    data, offset, weight, *bias = inputs
    (n, filters, *space), channels = outputs[0].shape, data.shape[1]
    if op.num_group > 1:
        return f"{op.num_group} groups of filters"
    depth, windows, out = channels * op.taps, math.prod(space), len(inputs)
    between = Spec((n, depth, windows), data.dtype)
    bend = _bent_call(op, "deformable_columns", data, offset, between, op.taps, inputs, grad=0, data=0, offset=1,
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
    return _bent_call(op, "deformable_data_grad", data, offset, outputs[0], 1, inputs, grad=0, data=1, offset=2, out=3)


@kernel_for("_deformable_offset_grad")
def offset_grad(op, inputs, outputs):
    _, data, offset = inputs
    return _bent_call(op, "deformable_offset_grad", data, offset, outputs[0], op.taps, inputs, grad=0, data=1, offset=2,
                      out=3)
