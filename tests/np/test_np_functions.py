"""Every function of the table against NumPy, forward and gradient, as a function and in a hybridized block."""

import numpy as onp
import pytest
from helpers.numpy_rows import NAMES, WITHOUT_GRADIENT, arrays_for, flat, numpys
from hypothesis import given, settings
from hypothesis import strategies as st

import minigluon as mx
from minigluon import autograd, gluon, np, npx

pytestmark = pytest.mark.once


@pytest.fixture(autouse=True)
def numpy_mode():
    npx.set_np()
    yield
    npx.reset_np()


class Called(gluon.HybridBlock):
    """A block that calls one function."""

    def __init__(self, name, call):
        super().__init__()
        self._of_table, self._call = name, call

    def hybrid_forward(self, F, x, *others):
        function = F.np
        for part in self._of_table.split("."):
            function = getattr(function, part)
        return self._call(function, [x, *others])


@pytest.mark.parametrize("name", [name for name in NAMES if name != "take"])
def test_numpy_computes_the_same(name):
    arrays, call = arrays_for(name, len(name))
    expected = flat(call(numpys(name), arrays))
    given = [np.array(a, dtype="float64") for a in arrays]
    block = Called(name, call)
    block.initialize()
    for hybridized in (False, True):
        if hybridized:
            block.hybridize()
        found = flat(block(*given))
        assert len(found) == len(expected)
        for x, y in zip(found, expected, strict=True):
            assert type(x) is np.ndarray
            assert x.shape == onp.shape(y)
            assert x.dtype == (bool if onp.asarray(y).dtype == bool else x.dtype)
            values = abs(x.asnumpy()) if name == "linalg.eigh" else x.asnumpy()
            onp.testing.assert_allclose(values, y, rtol=1e-6, atol=1e-12)


def is_float(x):
    return x.dtype.kind == "f"


@pytest.mark.parametrize("name", [name for name in NAMES if name != "take" and name not in WITHOUT_GRADIENT])
def test_the_gradient_is_that_of_differences(name):
    """Along one random direction, in float64; of functions with steps both are 0."""
    arrays, call = arrays_for(name, len(name) + 1)
    given = [np.array(a, dtype="float64") for a in arrays]
    for x in given:
        x.attach_grad()
    function = mx.np.linalg if name.startswith("linalg.") else mx.np
    function = getattr(function, name.rpartition(".")[2])
    with autograd.record():
        results = [y for y in flat(call(function, given)) if is_float(y)]
        total = sum((y * (k + 1)).sum() for k, y in enumerate(results)) if results else None
    if total is None:
        return
    total.backward()
    rng = onp.random.default_rng(0)
    directions = [rng.uniform(-1, 1, a.shape) for a in arrays]
    if name.startswith("linalg.") and len(arrays) == 1 and arrays[0].shape == (3, 3):
        directions = [d + d.T for d in directions]

    def value(step):
        results = flat(call(function, [np.array(a + step * d) for a, d in zip(arrays, directions, strict=True)]))
        return sum(float((y * (k + 1)).sum()) for k, y in enumerate(results))
    difference = (value(1e-6) - value(-1e-6)) / 2e-6
    slope = sum(float((x.grad.asnumpy() * d).sum()) for x, d in zip(given, directions, strict=True))
    onp.testing.assert_allclose(slope, difference, rtol=1e-4, atol=1e-6)


SHAPES = st.lists(st.integers(0, 3), max_size=3).map(tuple)
TYPES = st.sampled_from(["float32", "float64", "int32", "int64", "uint8", "bool"])


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_elementwise_and_reductions_on_drawn_shapes_and_types(data):
    shape, dtype = data.draw(SHAPES), data.draw(TYPES)
    values = onp.random.default_rng(0).integers(0, 5, shape).astype(dtype)
    x = np.array(values)
    axis = data.draw(st.sampled_from([None, *range(len(shape))]))
    keepdims = data.draw(st.booleans())
    for name in ("sum", "prod", "all", "any"):
        found = getattr(np, name)(x, axis=axis, keepdims=keepdims)
        expected = getattr(onp, name)(values, axis=axis, keepdims=keepdims)
        assert found.shape == expected.shape
        onp.testing.assert_array_equal(found.asnumpy().astype("float64") % 256, onp.asarray(expected, "float64") % 256)
    other = onp.random.default_rng(1).integers(1, 5, shape[-1:]).astype(data.draw(TYPES))
    if dtype == "bool" or other.dtype == bool:
        return
    for name in ("add", "multiply", "maximum", "floor_divide", "mod", "greater", "equal"):
        found = getattr(np, name)(x, np.array(other))
        expected = getattr(onp, name)(values.astype("int64"), other.astype("int64"))
        assert found.shape == expected.shape
        onp.testing.assert_array_equal(found.asnumpy().astype("int64") % 256, expected.astype("int64") % 256)


def test_take_with_each_mode():
    values = onp.arange(12.0).reshape(4, 3)
    x, index = np.array(values), onp.array([[0, 3], [-1, 1]])
    for axis in (None, 0, 1):
        for mode in ("raise", "clip", "wrap"):
            safe = index if axis != 1 else onp.array([[0, 2], [1, 1]])
            onp.testing.assert_array_equal(np.take(x, np.array(safe), axis=axis, mode=mode).asnumpy(),
                                           onp.take(values, safe, axis=axis, mode=mode))
