"""Drawn calls of functions of `mx.np`, and indexing, on the GPU: results and gradients of the CPU, on the GPU."""

import numpy as onp
import pytest
from helpers.gpu_choice import GPU
from helpers.numpy_draws import DRAWS
from helpers.numpy_rows import WITHOUT_GRADIENT, flat
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import minigluon as mx
from minigluon import autograd, np, npx
from minigluon.base import MXNetError
from minigluon.numpy.namespace import lookup

pytestmark = pytest.mark.once
assert GPU
# Of each kind: elementwise, with two types, reductions, joining, order of elements, and what runs on the host.
NAMES = ["add", "clip", "concatenate", "cumsum", "dot", "equal", "exp", "flip", "linalg.norm", "linalg.solve",
         "matmul", "maximum", "mean", "median", "prod", "sort", "split", "stack", "sum", "take", "tile",
         "transpose", "var", "where"]
KEYS = [0, -1, slice(1, None), (slice(None), 1), (Ellipsis, 0), None, (0, 2), [0, 2], ([0, 1], [1, 3]), True,
        (slice(None, None, -1), slice(None, None, 2)), (slice(None), [3, 0])]


@pytest.fixture(autouse=True)
def numpy_mode():
    npx.set_np()
    yield
    npx.reset_np()


def outcome(function, hosts, ctx, is_differentiated):
    """Results and gradients, or the kind of the error."""
    arrays = [np.array(a, ctx=ctx) for a in hosts]
    if is_differentiated:
        for x in arrays:
            x.attach_grad()
    try:
        with autograd.record() if is_differentiated else autograd.pause():
            made = flat(function(arrays))
        if is_differentiated and made[0].entry is not None:
            autograd.backward(made)
            made += [x.grad for x in arrays]
    except MXNetError as error:
        return type(error)
    assert {y.ctx for y in made} == {ctx}
    return [y.asnumpy() for y in made]


def compare(function, hosts, is_differentiated):
    cpu, gpu = (outcome(function, hosts, ctx, is_differentiated) for ctx in (mx.cpu(), mx.gpu(0)))
    if isinstance(cpu, type):
        assert gpu is cpu
        return
    for x, y in zip(cpu, gpu, strict=True):
        assert (x.shape, x.dtype) == (y.shape, y.dtype)
        onp.testing.assert_allclose(y, x, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_drawn_calls(name):
    @settings(max_examples=2, deadline=None, derandomize=True, database=None, phases=[Phase.generate],
              suppress_health_check=list(HealthCheck))
    @given(st.data())
    def draw(data):
        call = data.draw(st.composite(lambda draw: DRAWS[name](draw))())
        is_differentiated = name not in WITHOUT_GRADIENT and all(a.dtype.kind == "f" for a in call.arrays)
        compare(lambda arrays: call(lookup(name), arrays), call.arrays, is_differentiated)

    draw()


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_keys(key):
    x = onp.arange(12, dtype="float32").reshape(3, 4)
    compare(lambda arrays: arrays[0][key] * 2, [x], True)
    written = np.array(x, ctx=mx.gpu(0))
    written[key] = 7
    x[key] = 7
    assert written.ctx == mx.gpu(0)
    assert written.asnumpy().tolist() == x.tolist()


def test_masks_and_arrays_as_keys():
    x = onp.arange(12, dtype="float32").reshape(3, 4)
    compare(lambda arrays: arrays[0][arrays[0] > 5], [x], True)
    compare(lambda arrays: arrays[0][arrays[1]], [x, onp.array([2, 0])], False)
