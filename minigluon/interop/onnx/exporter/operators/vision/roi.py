"""ROIAlign, ROIPooling."""

import numpy as np

from ...table import translates
from ...values import UntranslatableError

__all__ = []


@translates("_contrib_ROIAlign", since=16)
def roi_align(g, op, data, rois):
    """Writes zeros for regions whose image index is invalid."""
    if op.position_sensitive:
        raise UntranslatableError("ONNX has no position-sensitive RoiAlign")
    image = g.item(rois, 0, 1)
    there = image >= 0.0
    numbers = g.cast(g.where(there, image, 0.0), np.int64)
    mode = "half_pixel" if op.aligned else "output_half_pixel"
    pooled = g.RoiAlign(data, g.slice(rois, 1, 1, 5), numbers, output_height=op.pooled[0], output_width=op.pooled[1],
                       sampling_ratio=max(op.sample_ratio, 0), spatial_scale=op.spatial_scale, mode="avg",
                       coordinate_transformation_mode=mode)
    return g.where(g.unsqueeze(there, 1, 2, 3), pooled, 0.0)


@translates("ROIPooling")
def roi_pooling(g, op, data, rois):
    """Writes zeros for regions whose image index is invalid."""
    there = g.slice(rois, 1, 0, 1) >= 0.0
    image = g.Max(g.slice(rois, 1, 0, 1), 0.0)
    pooled = g.MaxRoiPool(data, g.Concat(image, g.slice(rois, 1, 1, 5), axis=1), pooled_shape=list(op.pooled),
                         spatial_scale=op.spatial_scale)
    return g.where(g.unsqueeze(there, 2, 3), pooled, 0.0)
