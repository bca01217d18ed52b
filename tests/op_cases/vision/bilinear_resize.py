"""Rows of the operators in `minigluon/ops/vision/bilinear_resize.py`."""

from ..case import case, u

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
