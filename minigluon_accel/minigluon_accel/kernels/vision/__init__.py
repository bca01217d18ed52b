"""Boxes and regions."""

from . import box_nms, multibox, roi, roi_align
