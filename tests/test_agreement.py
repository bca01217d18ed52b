"""Every layer and loss computes the same imperatively and hybridized: values, gradients, statistics."""

import copy

import numpy as np
import pytest
from hybrid_twins import close
from hypothesis import given, settings
from hypothesis import strategies as st
from layer_draws import LAYERS, LOSSES, blocks

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.gluon import loss, nn


def run(block, arrays, train):
    """{what: value} of a forward and a backward pass: results, gradients of inputs and parameters, statistics."""
    mx.random.seed(5)
    inputs = [nd.array(a, dtype=a.dtype) for a in arrays]
    for x in inputs:
        x.attach_grad()
    with autograd.record(train_mode=train):
        outputs = block(*inputs)
    outputs = outputs if isinstance(outputs, (list, tuple)) else [outputs]
    heads = [nd.array(np.random.default_rng(i).normal(size=y.shape), dtype=y.dtype) for i, y in enumerate(outputs)]
    autograd.backward(outputs, heads)
    params = block.collect_params().values()
    return {**{f"output {i}": y.asnumpy() for i, y in enumerate(outputs)},
            **{f"gradient of input {i}": x.grad.asnumpy() for i, x in enumerate(inputs)},
            **{f"gradient of {p.name}": p.grad().asnumpy() for p in params if p.grad_req != "null"},
            **{p.name: p.data().asnumpy() for p in params if p.grad_req == "null"}}


def agree(block, arrays, train, dtype="float32", ulps=4):
    """Compare a block and a hybridized copy of it, each called twice: in fresh memory, and in used memory."""
    arrays = [np.asarray(a, dtype) for a in arrays]
    block.initialize(mx.init.Normal(0.5))
    block.cast(dtype)
    with autograd.pause():
        block(*[nd.array(a, dtype=dtype) for a in arrays])
    twin = copy.deepcopy(block)
    twin.hybridize()
    for _ in range(2):
        wanted, found = run(block, arrays, train), run(twin, arrays, train)
        assert found.keys() == wanted.keys()
        for what, value in found.items():
            try:
                close(value, wanted[what], ulps)
            except AssertionError as error:
                raise AssertionError(f"{what} of {block}: {error}") from None


@pytest.mark.parametrize("name", LAYERS)
@settings(max_examples=12)
@given(data=st.data())
def test_layers(name, data):
    block, arrays = data.draw(blocks(LAYERS[name]))
    agree(block, arrays, data.draw(st.booleans()), data.draw(st.sampled_from(["float32", "float64"])))


@pytest.mark.parametrize("name", LOSSES)
@settings(max_examples=12)
@given(data=st.data())
def test_losses(name, data):
    block, arrays = data.draw(blocks(LOSSES[name]))
    agree(block, arrays, True, data.draw(st.sampled_from(["float32", "float64"])))


def test_all_of_them_are_drawn():
    layers = {name for name in nn.__all__ if issubclass(getattr(nn, name), gluon.HybridBlock)}
    assert layers - set(LAYERS) == {"HybridBlock", "HybridSequential", "SymbolBlock"}
    losses = {getattr(loss, name) for name in loss.__all__} - {loss.Loss}
    assert losses == {getattr(loss, name) for name in LOSSES}
