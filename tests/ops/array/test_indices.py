"""Indices that are no numbers, or too large: out of range on every processor, though C leaves them undefined."""

import numpy as np
import pytest

from minigluon import nd
from minigluon.base import OutOfRangeError
from minigluon.ops import numeric

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
