"""Rows of the operators in `minigluon/ops/array/indexing.py`."""

import numpy as np

from ..case import case, fixed, ints, u

_i = fixed([2.0, 0.0, 7.0, -1.0, 2.0], floating=False)
case("take", u(3, 4), _i, expect=lambda a, i: a[[2, 0, 2, 0, 2]])
case("take", u(3, 4), _i, mode="wrap", expect=lambda a, i: a[[2, 0, 1, 2, 2]])
case("take", u(3, 4), ints(2, 3, high=4), axis=1, mode="raise", expect=lambda a, i: a[:, i.astype(int)])
case("take", u(2, 3, 4), ints(5, high=3, dtype="int32"), axis=-2, expect=lambda a, i: a[:, i])
case("take", u(3), fixed([1.7, 0.2], floating=False), expect=lambda a, i: a[[1, 0]])
case("Embedding", ints(2, 3, high=5), u(5, 4), input_dim=5, output_dim=4, expect=lambda i, w: w[i.astype(int)])
case("Embedding", fixed([0, 4, -1, 4], "int32", floating=False), u(5, 3), input_dim=5, output_dim=3,
     expect=lambda i, w: w[[0, 4, 0, 4]])
case("pick", u(3, 4), ints(3, high=4), expect=lambda x, i: x[range(3), i.astype(int)])
case("pick", u(3, 4), fixed([5, -2, 1], floating=False), expect=lambda x, i: x[[0, 1, 2], [3, 0, 1]])
case("pick", u(3, 4), fixed([5, -2, 1], floating=False), mode="wrap", expect=lambda x, i: x[[0, 1, 2], [1, 2, 1]])
case("pick", u(3, 4), ints(3, high=4), keepdims=True, expect=lambda x, i: x[range(3), i.astype(int)][:, None])
case("pick", u(3, 4), ints(1, 4, high=3), axis=0, expect=lambda x, i: x[i.astype(int)[0], range(4)])
case("pick", u(2, 3, 2), ints(2, 2, high=3), axis=1, expect=lambda x, i: np.array(
    [[x[n, int(i[n, m]), m] for m in range(2)] for n in range(2)]))
case("batch_take", u(3, 4), ints(3, high=4, dtype="int32"), grad=(), expect=lambda x, i: x[range(3), i])
case("batch_take", u(3, 4), ints(3, high=4, dtype="int32"), expect=lambda x, i: x[range(3), i],
     oracle="MXNet has no gradient for it")
case("fill_element_0index", u(3, 4), u(3), ints(3, high=4), second=False,
     expect=lambda x, m, i: np.where(np.arange(4) == i[:, None], m[:, None], x),
     oracle="MXNet has no gradient for it")
case("one_hot", fixed([0, 2, -1, 3, 1.6], floating=False), depth=3,
     expect=lambda i: np.array([[1, 0, 0], [0, 0, 1], [0, 0, 0], [0, 0, 0], [0, 1, 0]]))
case("one_hot", ints(2, 2, high=3, dtype="int32"), depth=3, on_value=5.7, off_value=-1, note="int32",
     named={"dtype": "int32"}, expect=lambda i: np.where(i[..., None] == np.arange(3), 5, -1))
case("where", fixed([[1, 0, 2], [0, 0, -1]], floating=False), u(2, 3), u(2, 3),
     expect=lambda c, x, y: np.array([[x[0, 0], y[0, 1], x[0, 2]], [y[1, 0], y[1, 1], x[1, 2]]]))
case("where", fixed([1, 0], "int32", floating=False), u(2, 3), u(2, 3), expect=lambda c, x, y: np.array([x[0], y[1]]))
