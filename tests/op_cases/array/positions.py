"""Rows of the operators in `minigluon/ops/array/positions.py`."""

import numpy as np

from ..case import case, fixed, u

case("gather_nd", u(3, 4), fixed([[0, 2, 0, -1], [1, 3, 1, 0]], floating=False),
     expect=lambda x, i: x[[0, 2, 0, 2], [1, 3, 1, 0]], oracle="MXNet loses the gradient at negative indices")
case("gather_nd", u(3, 4), fixed([[0, 2, 0, 1], [1, 3, 1, 0]], floating=False),
     expect=lambda x, i: x[[0, 2, 0, 1], [1, 3, 1, 0]])
case("gather_nd", u(3, 4, 2), fixed([[[0, 2], [0, 1]]], floating=False), expect=lambda x, i: x[[[0, 2], [0, 1]]])
case("scatter_nd", u(3), fixed([[0, 1, 1], [1, 2, 0]], floating=False), shape=(2, 3),
     expect=lambda x, i: np.array([[0, x[0], 0], [x[2], 0, x[1]]]))
case("scatter_nd", u(2, 4), fixed([[2, 0]], floating=False), shape=(3, 4),
     expect=lambda x, i: np.array([x[1], 0 * x[0], x[0]]))
case("_scatter_set_nd", u(3, 2), u(2, 2), fixed([[2, 0]], floating=False), shape=(3, 2),
     expect=lambda x, y, i: np.array([y[1], x[1], y[0]]), oracle="MXNet runs it in place only")
case("_scatter_set_nd", u(2, 3), u(3), fixed([[1, 0, 1], [1, 0, 1]], floating=False), shape=(2, 3), note="repeated",
     expect=lambda x, y, i: np.array([[y[1], x[0, 1], x[0, 2]], [x[1, 0], y[2], x[1, 2]]]),
     oracle="MXNet runs it in place only")
case("_ravel_multi_index", fixed([[3, 6, 6], [4, 5, 1]], floating=False), shape=(7, 6),
     expect=lambda i: np.array([22, 41, 37]))
case("_ravel_multi_index", fixed([[1, 0], [2, 1], [3, 0]], floating=False), shape=(2, 3, 4),
     expect=lambda i: np.array([23, 4]))
case("_unravel_index", fixed([22, 41, 37], floating=False), shape=(7, 6),
     expect=lambda i: np.array([[3, 6, 6], [4, 5, 1]]), oracle="MXNet occasionally corrupts its memory")
case("_unravel_index", fixed([22, 41, 37], "int64", floating=False), shape=(-1, 3, 2),
     expect=lambda i: np.array([[3, 6, 6], [2, 2, 0], [0, 1, 1]]), oracle="MXNet occasionally corrupts its memory")
