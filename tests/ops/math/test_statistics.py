"""Positions of extremes on drawn arrays, what they are counted in, and the messages."""

import numpy as np
import pytest
from helpers.elementwise_draws import quick, strided, wrap
from helpers.errors import assert_refused, operator_of
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from minigluon import nd
from minigluon.base import DTypeError, ShapeError

X = nd.ones((2, 3))


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


MESSAGES = [
    (lambda: nd.norm(X, ord=3), "norm: ord is 3, expected 1 or 2"),
    (lambda: nd.argmax(nd.zeros((0, 3)), axis=0), "argmax: data (0, 3) has no element along axis=0"),
    (lambda: nd.argmax_channel(nd.ones((3,))), "argmax_channel: data has shape (3,), expected (N, C, ...) with C > 0"),
]


@pytest.mark.parametrize(("call", "message"), MESSAGES, ids=operator_of)
def test_messages(call, message):
    assert_refused(call, message, ShapeError)


@pytest.mark.parametrize(("dtype", "counts"), [("int8", 127), ("uint8", 255), ("float16", 2048), ("int32", None)])
@pytest.mark.parametrize("name", ["argmax", "argmin", "argmax_channel"])
def test_positions_that_the_dtype_of_data_cannot_count_are_refused(name, dtype, counts):
    """In MXNet, 299 becomes 43 in int8, and 2299 becomes 2300 in float16."""
    def last(length):
        data = np.zeros((1, length), dtype)
        data[0, -1], data[0, 0] = (0, 1) if name == "argmin" else (1, 0)
        if name == "argmin":
            data[0, :-1] = 1
        data = nd.array(data, dtype=dtype)
        return (nd.argmax_channel(data) if name == "argmax_channel" else getattr(nd, name)(data, axis=1)).asnumpy()

    if counts is None:
        assert last(5000) == 4999
        return
    assert last(counts + 1) == counts
    wider = "float32" if dtype == "float16" else "int32"
    with pytest.raises(DTypeError) as error:
        last(counts + 2)
    assert str(error.value) == (f"{name}: positions up to {counts + 1} do not fit into {dtype}, the dtype of data. "
                                f"Convert with .astype('{wider}').")
