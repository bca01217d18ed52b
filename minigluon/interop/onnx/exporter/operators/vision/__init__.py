"""Boxes, regions and images: see `minigluon.ops.vision`."""

from ...table import listed
from . import box_nms, boxes, image, multibox, resize, roi, spatial

__all__ = ["box_nms", "boxes", "image", "multibox", "resize", "roi", "spatial"]

listed("training: it computes the targets of anchors", "_contrib_MultiBoxTarget", "_contrib_bipartite_matching")
listed("random numbers: running a file twice should give the same result",
       "_image_random_brightness", "_image_random_color_jitter", "_image_random_contrast",
       "_image_random_flip_left_right", "_image_random_flip_top_bottom", "_image_random_hue", "_image_random_lighting",
       "_image_random_saturation")
listed("a step of image loading, which programs do before the network",
       "_image_adjust_lighting", "_image_resize")
listed("ONNX has no such region pooling", "_contrib_DeformablePSROIPooling",
       "_contrib_PSROIPooling", "_contrib_RROIAlign")
listed("anchors, decoding and suppression in one operator, with sizes that depend on values",
       "_contrib_MultiProposal", "_contrib_Proposal")
