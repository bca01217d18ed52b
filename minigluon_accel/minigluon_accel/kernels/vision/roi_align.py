"""Regions of interest computed by interpolation, and their gradient."""

from ...engine import Call, Phase
from ..registry import kernel_for, parts, reals, size


def _region_fields(op, data, rois, /, **operands):
    images, channels, h, w = data.shape
    return dict(images=images, channels=channels, h=h, w=w, regions=rois.shape[0], bins_y=op.pooled[0],
                bins_x=op.pooled[1], samples=max(op.sample_ratio, 0), aligned=int(op.aligned), **operands,
                scale=op.spatial_scale)


def _reason_against(op, *specs):
    return reals(*specs) or ("position_sensitive" if op.position_sensitive else None)


@kernel_for("_contrib_ROIAlign")
def roi_align(op, inputs, outputs):
    data, rois = inputs
    work = size(outputs[0])
    return _reason_against(op, *inputs) or Call(Phase(
        "roi_align", data.dtype, min(parts(16 * work), rois.shape[0]) if work else 0,
        **_region_fields(op, data, rois, grad=0, rois=1, out=2)))


@kernel_for("_ROIAlign_grad")
def roi_align_grad(op, inputs, outputs):
    grad, data, rois = inputs
    work = size(outputs[0])
    return _reason_against(op, *inputs) or Call(Phase(
        "roi_align_grad", data.dtype, min(parts(16 * size(grad) + work, most=8), data.shape[1]) if work else 0,
        **_region_fields(op.operator, data, rois, grad=0, rois=2, out=3)))
