"""Arrays and numbers on either side: `+` and its kin, `nd.add` and its kin, copies between devices."""

import math
import subprocess
import sys

import numpy as np
import pytest

import minigluon as mx
from minigluon import autograd, nd, sym
from minigluon.base import CallError, MXNetError
from minigluon.frontend.arithmetic_table import ARITHMETIC

NUMPY = {
    "add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide, "true_divide": np.divide,
    "modulo": np.mod, "power": np.power, "maximum": np.maximum, "minimum": np.minimum, "hypot": np.hypot,
    "equal": np.equal, "not_equal": np.not_equal, "greater": np.greater, "greater_equal": np.greater_equal,
    "lesser": np.less, "lesser_equal": np.less_equal, "logical_and": np.logical_and, "logical_or": np.logical_or,
    "logical_xor": np.logical_xor,
}
X = np.array([[0.5, 2.0, 3.25]], "float32")
Y = np.array([[2.0], [0.75]], "float32")


def gradients(f, *values, head=None, dtype="float32"):
    arrays = [nd.array(v, dtype=dtype) for v in values]
    for x in arrays:
        x.attach_grad()
    with autograd.record():
        y = f(*arrays)
    y.backward(None if head is None else nd.array(head))
    return [x.grad.asnumpy().tolist() for x in arrays]


@pytest.mark.parametrize("name", ARITHMETIC)
def test_each_side_is_an_array_or_a_number(name):
    f, expected = getattr(nd, name), NUMPY[name]
    for x, y in [(X, Y), (X, 2), (X, 2.0), (2, Y), (0.75, Y)]:
        got = f(*(nd.array(v) if isinstance(v, np.ndarray) else v for v in (x, y)))
        assert got.dtype == np.float32
        np.testing.assert_allclose(got.asnumpy(), np.asarray(expected(x, y), "float32"), rtol=1e-6)
    assert f(3, 2) == pytest.approx(float(expected(3, 2)))


@pytest.mark.parametrize("name", [*ARITHMETIC, "pow"])
def test_symbols_have_the_same_functions(name):
    f = getattr(sym, name)
    a, b = sym.Variable("a"), sym.Variable("b")
    row = ARITHMETIC["power" if name == "pow" else name]
    for symbol, op in [(f(a, b), row.array.name), (f(a, 2), row.scalar.name), (f(2, a), row.reversed.name)]:
        assert symbol.heads[0][0].op.name == op
    with pytest.raises(MXNetError) as error:
        f(a, "2")
    assert str(error.value) == f"{row.name}: expected Symbols or numbers, found str."


def test_a_wrong_operand_is_named():
    with pytest.raises(MXNetError) as error:
        nd.add(nd.ones((2,)), [1, 2])
    assert str(error.value) == "add: expected NDArrays or numbers, found list. Convert it with nd.array(...)."
    with pytest.raises(MXNetError) as error:
        nd.maximum("a", nd.ones((2,)))
    assert str(error.value) == "maximum: expected NDArrays or numbers, found str. Convert it with nd.array(...)."
    text = ("add: an NDArray and a numpy.ndarray, here of shape (2,), do not mix. Convert one of them: nd.array(a), or "
            "x.asnumpy(), which leaves the tape.")
    for mixed in (lambda: nd.ones((2,)) + np.ones(2), lambda: np.ones(2) + nd.ones((2,))):
        with pytest.raises(TypeError) as error:
            mixed()
        assert str(error.value) == text
        assert isinstance(error.value, MXNetError)
    with pytest.raises(TypeError, match="^subtract: an NDArray and a numpy.ndarray"):
        np.ones(2) - nd.ones((2,))
    with pytest.raises(TypeError, match="^add: expected NDArrays or numbers, found str"):
        nd.ones((2,)) + "2"
    text = (": a Symbol and a numpy.ndarray, here of shape (2,), do not mix. In a block make the array a parameter "
            "that is not learned: self.params.get_constant(name, array).")
    for name, mixed in (("multiply", lambda x: x * np.ones(2)), ("multiply", lambda x: np.ones(2) * x),
                        ("subtract", lambda x: np.ones(2) - x), ("equal", lambda x: x == np.ones(2))):
        with pytest.raises(CallError) as error:
            mixed(sym.var("x"))
        assert str(error.value) == name + text


@pytest.mark.parametrize("number", [np.float32(2), np.float64(2), np.int64(2), np.array(2.0)])
@pytest.mark.parametrize("compute", [
    lambda n, x: n + x, lambda n, x: n - x, lambda n, x: n * x, lambda n, x: n / x, lambda n, x: n % x,
    lambda n, x: n ** x, lambda n, x: n > x, lambda n, x: n == x])
def test_numbers_of_numpy_on_the_left(number, compute):
    x = nd.array([1, 2, 3])
    (found,) = compute(number, sym.var("x")).eval(x=x)
    assert found.asnumpy().tolist() == compute(number, x).asnumpy().tolist() == compute(2, x).asnumpy().tolist()


