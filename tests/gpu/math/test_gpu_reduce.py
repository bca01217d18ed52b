"""Reductions on the GPU: all sets of axes, lines short and long, NaN, ties, nothing at all, and every dtype."""

import itertools

import numpy as np
import pytest
from helpers import WIDE
from helpers.gpu_checks import GPU, Twin, agree, backend, to_gpu
from helpers.gpu_rows import cases_of, check_case
from hypothesis import given, settings
from hypothesis import strategies as st
from minigluon_accel.gpu import launch
from minigluon_accel.gpu.kernels import reductions
from minigluon_accel.gpu.kernels.math import statistics

from minigluon import nd
from minigluon.backend import Spec
from minigluon.ops import REGISTRY

REDUCTIONS = ["sum", "mean", "prod", "max", "min", "nansum", "nanprod", "_square_sum", "norm"]
OWN = {*REDUCTIONS, "_prod_others", "_mean_weight", "_spread_like", "_sum_like", "argmax", "argmin", "argmax_channel",
       "moments", "_np_cumsum", "_cumsum_backwards"}
ROWS = cases_of(*REDUCTIONS, "_prod_others", "_mean_weight", "_spread_like", "argmax", "argmin", "argmax_channel",
                "moments", "cumsum", "_cumsum_backwards", "broadcast_add", "broadcast_to")


@pytest.mark.parametrize("case", ROWS, ids=lambda c: c.id)
def test_rows(case):
    types = ["float32", "float64", "float16"]
    for dtype in types if WIDE else [types[ROWS.index(case) % 3]]:      # each row has its turn
        check_case(case, dtype, only=OWN)


def numbers(shape, dtype, name, seed=0):
    """Few different ones, so that there are ties; close to 1 for products."""
    rng = np.random.default_rng(seed)
    if "prod" in name:
        return (1 + rng.normal(size=shape) * 1e-3).astype(dtype) if "float" in dtype else np.ones(shape, dtype)
    if "float" in dtype:
        return rng.choice(rng.normal(size=50), shape).astype(dtype)
    return rng.integers(0, 100, shape).astype(dtype)


DTYPES = ["float32", "float16", "int64", "uint8", *["float64", "int32", "int8"] * WIDE]


@pytest.mark.parametrize(("name", "dtype"), [
    *itertools.product(["sum", "mean", "max"], DTYPES),
    *itertools.product(["prod", "min", "nansum", "nanprod", "_square_sum", "norm"], ["float16", "int32"])])
def test_dtypes(name, dtype):
    for shape, axis in ((3, 5, 7), 1), ((40, 3), 0), ((3, 300), 1), ((2, 3, 4), (0, 2)), ((9,), None):
        agree(name, numbers(shape, dtype, name), axis=axis, keepdims=True)


@pytest.mark.parametrize("shape", [(1,), (2000,), (4, 600), (600, 4), (7, 90, 5), (33, 1, 20), (2, 3, 4, 5)], ids=str)
@pytest.mark.parametrize("name", ["sum", "max", "norm"])
def test_all_sets_of_axes(name, shape):
    data = numbers(shape, "float32", name)
    for count in range(len(shape) + 1):
        for axes in itertools.combinations(range(len(shape)), count):
            agree(name, data, axis=axes, exclude=True) if name != "norm" else agree(name, data, axis=axes)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.sampled_from([0, 1, 2, 3, 5, 8, 17, 33]), min_size=1, max_size=4), st.sampled_from(REDUCTIONS),
       st.sampled_from(["float32", "float16", "int32"]), st.data())
def test_drawn_shapes(shape, name, dtype, data):
    axes = tuple(data.draw(st.sets(st.integers(0, len(shape) - 1))))
    if name in ("max", "min") and 0 in shape:
        shape = [n or 1 for n in shape]
    if name == "mean" and dtype == "int32" and 0 in shape:
        shape = [n or 1 for n in shape]         # the mean of nothing is NaN, and no integer
    agree(name, numbers(shape, dtype, name, data.draw(st.integers(0, 9))), axis=axes)


