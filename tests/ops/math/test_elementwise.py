"""Elementwise operators on drawn shapes, strides, types and values."""

import numpy as np
import pytest
from helpers.elementwise_draws import FLOATS, INTEGERS, agree, quick, shapes, special_floats, strided, wrap
from hypothesis import given
from hypothesis import strategies as st

from minigluon import nd

UNARY = {       # name -> NumPy's function, for every value it has
    "abs": np.abs, "negative": np.negative, "ceil": np.ceil, "floor": np.floor, "trunc": np.trunc, "fix": np.trunc,
    "square": np.square, "sqrt": np.sqrt, "cbrt": np.cbrt, "exp": np.exp, "expm1": np.expm1, "log": np.log,
    "log2": np.log2, "log10": np.log10, "log1p": np.log1p, "sin": np.sin, "cos": np.cos, "tan": np.tan,
    "arcsin": np.arcsin, "arccos": np.arccos, "arctan": np.arctan, "sinh": np.sinh, "cosh": np.cosh,
    "tanh": np.tanh, "arcsinh": np.arcsinh, "arccosh": np.arccosh, "arctanh": np.arctanh, "degrees": np.degrees,
    "radians": np.radians, "reciprocal": np.reciprocal, "relu": lambda x: np.maximum(x, x.dtype.type(0)),
    "rsqrt": lambda x: 1 / np.sqrt(x), "sign": lambda x: np.where(np.isnan(x), x.dtype.type(0), np.sign(x)),
    "logical_not": lambda x: (x == 0).astype(x.dtype), "zeros_like": np.zeros_like, "ones_like": np.ones_like,
    "identity": np.array, "stop_gradient": np.array,
}
EXACT_ON_INTEGERS = {
    "abs": np.abs, "negative": np.negative, "ceil": np.array, "floor": np.array, "round": np.array, "rint": np.array,
    "square": np.square, "sign": np.sign, "relu": lambda x: np.maximum(x, x.dtype.type(0)), "identity": np.array,
    "logical_not": lambda x: x == 0, "clip": None,
}


@pytest.mark.parametrize("name", UNARY)
@quick
@given(data=st.data(), dtype=st.sampled_from(FLOATS))
def test_unary_as_numpy(name, data, dtype):
    x = data.draw(strided(data.draw(shapes), special_floats(dtype), dtype))
    before = x.copy()
    with np.errstate(all="ignore"):
        expected = UNARY[name](x)
    got = getattr(nd, name)(wrap(x))
    agree(got, expected, dtype)
    assert not np.shares_memory(got.buffer, x)
    np.testing.assert_array_equal(x, before)


@pytest.mark.parametrize("name", EXACT_ON_INTEGERS)
@quick
@given(data=st.data(), dtype=st.sampled_from(INTEGERS))
def test_unary_on_integers(name, data, dtype):
    info = np.iinfo(dtype)
    x = data.draw(strided(data.draw(shapes), st.integers(max(info.min, -100), min(info.max, 100)), dtype))
    if name == "clip":
        got, expected = nd.clip(wrap(x), a_min=-3, a_max=5), np.minimum(np.maximum(x.astype(int), -3), 5)
    else:
        got, expected = getattr(nd, name)(wrap(x)), EXACT_ON_INTEGERS[name](x)
    assert got.dtype == np.dtype(dtype).type
    np.testing.assert_array_equal(got.asnumpy(), expected.astype(dtype))


def test_sigmoid_keeps_its_small_end():
    for dtype, low, rtol in [("float16", -11, 2e-3), ("float32", -80, 2e-6), ("float64", -700, 1e-13)]:
        x = np.linspace(low, -low, 2001).astype(dtype)
        exact = 1 / (1 + np.exp(-x.astype("longdouble")))
        np.testing.assert_allclose(nd.sigmoid(nd.array(x, dtype=dtype)).asnumpy(), exact.astype("float64"), rtol=rtol)
    assert nd.sigmoid(nd.array([-1e30, -np.inf, np.inf, 1e30])).asnumpy().tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_rounding_of_numbers_without_a_digit_for_a_half(dtype):
    below_half = np.nextafter(np.array(0.5, dtype), np.array(0, dtype))
    odd = 2 ** np.finfo(dtype).nmant + 1
    data = np.array([odd, -odd, below_half, -below_half, 1.5, -1.5, 2.5, -2.5, np.inf, -np.inf, np.nan, -0.0], dtype)
    rounded = nd.round(nd.array(data, dtype=dtype)).asnumpy()
    np.testing.assert_array_equal(rounded, [odd, -odd, 0, 0, 2, -2, 3, -3, np.inf, -np.inf, np.nan, 0])
    nearest = nd.rint(nd.array(data, dtype=dtype)).asnumpy()
    np.testing.assert_array_equal(nearest, [odd, -odd, 0, 0, 1, -2, 2, -3, np.inf, -np.inf, np.nan, 0])
    assert np.signbit(np.append(rounded[[3, 11]], nearest[[3, 11]])).all()
