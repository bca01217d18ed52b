"""Elementwise functions of `mx.np` of NaN, infinities and zeros of both signs, compared with NumPy."""

import numpy as onp
import pytest
from helpers.numpy_rows import BINARY, numpys

from minigluon import np, npx
from minigluon.numpy.table import FUNCTIONS

pytestmark = pytest.mark.once
VALUES = [0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 2.5, -2.5, onp.inf, -onp.inf, onp.nan]
UNARY = [name for name, row in FUNCTIONS.items() if list(row.signature.parameters)[0] == "x" and (
    row.operator is not None or name.startswith(("is", "logical", "rint", "nan_to")))]
# MXNet's own answers, kept here: modulo 0 is 0, -0 counts as positive for copysign, and the sign of NaN is 0.
MXNETS = {"mod": "x2 == 0", "remainder": "x2 == 0", "copysign": "(x2 == 0) | (x2 != x2)", "sign": "x1 != x1",
          "ldexp": "x1 != x1"}


@pytest.fixture(autouse=True)
def numpy_mode():
    npx.set_np()
    yield
    npx.reset_np()


def differing(name, arrays):
    with onp.errstate(all="ignore"):
        expected = numpys(name)(*arrays)
        found = getattr(np, name)(*[np.array(x) for x in arrays]).asnumpy()
    wrong = ~onp.isclose(found.astype("float64"), onp.asarray(expected, "float64"), 1e-6, 0, equal_nan=True)
    x1, x2 = arrays[0], arrays[-1]
    if name in MXNETS:
        wrong &= ~eval(MXNETS[name], {"x1": x1, "x2": x2})
    return [(*[float(x[i]) for x in arrays], float(found[i]), float(expected[i])) for i in onp.flatnonzero(wrong)]


@pytest.mark.parametrize("name", UNARY)
def test_one_array(name):
    assert differing(name, [onp.array(VALUES)]) == []


@pytest.mark.parametrize("name", BINARY)
def test_two_arrays(name):
    assert differing(name, [onp.repeat(VALUES, len(VALUES)), onp.tile(VALUES, len(VALUES))]) == []


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("name", "shape"), [
    (name, shape) for name in ("cov", "corrcoef", "median", "linalg.pinv")
    for shape in [(0, 3), (3, 0), (0, 0), (1, 0), (0,)][:4 if name == "linalg.pinv" else 5]])
def test_statistics_of_no_elements(name, shape):
    x = onp.zeros(shape, "float32")
    expected, found = numpys(name)(x), getattr(np.linalg if "." in name else np, name.split(".")[-1])(np.array(x))
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    onp.testing.assert_array_equal(found.asnumpy(), expected)


def test_masks_without_axes():
    x, yes, no = np.array([[1, 2]]), np.array(onp.array(True)), np.array(onp.array(False))
    assert x[yes].shape == (1, 1, 2)
    assert x[no].shape == (0, 1, 2)
    assert np.array(3)[yes].tolist() == [3]
    assert np.array(3)[no].shape == (0,)
    x[no] = 5
    assert x.tolist() == [[1, 2]]
    x[yes] = 5
    assert x.tolist() == [[5, 5]]
    assert np.nonzero(np.array(3))[0].tolist() == [0]


def test_functions_of_bits_return_arrays_of_arrays_without_axes():
    three, two = np.array(3, dtype="int32"), np.array(2, dtype="int32")
    for found, expected in ((three & two, 2), (three << two, 12), (three >> 1, 1), (2 << three, 16), (~three, -4)):
        assert type(found) is np.ndarray
        assert found.dtype == "int32"
        assert found.item() == expected
    assert list(range(two)) == [0, 1]
    assert "abc"[two] == "c"
    with pytest.raises(TypeError, match="only integer scalar arrays"):
        range(np.array(2))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("name", ["round", "rint"])
def test_rounding_is_exact(name, dtype):
    # the largest number below a half, and an odd number without digits for a half
    below, odd = onp.nextafter(onp.array(0.5, dtype), onp.array(0, dtype)), 2.0 ** onp.finfo(dtype).nmant + 1
    values = onp.array([-0.0, -0.3, -0.5, 0.5, 1.5, -1.5, below, -below, odd, -odd, 65504, onp.inf, -onp.inf, onp.nan],
                       dtype)
    found, expected = getattr(np, name)(np.array(values)).asnumpy(), getattr(onp, name)(values)
    onp.testing.assert_array_equal(found, expected)
    onp.testing.assert_array_equal(onp.signbit(found)[:-1], onp.signbit(expected)[:-1])     # the last one is NaN


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_quotients_without_digits_for_a_half(dtype):
    odd = 2.0 ** onp.finfo(dtype).nmant + 1
    x1, x2 = onp.array([odd, -odd, odd, 2 * odd - 3, 3 * odd], dtype), onp.array([1, 1, -1, 1, 3], dtype)
    assert onp.floor_divide(x1, x2)[0] == odd
    onp.testing.assert_array_equal(np.floor_divide(np.array(x1), np.array(x2)).asnumpy(), onp.floor_divide(x1, x2))
