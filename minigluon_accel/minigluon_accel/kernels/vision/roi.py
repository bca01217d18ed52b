"""Regions of interest: maxima (see `csrc/vision/roi_align.c`) and group means (see `csrc/vision/roi_groups.c`)."""

from ...engine import Call, Phase
from ..registry import kernel_for, parts, reals, size


@kernel_for("ROIPooling")
def roi_pooling(op, inputs, outputs):
    data, rois = inputs
    images, channels, h, w = data.shape
    work = size(outputs[0])
    return reals(*inputs) or Call(Phase(
        "roi_pool", data.dtype, min(parts(16 * work), rois.shape[0]) if work else 0, images=images,
        channels=channels, h=h, w=w, regions=rois.shape[0], bins_y=op.pooled[0], bins_x=op.pooled[1],
        scale=op.spatial_scale))


@kernel_for("_contrib_PSROIPooling")
def grouped_pooling(op, inputs, outputs):
    data, rois = inputs
    work = size(outputs[0])
    return reals(*inputs) or Call(_grouped("roi_groups", op, data, rois, min(parts(16 * work), rois.shape[0]),
                                           rois=1, out=2))


@kernel_for("_PSROIPooling_grad")
def grouped_pooling_grad(op, inputs, outputs):
    grad, data, rois = inputs
    work = size(outputs[0])
    return reals(*inputs) or Call(_grouped(
        "roi_groups_grad", op.operator, data, rois,
        min(parts(16 * size(grad) + work), op.output_dim) if work else 0, rois=2, out=3))


def _grouped(kernel, op, data, regions, count, **places):
    images, _, h, w = data.shape
    return Phase(kernel, data.dtype, count, images=images, channels=op.output_dim, groups=op.groups, h=h, w=w,
                 regions=regions.shape[0], bins=op.pooled_size, scale=op.spatial_scale, **places)
