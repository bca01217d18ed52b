"""Rows of the operators in `minigluon/ops/math/stretch.py`."""

import numpy as np

from ..case import case, u

case("broadcast_to", u(2, 1, 3, 1), shape=(2, 4, 0, 5), expect=lambda x: np.repeat(np.repeat(x, 4, 1), 5, 3))
case("broadcast_to", u(3), shape=(2, 3), expect=lambda x: np.stack([x, x]), oracle="MXNet adds no axes here")
case("broadcast_axis", u(2, 1, 3, 1), axis=(1, 3), size=(4, 2), expect=lambda x: np.repeat(np.repeat(x, 4, 1), 2, 3))
case("broadcast_axis", u(2, 1, 3), axis=1, size=2, expect=lambda x: np.repeat(x, 2, 1))
case("broadcast_like", u(1, 3, 1), u(2, 3, 4), grad=(0,), expect=lambda x, y: np.repeat(np.repeat(x, 2, 0), 4, 2))
case("broadcast_like", u(1, 2), u(3, 4), grad=(0,), lhs_axes=(0,), rhs_axes=(-1,),
     expect=lambda x, y: np.repeat(x, 4, 0))
case("_sum_like", u(2, 3, 4), u(3, 1), grad=(0,), expect=lambda x, y: x.sum((0, 2), keepdims=True)[0],
     oracle="internal")
case("_stretch_like", u(3, 1), u(2, 3, 4), grad=(0,), oracle="internal",
     expect=lambda x, y: np.stack([np.repeat(x, 4, 1)] * 2))