@pytest.mark.parametrize("number", [2, 2.0, np.float32(2), np.float64(2), np.int64(2), True, np.array(2.0)])
def test_any_number_will_do(number):
    x = nd.array([1, 2])
    assert (x * number).asnumpy().tolist() == [1 * float(number), 2 * float(number)]
    assert (number - x).asnumpy().tolist() == [float(number) - 1, float(number) - 2]
    assert (x * number).dtype == np.float32


def test_equal_numbers_of_different_signs_are_kept_apart():
    x = nd.array([1.0])
    assert (x / 0.0).asscalar() == math.inf
    assert (x / -0.0).asscalar() == -math.inf
    assert (0.0 / -x).asnumpy().tolist() == [-0.0]
    assert math.isnan((x * math.nan).asscalar())
    assert ARITHMETIC["add"].with_number(1) is ARITHMETIC["add"].with_number(1.0)       # as in MXNet


def test_the_memory_for_numbers_is_bounded(monkeypatch):
    from minigluon.frontend import binding
    monkeypatch.setattr(binding, "_MAX_NUMBERS", 10)
    row = ARITHMETIC["add"]
    for i in range(25):
        row.with_number(1000.5 + i)
        assert len(row._right) <= 10


# -- integers: results of MXNet 1.9.1 -------------------------------------------------------------------------------

INTEGERS, DIVISORS = [-7, 7, -3, 3, 0], [3, -3, 2, -2, 0]


@pytest.mark.parametrize(("f", "expected"), [
    (lambda i, d: i % d, [2, -2, 1, -1, 0]), (lambda i, d: i % 3, [2, 1, 0, 0, 0]),
    (lambda i, d: i % -3, [-1, -2, 0, 0, 0]), (lambda i, d: i % 0, [0, 0, 0, 0, 0]),
    (lambda i, d: 7 % d, [1, -2, 1, -1, 0]), (lambda i, d: i / 2, [-3, 3, -1, 1, 0]),
    (lambda i, d: i / 2.5, [-3, 3, -1, 1, 0]), (lambda i, d: i * 2.5, [-14, 14, -6, 6, 0]),
    (lambda i, d: i + 2.5, [-5, 9, -1, 5, 2]), (lambda i, d: i > 2.5, [0, 1, 0, 1, 0]),
    (lambda i, d: i ** 2, [49, 49, 9, 9, 0]), (lambda i, d: nd.maximum(i, 2.5), [2, 7, 2, 3, 2]),
    (lambda i, d: i / d, [-2, -2, -1, -1, 0]),
])
def test_integers(f, expected):
    got = f(nd.array(INTEGERS, dtype="int32"), nd.array(DIVISORS, dtype="int32"))
    assert got.dtype == np.int32
    assert got.asnumpy().tolist() == expected


def test_uint8_wraps_around():
    x = nd.array([1, 2], dtype="uint8")
    assert (-x).asnumpy().tolist() == [255, 254]
    assert (x - 3).asnumpy().tolist() == [254, 255]
    assert (x + 300).asnumpy().tolist() == [45, 46]
    assert nd.array([-1.5, 300.7, 2.9]).astype("uint8").asnumpy().tolist() == [255, 44, 2]


def test_gradients_of_integer_arrays_are_integers():
    for f, expected in [(lambda x: x * 2.5, [2, 2, 2]), (lambda x: x ** 2, [2, 4, 6]), (lambda x: 2 - x, [-1, -1, -1]),
                        (lambda x: 6 / x, [-6, -1, 0]), (nd.square, [2, 4, 6])]:
        assert gradients(f, [1, 2, 3], dtype="int32") == [expected]


# -- gradients where a derivative does not exist, as in MXNet 1.9.1 -------------------------------------------------


@pytest.mark.parametrize(("f", "expected"), [
    (nd.maximum, [[0, 1, 1], [1, 0, 0]]), (nd.minimum, [[1, 1, 0], [0, 0, 1]]),
    (nd.broadcast_maximum, [[0, 1, 1], [1, 0, 0]]), (nd.broadcast_minimum, [[1, 1, 0], [0, 0, 1]]),
])
def test_at_a_tie_the_gradient_goes_to_lhs(f, expected):
    assert gradients(f, [1, 2, 3], [2, 2, 2]) == expected


@pytest.mark.parametrize(("f", "values", "expected"), [
    (lambda x: nd.maximum(x, 2), [1, 2, 3], [0, 1, 1]), (lambda x: nd.minimum(x, 2), [1, 2, 3], [1, 1, 0]),
    (nd.abs, [0, -1], [0, -1]), (nd.relu, [0, -1, 1], [0, 0, 1]),
    (lambda x: nd.clip(x, -1, 1), [-1, 1, 0, 2, math.nan], [1, 1, 1, 0, 1]),
    (nd.hard_sigmoid, [-2.5, 2.5, 0], [0, 0, pytest.approx(0.2)]), (nd.sqrt, [0, 4], [math.inf, 0.25]),
    (lambda x: x ** 1, [0, 2], [1, 1]), (lambda x: x ** 0, [0, 2], [0, 0]), (nd.norm, [0, 0], [0, 0]),
    (lambda x: nd.norm(x, ord=1), [0, -2], [0, -1]), (nd.max, [2, 2, 1], [1, 1, 0]),
    (nd.prod, [3, 0, 2], [0, 6, 0]), (nd.prod, [0, 0, 2], [0, 0, 0]), (nd.nansum, [1, math.nan, 2], [1, 0, 1]),
    (nd.nanprod, [3, math.nan, 2], [2, 0, 3]), (nd.sign, [1, -2], [0, 0]), (lambda x: x == 2, [1, 2], [0, 0]),
    (nd.zeros_like, [1, 2], [0, 0]), (nd.argmax, [1, 2], [0, 0]),
])
def test_gradient_at_special_points(f, values, expected):
    assert gradients(f, values) == [expected]


