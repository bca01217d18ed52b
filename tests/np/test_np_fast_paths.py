"""The fast paths of `mx.np` give what the rows of the table give: values, types, gradients, errors."""

import re

import numpy as onp
import pytest
from helpers.numpy_rows import NAMES, WITHOUT_GRADIENT, arrays_for, flat

import minigluon as mx
from minigluon import autograd, nd, np
from minigluon.numpy import array_functions, plans
from minigluon.numpy.table import FUNCTIONS

pytestmark = pytest.mark.once
TYPES = ("float32", "float64", "int32", "bool")


@pytest.fixture
def at_once(monkeypatch):
    """Have a plan made for the first call; further calls use it."""
    monkeypatch.setattr(plans, "OFTEN", 1)


def with_gradient(function, call, given):
    for x in given:
        if x.dtype.kind == "f":
            x.attach_grad()
    with autograd.record():
        results = flat(call(function, given))
        heads = [(y * y).sum() for y in results if y.dtype.kind == "f"]
        total = sum(heads) if heads else None
    if total is None or not any(x.dtype.kind == "f" for x in given):
        return results, []
    total.backward()
    return results, [x.grad for x in given]


@pytest.mark.parametrize("name", [name for name in NAMES if name != "take"])
def test_a_plan_computes_the_same(at_once, name):
    arrays, call = arrays_for(name, len(name))
    function = array_functions.build_function(FUNCTIONS[name])
    for dtype in TYPES[:2] if name.startswith("linalg.") else TYPES:
        given = [np.array((3 * a).astype(dtype)) for a in arrays]
        try:
            slow = flat(call(function, given))
        except TypeError:
            continue
        for fast in (flat(call(function, given)), with_gradient(function, call, given)[0]):
            for x, y in zip(slow, fast, strict=True):
                assert (x.dtype, x.shape, type(x)) == (y.dtype, y.shape, type(y))
                onp.testing.assert_array_equal(x.asnumpy(), y.asnumpy())


@pytest.mark.parametrize("name", [name for name in NAMES if name != "take" and name not in WITHOUT_GRADIENT])
def test_a_plan_has_the_same_gradient(at_once, name):
    arrays, call = arrays_for(name, len(name))
    function = array_functions.build_function(FUNCTIONS[name])
    given = [np.array(a, dtype="float32") for a in arrays]
    slow, fast = (with_gradient(function, call, given)[1] for _ in range(2))
    for x, y in zip(slow, fast, strict=True):
        onp.testing.assert_array_equal(x.asnumpy(), y.asnumpy())


def test_nearly_all_rows_get_plans(at_once, monkeypatch):
    missing, planned = [], plans._planned
    monkeypatch.setattr(plans, "_planned", lambda call, *rest: planned(call, *rest) or missing.append(call.__name__))
    for name in NAMES:
        if name != "take":
            arrays, call = arrays_for(name, len(name))
            call(array_functions.build_function(FUNCTIONS[name]), [np.array(a, dtype="float32") for a in arrays])
    # constants without inputs, operators with several results, and lists among the arguments
    rows = {"tril", "triu", "pad", "slogdet", "eigh", "eigvalsh", "svd", "svdvals", "matrix_norm", "pinv", "qr",
            "insert"}
    assert set(missing) <= rows, missing


def test_zeros_of_either_sign_are_different_numbers(at_once):
    x = np.array([1.0, -1.0])
    for number in (0.0, -0.0, 0, 0.0):
        for name in ("multiply", "divide", "full_like"):
            for _ in range(2):
                found = getattr(np, name)(x, number).asnumpy()
                with onp.errstate(divide="ignore"):
                    expected = getattr(onp, name)(onp.array([1, -1], "float32"), number)
                onp.testing.assert_array_equal(found, expected)
                onp.testing.assert_array_equal(onp.signbit(found), onp.signbit(expected))


def test_attributes_shapes_and_types_are_part_of_the_key(at_once):
    for _ in range(3):
        for values in (onp.arange(6.0).reshape(2, 3), onp.arange(6).reshape(2, 3), onp.ones((2, 3), bool),
                       onp.arange(24.0).reshape(2, 3, 4), onp.zeros((0, 3))):
            x = np.array(values)
            for axis in (0, 1, (0, 1), None):
                for keepdims in (False, True):
                    found = x.sum(axis=axis, keepdims=keepdims)
                    onp.testing.assert_array_equal(found.asnumpy(), values.sum(axis=axis, keepdims=keepdims))
                    assert found.shape == values.sum(axis=axis, keepdims=keepdims).shape
            assert x.reshape(-1 if x.size else 0).shape == (x.size,)
            assert x.T.shape == values.T.shape
            assert np.swapaxes(x, 0, 1).shape == values.swapaxes(0, 1).shape


