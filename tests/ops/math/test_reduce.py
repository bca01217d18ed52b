"""What positions of extremes are counted in, and what reductions and stretching operators say to wrong calls."""

import numpy as np
import pytest

from minigluon import nd
from minigluon.base import DTypeError, ShapeError

X = nd.ones((2, 3))


@pytest.mark.parametrize(("call", "message"), [
    (lambda: nd.sum(X, axis=2), "sum: axis 2 is out of range for 2 dimensions; the axes are -2 to 1"),
    (lambda: nd.sum(X, axis=(1, -1)), "sum: axis=(1, -1) names an axis of 2 dimensions twice"),
    (lambda: nd.norm(X, ord=3), "norm: ord is 3, expected 1 or 2"),
    (lambda: nd.argmax(nd.zeros((0, 3)), axis=0), "argmax: data (0, 3) has no element along axis=0"),
    (lambda: nd.argmax_channel(nd.ones((3,))), "argmax_channel: data has shape (3,), expected (N, C, ...) with C > 0"),
    (lambda: nd.max(nd.zeros((0, 3))), "max: data (0, 3) has no element along axis=None"),
    (lambda: nd.min(nd.zeros((0, 3)), axis=0), "min: data (0, 3) has no element along axis=(0,)"),
    (lambda: nd.broadcast_to(X, shape=(4, 3)),
     "broadcast_to: data (2, 3) cannot be broadcast to (4, 3): only axes of length 1 can be stretched"),
    (lambda: nd.broadcast_to(X, shape=(3,)), "broadcast_to: data (2, 3) cannot be broadcast to shape=(3,)"),
    (lambda: nd.broadcast_axis(X, axis=(0, 1), size=(2,)),
     "broadcast_axis: axis=(0, 1) and size=(2,) have different lengths"),
    (lambda: nd.broadcast_like(X, nd.ones((3, 3))), "broadcast_like: lhs (2, 3) cannot be broadcast to (3, 3)"),
    (lambda: nd.broadcast_like(X, X, lhs_axes=(0,)),
     "broadcast_like: lhs_axes=(0,) and rhs_axes=None must name as many axes, and at least one"),
    (lambda: nd.broadcast_like(X, X, lhs_axes=(), rhs_axes=()),
     "broadcast_like: lhs_axes=() and rhs_axes=() must name as many axes, and at least one"),
    (lambda: nd.broadcast_add(X, nd.ones((4,))),
     "broadcast_add: shapes (2, 3) of lhs and (4,) of rhs cannot be broadcast together: axes are paired from the "
     "right, and axis -1 has length 3 in lhs and 4 in rhs; they must be equal, or one of them 1"),
    (lambda: nd.khatri_rao(X, nd.ones((4, 2))), "khatri_rao: args1 has shape (4, 2), expected (?, 3)"),
    (lambda: nd.khatri_rao(X, nd.ones((3,))), "khatri_rao: args1 has shape (3,), expected 2 dimensions"),
])
def test_errors(call, message):
    with pytest.raises(ShapeError) as error:
        call()
    assert str(error.value).splitlines()[0] == message


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


@pytest.mark.parametrize("order", [
    lambda data, dtype: nd.argsort(data, dtype=dtype), lambda data, dtype: nd.topk(data, k=2, dtype=dtype),
    lambda data, dtype: nd.topk(data, k=2, ret_typ="both", dtype=dtype)[1]])
def test_positions_that_the_dtype_of_the_order_cannot_count_are_refused(order):
    assert order(nd.arange(256), "uint8").asnumpy().max() == 255
    with pytest.raises(ShapeError, match="positions up to 256 do not fit into dtype='uint8'. Choose dtype='int32'."):
        order(nd.arange(257), "uint8")
    assert nd.topk(nd.arange(257), dtype="uint8", ret_typ="value").asscalar() == 256
