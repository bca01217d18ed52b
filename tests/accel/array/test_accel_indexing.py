"""Compiled take, Embedding, one_hot, pick and their gradients against the reference, for all indices and modes."""

import numpy as np
import pytest

pytest.importorskip("minigluon_accel", reason="minigluon-accel is not installed")

from helpers.accel_checks import Twin
from helpers.numeric import numbers
from hypothesis import given, settings
from hypothesis import strategies as st

import minigluon as mx
from minigluon import autograd, nd
from minigluon.dispatch import declined
from minigluon.ops import REGISTRY

DTYPES = st.sampled_from(["float32", "float64"])
SHAPES = st.lists(st.integers(1, 40), min_size=1, max_size=3).map(tuple)


def check(name, arrays, **attributes):
    assert Twin(REGISTRY[name](**attributes), arrays).check(), name


INDEX_DTYPES = ["float32", "float64", "int32", "int64", "uint8"]


def both(compute):
    """What the plugin and what the reference computes; nothing may be declined."""
    before = sum(count for (name, backend, _), count in declined.items()
                 if backend == "accel" and name in ("take", "Embedding", "one_hot", "_take_grad", "_Embedding_grad"))
    fast = compute()
    after = sum(count for (name, backend, _), count in declined.items()
                if backend == "accel" and name in ("take", "Embedding", "one_hot", "_take_grad", "_Embedding_grad"))
    assert before == after
    with mx.backend.use_backend("numpy"):
        return fast, compute()


def indices(rng, shape, dtype, low, high):
    low = 0 if dtype == "uint8" else low
    values = rng.uniform(low, high, shape)
    return values.astype(dtype)


@given(st.lists(st.integers(1, 7), min_size=1, max_size=4), st.integers(-4, 3), st.sampled_from(["clip", "wrap"]),
       st.sampled_from(INDEX_DTYPES), st.sampled_from(["float32", "float64"]),
       st.lists(st.integers(0, 5), min_size=1, max_size=3), st.integers(0, 2 ** 32 - 1))
def test_take_and_its_gradient(shape, axis, mode, index_dtype, dtype, index_shape, seed):
    rng = np.random.default_rng(seed)
    axis = axis % len(shape) if axis >= 0 else -(-axis % len(shape)) or -1
    data = rng.normal(size=shape).astype(dtype)
    index = indices(rng, index_shape, index_dtype, -12, 12)

    def compute():
        a, i = nd.array(data, dtype=dtype), nd.array(index, dtype=index_dtype)
        a.attach_grad()
        with autograd.record():
            y = nd.take(a, i, axis=axis, mode=mode)
            total = (y * y).sum()
        total.backward()
        return y.asnumpy(), a.grad.asnumpy()
    for fast, slow in zip(*both(compute), strict=True):
        np.testing.assert_allclose(fast, slow, rtol=1e-5, atol=1e-5)


@given(st.integers(1, 40), st.integers(1, 150), st.integers(0, 60), st.sampled_from(INDEX_DTYPES),
       st.integers(0, 2 ** 32 - 1))
def test_embedding_and_its_gradient(rows, columns, taken, index_dtype, seed):
    rng = np.random.default_rng(seed)
    weight = rng.normal(size=(rows, columns)).astype("float32")
    index = indices(rng, taken, index_dtype, -1, rows)        # others are refused
    head = rng.normal(size=(taken, columns)).astype("float32")

    def compute():
        w = nd.array(weight)
        w.attach_grad()
        with autograd.record():
            y = nd.Embedding(nd.array(index, dtype=index_dtype), w, input_dim=rows, output_dim=columns)
        y.backward(nd.array(head))
        return y.asnumpy(), w.grad.asnumpy()
    (y, grad), (y2, grad2) = both(compute)
    np.testing.assert_array_equal(y, y2)
    np.testing.assert_allclose(grad, grad2, rtol=1e-5, atol=1e-5)


def test_large_tables_are_divided_and_the_result_is_the_same_for_every_number_of_threads():
    from minigluon_accel import engine
    rng = np.random.default_rng(0)
    weight, index = nd.array(rng.normal(size=(1000, 300))), nd.array(rng.integers(0, 1000, 5000), dtype="int32")
    weight.attach_grad()
    head, found = nd.array(rng.normal(size=(5000, 300))), []
    before = engine.threads()
    try:
        for threads in (1, 2, 3):
            engine.set_threads(threads)
            with autograd.record():
                y = nd.Embedding(index, weight, input_dim=1000, output_dim=300)
            y.backward(head)
            found.append((y.asnumpy(), weight.grad.asnumpy()))
    finally:
        engine.set_threads(before)
    for y, grad in found[1:]:
        np.testing.assert_array_equal(y, found[0][0])
        np.testing.assert_array_equal(grad, found[0][1])


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int8", "int32", "int64", "uint8"])
@pytest.mark.parametrize("index_dtype", INDEX_DTYPES)
def test_one_hot(dtype, index_dtype):
    index = np.array([[0, 3, 4], [9, 2, 1]], index_dtype)
    if index_dtype != "uint8":
        index[0, 0] = -1
    for on, off in ((1, 0), (5, 3)):
        fast, slow = both(lambda: nd.one_hot(nd.array(index, dtype=index_dtype), 5, on, off, dtype).asnumpy())  # noqa: B023
        assert fast.dtype == slow.dtype
        np.testing.assert_array_equal(fast, slow)


def test_raise_names_the_index_and_writes_nothing():
    a = nd.arange(6).reshape((3, 2))
    with pytest.raises(mx.base.MXNetError) as error:
        nd.take(a, nd.array([0, 7, 1]), mode="raise")
    assert "take: index 7 is out of range; indices must be at least 0 and less than 3." in str(error.value)
    assert nd.take(a, nd.array([2, 0]), mode="raise").asnumpy().tolist() == [[4, 5], [0, 1]]


def test_what_is_no_number_counts_as_the_lowest():
    a = nd.arange(3)
    index = nd.array([float("nan"), float("inf"), -float("inf"), 1e30])
    fast, slow = both(lambda: nd.take(a, index).asnumpy())
    np.testing.assert_array_equal(fast, slow)


@settings(deadline=None, max_examples=30)
@given(SHAPES, DTYPES, st.integers(0, 2), st.booleans(), st.sampled_from(["clip", "wrap"]),
       st.sampled_from(["float32", "float64", "int32", "int64", "uint8"]))
def test_pick(shape, dtype, axis, keepdims, mode, index_dtype):
    axis %= len(shape)
    data, rng = numbers(shape, dtype), np.random.default_rng(1)
    places = shape[:axis] + shape[axis + 1:] or (1,)
    index = (rng.integers(-3 if index_dtype != "uint8" else 0, shape[axis] + 3, places) + 0.4).astype(index_dtype)
    attributes = {"axis": axis, "keepdims": keepdims, "mode": mode}
    check("pick", [data, index], **attributes)
    check("_pick_grad", [REGISTRY["pick"](**attributes).forward(data, index), data, index], **attributes)


def test_pick_with_numbers_that_are_no_index():
    data, index = numbers((4, 7), "float32"), np.array([1e30, -1e30, np.inf, 3e9], "float32")
    for mode in "clip", "wrap":
        with np.errstate(invalid="ignore"):
            check("pick", [data, index], mode=mode)
