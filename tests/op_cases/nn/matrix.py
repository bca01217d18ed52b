"""Rows of the operators in `minigluon/ops/nn/matrix.py`."""

import numpy as np

from ..case import case, u

case("FullyConnected", u(2, 3), u(4, 3), u(4), num_hidden=4, expect=lambda d, w, b: d @ w.T + b)
case("FullyConnected", u(2, 3, 2), u(4, 6), num_hidden=4, no_bias=True, expect=lambda d, w: d.reshape(2, 6) @ w.T)
case("FullyConnected", u(2, 5, 3), u(4, 3), u(4), num_hidden=4, flatten=False, expect=lambda d, w, b: d @ w.T + b)
case("dot", u(2, 3), u(3, 4), expect=np.dot)
case("dot", u(3, 2), u(4, 3), transpose_a=True, transpose_b=True, expect=lambda a, b: a.T @ b.T)
case("dot", u(3), u(3), expect=lambda a, b: np.dot(a, b).reshape(1))
case("dot", u(2, 3, 4), u(4, 5), expect=np.dot)
case("dot", u(2, 3, 4), u(4, 5, 2), expect=lambda a, b: np.tensordot(a, b, 1))
