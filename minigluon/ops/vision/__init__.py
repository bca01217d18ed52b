"""Operators on images, boxes and regions, including image sampling."""

from . import (
    bilinear_resize,
    box_nms,
    boxes,
    deformable_roi,
    image,
    interpolation,
    multibox,
    proposal,
    roi,
    roi_align,
    spatial,
)
