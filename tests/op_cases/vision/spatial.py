"""Rows of the operators in `minigluon/ops/vision/spatial.py`."""

import numpy as np

from ..case import case, fixed, u

_matrix = fixed([[0.9, 0.2, 0.05, -0.15, 0.8, 0.1], [1.3, 0.05, -0.17, 0.1, 0.7, 0.03]])
case("GridGenerator", _matrix, dtype="float32", transform_type="affine", target_shape=(3, 4))
case("GridGenerator", fixed([[1, 0, 0, 0, 1, 0]]), dtype="float32", transform_type="affine", target_shape=(2, 3),
     expect=lambda m: np.array([[[[-1, 0, 1], [-1, 0, 1]], [[-1, -1, -1], [1, 1, 1]]]]))
case("GridGenerator", u(2, 2, 3, 4), dtype="float32", transform_type="warp")
case("BilinearSampler", u(2, 3, 5, 4), u(2, 2, 3, 4, low=-1.3, high=1.3), second=False)
case("SpatialTransformer", u(2, 2, 4, 5), _matrix, target_shape=(3, 4), transform_type="affine",
     sampler_type="bilinear", second=False)
# The examples of MXNet's documentation: everything smaller, and one element to the left.
_image = fixed([[[[1, 4, 3, 6], [1, 8, 8, 9], [0, 4, 1, 5], [1, 0, 1, 3]]]])
case("SpatialTransformer", _image, fixed([[2, 0, 0, 0, 2, 0]], floating=False), target_shape=(4, 4), second=False,
     transform_type="affine", sampler_type="bilinear",
     expect=lambda x, m: np.array([[[[0, 0, 0, 0], [0, 3.5, 6.5, 0], [0, 1.25, 2.5, 0], [0, 0, 0, 0]]]]))