@pytest.mark.parametrize("name", ["sum", "mean", "max", "min", "nansum", "norm", "argmax", "argmin", "moments"])
@pytest.mark.parametrize("shape", [(40,), (5, 700), (700, 5), (3, 40, 20)], ids=str)
def test_nan_and_infinity(name, shape):
    data = numbers(shape, "float32", name)
    data.flat[[3, 17, 18]] = np.nan
    data.flat[[4, 30]] = np.inf, -np.inf
    attribute = "axes" if name == "moments" else "axis"
    for axis in range(len(shape)):
        agree(name, data, **{attribute: (axis,) if name == "moments" else axis})


LAST = {"uint8": 255, "float16": 2048}      # the last position that the type of data, and so of the result, can hold


@pytest.mark.parametrize("shape", [(1,), (33,), (1000,), (6, 33), (33, 6), (4, 50, 19), (2, 3000)], ids=str)
@pytest.mark.parametrize("dtype", ["float32", "float16", "int32", "uint8"])
def test_the_first_of_equal_elements(shape, dtype):
    data = np.random.default_rng(0).integers(0, 4, size=shape).astype(dtype)
    for name in "argmax", "argmin":
        for axis in (None, *range(len(shape))):
            if data.size - 1 <= LAST.get(dtype, data.size):
                agree(name, data, axis=axis)


def test_the_smallest_and_largest_integers():
    for dtype in "int8", "int32", "int64":
        info = np.iinfo(dtype)
        for value in info.min, info.max:
            for name in "max", "min", "argmax":
                agree(name, np.full((3, 5), value, dtype), axis=1)


def test_sums_of_integers_wrap_round_as_the_references():
    data = np.full((4, 1000), 200, "uint8")
    assert agree("sum", data, axis=1).wanted()[0][0].tolist() == [64] * 4
    agree("prod", np.full((3, 70), 3, "int32"), axis=1)


@pytest.mark.parametrize("shape", [(5,), (3, 4), (2, 3, 4), (40, 3), (0, 3)], ids=str)
@pytest.mark.parametrize("dtype", ["float32", "float16", "int32"])
def test_running_sums(shape, dtype):
    data = numbers(shape, dtype, "sum")
    for axis in (None, *range(len(shape))):
        agree("cumsum", data, axis=axis)
        agree("_cumsum_backwards", data, axis=axis)
    agree("cumsum", data, axis=0, dtype="float64")


@pytest.mark.parametrize(("shape", "axis"), [((9000,), 0), ((2, 5000, 3), 1), ((5000, 2), 0)], ids=str)
def test_long_running_sums_in_chunks(shape, axis):
    """Of integers, so that floats have no error."""
    data = np.random.default_rng(0).integers(-9, 10, shape)
    for dtype in "float32", "int32":
        agree("cumsum", data.astype(dtype), axis=axis)
        agree("_cumsum_backwards", data.astype(dtype), axis=axis)


@pytest.mark.parametrize("shape", [(33, 64), (33, 65), (32, 127), (1, 128), (31, 129), (65, 257), (3, 4095), (2, 70, 3),
                                   (3, 17, 5)], ids=str)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int8"])
def test_running_sums_have_the_bits_of_the_reference(shape, dtype):
    """Where lines are whole, whatever threads read them: tiles with fewer lines or elements than there is room for."""
    data = numbers(shape, dtype, "sum")
    data.flat[5], data.flat[-3] = 0, -data.flat[-3]
    with np.errstate(over="ignore"):
        for name in "_np_cumsum", "_cumsum_backwards":
            for axis in range(len(shape)):
                twin = Twin(REGISTRY[name](axis=axis), [data])
                assert twin.check()
                call, _ = twin._prepare()
                np.testing.assert_array_equal(call([to_gpu(data)])[0].numpy(), twin.wanted()[0][0], strict=True)


def test_a_sum_with_nan_begins_where_it_is(monkeypatch):
    """In chunks of lines, with infinities: nothing is subtracted, and nothing goes back."""
    monkeypatch.setattr(statistics, "LONG", 1)
    monkeypatch.setattr(statistics, "CHUNK", 3)
    for shape, axis in ((700, 3), 0), ((3, 700), 1), ((20000 if WIDE else 2000,), 0), ((5, 200), 1):
        data = np.random.default_rng(0).integers(-9, 10, shape).astype("float32")
        along = np.moveaxis(data, axis, 0)
        along[100, ...], along[150, ...] = np.inf, np.nan
        for dtype in "float32", "float64", "int32":
            with np.errstate(invalid="ignore"):
                agree("cumsum", np.nan_to_num(data, posinf=5).astype(dtype) if dtype == "int32" else data.astype(dtype),
                      axis=axis)
                agree("_cumsum_backwards", data, axis=axis)


