"""Reductions on drawn shapes, axes, strides, types and values, of nothing, and the messages."""

import numpy as np
import pytest
from helpers.elementwise_draws import FLOATS, quick, strided, wrap
from helpers.errors import assert_refused, operator_of
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from minigluon import nd
from minigluon.backend import Spec, use_backend
from minigluon.backend.numpy import forward_for, writer_for
from minigluon.backend.numpy.math.reduce import MAX_SHAPES, by_shape
from minigluon.base import ShapeError
from minigluon.ops import REGISTRY

X = nd.ones((2, 3))


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


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(64, 3), (65, 8), (67, 8), (100, 100), (131, 300), (250, 64), (1000, 5), (2, 70, 3),
                                   (70, 2, 70), (3, 1, 997), (0, 4)], ids=str)
def test_sums_that_are_prepared_for_a_shape(shape, dtype):
    """One function of the reference for calls, one for plans, and a new one for each shape."""
    x = np.random.RandomState(0).rand(*shape).astype(dtype)
    with use_backend("numpy"):
        for axes in [(0,), (len(shape) - 1,), (0, len(shape) - 1), tuple(range(len(shape)))]:
            for name in ("sum", "mean", "max"):
                if name != "sum" and 0 in shape:
                    continue
                op = REGISTRY[name](axis=axes)
                right = getattr(np, name)(x.astype("longdouble"), axes).reshape(op.infer_shape(shape)[1][0])
                forward, target = forward_for(op, x.dtype), np.full_like(right, 7, dtype=dtype)
                writer_for(op, [Spec(shape, x.dtype)], [Spec(target.shape, x.dtype)]).run((x,), (target,))
                for result in (forward(x[:1]), forward(x), target):
                    assert result.dtype == dtype
                np.testing.assert_array_equal(forward(x), target)
                np.testing.assert_allclose(target, right, 6 * np.finfo(dtype).eps)
            like = np.zeros([1 if i in axes else n for i, n in enumerate(shape)], dtype)
            op, target = REGISTRY["_sum_like"](), np.full_like(like, 7)
            writer_for(op, [Spec(shape, x.dtype), Spec(like.shape, x.dtype)], [Spec(like.shape, x.dtype)]).run(
                (x, like), (target,))
            np.testing.assert_array_equal(forward_for(op, x.dtype, x.dtype)(x, like), target)
            np.testing.assert_allclose(target, x.astype("longdouble").sum(axes, keepdims=True), 6 * np.finfo(dtype).eps)


def test_functions_are_prepared_for_few_shapes():
    prepared = []

    def prepare(x):
        prepared.append(x.shape)
        return lambda x: x.shape
    forward = by_shape(prepare)
    for count in (*range(MAX_SHAPES), *range(MAX_SHAPES)):
        assert forward(np.zeros(count)) == (count,)
    assert len(prepared) == MAX_SHAPES
    for count in (MAX_SHAPES, 0):           # all are forgotten
        forward(np.zeros(count))
    assert len(prepared) == MAX_SHAPES + 2


MESSAGES = [
    (lambda: nd.sum(X, axis=2), "sum: axis 2 is out of range for 2 dimensions; the axes are -2 to 1"),
    (lambda: nd.sum(X, axis=(1, -1)), "sum: axis=(1, -1) names an axis of 2 dimensions twice"),
    (lambda: nd.max(nd.zeros((0, 3))), "max: data (0, 3) has no element along axis=None"),
    (lambda: nd.min(nd.zeros((0, 3)), axis=0), "min: data (0, 3) has no element along axis=(0,)"),
]


@pytest.mark.parametrize(("call", "message"), MESSAGES, ids=operator_of)
def test_messages(call, message):
    assert_refused(call, message, ShapeError)
