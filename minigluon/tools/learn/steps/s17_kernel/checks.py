"""The checks of step 17: first individual functions, with guards around their arrays, then the backend."""

import numpy as np

from ..... import ndarray as nd
from .....context import cpu
from ...checking import check, expect, same
from . import own_backend

GUARD, WIDTH = np.float32(-12345.0), 16


class _Guarded:
    """An array with guards before and after it."""

    def __init__(self, array):
        self.whole = np.full(array.size + 2 * WIDTH, GUARD, "float32")
        self.array = self.whole[WIDTH:WIDTH + array.size].reshape(array.shape)
        self.array[...] = array
        self.before = self.whole.copy()

    def look(self, case, name, is_output):
        """Raise Wrong if a guard or an input has changed."""
        for side, part in [("before", slice(None, WIDTH)), ("behind", slice(-WIDTH, None))]:
            expect((self.whole[part] == GUARD).all(), "{given}: it has written {side} the array {name}: a loop starts "
                   "too early or goes too far", given=case, side=side, name=name)
        if not is_output:
            expect(np.array_equal(self.whole, self.before, equal_nan=True), "{given}: its input {name} has changed, "
                   "but it must only be read", given=case, name=name)


def _calls(function, inputs, out_shape, sizes, case):
    """Return the values that a function writes, given inputs by name."""
    guarded = {name: _Guarded(array) for name, array in inputs.items()}
    guarded["out"] = _Guarded(np.full(out_shape, 77.0, "float32"))
    getattr(own_backend.active.learned, function)(*[g.array for g in guarded.values()], *sizes)
    for name, one in guarded.items():
        one.look(case, name, name == "out")
    return guarded["out"].array


def _numbers(*shape):
    size = int(np.prod(shape))
    return ((np.arange(size) * 7 % 23 - 11) / 4).astype("float32").reshape(shape)


@check("relu", "the larger of each number and 0")
def rectifies() -> None:
    for count in (3, 1, 0, 17, 64, 1001):
        x = _numbers(count)
        case = f"relu of {count} numbers"
        same(case, _calls("relu", {"x": x}, x.shape, (count,), case), np.maximum(x, 0), "max(x, 0), for each of them")
    x = np.array([np.nan, -np.inf, np.inf, -1.0, 0.5], "float32")
    same("relu of [nan, -inf, inf, -1, 0.5]", _calls("relu", {"x": x}, x.shape, (5,), "relu"),
         np.array([np.nan, 0, np.inf, 0, 0.5], "float32"), "NaN stays NaN")
    x = _numbers(9)
    expected = np.maximum(x, 0)
    own_backend.active.learned.relu(x, x, 9)
    same("relu with out and x in the same memory", x, expected, "a plan lets it overwrite its input")


@check("add_stretched", "a number for each position on the middle axis")
def adds() -> None:
    for outer, length, inner in [(2, 3, 1), (1, 1, 5), (1, 3, 4), (2, 3, 4), (3, 1, 2), (1, 17, 1), (5, 7, 11),
                                 (0, 3, 2), (2, 0, 2), (2, 3, 0)]:
        x, row = _numbers(outer, length, inner), _numbers(length) * 10 + 1
        case = f"add_stretched of x ({outer}, {length}, {inner}) and row ({length},)"
        same(case, _calls("add_stretched", {"x": x, "row": row}, x.shape, (outer, length, inner), case),
             x + row[:, None], "out[i][j][k] = x[i][j][k] + row[j]")
    x, row = _numbers(2, 3, 4), _numbers(3)
    expected = x + row[:, None]
    own_backend.active.learned.add_stretched(x, row, x, 2, 3, 4)
    same("add_stretched with out and x in the same memory", x, expected, "a bias is added to a product in place")


@check("matrix_product", "rows of one matrix times rows of the other")
def multiplies() -> None:
    for rows, columns, depth in [(2, 2, 2), (1, 1, 1), (2, 3, 5), (5, 3, 2), (1, 17, 4), (17, 1, 9), (7, 13, 33),
                                 (0, 3, 2), (3, 0, 2), (3, 2, 0)]:
        x, weight = _numbers(rows, depth), _numbers(columns, depth)[::-1].copy()
        case = f"matrix_product of x ({rows}, {depth}) and weight ({columns}, {depth})"
        actual = _calls("matrix_product", {"x": x, "weight": weight}, (rows, columns), (rows, columns, depth), case)
        same(case, actual, x @ weight.T, "out[i][j] is the sum of x[i][k] * weight[j][k] over k")


@check("matrix_product", "layers run your functions")
def in_the_engine() -> None:
    ran = own_backend.active.ran
    with cpu():
        x, weight, bias = _numbers(5, 3), _numbers(4, 3), _numbers(4)
        ran.clear()
        actual = nd.FullyConnected(nd.array(x), nd.array(weight), nd.array(bias), num_hidden=4)
        same("FullyConnected of x (5, 3), weight (4, 3), bias (4,)", actual, x @ weight.T + bias,
             "matrix_product, then add_stretched of the bias")
        same("FullyConnected: calls of matrix_product", ran["C", "matrix_product"], 1, "the backend calls your "
             "function")
        same("relu(x) by nd.relu", nd.relu(nd.array(x)), np.maximum(x, 0), "the backend calls your function")
        actual = nd.broadcast_add(nd.array(_numbers(2, 3, 4)), nd.array(_numbers(3, 1)))
        same("broadcast_add of (2, 3, 4) and (3, 1)", actual, _numbers(2, 3, 4) + _numbers(3, 1),
             "outer 2, length 3, inner 4")