def test_many_dimensions_that_cannot_be_joined():
    """Eight of them, every other one reduced; with more than a kernel has, the operator is declined."""
    data = numbers((2, 3) * 4, "float32", "sum")
    axes = tuple(range(0, 8, 2))
    agree("sum", data, axis=axes)
    agree("_spread_like", data.sum(axes), data, axis=axes)
    agree("_prod_others", data, axis=axes)
    wide = np.zeros((2,) * 26, "uint8")
    twin = Twin(REGISTRY["_spread_like"](axis=tuple(range(0, 26, 2))), [wide[(0,) * 13], wide])
    assert twin.declined == "26 dimensions that cannot be joined"


def test_truth_values():
    data = np.random.default_rng(0).integers(0, 2, (5, 7)).astype(bool)
    for name in "sum", "prod", "max", "min":
        agree(name, data, axis=1)


def test_what_broadcasting_has_stretched():
    for shape, like in ((4, 3, 5), (3, 1)), ((4, 3, 5), (4, 3, 5)), ((2, 300), (300,)), ((0, 3), (1, 3)), ((6,), (1,)):
        agree("_sum_like", numbers(shape, "float32", "sum"), np.zeros(like, "float32"))


def test_moments_far_from_zero():
    """Where the mean is 10,000 times the deviation, a difference of squares would have no digit left."""
    data = (1e4 + np.random.default_rng(0).normal(size=(3, 5000))).astype("float32")
    for attributes in {"axes": (1,)}, {"axes": (0,)}, {}:
        agree("moments", data, **attributes)
    variance = nd.moments(nd.array(data, ctx=GPU), axes=(1,))[1].asnumpy()
    np.testing.assert_allclose(variance, data.astype("float64").var(1), rtol=1e-3)


def test_more_lines_than_the_grid_has_blocks(monkeypatch):
    monkeypatch.setattr(launch, "MAX_BLOCKS", 2)
    for shape, axis in ((3000, 3), 1), ((5, 3000), 1), ((40, 6, 70), 1), ((3, 9, 200, 4), (1, 3)):
        agree("sum", numbers(shape, "float32", "sum"), axis=axis)
        agree("max", numbers(shape, "float32", "sum"), axis=axis)
    agree("argmax", numbers((3000, 3), "float32", "sum"), axis=1)
    agree("_prod_others", numbers((1200, 3), "float32", "prod"), axis=1)


def test_a_line_is_divided_where_the_grid_would_be_small():
    assert reductions._chunks(1, 2 ** 22, 1) == reductions.MANY
    assert reductions._chunks(2 ** 20, 2 ** 12, 1) == 1
    assert reductions._chunks(1, 2 ** 12, 64) > 1
    launches, scratch = reductions.stepwise("math/reduce.cu", {}, [(1, 2 ** 22, 1)], 4)
    assert [entry.grid for entry in launches] == [reductions.MANY, 1]
    assert [spec.shape for spec in scratch] == [(reductions.MANY // 2 + 1,)]


@pytest.mark.parametrize(("shape", "axis"), [((300001,), 0), ((100000, 4), 0), ((8, 30, 90), (0, 2))])
def test_the_same_bits_in_each_run(shape, axis):
    data = numbers(shape, "float32", "sum")
    op, gpu = REGISTRY["sum"](axis=axis), backend()
    wanted = op.forward(data)
    data = gpu.from_numpy(data, None)
    kernel = gpu.prepare(op, [Spec(data.shape, data.dtype)], [Spec(wanted.shape, wanted.dtype)], False,
                         None)
    first, *others = [kernel.run([data])[0].numpy() for _ in range(3)]
    np.testing.assert_allclose(first, wanted, rtol=1e-5, atol=1e-3)
    for other in others:
        np.testing.assert_array_equal(first, other)
