import numpy as np

from .case import case, fixed, ints, u

_i = fixed([2.0, 0.0, 7.0, -1.0, 2.0], floating=False)
case("take", u(3, 4), _i, expect=lambda a, i: a[[2, 0, 2, 0, 2]])
case("take", u(3, 4), _i, mode="wrap", expect=lambda a, i: a[[2, 0, 1, 2, 2]])
case("take", u(3, 4), ints(2, 3, high=4), axis=1, mode="raise", expect=lambda a, i: a[:, i.astype(int)])
case("take", u(2, 3, 4), ints(5, high=3, dtype="int32"), axis=-2, expect=lambda a, i: a[:, i])
case("take", u(3), fixed([1.7, 0.2], floating=False), expect=lambda a, i: a[[1, 0]])
case("cast_storage", u(3, 4), stype="csr", expect=lambda x: x, oracle="sparse arrays only there")
case("_sparse_retain", u(5, 2), fixed([3, 0, 3], "int64", floating=False), oracle="sparse arrays only there",
     expect=lambda x, i: np.isin(np.arange(5), i)[:, None] * x)
case("Embedding", ints(2, 3, high=5), u(5, 4), input_dim=5, output_dim=4, expect=lambda i, w: w[i.astype(int)])
case("Embedding", fixed([0, 9, -1, 4], "int32", floating=False), u(5, 3), input_dim=5, output_dim=3,
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
case("where", fixed([[1, 0, 2], [0, 0, -1]], floating=False), u(2, 3), u(2, 3),
     expect=lambda c, x, y: np.array([[x[0, 0], y[0, 1], x[0, 2]], [y[1, 0], y[1, 1], x[1, 2]]]))
case("where", fixed([1, 0], "int32", floating=False), u(2, 3), u(2, 3), expect=lambda c, x, y: np.array([x[0], y[1]]))
case("_ravel_multi_index", fixed([[3, 6, 6], [4, 5, 1]], floating=False), shape=(7, 6),
     expect=lambda i: np.array([22, 41, 37]))
case("_ravel_multi_index", fixed([[1, 0], [2, 1], [3, 0]], floating=False), shape=(2, 3, 4),
     expect=lambda i: np.array([23, 4]))
case("_unravel_index", fixed([22, 41, 37], floating=False), shape=(7, 6),
     expect=lambda i: np.array([[3, 6, 6], [4, 5, 1]]), oracle="MXNet corrupts its memory now and then")
case("_unravel_index", fixed([22, 41, 37], "int64", floating=False), shape=(-1, 3, 2),
     expect=lambda i: np.array([[3, 6, 6], [2, 2, 0], [0, 1, 1]]), oracle="MXNet corrupts its memory now and then")
