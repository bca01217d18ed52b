"""An infinite gradient passes only to the elements that the operator selected: the others get 0, not infinity times 0.

The operators of `SELECTING` do so in MXNet 1.9.1 as well. Those of `MULTIPLYING` multiply by a derivative of 0 in both,
which gives NaN.
"""

import numpy as np
import pytest

from minigluon import autograd, nd
from minigluon.backend import available, use_backend

BACKENDS = [name for name in ("numpy", "accel") if name in available()]
ROW, SQUARE = [[3, 1, 2, 4]], [[2.0, 5.0], [7.0, 3.0]]
IMAGE = np.arange(16.0).reshape(1, 1, 4, 4)

# name: the function, its input, and where its gradient is infinite
SELECTING = {
    "windows side by side": (lambda x: nd.Pooling(x, kernel=2, stride=2), [[[3, 1, 2, 4]]], [[[1, 0, 0, 1]]]),
    "windows apart": (lambda x: nd.Pooling(x, kernel=2, stride=3), [[[3, 1, 2, 4, 5]]], [[[1, 0, 0, 0, 1]]]),
    "three taps": (lambda x: nd.Pooling(x, kernel=3, stride=3), [[[1, 3, 2, 4, 5, 6]]], [[[0, 1, 0, 0, 0, 1]]]),
    "shared elements": (lambda x: nd.Pooling(x, kernel=3, stride=1), [[[3, 1, 2, 4]]], [[[1, 0, 0, 1]]]),
    "padding": (lambda x: nd.Pooling(x, kernel=2, stride=2, pad=1), [[[3, 1, 2, 4]]], [[[1, 0, 1, 1]]]),
    "two axes": (lambda x: nd.Pooling(x, kernel=(2, 2), stride=(2, 2)), IMAGE, IMAGE % 2 * (IMAGE // 4 % 2)),
    "global": (lambda x: nd.Pooling(x, global_pool=True), IMAGE, IMAGE == 15),
    "clip": (lambda x: nd.clip(x, 2, 3), ROW, [[1, 0, 1, 0]]),
    "hard_sigmoid": (nd.hard_sigmoid, [[3, 0, -3, 1]], [[0, 1, 0, 1]]),
    "sumlogdiag": (nd.linalg.sumlogdiag, SQUARE, np.eye(2)),
    "density": (lambda x: nd.random_pdf_uniform(x, nd.zeros(1), nd.ones(1)), [[0.5, 2]], [[0, 0]]),
    "topk": (lambda x: nd.topk(x, k=2, ret_typ="value"), ROW, [[1, 0, 0, 1]]),
    "where": (lambda x: nd.where(nd.array([[1, 0, 1, 0]]), x, nd.ones((1, 4))), ROW, [[1, 0, 1, 0]]),
    "pick": (lambda x: nd.pick(x, nd.array([2])), ROW, [[0, 0, 1, 0]]),
    "take": (lambda x: nd.take(x, nd.array([0, 3]), axis=1), ROW, [[1, 0, 0, 1]]),
    "gather_nd": (lambda x: nd.gather_nd(x, nd.array([[0], [1]])), ROW, [[0, 1, 0, 0]]),
    "slice": (lambda x: x[:, 1:3], ROW, [[0, 1, 1, 0]]),
    "diag": (nd.diag, SQUARE, np.eye(2)),
}
MULTIPLYING = {"relu": nd.relu, "abs": nd.abs, "smooth_l1": nd.smooth_l1, "square": nd.square,
               "maximum": lambda x: nd.maximum(x, 1), "max": nd.max}


def gradient(function, data):
    x = nd.array(data)
    x.attach_grad()
    with autograd.record():
        y = function(x)
    y.backward(nd.full(y.shape, np.inf))
    return x.grad.asnumpy()


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("case", SELECTING)
def test_only_selected_elements_get_the_gradient(case, backend):
    function, data, selected = SELECTING[case]
    with use_backend(backend):
        np.testing.assert_array_equal(gradient(function, data), np.where(selected, np.inf, 0), case)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_saved_positions_of_the_largest(dtype, backend):
    x, inf = nd.array([[[3, 1, 2, 4]]], dtype=dtype), nd.full((1, 1, 2), np.inf, dtype=dtype)
    with use_backend(backend):
        _, winners = nd._max_pooling_argmax(x, kernel=(2,), stride=(2,))
        out = nd._max_pooling_argmax_grad(inf, winners, x, kernel=(2,), stride=(2,))
    np.testing.assert_array_equal(out.asnumpy(), [[[np.inf, 0, 0, np.inf]]])


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", MULTIPLYING)
def test_a_derivative_of_0_makes_nan(name, backend):
    with use_backend(backend):
        assert np.isnan(gradient(MULTIPLYING[name], [0.0, 1.0])[0])
