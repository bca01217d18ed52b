"""x[key] and x[key] = value against NumPy: values, views, gradients, and the texts of the errors."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from helpers.indexing_draws import shape_and_key
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import minigluon as mx
from minigluon import autograd, nd
from minigluon.base import ArgumentError, AutogradError, DTypeError, MXNetError, OutOfRangeError, ShapeError

quickly = settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def numbered(*shape, dtype="float64"):
    return np.arange(np.prod(shape), dtype=dtype).reshape(shape)


def at_least_1d(a):
    return a.reshape(a.shape or (1,))


def is_view(part, whole):
    return np.shares_memory(part.buffer, whole.buffer)


@quickly
@given(shape_and_key())
def test_read_like_numpy(drawn):
    shape, key = drawn
    a = numbered(*shape)
    np.testing.assert_array_equal(nd.array(a, dtype="float64")[key].asnumpy(), at_least_1d(a[key]))


@quickly
@given(shape_and_key(advanced=False))
def test_a_box_is_a_view_exactly_where_it_is_contiguous(drawn):
    shape, key = drawn
    x = nd.array(numbered(*shape), dtype="float64")
    numpy_part = numbered(*shape)[(*key, ...)] if isinstance(key, tuple) and ... not in key else numbered(*shape)[key]
    part = x[key]
    assert part.buffer.flags.c_contiguous
    if np.size(numpy_part):
        assert is_view(part, x) == np.asarray(numpy_part).flags.c_contiguous


@quickly
@given(shape_and_key(), st.sampled_from(["number", "array", "ndarray", "numpy", "stretched", "list"]))
def test_write_like_numpy(drawn, kind):
    shape, key = drawn
    a = numbered(*shape)
    x = nd.array(a, dtype="float64")
    new = -1 - numbered(*a[key].shape)
    kind = "numpy" if kind == "list" and not new.size else kind         # a list of no elements has lost its shape
    if kind == "number":
        x[key], a[key] = 7.5, 7.5
    elif kind == "stretched":
        x[key], a[key] = nd.array([[3.5]], dtype="float64"), 3.5
    else:
        x[key] = {"array": nd.array(new, dtype="float64") if new.shape else nd.array([float(new)]),
                  "ndarray": nd.array(new, dtype="float32") if new.shape else nd.array([float(new)]),
                  "numpy": new.astype("int32"), "list": new.tolist()}[kind]
        a[key] = new
    np.testing.assert_array_equal(x.asnumpy(), a)


@quickly
@given(shape_and_key())
def test_gradient_of_reading(drawn):
    """The gradient of a weighted sum of what was read is the weights, added up where they were read."""
    shape, key = drawn
    x = nd.array(numbered(*shape), dtype="float64")
    x.attach_grad()
    expected = np.zeros(shape)
    weights = np.random.uniform(1, 2, expected[key].shape)
    np.add.at(expected, key, weights)
    with autograd.record():
        part = x[key]
        y = part * nd.array(at_least_1d(weights), dtype="float64")
    np.testing.assert_array_equal(part.asnumpy(), at_least_1d(x.asnumpy()[key]))
    y.backward()
    np.testing.assert_allclose(x.grad.asnumpy(), expected, rtol=1e-12)


@quickly
@given(shape_and_key())
def test_second_order_of_reading(drawn):
    """d/dx of |d/dx Σ (x[key])³|: through the adjoint of the read and through the read."""
    shape, key = drawn
    a = numbered(*shape) / 8 + 0.5
    x = nd.array(a, dtype="float64")
    x.attach_grad()
    with autograd.record():
        y = x[key] ** 3
        (gradient,) = autograd.grad([y], [x], create_graph=True)
        z = gradient * gradient
    z.backward()
    count = np.zeros(shape)
    np.add.at(count, key, 1.0)
    np.testing.assert_allclose(x.grad.asnumpy(), 36 * count ** 2 * a ** 3, rtol=1e-10, atol=1e-12)


@quickly
@given(shape_and_key())
def test_gradient_of_writing(drawn):
    """A recorded write passes the gradient on to the values that survive, and to nothing else."""
    shape, key = drawn
    x = nd.zeros(shape, dtype="float64")
    weights = np.random.uniform(1, 2, shape)
    survivor = np.full(shape, -1)
    count = np.zeros(shape)[key].size
    survivor[key] = np.arange(count).reshape(np.zeros(shape)[key].shape)
    value = nd.array(np.arange(1.0, count + 1).reshape(at_least_1d(np.zeros(shape)[key]).shape), dtype="float64")
    value.attach_grad()
    with autograd.record():
        x[key] = value * 2
        y = x * nd.array(weights, dtype="float64")
    np.testing.assert_array_equal(x.asnumpy(), np.where(survivor >= 0, 2.0 * (survivor + 1), 0))
    if not count:
        return
    y.backward()
    expected = np.zeros(count)
    expected[survivor[survivor >= 0]] = 2 * weights[survivor >= 0]
    np.testing.assert_allclose(value.grad.asnumpy().ravel(), expected, rtol=1e-12)


def test_row_and_element():
    x = nd.array([[1, 2, 3], [4, 5, 6]])
    assert x[1].shape == (3,)
    assert x[1, 2].shape == (1,)
    assert x[1][2].shape == (1,)
    assert x[-1, -1].asscalar() == 6
    assert x[np.int64(1)].asnumpy().tolist() == [4, 5, 6]
    assert x[True].asnumpy().tolist() == [4, 5, 6]
    assert [row.asnumpy().tolist() for row in x] == [[1, 2, 3], [4, 5, 6]]
    assert x[()].shape == x[...].shape == (2, 3)


def test_writing_to_a_view_writes_to_the_array():
    x = nd.zeros((3, 4))
    x[1:3][0][:] = 5
    x[0, 1:3][1:] = 7
    assert x.asnumpy().tolist() == [[0, 0, 7, 0], [5, 5, 5, 5], [0, 0, 0, 0]]
    x[:, 1][:] = 9                                      # a column is a copy
    assert x.asnumpy()[:, 1].tolist() == [0, 5, 0]
    x[2] += 1
    x[:, 3] *= 2
    assert x.asnumpy().tolist() == [[0, 0, 7, 0], [5, 5, 5, 10], [1, 1, 1, 2]]


def test_gradient_of_reading_nothing():
    x = nd.ones((3, 2))
    x.attach_grad()
    with autograd.record():
        nothing = x[-5::-1]
        y = nd.concat(nothing, x * 2, dim=0)
    y.backward()
    assert nothing.shape == (0, 2)
    assert x.grad.asnumpy().tolist() == [[2, 2]] * 3


def test_fractions_of_indices_are_dropped():
    x = nd.array([10, 20, 30])
    assert x[nd.array([0.9, 2.2])].asnumpy().tolist() == [10, 30]
    assert x[[0.5, 1]].asnumpy().tolist() == [10, 20]


def test_masks():
    x = nd.array([[1, 2, 3], [4, 5, 6]])
    assert x[np.array([False, True])].asnumpy().tolist() == [[4, 5, 6]]
    assert x[x.asnumpy() > 3].asnumpy().tolist() == [4, 5, 6]
    x[nd.array([[1, 0, 0], [0, 0, 1]], dtype="bool")] = -1
    assert x.asnumpy().tolist() == [[-1, 2, 3], [4, 5, -1]]


@pytest.mark.parametrize(("dtype", "value", "result"), [
    ("int32", 2.7, 2), ("uint8", 300, 44), ("float16", 0.1, np.float16(0.1)), ("float32", True, 1.0),
    ("int8", nd.array([3.9]), 3),
])
def test_values_take_the_dtype_of_the_array(dtype, value, result):
    x = nd.zeros((2,), dtype=dtype)
    x[:] = value
    assert x.dtype == np.dtype(dtype).type
    assert x.asnumpy().tolist() == [result, result]


def test_writing_through_a_view_is_seen_by_the_tape():
    x = nd.ones((2, 3))
    view = x[0]
    x.attach_grad()
    with autograd.record():
        y = x * x
    view[:] = 3
    with pytest.raises(mx.base.WrittenInPlaceError):
        y.backward()


def test_in_place_addition_to_a_row_while_recording():
    x, w = nd.zeros((2, 2)), nd.array([1, 2])
    w.attach_grad()
    with autograd.record():
        x[1] += w * w
        y = x * x
    y.backward()
    assert x.asnumpy().tolist() == [[0, 0], [1, 4]]
    assert w.grad.asnumpy().tolist() == [4, 32]         # d w⁴/dw


def test_second_order_of_writing():
    x, w = nd.zeros((2, 2), dtype="float64"), nd.array([1, 2], dtype="float64")
    w.attach_grad()
    with autograd.record():
        x[:, 1] = w ** 2
        (gradient,) = autograd.grad([x * x], [w], create_graph=True)
    gradient.backward()
    assert w.grad.asnumpy().tolist() == [12, 48]        # (w⁴)'' = 12 w²


X = nd.zeros((2, 3))
BROADCAST = ("cannot write an array of shape {} to a part of shape {}: it cannot be broadcast. From the right, each of "
             "its axes must have the length of the part's, or 1.")


@pytest.mark.parametrize(("key", "error", "text"), [
    (2, OutOfRangeError, "index 2 is out of bounds for axis 0 with size 2 of an array of shape (2, 3); expected "
                         "-2 to 1"),
    (-3, OutOfRangeError, "index -3 is out of bounds for axis 0 with size 2 of an array of shape (2, 3); expected "
                          "-2 to 1"),
    ((0, 7), OutOfRangeError, "index 7 is out of bounds for axis 1 with size 3 of an array of shape (2, 3); "
                              "expected -3 to 2"),
    ([0, 5], OutOfRangeError, "index 5 is out of bounds for axis 0 with size 2 of an array of shape (2, 3); "
                              "expected -2 to 1"),
    ((0, 0, 0), OutOfRangeError, "too many indices: an array of shape (2, 3) has 2 axes, but 3 were "
                                 "indexed. Leave some out; None is an index for an axis that is new."),
    ((..., ...), OutOfRangeError, "an index can have one Ellipsis ('...') at most"),
    (np.ones(3, bool), OutOfRangeError,
     "a mask of shape (3,) cannot index axes of shape (2,); the shapes must be equal. For axis 1, write "
     "x[:, mask]."),
    ("a", MXNetError, "an NDArray cannot be indexed with 'a' of type str; expected integers, slices, None, Ellipsis, "
                      "or arrays of integers or booleans. Axes and elements have numbers, no names."),
    (1.0, MXNetError, "an NDArray cannot be indexed with 1.0 of type float; expected integers, slices, None, "
                      "Ellipsis, or arrays of integers or booleans. Write int(1.0)."),
    (([0, 1], [0, 1, 2]), ShapeError, "the arrays of an index have shapes (2,) and (3,), which cannot be broadcast "
                                      "together"),
    (slice(None, None, 0), ArgumentError, "a slice's step must not be 0"),
])
def test_errors_of_keys(key, error, text):
    for use in (lambda: X[key], lambda: X.__setitem__(key, 1)):
        with pytest.raises(error) as caught:
            use()
        assert str(caught.value) == text
    if error is OutOfRangeError:
        assert isinstance(caught.value, IndexError)


@pytest.mark.parametrize(("key", "value", "text"), [
    (0, nd.zeros((2,)), BROADCAST.format((2,), (3,))),
    (slice(None), np.zeros(6), BROADCAST.format((6,), (2, 3))),
    ((0, 1), [1, 2], BROADCAST.format((2,), (1,))),
    ([0, 1, 1], np.zeros((2, 3)), BROADCAST.format((2, 3), (3, 3))),
    (0, "a", "cannot write 'a' of type str to an NDArray; expected numbers"),
    (0, None, "cannot write None of type NoneType to an NDArray; expected numbers"),
    (0, np.array(["a"]), "cannot write an array of dtype <U1 to an NDArray; expected numbers"),
    (0, [[1, 2], [3]], "cannot write [[1, 2], [3]] to an NDArray: its rows have different lengths"),
])
def test_errors_of_values(key, value, text):
    with pytest.raises(ValueError if "broadcast" in text else DTypeError) as caught:
        X[key] = value
    assert str(caught.value) == text
    assert isinstance(caught.value, MXNetError)


@pytest.mark.parametrize(("value", "right"), [
    ([Decimal("1.5"), Fraction(1, 4)], [1.5, 0.25]),
    (np.array([1, 2.5], object), [1, 2.5]),
    (["1.5", "2"], [1.5, 2]),
    ([1, None], [1, np.nan]),
])
def test_objects_and_strings_are_numbers_as_in_nd_array(value, right):
    x = nd.zeros((2,))
    x[:] = value
    np.testing.assert_array_equal(x.asnumpy(), right)
    np.testing.assert_array_equal(nd.array(value).asnumpy(), right)
    p = mx.gluon.Parameter("w", shape=(2,), init=mx.init.Constant(value))
    p.initialize()
    np.testing.assert_array_equal(p.data().asnumpy(), right)


def test_errors_while_recording():
    x, w = nd.zeros((2, 3)), nd.ones((2,))
    w.attach_grad()
    with autograd.record():
        with pytest.raises(ShapeError) as caught:
            x[0] = w * 2
        assert str(caught.value) == BROADCAST.format((2,), (3,))
        with pytest.raises(MXNetError) as caught:
            x[0][:2] = w
        assert str(caught.value) == (
            "cannot record writing to a view, such as x[0] or x.reshape(...): the gradient would not reach the value. "
            "Write to the array itself, x[0, 1:3] = y instead of x[0][1:3] = y, and reshape it afterwards; or build "
            "the result with operators such as nd.concat.")
        with pytest.raises(AutogradError, match="such as x\\[0\\] or x.reshape"):
            x.reshape((6,))[:2] = w
        with pytest.raises(MXNetError) as caught:
            w[0] = 1
        assert str(caught.value).startswith("writing in place (+=, x[:]=, out=) to an array that is part of")


@pytest.mark.parametrize("key", [0, (0, 0), slice(1)])
def test_an_array_without_axes_has_no_index(key):
    x = nd.array(5)
    for use in (lambda: x[key], lambda: x.__setitem__(key, 1)):
        with pytest.raises(OutOfRangeError, match="too many indices: an array of shape \\(\\) has 0 axes"):
            use()
    x[...] = 7
    assert float(x) == 7


def test_all_of_an_array_without_axes():
    x = nd.array(5)
    for value in 3, nd.array(4), nd.array([6]), np.array(7.0):
        x[:] = value
        assert (x.shape, float(x)) == ((), float(value))
    assert x[:].asnumpy().tolist() == [7]
    w = nd.array([2])
    w.attach_grad()
    with autograd.record():
        z = nd.array(0)
        z[:] = w * 3
        y = z * z
    y.backward()
    assert w.grad.asscalar() == 36
