"""Elementwise operators, broadcasting and reductions on drawn shapes, strides, types and values."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from minigluon import autograd, nd
from minigluon.ndarray import NDArray

FLOATS = ["float16", "float32", "float64"]
INTEGERS = ["int8", "uint8", "int32", "int64"]
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 1e30, -1e-30, np.inf, -np.inf, np.nan]
quick = settings(max_examples=30, deadline=None)

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
BINARY = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "maximum": np.maximum,
    "minimum": np.minimum, "hypot": np.hypot, "power": np.power, "equal": np.equal, "greater": np.greater,
    "lesser_equal": np.less_equal, "logical_and": np.logical_and, "logical_xor": np.logical_xor,
}
EXACT_ON_INTEGERS = {
    "abs": np.abs, "negative": np.negative, "ceil": np.array, "floor": np.array, "round": np.array, "rint": np.array,
    "square": np.square, "sign": np.sign, "relu": lambda x: np.maximum(x, x.dtype.type(0)), "identity": np.array,
    "logical_not": lambda x: x == 0, "clip": None,
}
shapes = hnp.array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=4)


def wrap(array):
    """An NDArray on exactly this memory, strides included."""
    return NDArray(array, nd.zeros((1,)).context)


@st.composite
def strided(draw, shape, elements, dtype):
    """An array of that shape that may be a transposed or a stepped view."""
    array = draw(hnp.arrays(dtype, shape, elements=elements))
    kind = draw(st.sampled_from(["plain", "transposed", "stepped", "reversed"]))
    if kind == "transposed":
        return np.array(array.T, order="C").T
    if kind == "stepped":
        wide = np.repeat(array, 2, axis=-1)
        return wide[..., ::2]
    return np.array(array[::-1])[::-1] if kind == "reversed" else array


def special_floats(dtype):
    usual = st.floats(-4, 4, width=16)
    with np.errstate(over="ignore"):
        return usual | st.sampled_from([float(np.asarray(v, dtype)) for v in SPECIAL])


def agree(got, expected, dtype):
    assert got.dtype == np.dtype(dtype).type
    assert got.shape == expected.shape
    tol = {"float16": 4e-3, "float32": 2e-6, "float64": 1e-13}[dtype]
    np.testing.assert_allclose(got.asnumpy(), expected, rtol=tol, atol=tol)


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


@pytest.mark.parametrize("name", BINARY)
@quick
@given(data=st.data(), dtype=st.sampled_from(FLOATS))
def test_broadcasting_as_numpy(name, data, dtype):
    pair = data.draw(hnp.mutually_broadcastable_shapes(num_shapes=2, min_dims=1, max_dims=4, min_side=0, max_side=3))
    x, y = (data.draw(strided(shape, special_floats(dtype), dtype)) for shape in pair.input_shapes)
    with np.errstate(all="ignore"):
        expected = BINARY[name](x, y).astype(dtype)
    agree(getattr(nd, f"broadcast_{name}")(wrap(x), wrap(y)), expected, dtype)


@quick
@given(data=st.data(), dtype=st.sampled_from(FLOATS))
def test_modulo_has_the_sign_of_the_divisor(data, dtype):
    shape = data.draw(shapes)
    x, y = (data.draw(hnp.arrays(dtype, shape, elements=st.floats(-8, 8, width=16))) for _ in range(2))
    got = nd.modulo(nd.array(x, dtype=dtype), nd.array(y, dtype=dtype)).asnumpy()
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(got, np.where(y == 0, 0, np.mod(x, y)))


@quick
@given(data=st.data(), dtype=st.sampled_from(INTEGERS))
def test_integer_division_is_c_division(data, dtype):
    shape = data.draw(shapes)
    info = np.iinfo(dtype)
    elements = st.integers(max(info.min + 1, -1000), min(info.max, 1000))
    x, y = (data.draw(hnp.arrays(dtype, shape, elements=elements)) for _ in range(2))
    got = nd.divide(nd.array(x, dtype=dtype), nd.array(y, dtype=dtype))
    assert got.dtype == np.dtype(dtype).type
    wanted = [0 if b == 0 else int(int(a) / int(b)) for a, b in zip(x.ravel(), y.ravel(), strict=True)]
    assert got.asnumpy().ravel().tolist() == wanted


@quick
@given(data=st.data(), dtype=st.sampled_from(FLOATS + INTEGERS), number=st.integers(-9, 9) | st.floats(-9, 9, width=16))
def test_a_number_takes_the_type_of_the_array(data, dtype, number):
    x = data.draw(hnp.arrays(dtype, data.draw(shapes), elements=st.integers(0, 9)))
    converted = np.array(number).astype(np.float64 if dtype in FLOATS else np.int64).astype(dtype)
    a = nd.array(x, dtype=dtype)
    with np.errstate(all="ignore"):
        for got, expected in [(a + number, x + converted), (number - a, converted - x), (a * number, x * converted),
                              (a > number, x > converted), (nd.maximum(a, number), np.maximum(x, converted))]:
            assert got.dtype == np.dtype(dtype).type
            np.testing.assert_array_equal(got.asnumpy(), expected.astype(dtype))


REDUCTIONS = {"sum": np.sum, "prod": np.prod, "max": np.max, "min": np.min, "mean": np.mean, "nansum": np.nansum,
              "nanprod": np.nanprod}


@pytest.mark.parametrize("name", REDUCTIONS)
@quick
@given(data=st.data(), dtype=st.sampled_from(FLOATS), keepdims=st.booleans(), exclude=st.booleans())
def test_reductions_as_numpy(name, data, dtype, keepdims, exclude):
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=4, min_side=1, max_side=4))
    most = 1.03125 if "prod" in name else 2.0           # the product of 256 numbers must not leave float16
    elements = st.floats(-most, most, width=16) | st.sampled_from([np.nan] if name.startswith("nan") else [0.0])
    x = data.draw(strided(shape, elements, dtype))
    axis = data.draw(st.none() | st.lists(st.integers(0, len(shape) - 1), unique=True).map(tuple))
    negative = axis if axis is None else tuple(a - len(shape) for a in axis)
    wanted = axis or tuple(range(len(shape)))
    if axis and exclude:
        wanted = tuple(a for a in range(len(shape)) if a not in axis)
    expected = np.asarray(REDUCTIONS[name](x.astype("float64"), wanted, keepdims=keepdims))
    if expected.ndim == 0:
        expected = expected.reshape(1)
    with np.errstate(over="ignore"):
        expected = expected.astype(dtype)           # a product may be too large for float16
    for a in (axis, negative):
        got = getattr(nd, name)(wrap(x), axis=a, keepdims=keepdims, exclude=exclude)
        assert got.dtype == np.dtype(dtype).type
        assert got.shape == expected.shape
        scale = max(1.0, float(np.nansum(np.abs(x.astype("float64")))))
        tol = {"float16": 2e-3, "float32": 1e-6, "float64": 1e-14}[dtype]
        np.testing.assert_allclose(got.asnumpy(), expected, rtol=8 * tol, atol=tol * scale)


@quick
@given(data=st.data(), name=st.sampled_from(["argmax", "argmin"]), keepdims=st.booleans())
def test_positions_as_numpy(data, name, keepdims):
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=4))
    x = data.draw(strided(shape, st.integers(-2, 2) | st.just(np.nan), "float32"))
    axis = data.draw(st.none() | st.integers(-len(shape), len(shape) - 1))
    expected = np.atleast_1d(getattr(np, name)(x, axis, keepdims=keepdims))
    got = getattr(nd, name)(wrap(x), axis=axis, keepdims=keepdims)
    assert got.dtype == np.float32
    np.testing.assert_array_equal(got.asnumpy(), expected)


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0, 2)])
def test_reductions_of_nothing(shape):
    x = nd.zeros(shape)
    assert nd.sum(x).asnumpy().tolist() == [0]
    assert nd.prod(x).asnumpy().tolist() == [1]
    assert nd.norm(x).asnumpy().tolist() == [0]
    assert np.isnan(nd.mean(x).asscalar())
    assert nd.relu(x).shape == shape
    assert nd.sum(x, axis=0).shape == (shape[1:] or (1,))


def test_halves_are_summed_in_single_precision():
    x = nd.ones((4096,), dtype="float16")
    assert nd.sum(x).asscalar() == 4096
    assert nd.mean(nd.full((70000,), 2, dtype="float16")).asscalar() == 2
    assert nd.norm(nd.full((4,), 300, dtype="float16")).asscalar() == 600


def test_sigmoid_keeps_its_small_end():
    for dtype, low, rtol in [("float16", -11, 2e-3), ("float32", -80, 2e-6), ("float64", -700, 1e-13)]:
        x = np.linspace(low, -low, 2001).astype(dtype)
        exact = 1 / (1 + np.exp(-x.astype("longdouble")))
        np.testing.assert_allclose(nd.sigmoid(nd.array(x, dtype=dtype)).asnumpy(), exact.astype("float64"), rtol=rtol)
    assert nd.sigmoid(nd.array([-1e30, -np.inf, np.inf, 1e30])).asnumpy().tolist() == [0, 0, 1, 1]


def test_the_remainder_of_integers_has_no_gradient():
    """Real MXNet 1.9.1 gives zeros for both operands."""
    for dtype in "int32", "int64", "uint8":
        x, y = nd.array([5, 7], dtype=dtype), nd.array([3], dtype=dtype)
        for call in (lambda x, y: x % y, lambda x, y: nd._mod(x, y.broadcast_to((2,))), lambda x, y: x % 3 + 3 % y):
            x.attach_grad()
            y.attach_grad()
            with autograd.record():
                z = call(x, y)
            z.backward(nd.array([4, 5], dtype=dtype))
            assert (x.grad.asnumpy().tolist(), y.grad.asnumpy().tolist()) == ([0, 0], [0])
