"""Non-maximum suppression and RoiAlign."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..... import symbol as sym
from ..table import operator

if TYPE_CHECKING:
    from .....symbol import Symbol
    from ..call import Call

LOWEST = -3.0e38


@operator("NonMaxSuppression")
def non_max_suppression(call: Call) -> Symbol:
    """Maps boxes (B, n, 4) and scores (B, C, n) to (survivors, 3): batch, class and box of each survivor, best first
    per class.

    The number of rows depends on the values.
    """
    boxes, scores = call.data(0), call.data(1)
    most = int(call.constant(2).ravel()[0]) if call.has(2) else 0
    if most < 1:
        raise call.refuse("max_output_boxes_per_class is 0, so the result would be empty")
    overlap, least = (float(call.constant(index).ravel()[0]) if call.has(index) else default
                      for index, default in ((3, 0.0), (4, LOWEST)))
    classes = call.length(1, 1)
    first, second = (sym.slice_axis(boxes, axis=2, begin=begin, end=begin + 2) for begin in (0, 2))
    centered = bool(call.attribute("center_point_box", 0))
    if not centered:        # any two opposite corners are allowed
        first, second = sym.broadcast_minimum(first, second), sym.broadcast_maximum(first, second)
    boxes = sym.tile(sym.expand_dims(sym.concat(first, second, dim=2), axis=1), reps=(1, classes, 1, 1))
    numbers = [sym.broadcast_add(sym.zeros_like(scores), _along(scores, axis)) for axis in (0, 1, 2)]
    columns = [sym.expand_dims(part, axis=3) for part in (*numbers, scores)]
    rows = sym.contrib.box_nms(sym.concat(*columns, boxes, dim=3), overlap_thresh=overlap, valid_thresh=least,
                               coord_start=4, score_index=3, force_suppress=True,
                               in_format="center" if centered else "corner",
                               out_format="center" if centered else "corner")
    rows = sym.reshape(sym.slice(rows, begin=(None, None, 0), end=(None, None, most)), shape=(-1, 8))
    alive = sym.reshape(sym.slice_axis(rows, axis=1, begin=0, end=1), shape=(-1,)) >= 0
    rows = sym.contrib.boolean_mask(sym.slice_axis(rows, axis=1, begin=0, end=3), alive)
    return sym.cast(rows, dtype="int64")


def _along(x, axis):
    """Returns 0, 1, 2, ... along one of three axes."""
    return sym.reshape(sym.contrib.arange_like(x, axis=axis),
                       shape=tuple(-1 if other == axis else 1 for other in range(3)))


@operator("RoiAlign")
def roi_align(call: Call) -> Symbol:
    """Translates X (N, C, H, W), rois (R, 4) and the image index of each region (R,) to (R, C, height, width)."""
    call.choice("mode", "avg")
    halves = "output_half_pixel" if call.opset < 16 else "half_pixel"
    aligned = call.choice("coordinate_transformation_mode", halves, "output_half_pixel", "half_pixel") == "half_pixel"
    number = sym.cast(sym.expand_dims(call.data(2), axis=1), dtype=call.dtype(1).name)
    return sym.contrib.ROIAlign(
        call.data(0), sym.concat(number, call.data(1), dim=1), spatial_scale=call.attribute("spatial_scale", 1.0),
        pooled_size=(call.attribute("output_height", 1), call.attribute("output_width", 1)),
        sample_ratio=call.attribute("sampling_ratio", 0) or -1, aligned=aligned)
