"""Rows of the operators in `minigluon/ops/vision/roi_align.py`."""

from ..case import case, fixed, u
from .roi import PROPER, ROIS

_turned = fixed([[0, 4, 4, 3, 2, 30], [1, 2, 5, 6, 3, -70], [0, 0, 0, 9, 9, 10]], floating=False)
case("_contrib_ROIAlign", u(2, 2, 5, 6), ROIS, pooled_size=(2, 3), spatial_scale=0.7)
case("_contrib_ROIAlign", u(2, 2, 5, 6), PROPER, pooled_size=(2, 2), spatial_scale=1.0, sample_ratio=2, aligned=True)
case("_contrib_ROIAlign", u(2, 8, 4, 5), ROIS, pooled_size=(2, 2), spatial_scale=0.5, position_sensitive=True,
     sample_ratio=1)
case("_contrib_RROIAlign", u(2, 2, 5, 6), _turned, pooled_size=(2, 3), spatial_scale=0.8)
case("_contrib_RROIAlign", u(2, 2, 5, 6), _turned, pooled_size=(2, 2), spatial_scale=1.0, sampling_ratio=2)
