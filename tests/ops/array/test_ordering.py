"""Sorting: NaN, integers without a negative, few of many, nothing at all, and the messages."""

import numpy as np
import pytest
from helpers.errors import assert_refused, operator_of
from helpers.small_arrays import zeros

from minigluon import autograd, nd
from minigluon.base import ShapeError

MESSAGES = [
    (lambda: nd.topk(zeros(2, 3), k=4),
     "topk: k=4 is larger than the 3 elements of axis -1 of data (2, 3)"),
]


@pytest.mark.parametrize(("call", "message"), MESSAGES, ids=operator_of)
def test_messages(call, message):
    assert_refused(call, message)


def test_gradient_of_topk_with_both():
    x = nd.array([[3, 1, 2], [4, 6, 5]])
    x.attach_grad()
    with autograd.record():
        values, indices = nd.topk(x, k=2, ret_typ="both")
        y = values * values
    y.backward()
    assert indices.asnumpy().tolist() == [[0, 2], [1, 2]]
    assert x.grad.asnumpy().tolist() == [[6, 0, 4], [0, 12, 10]]


def test_nan_comes_last():
    x = nd.array([1, float("nan"), 0])
    assert nd.argsort(x).asnumpy().tolist() == [2, 0, 1]
    assert nd.argsort(x, is_ascend=False).asnumpy().tolist() == [0, 2, 1]


def test_order_of_integers_that_have_no_negative():
    x = nd.array([-128, 5, 127, 5], dtype="int8")
    assert nd.sort(x, is_ascend=False).asnumpy().tolist() == [127, 5, 5, -128]
    assert nd.argsort(x, is_ascend=False).asnumpy().tolist() == [2, 1, 3, 0]


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8", "uint8"])
@pytest.mark.parametrize("axis", [0, 1, None])
def test_few_of_many_are_those_that_sorting_puts_first(axis, dtype):
    rng = np.random.default_rng(3)
    equal = rng.integers(0, 5, (70, 80)).astype(dtype)
    arrays = [equal, equal * 0, rng.permutation(5600).reshape(70, 80).astype(dtype)]
    if np.dtype(dtype).kind == "f":
        arrays += [np.where(equal > 0, value, equal).astype(dtype) for value in (np.inf, -np.inf, np.nan)]
    for x in arrays:
        for is_ascend in (False, True):
            most = nd.argsort(nd.array(x, dtype=dtype), axis=axis, is_ascend=is_ascend).asnumpy()
            few = nd.topk(nd.array(x, dtype=dtype), axis=axis, k=4, is_ascend=is_ascend).asnumpy()
            assert (few == np.take(most, range(4), axis or 0)).all()


@pytest.mark.parametrize("ret_typ", ["both", "indices", "value", "mask"])
@pytest.mark.parametrize(("shape", "axis"), [((0,), None), ((2, 0), -1), ((0, 2), 0), ((0, 2), 1)])
def test_topk_of_nothing(shape, axis, ret_typ):
    found = nd.topk(nd.zeros(shape), axis=axis, k=0, ret_typ=ret_typ)
    assert all(part.size == 0 for part in (found if isinstance(found, list) else [found]))


@pytest.mark.parametrize("is_ascend", [True, False])
def test_topk_of_many_booleans(is_ascend):
    x = np.zeros((2, 3000), bool)
    x[0, 7] = x[1] = True
    x[1, 9] = False
    found = nd.topk(nd.array(x, dtype="bool"), k=2, is_ascend=is_ascend).asnumpy().tolist()
    assert found == ([[0, 1], [9, 0]] if is_ascend else [[7, 0], [0, 1]])


@pytest.mark.parametrize("order", [
    lambda data, dtype: nd.argsort(data, dtype=dtype), lambda data, dtype: nd.topk(data, k=2, dtype=dtype),
    lambda data, dtype: nd.topk(data, k=2, ret_typ="both", dtype=dtype)[1]])
def test_positions_that_the_dtype_of_the_order_cannot_count_are_refused(order):
    assert order(nd.arange(256), "uint8").asnumpy().max() == 255
    with pytest.raises(ShapeError, match="positions up to 256 do not fit into dtype='uint8'. Choose dtype='int32'."):
        order(nd.arange(257), "uint8")
    assert nd.topk(nd.arange(257), dtype="uint8", ret_typ="value").asscalar() == 256
