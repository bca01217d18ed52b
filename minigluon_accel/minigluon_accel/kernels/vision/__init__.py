"""Boxes and regions."""

from . import bilinear_resize, box_nms, boxes, multibox, roi, roi_align, spatial
