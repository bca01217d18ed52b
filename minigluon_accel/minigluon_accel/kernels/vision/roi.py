"""Max pooling of regions of interest; see `csrc/vision/roi_align.c`."""

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
