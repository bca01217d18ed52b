"""Rows of the operators in `minigluon/ops/vision/roi.py`."""

import numpy as np

from ..case import case, distinct, fixed, u

ROIS = fixed([[0, 1, 1, 6, 5], [1, 0, 2, 3.4, 7], [0, -3, -2, 20, 20], [1, 5, 5, 4, 3], [1, 8.2, 1.1, 8.4, 3]],
              floating=False)
PROPER = fixed([[0, 1, 1, 6, 5], [1, 0, 2, 3.4, 7], [0, -3, -2, 20, 20]], floating=False)
_one = fixed([[0, 0, 0, 4, 4]], floating=False)

# The example of MXNet's documentation.
case("ROIPooling", fixed([[[[6.0 * i + j for j in range(6)] for i in range(8)]]]), _one, pooled_size=(2, 2),
     spatial_scale=1.0, expect=lambda x, r: np.array([[[[14, 16], [26, 28]]]]))
case("ROIPooling", distinct(2, 2, 5, 6), ROIS, pooled_size=(3, 2), spatial_scale=0.5)
case("ROIPooling", distinct(2, 2, 4, 4), fixed([[-1, 0, 0, 3, 3]], floating=False), pooled_size=(2, 2),
     spatial_scale=1.0, expect=lambda x, r: 0 * x[:1, :, :2, :2], oracle="MXNet reads outside of data")
case("_contrib_PSROIPooling", u(2, 8, 5, 6), ROIS, pooled_size=2, spatial_scale=0.5, output_dim=2)
case("_contrib_PSROIPooling", u(2, 4, 5, 6), PROPER, pooled_size=3, spatial_scale=1.0, output_dim=1, group_size=2)
