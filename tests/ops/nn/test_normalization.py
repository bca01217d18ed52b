"""LayerNorm and its relatives: gradients of any of the outputs, and the messages."""

import numpy as np
import pytest
from helpers.errors import message

import minigluon as mx
from minigluon import autograd, nd
from minigluon.base import ShapeError
from minigluon.ops import REGISTRY

SHAPE_MESSAGES = [
    ("LayerNorm", {}, [(2, 3), (2,), None], "LayerNorm: gamma has shape (2,), expected (3,)"),
    ("InstanceNorm", {}, [(2, 3), None, None], "InstanceNorm: data has shape (2, 3), expected at least 3 dimensions"),
    ("GroupNorm", {"num_groups": 2}, [(2, 3, 4), None, None],
     "GroupNorm: num_groups=2 does not divide the 3 channels of data (2, 3, 4)"),
    ("GroupNorm", {}, [(2, 3), None, None], "GroupNorm: data has shape (2, 3), expected at least 3 dimensions"),
    ("L2Normalization", {"mode": "spatial"}, [(2, 3)],
     "L2Normalization: data has shape (2, 3), expected at least 3 dimensions with mode='spatial'"),
    ("LRN", {"nsize": 0}, [(2, 3)], "LRN: nsize=0 must be at least 1"),
    ("LRN", {"nsize": 3}, [(2,)], "LRN: data has shape (2,), expected at least 2 dimensions"),
]


@pytest.mark.parametrize(("name", "attributes", "shapes", "text"), SHAPE_MESSAGES)
def test_messages_of_shape_rules(name, attributes, shapes, text):
    assert message(ShapeError, REGISTRY[name](**attributes).infer_shape, *shapes) == text


@pytest.mark.parametrize("name", ["LayerNorm", "GroupNorm", "Dropout"])
def test_no_zeros_are_made_for_outputs_without_a_gradient(name, monkeypatch):
    """Such as a mask, which is as large as the data."""
    monkeypatch.setattr(nd, "zeros", None)
    x = nd.random.normal(shape=(2, 4, 3))
    x.attach_grad()
    vectors = {"LayerNorm": [nd.ones(3)] * 2, "GroupNorm": [nd.ones(2)] * 2, "Dropout": []}[name]
    with autograd.record():
        y = getattr(nd, name)(x, *vectors, **({"num_groups": 2} if name == "GroupNorm" else {}))
    y.backward()
    assert x.grad.shape == x.shape


@pytest.mark.parametrize("used", [(0,), (1,), (2,), (0, 2), (0, 1, 2)])
@pytest.mark.parametrize("name", ["LayerNorm", "GroupNorm"])
def test_gradients_of_any_of_the_outputs(name, used):
    """Eager, and in a graph: what no gradient reaches counts as zeros."""
    data = np.random.default_rng(0).standard_normal((2, 4, 3))
    size = 3 if name == "LayerNorm" else 2
    how = {"output_mean_var": True, **({"num_groups": 2} if name == "GroupNorm" else {})}
    weights = np.random.default_rng(1).standard_normal(3)

    def compute(F, x, gamma):
        outputs = getattr(F, name)(x, gamma, F.zeros_like(gamma), **how)
        return [F.sum(F.square(outputs[k])) * weights[k] for k in used]
    x, gamma = nd.array(data, dtype="float64"), nd.ones(size, dtype="float64")
    x.attach_grad()
    with autograd.record():
        total = sum(compute(nd, x, gamma))
    total.backward()
    symbols = mx.sym.var("x"), mx.sym.var("gamma")
    executor = sum(compute(mx.sym, *symbols)).bind(mx.cpu(), {"x": x, "gamma": gamma},
                                                   {"x": nd.zeros(x.shape, dtype="float64")}, {"x": "write"})
    executor.forward(is_train=True)
    executor.backward(nd.ones(1, dtype="float64"))
    np.testing.assert_allclose(executor.grad_dict["x"].asnumpy(), x.grad.asnumpy(), rtol=1e-10, atol=1e-12)
    step = np.random.default_rng(2).standard_normal(data.shape) * 1e-6
    up, down = (float(sum(compute(nd, nd.array(data + s, dtype="float64"), gamma)).asscalar()) for s in (step, -step))
    np.testing.assert_allclose((up - down) / 2, (x.grad.asnumpy() * step).sum(), rtol=1e-4, atol=1e-12)
