import numpy as np

from .case import case, fixed, u

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
case("Correlation", u(2, 3, 5, 6), u(2, 3, 5, 6), max_displacement=1, pad_size=1, second=False)
case("Correlation", u(1, 2, 7, 6), u(1, 2, 7, 6), kernel_size=3, max_displacement=2, pad_size=3, stride1=2, stride2=2,
     second=False)
case("Correlation", u(1, 2, 5, 5), u(1, 2, 5, 5), max_displacement=1, pad_size=1, is_multiply=False, second=False)
# Real MXNet's gradients where some elements are equal.
case("_correlation_grad", fixed([[[[1, 1], [1, 1]]]]), fixed([[[[1, 2], [3, 4]]]]), fixed([[[[1, 5], [2, 4]]]]),
     grad=(), max_displacement=0, is_multiply=False, oracle="internal", note="equal elements",
     expect=lambda g, a, b: (np.array([[[[1, -1], [1, 1]]]]), np.array([[[[-1, 1], [-1, -1]]]])))
_resize = "_contrib_BilinearResize2D"
case(_resize, u(2, 2, 3, 4), height=5, width=6)
case(_resize, u(2, 2, 3, 4), height=2, width=7, align_corners=False)
case(_resize, u(1, 2, 3, 4), scale_height=2.0, scale_width=0.5, mode="odd_scale")
case(_resize, u(1, 2, 3, 4), mode="to_even_up")
case(_resize, u(1, 2, 4, 4), u(1, 1, 3, 5), grad=(0,), mode="like")
_pool = "_contrib_AdaptiveAvgPooling2D"
case(_pool, u(2, 3, 4, 5), expect=lambda x: x.mean((2, 3), keepdims=True))
case(_pool, u(2, 2, 5, 6), output_size=(3,))
case(_pool, u(1, 2, 3, 4), output_size=(5, 4))
