"""Rows of the operators in `minigluon/ops/nn/resize.py`."""

import numpy as np

from ..case import case, u
from .convolution import deconvolution


def bigger(x, k):
    return np.kron(x, np.ones((k, k)))


case("UpSampling", u(2, 2, 3, 2), scale=2, sample_type="nearest", num_args=1, expect=lambda x: bigger(x, 2))
case("UpSampling", u(1, 2, 2, 3), u(1, 3, 4, 6), u(1, 1, 1, 2), scale=2, sample_type="nearest", num_args=3,
     expect=lambda x, y, z: np.concatenate([bigger(x, 2), y, np.kron(z, np.ones((4, 3)))], 1),
     oracle="MXNet wants the same factor for both axes")
case("UpSampling", u(1, 2, 2, 2), u(1, 2, 1, 1), scale=3, sample_type="nearest", multi_input_mode="sum", num_args=2,
     expect=lambda x, y: bigger(x, 3) + bigger(y, 6))
for _scale in (2, 3):
    _k = 2 * _scale - _scale % 2
    case("UpSampling", u(2, 2, 3, 2), u(2, 1, _k, _k), scale=_scale, sample_type="bilinear", num_filter=2, num_args=2,
         expect=lambda x, w, k=_k, s=_scale: deconvolution(
             x, w, kernel=(k, k), stride=(s, s), pad=(s // 2, s // 2), num_group=2, size=(3 * s, 2 * s)))
