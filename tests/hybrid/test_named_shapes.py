"""A plan whose lengths are names gives what a plan for one shape gives, bit for bit, for any sequence of shapes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.gluon import nn


class Attention(gluon.HybridBlock):
    """One head over a growing cache: a query (1, q, d), keys and values (1, t, d), of which the last are new."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.norm = nn.LayerNorm(in_channels=8)
        self.proj = nn.Dense(8, flatten=False, in_units=8)

    def hybrid_forward(self, F, x, keys, values):
        q = self.norm(x)
        keys, values = F.concat(keys, q, dim=1), F.concat(values, self.proj(q), dim=1)
        scores = F.softmax(F.batch_dot(q, keys, transpose_b=True) / 8 ** 0.5)
        return self.proj(F.batch_dot(scores, values)) + x, keys, values


class Reshaping(gluon.HybridBlock):
    """Heads by reshape with -1 and 0, a transpose, a sum over the length, and a result like the data."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.dense = nn.Dense(12, flatten=False, in_units=6, activation="tanh")

    def hybrid_forward(self, F, x):
        y = self.dense(x).reshape((0, -1, 3, 4)).transpose((0, 2, 1, 3))
        mean = y.mean(axis=2, keepdims=True)
        return F.broadcast_sub(y, mean).reshape((-3, 0, 0)), mean * 2, F.ones_like(y).sum(axis=(1, 2))


def mlp():
    net = nn.HybridSequential()
    net.add(nn.Dense(8, activation="relu", flatten=False, in_units=6), nn.LayerNorm(in_channels=8),
            nn.Dense(6, flatten=False, in_units=8), nn.GELU(), nn.Dropout(0.5))
    return net


def images():
    net = nn.HybridSequential()
    net.add(nn.Conv2D(4, 3, padding=1, in_channels=2, activation="relu"), nn.MaxPool2D(2), nn.BatchNorm(in_channels=4),
            nn.Conv2D(3, 1, in_channels=4), nn.GlobalAvgPool2D(), nn.Flatten(), nn.Dense(5, in_units=3))
    return net


NETS = {"mlp": (mlp, lambda n, t: [(n, t, 6)]), "images": (images, lambda n, t: [(n, 2, t + 3, 7)]),
        "attention": (Attention, lambda n, t: [(1, n, 8), (1, t, 8), (1, t, 8)]),
        "reshaping": (Reshaping, lambda n, t: [(n, t, 6)])}


def results(net, arrays, record, train):
    """The outputs, and with record the gradients of data and parameters."""
    arrays = [nd.array(x) for x in arrays]
    parameters = [p for p in net.collect_params().values() if p.grad_req != "null"]
    mx.random.seed(3)
    if not record:
        with autograd.train_mode() if train else autograd.predict_mode():
            outputs = net(*arrays)
        return [y.asnumpy() for y in (outputs if isinstance(outputs, (list, tuple)) else [outputs])]
    for x in arrays:
        x.attach_grad()
    with autograd.record(train_mode=train):
        outputs = net(*arrays)
        outputs = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
        loss = sum((y * y).sum() for y in outputs)
    loss.backward()
    return [y.asnumpy() for y in (*outputs, *[x.grad for x in arrays], *[p.grad() for p in parameters])]


@pytest.mark.parametrize("name", NETS)
@settings(max_examples=12, deadline=None)
@given(sizes=st.lists(st.tuples(st.integers(1, 20), st.integers(1, 40), st.booleans(), st.booleans()), min_size=3,
                      max_size=8))
def test_any_sequence_of_shapes(name, sizes):
    make, shapes = NETS[name]
    by_shape, net = make(), make()
    for block in (by_shape, net):
        mx.random.seed(1)
        block.initialize(init=mx.init.Uniform(0.5))
    net.hybridize()
    rng = np.random.default_rng(0)
    for n, t, record, train in sizes:
        arrays = [rng.standard_normal(shape).astype("float32") for shape in shapes(n, t)]
        by_shape.hybridize()            # anew: it has seen no shape
        for found, expected in zip(results(net, arrays, record, train), results(by_shape, arrays, record, train),
                                   strict=True):
            np.testing.assert_array_equal(found, expected)
