import numpy as np

from .case import case, distinct, fixed, u

_rois = fixed([[0, 1, 1, 6, 5], [1, 0, 2, 3.4, 7], [0, -3, -2, 20, 20], [1, 5, 5, 4, 3], [1, 8.2, 1.1, 8.4, 3]],
              floating=False)
_proper = fixed([[0, 1, 1, 6, 5], [1, 0, 2, 3.4, 7], [0, -3, -2, 20, 20]], floating=False)
_turned = fixed([[0, 4, 4, 3, 2, 30], [1, 2, 5, 6, 3, -70], [0, 0, 0, 9, 9, 10]], floating=False)
_one = fixed([[0, 0, 0, 4, 4]], floating=False)

# The example of MXNet's documentation.
case("ROIPooling", fixed([[[[6.0 * i + j for j in range(6)] for i in range(8)]]]), _one, pooled_size=(2, 2),
     spatial_scale=1.0, expect=lambda x, r: np.array([[[[14, 16], [26, 28]]]]))
case("ROIPooling", distinct(2, 2, 5, 6), _rois, pooled_size=(3, 2), spatial_scale=0.5)
case("ROIPooling", distinct(2, 2, 4, 4), fixed([[-1, 0, 0, 3, 3]], floating=False), pooled_size=(2, 2),
     spatial_scale=1.0, expect=lambda x, r: 0 * x[:1, :, :2, :2], oracle="MXNet reads outside of data")
case("_contrib_ROIAlign", u(2, 2, 5, 6), _rois, pooled_size=(2, 3), spatial_scale=0.7)
case("_contrib_ROIAlign", u(2, 2, 5, 6), _proper, pooled_size=(2, 2), spatial_scale=1.0, sample_ratio=2, aligned=True)
case("_contrib_ROIAlign", u(2, 8, 4, 5), _rois, pooled_size=(2, 2), spatial_scale=0.5, position_sensitive=True,
     sample_ratio=1)
case("_contrib_RROIAlign", u(2, 2, 5, 6), _turned, pooled_size=(2, 3), spatial_scale=0.8)
case("_contrib_RROIAlign", u(2, 2, 5, 6), _turned, pooled_size=(2, 2), spatial_scale=1.0, sampling_ratio=2)
case("_contrib_PSROIPooling", u(2, 8, 5, 6), _rois, pooled_size=2, spatial_scale=0.5, output_dim=2)
case("_contrib_PSROIPooling", u(2, 4, 5, 6), _proper, pooled_size=3, spatial_scale=1.0, output_dim=1, group_size=2)
# Regions and offsets that leave no sample on a whole row or column, where slopes jump.
_moved, _square = fixed([[0, 1, 1, 4, 3], [1, 0, 1, 2, 3]], floating=False), fixed(
    [[1, 2, 2, 7, 7], [0, 2.4, 1.6, 7.2, 7.4]], floating=False)
_near = {"low": 0.3, "high": 0.5}
case("_contrib_DeformablePSROIPooling", u(2, 8, 5, 6), _moved, u(2, 2, 2, 2, **_near), spatial_scale=1.0, output_dim=2,
     group_size=2, pooled_size=2, sample_per_part=2, trans_std=0.1, second=False)
case("_contrib_DeformablePSROIPooling", u(2, 2, 4, 5), _square, u(2, 4, 2, 2, **_near), spatial_scale=0.5, output_dim=2,
     group_size=1, pooled_size=3, part_size=2, trans_std=0.1, second=False)
case("_contrib_DeformablePSROIPooling", u(2, 4, 5, 6), _rois, spatial_scale=0.5, output_dim=1, group_size=2,
     pooled_size=2, no_trans=True, second=False)
