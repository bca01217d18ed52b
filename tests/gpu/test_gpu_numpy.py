"""Nets with functions of `mx.np` on the GPU compute what they compute on the CPU."""

import numpy as onp
import pytest
from helpers.gpu_choice import GPU
from records import np_graph_cases as cases
from scripts import np_gpu

import minigluon as mx
from minigluon import autograd, np, npx

pytestmark = pytest.mark.once
assert GPU


@pytest.fixture(autouse=True)
def numpy_mode():
    npx.set_np()
    yield
    npx.reset_np()


def results(net, inputs, ctx):
    net.collect_params().reset_ctx(ctx)
    arrays = [x.as_in_ctx(ctx) for x in inputs]
    arrays[0].attach_grad()
    with autograd.record():
        y = net(*arrays)
    y.backward()
    assert y.ctx == arrays[0].grad.ctx == ctx
    return y.asnumpy(), arrays[0].grad.asnumpy()


@pytest.mark.parametrize("name", ["perceptron", "attention", "a[:, ::-1] * a.mean(axis=1, keepdims=True)"])
def test_nets(name):
    net = cases.build(mx, name)
    net.initialize()
    net.hybridize()
    inputs = [np.array(x) for x in cases.inputs_of(name)]
    for x, y in zip(results(net, inputs, mx.cpu()), results(net, inputs, mx.gpu(0)), strict=True):
        onp.testing.assert_allclose(x, y, 1e-4, 1e-5)


@pytest.mark.parametrize("dtype", ["float32", "bool"])
def test_functions(dtype):
    """`scripts/np_gpu.py` runs all of them."""
    assert np_gpu.compare(["add", "mean", "where", "take", "concatenate"], [dtype]) == ([], {})
