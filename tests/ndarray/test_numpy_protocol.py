"""NumPy's functions on NDArrays: operators where MXNet has them, NumPy for everything else."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from minigluon import autograd, nd
from minigluon.base import CallError
from minigluon.ndarray import numpy_protocol
from minigluon.test_utils import assert_almost_equal

X = np.array([[0.5, 1.25, 2], [3, 4.5, 0.75]], np.float32)
LOW = {"arcsin", "arccos", "arctanh"}           # for numbers below 1
HIGH = {"arccosh"}                              # for numbers above 1

UNARY = sorted(f.__name__ for f in numpy_protocol._SAME_NAME if f.nin == 1) + ["negative", "absolute"]
BINARY = sorted(f.__name__ for f in numpy_protocol._OPERATORS if f.nin == 2) + ["maximum", "minimum", "hypot"]

FUNCTIONS = [
    lambda x: np.sum(x), lambda x: np.sum(x, axis=0), lambda x: np.sum(x, 1, keepdims=True),
    lambda x: np.prod(x, axis=1), lambda x: np.max(x, axis=1), lambda x: np.min(x), lambda x: np.mean(x),
    lambda x: np.mean(x, axis=(0, 1)),
    lambda x: np.squeeze(x), lambda x: np.expand_dims(x, 1), lambda x: np.transpose(x),
    lambda x: np.transpose(x, (0, 1)),
    lambda x: np.swapaxes(x, 0, 1), lambda x: np.reshape(x, (3, -1)), lambda x: np.reshape(x, 6),
    lambda x: np.repeat(x, 2, axis=1), lambda x: np.tile(x, (2, 1)), lambda x: np.flip(x, axis=1),
    lambda x: np.clip(x, 1.1, 3.5), lambda x: np.concatenate([x, x], axis=1), lambda x: np.concatenate([x, 2 * x]),
    lambda x: np.stack([x, x], axis=1), lambda x: np.dot(x, np.transpose(x)), lambda x: np.where(x > 1, x, -x),
    lambda x: np.split(x, 3, axis=1)[1], lambda x: np.split(x, [1])[0],
]
NO_GRADIENT = [
    lambda x: np.argmax(x, axis=1), lambda x: np.argmin(x), lambda x: np.all(x), lambda x: np.any(x, axis=0),
    lambda x: np.round(x + 0.1), lambda x: np.zeros_like(x),
    lambda x: np.ones_like(x),
]
# NumPy computes these: no operator, a keyword that it has not, or other types.
PLAIN = [
    lambda x: np.isnan(x), lambda x: np.std(x), lambda x: np.var(x, ddof=1), lambda x: np.sort(x),
    lambda x: np.argsort(x),
    lambda x: np.cumsum(x), lambda x: np.unique(x), lambda x: np.linalg.norm(x), lambda x: np.mean(x, dtype="float64"),
    lambda x: np.sum(x, where=X > 1), lambda x: np.add.reduce(x), lambda x: np.multiply.outer(x, x),
    lambda x: np.exp(x, dtype="float64"), lambda x: np.concatenate([x, X]), lambda x: np.concatenate([x, x], axis=None),
    lambda x: np.concatenate([x, x.astype("float64")]),
    lambda x: np.exp(x.astype("int32")), lambda x: np.mean(x.astype("int32")), lambda x: np.round(x, 1),
    lambda x: np.allclose(x, X), lambda x: np.array_equal(x, X),
    lambda x: np.bincount(x.astype("int32").reshape((-1,))),
    lambda x: np.where(X > 1, x, 0), lambda x: np.rint(x), lambda x: np.expand_dims(x, (0, 1)),
    lambda x: np.hstack((x, x)), lambda x: np.histogram(x)[0], lambda x: np.median(x), lambda x: np.outer(x, x),
]


def values_for(name):
    return X / 5 if name in LOW else X + 1 if name in HIGH else X


def gradient_of(call, x, *, head=None):
    """d sum(call(x)) / dx, by the tape."""
    x.attach_grad()
    with autograd.record():
        y = call(x).sum()
    y.backward(head)
    return x.grad.asnumpy()


@pytest.mark.parametrize("name", UNARY)
def test_ufunc_of_one_array(name):
    ufunc, a = getattr(np, name), values_for(name)
    y = ufunc(nd.array(a))
    assert isinstance(y, nd.NDArray)
    assert_almost_equal(y, ufunc(a), rtol=1e-5, atol=1e-6)
    function = getattr(nd, {"negative": "negative", "absolute": "abs"}.get(name, name))
    np.testing.assert_array_equal(gradient_of(ufunc, nd.array(a)), gradient_of(function, nd.array(a)))


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("other", ["array", "number on the right", "number on the left", "NumPy's number"])
def test_ufunc_of_two(name, other):
    ufunc = getattr(np, name)
    x = nd.array(X - 2.3 if name == "remainder" else X)
    sides = {"array": (x, 1 + x), "number on the right": (x, 1.25), "number on the left": (1.25, x),
             "NumPy's number": (np.float32(1.25), x)}[other]
    y = ufunc(*sides)
    assert isinstance(y, nd.NDArray)
    assert y.dtype == np.float32
    expected = ufunc(*[side.asnumpy() if isinstance(side, nd.NDArray) else side for side in sides])
    assert_almost_equal(y, expected.astype("float32"), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("call", FUNCTIONS)
def test_function(call):
    x = nd.array(X)
    y = call(x)
    assert isinstance(y, nd.NDArray)
    assert_almost_equal(y, np.atleast_1d(call(X)), rtol=1e-5, atol=1e-6)
    x64 = nd.array(X, dtype="float64")
    found, step = gradient_of(call, x64), 1e-6
    for place in np.ndindex(2, 3):
        up, down = x64.asnumpy().copy(), x64.asnumpy().copy()
        up[place] += step
        down[place] -= step
        numeric = (np.sum(call(up)) - np.sum(call(down))) / (2 * step)
        assert abs(found[place] - numeric) < 1e-6 * max(1, abs(numeric))


@pytest.mark.parametrize("call", NO_GRADIENT)
def test_function_without_gradient(call):
    y = call(nd.array(X))
    assert isinstance(y, nd.NDArray)
    assert y.dtype == np.float32
    assert_almost_equal(y, np.atleast_1d(call(X)).astype("float32"))


@pytest.mark.parametrize("call", PLAIN)
def test_numpy_computes_the_rest(call):
    y, expected = call(nd.array(X)), call(X)
    assert type(y) is type(expected)
    if isinstance(expected, np.ndarray):
        assert y.dtype == expected.dtype
    np.testing.assert_allclose(y, expected, rtol=1e-5)


@given(npst.arrays(np.float32, npst.array_shapes(max_dims=4, max_side=4), elements=st.floats(-8, 8, width=32)),
       st.data())
def test_reductions_and_moves_agree_with_numpy(a, data):
    axis = data.draw(st.integers(-a.ndim, a.ndim - 1))
    keepdims = data.draw(st.booleans())
    x = nd.array(a)
    for f in (np.sum, np.mean, np.max, np.min, np.argmax):
        assert_almost_equal(f(x, axis=axis, keepdims=keepdims), np.atleast_1d(f(a, axis=axis, keepdims=keepdims)),
                            rtol=1e-4, atol=1e-4)
    order = data.draw(st.permutations(range(a.ndim)))
    np.testing.assert_array_equal(np.transpose(x, order).asnumpy(), np.transpose(a, order))
    np.testing.assert_array_equal(np.concatenate([x, x], axis=axis).asnumpy(), np.concatenate([a, a], axis=axis))
    np.testing.assert_array_equal(np.stack([x, x], axis=axis).asnumpy(), np.stack([a, a], axis=axis))
    np.testing.assert_array_equal(np.flip(x, axis=axis).asnumpy(), np.flip(a, axis=axis))


# -- out=, in place ---------------------------------------------------------------------------------------------------


def test_out():
    x, y, a = nd.array(X), nd.zeros((2, 3)), np.zeros((2, 3), np.float32)
    assert np.exp(x, out=y) is y
    assert np.exp(x, out=a) is a
    assert_almost_equal(y, np.exp(X))
    np.testing.assert_allclose(a, np.exp(X))
    a += x                                      # NumPy writes into its own array
    np.testing.assert_allclose(a, np.exp(X) + X)


def test_what_numpy_would_write_into_is_read_only():
    x = nd.array(X)
    for write in (lambda: np.fill_diagonal(x, 0), lambda: np.copyto(x, 5), lambda: np.put(x, [0], 7)):
        with pytest.raises(ValueError, match=r"read-only|not writeable"):
            write()
    np.testing.assert_array_equal(x.asnumpy(), X)


# -- np.asarray -------------------------------------------------------------------------------------------------------


def test_asarray_shares_the_memory():
    x = nd.array(X)
    shared = np.asarray(x)
    assert np.shares_memory(shared, np.asarray(x))
    assert not shared.flags.writeable
    x[0, 0] = 9
    assert shared[0, 0] == 9
    own = np.array(x)
    own[0, 0] = 1
    assert x[0, 0].asscalar() == 9
    assert np.asarray(x, dtype="float64").dtype == np.float64
    assert np.shares_memory(x.__array__(copy=False), shared)


@pytest.mark.parametrize(("call", "error", "message"), [
    (lambda x: np.add(X, x), CallError, "add: an NDArray and a numpy.ndarray, here of shape (2, 3), do not mix. "
     "Convert one of them: nd.array(a), or x.asnumpy(), which leaves the tape."),
    (lambda x: np.isnan(x, out=nd.zeros((2, 3))), CallError, "np.isnan cannot write into an NDArray here: MXNet has no "
     "operator for this call, so NumPy computes it. Write y[:] = nd.array(np.isnan(...))."),
    (lambda x: x.__array__(dtype="int32", copy=False), ValueError, "an NDArray of dtype float32 cannot be shared with "
     "NumPy as int32. Leave out copy=False."),
])
def test_refused(call, error, message):
    with pytest.raises(error) as caught:
        call(nd.array(X))
    assert str(caught.value) == message
