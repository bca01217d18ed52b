"""Rows of the operators in `minigluon/ops/vision/deformable_roi.py`."""

from ..case import case, fixed, u
from .roi import ROIS

# Regions and offsets that leave no sample on a whole row or column, where slopes jump.
_moved, _square = fixed([[0, 1, 1, 4, 3], [1, 0, 1, 2, 3]], floating=False), fixed(
    [[1, 2, 2, 7, 7], [0, 2.4, 1.6, 7.2, 7.4]], floating=False)
_near = {"low": 0.3, "high": 0.5}
case("_contrib_DeformablePSROIPooling", u(2, 8, 5, 6), _moved, u(2, 2, 2, 2, **_near), spatial_scale=1.0, output_dim=2,
     group_size=2, pooled_size=2, sample_per_part=2, trans_std=0.1, second=False)
case("_contrib_DeformablePSROIPooling", u(2, 2, 4, 5), _square, u(2, 4, 2, 2, **_near), spatial_scale=0.5, output_dim=2,
     group_size=1, pooled_size=3, part_size=2, trans_std=0.1, second=False)
case("_contrib_DeformablePSROIPooling", u(2, 4, 5, 6), ROIS, spatial_scale=0.5, output_dim=1, group_size=2,
     pooled_size=2, no_trans=True, second=False)
