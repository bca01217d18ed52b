"""Slice pushdown: what is read of a result, alone, is computed; and it is the same."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minigluon import autograd, gluon, nd
from minigluon import symbol as sym
from minigluon.backend import Spec
from minigluon.base import OutOfRangeError
from minigluon.gluon import nn
from minigluon.hybrid import Draft, interpret
from minigluon.hybrid.slice_pushdown import slice_pushdown
from minigluon.hybrid.specs import infer_specs

FLOAT = np.dtype("float32")
SHAPE = 2, 5, 4                 # (batch, length, units) of x
SHAPES = {"x": SHAPE, "other": SHAPE, "row": (1, 1, 4), "w": (4, 4), "b": (4,), "gamma": (4,), "words": (7, 4),
          "ids": (2, 5), "keys": (2, 3, 4), "wide": (4, 20), "rows": (2,)}
x, other, row, w, b, gamma, words, ids, keys, wide, rows = map(sym.var, SHAPES)


def near(found, wanted):
    """Products of fewer rows add up in another order."""
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)


def first(y, axis=1, begin=0, end=1):
    return sym.slice_axis(y, axis=axis, begin=begin, end=end)


def narrowed(graph):
    """(the graph, {operator: shape of its result}); the graph computes the same, and its specs are right."""
    rng = np.random.default_rng(0)
    values = {name: nd.array(rng.integers(0, 7, SHAPES[name]) if name == "ids" else rng.normal(size=SHAPES[name]))
              for name in graph.list_inputs()}
    known = {name: Spec(a.shape, FLOAT) for name, a in values.items()}
    specs = infer_specs(graph, known)
    result = slice_pushdown(Draft(graph, specs, known)).graph
    for before, after in zip(interpret(graph, values), interpret(result, values), strict=True):
        near(after.asnumpy(), before.asnumpy())
    fresh = infer_specs(result, known)
    assert {pair: specs[pair] for pair in fresh} == fresh
    return result, {node.op.name: specs[node, 0].shape for node in result.nodes() if node.op is not None}


def dense(y):
    return sym.FullyConnected(y, w, b, num_hidden=4, flatten=False)


@pytest.mark.parametrize(("graph", "shapes"), [
    (first(sym.tanh(sym.sin(x))), {"sin": (2, 1, 4), "tanh": (2, 1, 4)}),
    (first(sym.sin(x), 1, -2, None), {"sin": (2, 2, 4)}),
    (first(sym.sin(x), -1, 1, 3), {"sin": (2, 5, 2)}),
    (first(sym.broadcast_add(sym.sin(x), row)), {"sin": (2, 1, 4), "broadcast_add": (2, 1, 4)}),
    (first(sym.sin(x) + sym.cos(x)), {"sin": (2, 1, 4), "cos": (2, 1, 4)}),
    (first(dense(sym.sin(x))), {"sin": (2, 1, 4), "FullyConnected": (2, 1, 4)}),
    (first(sym.LayerNorm(sym.sin(x), gamma, b)), {"sin": (2, 1, 4), "LayerNorm": (2, 1, 4)}),
    (first(sym.softmax(sym.sin(x))), {"sin": (2, 1, 4), "softmax": (2, 1, 4)}),
    (first(sym.transpose(sym.sin(x), axes=(1, 0, 2)), 0), {"sin": (2, 1, 4), "transpose": (1, 2, 4)}),
    (first(sym.reshape(sym.sin(x), shape=(0, 0, 2, -1))), {"sin": (2, 1, 4), "Reshape": (2, 1, 2, 2)}),
    (first(sym.expand_dims(sym.sin(x), axis=0), 2), {"sin": (2, 1, 4), "Reshape": (1, 2, 1, 4)}),
    (first(sym.batch_dot(sym.sin(x), keys, transpose_b=True)), {"sin": (2, 1, 4), "batch_dot": (2, 1, 3)}),
    (first(sym.batch_dot(x, sym.sin(keys), transpose_b=True), 2), {"sin": (2, 1, 4), "batch_dot": (2, 5, 1)}),
    (first(sym.batch_dot(sym.sin(x), sym.cos(keys), transpose_b=True), 0), {"sin": (1, 5, 4), "cos": (1, 3, 4)}),
    # two readers of the same places
    (sym.Group([first(sym.sin(x)), first(sym.sin(x) * 2)]), {"_mul_scalar": (2, 1, 4)}),
    (first(sym.FullyConnected(sym.sin(x), wide, b, num_hidden=4), 0), {"sin": (1, 5, 4), "FullyConnected": (1, 4)}),
], ids=str)
def test_what_works_row_by_row_is_computed_for_the_rows_that_are_read(graph, shapes):
    found = narrowed(graph)[1]
    assert {name: found[name] for name in shapes} == shapes


sine = sym.sin(x)


@pytest.mark.parametrize("graph", [
    sym.Group([first(sine), sine]), sym.Group([first(sine), first(sine, 1, 1, 2)]), first(sine) + first(sine, 2, 0, 1),
    first(sym.softmax(x, axis=1)), first(sym.LayerNorm(sym.transpose(x, axes=(0, 2, 1)), gamma, b, axis=1), 1),
    first(sym.FullyConnected(x, wide, b, num_hidden=4), 1), first(sym.sum(x, axis=2), 1), first(sym.make_loss(x)),
    first(sym.where(rows, sym.sin(x), other), 0), first(sym.Embedding(ids, words, input_dim=7, output_dim=4)),
    first(sym.reshape(x, shape=(-3, 0)), 0), first(sym.Dropout(x, mode="always", p=0.0)), first(x),
], ids=str)
def test_what_is_read_in_other_places_or_depends_on_its_neighbours_stays(graph):
    assert narrowed(graph)[0] is graph


OPERATORS = [sym.sin, lambda y: y * 2, lambda y: y + other, lambda y: sym.broadcast_mul(y, row), sym.softmax,
             lambda y: dense(y), lambda y: sym.LayerNorm(y, gamma, b), lambda y: y + sym.tanh(y),
             lambda y: sym.transpose(sym.transpose(y, axes=(2, 0, 1)), axes=(1, 2, 0)),
             lambda y: sym.reshape(sym.reshape(y, shape=(0, 0, 2, -1)), shape=(0, 0, -3)),
             lambda y: sym.batch_dot(sym.softmax(sym.batch_dot(y, x, transpose_b=True)), x)]


@given(st.lists(st.sampled_from(OPERATORS), max_size=5), st.integers(0, 2), st.integers(0, 3), st.booleans())
def test_any_chain_computes_the_same(chain, axis, begin, is_group):
    y = x
    for step in chain:
        y = step(y)
    begin = min(begin, SHAPE[axis] - 1)
    results = [sym.sin(first(y, axis, begin, begin + 1))]
    narrowed(sym.Group([*results, first(y, axis, begin, None)]) if is_group else results[0])


class Classifier(gluon.HybridBlock):
    """One layer of an encoder, of which the first token is read."""

    def __init__(self):
        super().__init__()
        self.norm, self.project, self.mix = nn.LayerNorm(), nn.Dense(24, flatten=False), nn.Dense(8, flatten=False)
        self.head = nn.Dense(3)

    def hybrid_forward(self, F, x):
        query, key, value = F.split(self.project(self.norm(x)), num_outputs=3, axis=2)
        weights = F.softmax(F.batch_dot(query, key, transpose_b=True) * 0.35)
        x = x + self.mix(F.batch_dot(weights, value))
        return self.head(F.slice_axis(x, axis=1, begin=0, end=1))


@pytest.mark.parametrize("index", [9, np.nan])
def test_an_index_out_of_range_is_an_error_in_rows_that_are_not_read(index):
    """And the message has its position in the program's array, as without hybridize."""
    net = nn.HybridLambda(lambda F, data, weight: F.slice_axis(
        F.Embedding(data, weight, input_dim=3, output_dim=2), axis=1, begin=0, end=1))
    net.hybridize()
    data = nd.array([[0, index], [1, 2]])
    with pytest.raises(OutOfRangeError, match=r"at \(0, 1\), expected 0 to 2; 1 of 4 are out of range"):
        net(data, nd.ones((3, 2))).wait_to_read()


def test_a_classifier_trains_the_same():
    net, x = Classifier(), nd.random.normal(shape=(3, 11, 8))
    net.initialize()
    x.attach_grad()
    found = []
    for hybridized in (False, True):
        net.hybridize(hybridized)
        with autograd.record():
            loss = (net(x) ** 2).sum()
        loss.backward()
        found.append([net(x).asnumpy(), x.grad.asnumpy(),
                      *[p.grad().asnumpy() for p in net.collect_params().values()]])
    for imperative, hybrid in zip(*found, strict=True):
        near(hybrid, imperative)
