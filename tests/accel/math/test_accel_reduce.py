"""Reductions over all sets of axes, in long and short rows, with NaN, ties and no elements."""

import itertools

import numpy as np
import pytest

pytest.importorskip("minigluon_accel", reason="minigluon-accel is not installed")

from helpers.accel_checks import BACKEND, ISAS, configured

from minigluon.backend import Spec
from minigluon.ops import REGISTRY
from minigluon_accel import engine

SHAPES = [(1,), (5,), (1000,), (70000,), (3, 4), (64, 1000), (1000, 3), (7, 300, 5), (2, 3, 4, 5), (33, 1, 200),
          (16, 20, 12, 12), (3, 40000), (40000, 3), (2, 1000, 17, 3)]
REDUCTIONS = ["sum", "mean", "max", "min", "prod", "nansum", "nanprod", "norm", "_square_sum"]


def both(op, x):
    wanted = op.forward(x)
    kernel = BACKEND.prepare(op, [Spec(x.shape, x.dtype)], [Spec(wanted.shape, wanted.dtype)], False, None)
    return kernel if isinstance(kernel, str) else kernel.run([x])[0], wanted


def axes_of(shape):
    return [s for r in range(1, len(shape) + 1) for s in itertools.combinations(range(len(shape)), r)]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", REDUCTIONS)
def test_all_axes(name, shape, dtype):
    rng = np.random.default_rng(0)
    x = rng.normal(size=shape)
    x = (1 + x * 1e-3 if "prod" in name else x).astype(dtype)
    if "nan" in name:
        x.flat[rng.integers(0, x.size, 3)] = np.nan
    for axes in axes_of(shape):
        found, wanted = both(REGISTRY[name](axis=axes), x)
        if isinstance(found, str):
            assert found == "nothing to join"
            continue
        tolerance = np.finfo(dtype).eps * 8 * max(1, x.size / wanted.size) ** 0.5
        np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", ["prod", "nanprod"])
@pytest.mark.parametrize("factors", [(3, 1 / 3), (1e-30, 1e30), (0, 2), (np.inf, 2), (1e-20, 1e-20)], ids=str)
def test_products_that_leave_the_range_in_another_order(name, factors):
    """Lanes that overflow times lanes that vanish are NaN, so the reference answers."""
    x = np.tile(np.float32(factors), 4000)
    for array, axis in ((x, 0), (np.repeat(x[:, None], 19, 1), 0), (x.reshape(2, -1), 1)):
        np.testing.assert_array_equal(*both(REGISTRY[name](axis=axis), array))


@pytest.mark.parametrize("name", ["sum", "max", "min", "norm", "argmax", "argmin"])
@pytest.mark.parametrize("shape", [(40,), (5, 700), (700, 5), (3, 40, 20)], ids=str)
def test_nan(name, shape):
    x = np.random.default_rng(0).normal(size=shape).astype("float32")
    x.flat[[3, 17, 18]] = np.nan
    for axis in range(len(shape)):
        found, wanted = both(REGISTRY[name](axis=axis), x)
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("shape", [(1,), (15,), (16,), (17,), (1000,), (6, 33), (33, 6), (4, 50, 19)], ids=str)
@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_the_first_of_equal_elements(name, shape):
    x = np.random.default_rng(0).integers(0, 4, size=shape).astype("float32")
    for axis in (None, *range(len(shape))):
        np.testing.assert_array_equal(*both(REGISTRY[name](axis=axis), x))


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize(("name", "shape", "axis"), [
    ("sum", (-1,), 0), ("sum", (2, -1), 1), ("sum", (-1, 4), 0), ("sum", (1, 4, -1), (0, 2)), ("mean", (-1,), 0),
    ("nansum", (-1,), 0), ("norm", (-1, 4), 0)])
def test_the_error_of_a_sum_does_not_grow_with_its_length(name, shape, axis, isa):
    """One number again and again: each addition rounds in the same direction until the sum doubles."""
    data = np.full(2 ** 23, 0.1, "float32").reshape(shape)
    op = REGISTRY[name](axis=axis)
    out = Spec(op.infer_shape(data.shape)[1][0], data.dtype)
    with configured(isa):
        found = BACKEND.prepare(op, [Spec(data.shape, data.dtype)], [out], False, None).run([data])[0]
    count = data.size // found.size
    exact = float(data.flat[0]) * {"mean": 1, "norm": count ** 0.5}.get(name, count)
    np.testing.assert_allclose(found, exact, rtol=4 * np.finfo("float32").eps)


@pytest.mark.parametrize(("shape", "axis"), [((300001,), 0), ((100000, 4), 0), ((8, 30, 900), (0, 2))])
def test_results_do_not_depend_on_threads(shape, axis):
    x = np.random.default_rng(0).normal(size=shape).astype("float32")
    before = engine.threads()
    results = []
    for threads in (1, 2, 3):
        engine.set_threads(threads)
        results.append(both(REGISTRY["sum"](axis=axis), x)[0])
    engine.set_threads(before)
    assert all(np.array_equal(results[0], r) for r in results)


def test_nothing():
    assert isinstance(both(REGISTRY["sum"](axis=0), np.zeros((0, 3), "float32"))[0], str)
    assert both(REGISTRY["sum"](axis=1), np.zeros((0, 3), "float32"))[0].shape == (0,)


@pytest.mark.parametrize("found", ["float32", "float64", "uint8", "int8", "int32", "int64"])
@pytest.mark.parametrize("wanted", ["float32", "float64", "uint8", "int8", "int32", "int64", "bool"])
def test_conversions(found, wanted):
    x = np.array([0, 1, -1, 100, 127, -128, 2.7, -2.7, 255, 300, -300, 70000] * 13)
    with np.errstate(all="ignore"):
        x = x.astype("int64").astype(found) if found[0] != "f" else x.astype(found)
        result, expected = both(REGISTRY["Cast"](dtype=wanted), x)
    assert not isinstance(result, str)
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)