def test_losses_ignore_the_head_gradient():
    head = [5, 6, 7]
    assert gradients(nd.make_loss, [1, 2, 3], head=head) == [[1, 1, 1]]
    assert gradients(lambda x: nd.MakeLoss(x, grad_scale=2), [1, 2, 3], head=head) == [[2, 2, 2]]
    valid = lambda x: nd.MakeLoss(x, grad_scale=2, valid_thresh=1.5, normalization="valid")
    assert gradients(valid, [1, 2, 3], head=head) == [[1, 1, 1]]
    batch = lambda x: nd.MakeLoss(x, grad_scale=12, normalization="batch")
    assert gradients(batch, np.ones((4, 2))) == [[[3, 3]] * 4]
    assert gradients(batch, np.ones((2, 3, 4)))[0][0][0] == [2, 2, 2, 2]
    assert gradients(lambda x: nd.BlockGrad(x) * x, [2, 3]) == [[2, 3]]


# -- devices --------------------------------------------------------------------------------------------------------


def test_gradients_flow_between_devices():
    x = nd.array([1.0, 2.0], ctx=mx.cpu(0))
    x.attach_grad()
    with autograd.record():
        y = (x * 3).as_in_context(mx.cpu(1))
        z = y * y
    assert z.context == mx.cpu(1)
    z.backward()
    assert x.grad.context == mx.cpu(0)
    assert x.grad.asnumpy().tolist() == [18.0, 36.0]


def test_second_order_gradients_flow_between_devices():
    x = nd.array([2.0], ctx=mx.cpu(0))
    x.attach_grad()
    with autograd.record():
        y = x.as_in_context(mx.cpu(1)) ** 3
        grad, = autograd.grad([y], [x], create_graph=True)
    grad.backward()
    assert x.grad.asnumpy().tolist() == [12.0]


def test_add_n_and_cast_between_types():
    assert gradients(lambda x: nd.add_n(x, x, x), [1, 2]) == [[3, 3]]
    assert gradients(lambda x: nd.cast(x, dtype="float16") * 2, [1, 2]) == [[2, 2]]
    assert nd.array([0, 2, 0.5]).astype("bool").asnumpy().tolist() == [False, True, True]
    assert nd.array([math.nan, 1e20, -1e20]).astype("int32").asnumpy().tolist() == [-2147483648] * 3


def test_infinities_and_nan_raise_no_warnings():
    code = ("import minigluon as mx; x = mx.nd.zeros((2,)); print((x.log() - x.log()).asnumpy(), (x / x).asnumpy(), "
            "mx.nd.full((1,), 1e38).square().asnumpy(), mx.nd.full((2,), 3e38).sum().asnumpy())")
    done = subprocess.run([sys.executable, "-W", "default", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["[nan", "nan]", "[nan", "nan]", "[inf]", "[inf]"]
    assert done.stderr == ""


def test_shapes_that_are_partly_unknown():
    data = sym.Variable("data")
    for symbol, expected in [
        (sym.broadcast_to(data, shape=(2, 1, 0)), (2, 1, 5)), (sym.sum(data, axis=1), (1, 5)),
        (sym.broadcast_axis(data, axis=0, size=4), (4, 1, 5)), (sym.moments(data, axes=(0,))[1], (1, 5)),
        (sym.norm(data, axis=2, keepdims=True), (1, 1, 1)),
        (sym.khatri_rao(sym.Flatten(data), sym.Flatten(data)), (1, 5)),
    ]:
        assert symbol.infer_shape(data=(1, 1, 5))[1] == [expected]
    op = nd.broadcast_to.op(shape=(2, 1, 0))
    assert op.infer_shape((None, None, 5)) == ([(None, None, 5)], [(2, 1, 5)])
    assert nd.sum.op(axis=0).infer_shape((None, 3)) == ([(None, 3)], [(3,)])
    assert nd.sum.op(axis=0).infer_shape((2, None)) == ([(2, None)], [(None,)])
    assert nd.broadcast_like.op().infer_shape((1, None), (2, 3)) == ([(1, None), (2, 3)], [(2, 3)])
    assert nd.elemwise_add.op().infer_shape((1, None), (None, 3)) == ([(1, 3), (1, 3)], [(1, 3)])
