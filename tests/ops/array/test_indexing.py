"""Indices that are not numbers, or too large: out of range on every processor, though C leaves them undefined."""

import numpy as np
import pytest
from helpers.errors import assert_refused, operator_of
from helpers.small_arrays import zeros

from minigluon import nd
from minigluon.base import OutOfRangeError
from minigluon.ops import numeric

MESSAGES = [
    (lambda: nd.take(zeros(2, 3), zeros(1) + 2, mode="raise"),
     "take: index 2 is out of range; indices must be at least 0 and less than 2."),
    (lambda: nd.take(zeros(0, 3), zeros(1)),
     "take: axis 0 of a (0, 3) has no elements to take"),
    (lambda: nd.pick(zeros(2, 3), zeros(2), axis=None),
     "pick: axis=None is not supported; name the axis to pick along"),
    (lambda: nd.pick(zeros(2, 3), zeros(3)),
     "pick: index has shape (3,), expected (2,)"),
    (lambda: nd.batch_take(zeros(2), zeros(2)),
     "batch_take: a has shape (2,), expected 2 dimensions"),
    (lambda: nd.where(zeros(3), zeros(2, 3), zeros(2, 3)),
     "where: condition has shape (3,), expected (2,)"),
    (lambda: nd.where(zeros(2, 3), zeros(2, 3), zeros(2, 3, dtype="int32")),
     "where: inputs have different dtypes: condition float32, x float32, y int32. Convert with .astype(dtype)."),
    (lambda: nd.Embedding(zeros(2), zeros(2, 3), input_dim=4, output_dim=3),
     "Embedding: weight has shape (2, 3), expected (4, 3)"),
]


@pytest.mark.parametrize(("call", "message"), MESSAGES, ids=operator_of)
def test_messages(call, message):
    assert_refused(call, message)


WRONG = np.array([np.nan, np.inf, -np.inf, 1e30, -1e30, 2.0 ** 63])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("gives_lowest", [numeric.GIVES_LOWEST, False], ids=["here", "arm"])
def test_integers_of_what_is_none(dtype, gives_lowest, monkeypatch):
    monkeypatch.setattr(numeric, "GIVES_LOWEST", gives_lowest)
    with np.errstate(invalid="ignore"):
        assert set(numeric.integers_of(WRONG.astype(dtype)).tolist()) == {-2 ** 63}
    assert numeric.integers_of(np.array([2.9, -2.9, 0, 7], dtype)).tolist() == [2, -2, 0, 7]
    assert numeric.integers_of(np.array([3, 250], "uint8")).tolist() == [3, 250]


@pytest.mark.parametrize("wrong", [np.nan, 1e30])
def test_they_are_refused_or_belong_to_no_class(wrong):
    at = nd.array([0, wrong])
    with pytest.raises(OutOfRangeError, match="out of range"):
        nd.take(nd.ones((3, 2)), at, mode="raise").asnumpy()
    with pytest.raises(OutOfRangeError, match="out of range"):
        nd.gather_nd(nd.ones((3, 2)), at.reshape((1, 2))).asnumpy()
    assert nd.one_hot(at, depth=3).asnumpy().tolist() == [[1, 0, 0], [0, 0, 0]]
