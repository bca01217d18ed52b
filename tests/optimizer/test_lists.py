"""`update` with lists of weights: which optimizers take them, and their results, as in MXNet 1.9.1."""

import numpy as np
import pytest

import minigluon as mx
from minigluon import nd
from minigluon.base import ArgumentError, CheckError

OTHERS = ["adadelta", "adagrad", "adam", "adamax", "dcasgd", "ftml", "ftrl", "lbsgd", "nadam", "nag", "rmsprop", "sgld",
          "signum"]
METHODS = ["update", "update_multi_precision"]
# what MXNet gives for two steps of the weights below, in float32
RESULTS = {
    ("lamb", 0): [0.554, -2.446, 3.446, 0.2506, 1.249, 1.751, -1.249],
    ("lars", 0): [0.9998, -2.001, 3.0, 0.4997, 1.0, 2.0, -1.0],
    ("lars", 0.9): [0.9998, -2.001, 3.0, 0.4995, 1.0, 2.0, -1.0],
    ("sgd", 0): [0.9, -2.4, 3.2, 0.3, 1.2, 1.95, -1.1],
    ("sgd", 0.9): [0.855, -2.58, 3.29, 0.21, 1.29, 1.927, -1.145],
}


def stepped(name, momentum, method, kind, mixed=False):
    """All elements of two weights after two steps; kind: the type of the four collections, or None for single calls."""
    dtype, more = "float16" if mixed else "float32", {"momentum": momentum} if momentum else {}
    optimizer = mx.optimizer.create(name, learning_rate=0.1, multi_precision=mixed, **more)
    weights = [nd.array([1, -2, 3], dtype=dtype), nd.array([[0.5, 1], [2, -1]], dtype=dtype)]
    grads = [nd.array([0.5, 2, -1], dtype=dtype), nd.array([[1, -1], [0.25, 0.5]], dtype=dtype)]
    create = optimizer.create_state if method == "update" else optimizer.create_state_multi_precision
    states = [create(i, w) for i, w in enumerate(weights)]
    for _ in range(2):
        if kind:
            getattr(optimizer, method)(*map(kind, ([0, 1], weights, grads, states)))
        else:
            for i in range(2):
                getattr(optimizer, method)(i, weights[i], grads[i], states[i])
    return np.concatenate([w.asnumpy().ravel() for w in weights])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("case", RESULTS)
def test_lists_and_single_weights(case, method):
    for kind in list, tuple, None:
        np.testing.assert_allclose(stepped(*case, method, kind), RESULTS[case], rtol=1e-3, err_msg=str(kind))
    np.testing.assert_array_equal(stepped(*case, method, list, mixed=True), stepped(*case, method, None, mixed=True))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", OTHERS)
def test_other_optimizers_take_one_weight(name, method):
    for mixed in False, True:
        with pytest.raises(CheckError, match="update takes one weight, found an index of type list. Call it for each"):
            stepped(name, 0, method, list, mixed)


def test_lists_of_different_lengths():
    x = nd.ones(2)
    with pytest.raises(ArgumentError, match=r"LARS.update: .*found lengths \[2, 1, 1, None\] of index, weight"):
        mx.optimizer.LARS().update([0, 1], [x], [x], None)


def test_an_optimizer_of_a_program_may_take_lists():
    class Own(mx.optimizer.Optimizer):
        def update(self, index, weight, grad, state):
            self._update_count(index)
            for w, g, lr in zip(weight, grad, self._get_lrs(index), strict=True):
                w -= lr * g
    x = nd.ones(2)
    Own(learning_rate=0.5).update_multi_precision([0, 1], [x, nd.ones(1)], [x, nd.ones(1)], [None, None])
    assert x.asnumpy().tolist() == [0.5, 0.5]
