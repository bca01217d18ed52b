"""Operators of two arrays on drawn shapes, strides, types and values, and the messages."""

import numpy as np
import pytest
from helpers.elementwise_draws import FLOATS, INTEGERS, agree, quick, shapes, special_floats, strided, wrap
from helpers.errors import assert_refused, operator_of
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from minigluon import autograd, nd
from minigluon.base import ShapeError

X = nd.ones((2, 3))


BINARY = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "maximum": np.maximum,
    "minimum": np.minimum, "hypot": np.hypot, "power": np.power, "equal": np.equal, "greater": np.greater,
    "lesser_equal": np.less_equal, "logical_and": np.logical_and, "logical_xor": np.logical_xor,
}


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


MESSAGES = [
    (lambda: nd.broadcast_add(X, nd.ones((4,))),
     "broadcast_add: shapes (2, 3) of lhs and (4,) of rhs cannot be broadcast together: axes are paired from the "
     "right, and axis -1 has length 3 in lhs and 4 in rhs; they must be equal, or one of them 1"),
]


@pytest.mark.parametrize(("call", "message"), MESSAGES, ids=operator_of)
def test_messages(call, message):
    assert_refused(call, message, ShapeError)