def test_a_plan_keeps_no_array_and_returns_no_argument(at_once):
    x, y, out = np.ones((1, 2)), np.ones((1, 2)), np.zeros((1, 2))
    for _ in range(3):
        squeezed = np.squeeze(x, axis=())
        squeezed += 1
        assert x.sum() == 2
        assert np.add(x, y, out=out) is out
        first, second = np.broadcast_arrays(x, y)
        first += 1
        assert second.sum() == 2
    assert np.stack([x, y]).shape == (2, 1, 2)


def test_errors_are_those_of_the_row(at_once):
    x, plain = np.ones((2, 3)), nd.ones((2, 3))
    for _ in range(3):
        for wrong in (lambda: np.sum(x, axis=2), lambda: np.sum(x, axes=1), lambda: np.dot(x, x), lambda: np.sum(),
                      lambda: np.dot(x, plain), lambda: np.exp(plain), lambda: x.reshape(4),
                      lambda: np.stack([x, plain]), lambda: np.concatenate([x, x], axs=1)):
            with pytest.raises((ValueError, TypeError)):
                wrong()
        for joined, text in ((lambda: np.concatenate([x, x], axis=2), "np.concatenate: axis 2 is out of range"),
                             (lambda: np.concatenate([x, x.T]), "Concat: data1 has shape (3, 2) and data0 has (2, 3)"),
                             (lambda: np.stack([x, x.T]), "np.stack: arrays of shapes (2, 3) and (3, 2) cannot be"),
                             (lambda: np.where(x, x, x.T), "np.broadcast_arrays: shapes (2, 3), (2, 3), (3, 2)"),
                             (lambda: np.zeros((2, -1)), "shape (2, -1) has a negative length"),
                             (lambda: np.full(2, 300, "uint8"), "full: Python integer 300 out of bounds for uint8")):
            with pytest.raises(mx.MXNetError, match=re.escape(text)):
                joined()
        assert np.sum(a=x).shape == ()
        assert np.reshape(x, [3, 2]).shape == (3, 2)


def test_a_gradient_of_a_gradient():
    x = np.array([1.0, 2.0])
    x.attach_grad()
    with autograd.record():
        y = (x * x * x).sum()
        slope = autograd.grad(y, [x], create_graph=True)[0]
        total = (slope * x).sum()
    total.backward()
    onp.testing.assert_allclose(x.grad.asnumpy(), [9.0, 36.0])


def test_results_have_the_class_of_arrays_of_np_and_of_no_other_subclass():
    class Mine(nd.NDArray):
        pass

    plain, own, numpys = nd.ones((2, 2)), Mine(nd.ones((2, 2)).buffer, nd.ones(1).device), np.ones((2, 2))
    for _ in range(4):          # the second call takes the plugin's fast path
        assert type(plain + plain) is nd.NDArray
        assert type(own + 1) is nd.NDArray
        assert type(numpys + numpys) is np.ndarray
        plain += plain
        numpys += numpys
    assert (plain.sum().asscalar(), numpys.sum().item()) == (64, 64)


@pytest.mark.parametrize("call", [lambda x: x > 2, lambda x: x <= x * 1, lambda x: np.not_equal(x, 2)])
def test_a_mask_may_be_used_twice(at_once, call):
    """A gradient through a comparison is 0, also if it comes from two uses, and in the first calls as in later ones."""
    x = np.arange(21).reshape(3, 7)         # calls that no other test makes
    x.attach_grad()
    for _ in range(3):
        with autograd.record():
            y = call(x)
            total = (y.astype("float32") * x + y.astype("float32")).sum()
        total.backward()
        onp.testing.assert_array_equal(x.grad.asnumpy(), y.asnumpy().astype("float32"))


@pytest.mark.parametrize("call", [lambda x: x.sum(), lambda x: np.mean(x), lambda x: x.max(), lambda x: x.prod()])
def test_a_recorded_number(at_once, call):
    """Its graph and gradients, also second ones, are those of the first call, which runs the row."""
    x = np.array([[1.0, 2, 4], [3, 5, 6]]) / 4      # a shape that no other test calls these with
    x.attach_grad()
    found = []
    for _ in range(3):
        with autograd.record():
            y = call(x * x) * 3
            slope = autograd.grad(y, [x], create_graph=True)[0]
            total = call(slope)
        assert (y.shape, autograd.get_symbol(y).infer_shape(var0=x.shape)[1]) == ((), [()])
        total.backward()
        found.append((y.item(), slope.asnumpy().tolist(), x.grad.asnumpy().tolist()))
    assert found[0] == found[1] == found[2]


def test_the_tape_keeps_copies_of_indices_and_masks():
    x = np.array([[1, 2], [3, 4], [5, 6]])
    x.attach_grad()
    index, mask = np.array([0, -1], dtype="int32"), np.array([1, 0, 1]).astype("bool")
    with autograd.record():
        y = (x[index] * x.take(index, axis=0) * x[mask]).sum()
    index[:], mask[:] = 1, False
    y.backward()
    onp.testing.assert_allclose(x.grad.asnumpy(), [[3, 12], [0, 0], [75, 108]])
