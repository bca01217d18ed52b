"""sort, argsort and topk on the GPU: equal elements keep their order, NaN come last, rows of any length."""

import numpy as np
import pytest
from helpers import WIDE, gpu_choice  # noqa: F401 - skips where there is no GPU and no emulator
from helpers.gpu_checks import GPU, agree, prepared
from helpers.gpu_rows import cases_of, check_case
from hypothesis import given
from hypothesis import strategies as st
from minigluon_accel.gpu.kernels.array import ordering

import minigluon as mx
from minigluon import autograd, nd
from minigluon.base import ShapeError

DTYPES = ["float32", "float64", "float16", "int32", "int64", "uint8", "int8"]

dtypes = st.sampled_from(DTYPES)
shapes = st.lists(st.integers(0, 7), min_size=1, max_size=3).map(tuple)
seeds = st.integers(0, 2 ** 32 - 1)


def drawn(seed, shape, dtype, spread=5):
    """Few different numbers, so that many are equal; both zeros, infinities and NaN, or the ends of the range."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0 if dtype == "uint8" else -spread, spread + 1, shape).astype(dtype)
    if values.dtype.kind == "f":
        for special in np.nan, np.inf, -np.inf, -0.0, np.finfo(dtype).smallest_subnormal:
            values[rng.random(shape) < 0.1] = special
    else:
        for special in np.iinfo(dtype).min, np.iinfo(dtype).max:
            values[rng.random(shape) < 0.1] = special
    return values


def test_all_of_them_have_kernels():
    assert {"sort", "argsort", "topk", "_along_axis", "_along_axis_grad"} <= set(prepared())


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_rows_of_the_table(dtype):
    for case in cases_of("sort", "argsort", "topk"):
        check_case(case, dtype)


@given(shapes, st.data(), dtypes, st.booleans(), seeds)
def test_sort_and_argsort(shape, data, dtype, is_ascend, seed):
    how = {"axis": data.draw(st.none() | st.integers(-len(shape), len(shape) - 1)), "is_ascend": is_ascend}
    x = drawn(seed, shape, dtype)
    agree("sort", x, **how)
    agree("argsort", x, dtype=dtype, **how)


@given(shapes, st.data(), dtypes, st.booleans(), st.sampled_from(["both", "indices", "mask", "value"]), seeds)
def test_topk(shape, data, dtype, is_ascend, ret_typ, seed):
    axis = data.draw(st.none() | st.integers(-len(shape), len(shape) - 1))
    n = int(np.prod(shape)) if axis is None else shape[axis]
    agree("topk", drawn(seed, shape, dtype), axis=axis, k=data.draw(st.integers(0, n)), is_ascend=is_ascend,
          ret_typ=ret_typ, dtype=dtype if seed % 2 else "int32")


@given(st.lists(st.integers(1, 6), min_size=1, max_size=3).map(tuple), st.data(), dtypes, seeds)
def test_elements_at_places(shape, data, dtype, seed):
    axis = data.draw(st.none() | st.integers(-len(shape), len(shape) - 1))
    x = drawn(seed, shape, dtype)
    line = x.ravel() if axis is None else x
    where = np.argsort(np.random.default_rng(seed).random(line.shape), -1 if axis is None else axis)
    count = data.draw(st.integers(0, where.shape[axis or 0]))
    where = np.take(where, np.arange(count), axis or 0)
    agree("_along_axis", x, where, axis=axis)
    agree("_along_axis_grad", drawn(seed + 1, where.shape, dtype), x, where, axis=axis)


@pytest.mark.parametrize("dtype", ["float32", "float64", "uint8"])
@pytest.mark.parametrize("n", [31, 32, 33, 1023, 1024, 1025, 2048, 2049, 5000])
def test_lengths_around_those_of_tiles(n, dtype):
    x = drawn(n, (2, n), dtype, spread=90)
    agree("sort", x, is_ascend=bool(n % 2))
    agree("topk", x, k=7, ret_typ="both", dtype="int32")


FIRST_FEW = [(64, 1), (64, 32), (95, 31), (255, 2), (256, 5), (257, 32), (2047, 9), (4100, 3)]


@pytest.mark.parametrize(("n", "k", "dtype"), [
    (*sizes, dtype) for dtype in DTYPES
    for sizes in (FIRST_FEW if WIDE or dtype in ("float32", "int64") else FIRST_FEW[1::3])])
def test_the_first_few_are_those_of_a_sort(n, k, dtype):
    """Ties, both zeros and NaN are where a sort has them, in rows that begin with the best and in those that end so."""
    x = drawn(n + k, (3, n), dtype, spread=90)
    x[1].sort()
    x[2] = x[1, ::-1]
    for is_ascend in True, False:
        agree("topk", x, k=k, ret_typ="both", dtype="int32", is_ascend=is_ascend)
        agree("topk", x.T, k=k, ret_typ="both", dtype="int32", is_ascend=is_ascend, axis=0)
        agree("topk", x[:1], k=k, ret_typ="mask", is_ascend=is_ascend)


def test_the_first_few_of_parts_of_rows(monkeypatch):
    """A row is divided among warps until all of its first items are in one part; the last parts may be empty."""
    monkeypatch.setattr(ordering, "PART", 7)
    for dtype in "float32", "int64":
        x = drawn(1, (2, 300), dtype, spread=90)
        agree("topk", x, k=3, ret_typ="both", dtype="int32")
        agree("topk", x, k=32, ret_typ="both", dtype="int32")
    monkeypatch.setattr(ordering, "WARPS", 9)
    agree("topk", drawn(2, (100,), "float32"), k=2, ret_typ="both", dtype="int32", is_ascend=True)
    agree("topk", np.full((3, 100), np.nan, "float32"), k=4, ret_typ="both", dtype="int32")


def test_many_short_rows_and_long_columns(few_blocks):
    agree("sort", drawn(0, (700, 5), "float32"))
    agree("argsort", drawn(1, (3000, 2), "int32"), axis=0, is_ascend=False, dtype="int64")
    agree("sort", drawn(2, (3, 1500, 2), "float16"), axis=1)
    agree("topk", drawn(3, (3, 1500, 2), "float64"), axis=1, k=1000, ret_typ="mask")


def test_places_that_a_type_cannot_hold():
    """They would be rounded, or wrap round: an error, wherever the array is."""
    x = nd.zeros((3000,), ctx=GPU)
    for dtype in ("float16", "uint8"):
        with pytest.raises(ShapeError) as caught:
            nd.argsort(x, dtype=dtype)
        assert str(caught.value).splitlines()[0] == (
            f"argsort: positions up to 2999 do not fit into dtype='{dtype}'. Choose dtype='int32'.")


def test_gradients():
    x = drawn(5, (4, 9), "float64")
    x[~np.isfinite(x)] = 3

    def compute(ctx):
        a = nd.array(x, ctx=ctx, dtype="float64")
        a.attach_grad()
        with autograd.record():
            values, _ = nd.topk(a, k=4, ret_typ="both", axis=0)
            rows = nd.sort(a, axis=1, is_ascend=False) * nd.arange(9, ctx=ctx, dtype="float64")
            y = rows.sum() + (values * 3).sum()
        y.backward()
        return a.grad.asnumpy()
    np.testing.assert_array_equal(compute(GPU), compute(mx.cpu()))
