"""Pooling on the GPU: drawn windows in all layouts and conventions, there and back; ties, NaN, dtypes."""

import numpy as np
import pytest
from helpers.gpu_checks import Twin, agree, to_gpu
from helpers.gpu_rows import cases_of, check_case
from helpers.pooling_draws import check_with_gradients, numbers, pools
from hypothesis import given, settings
from hypothesis import strategies as st
from minigluon_accel.gpu import launch
from minigluon_accel.gpu.kernels.nn import pooling

from minigluon.ops import REGISTRY

OWN = {"Pooling", "_sum_pooling_grad", "_max_pooling_grad", "_pick_largest", "_max_pooling_argmax",
       "_max_pooling_argmax_grad"}
ROWS = cases_of(*OWN)
POOLS = pools(longest=20, most_p=3, dtypes=["float32", "float16"])


@pytest.mark.parametrize("case", ROWS, ids=lambda c: c.id)
def test_rows(case):
    for dtype in "float32", "float64", "float16":
        check_case(case, dtype, only=OWN)


def check(name, arrays, **attributes):
    assert Twin(REGISTRY[name](**attributes), arrays).check(), name


@settings(deadline=None, max_examples=60)
@given(POOLS)
def test_windows(pool):
    attributes, data = pool
    check_with_gradients(check, attributes, data)


@settings(deadline=None, max_examples=25)
@given(POOLS, st.sampled_from([np.nan, np.inf, -np.inf]), st.integers(1, 9))
def test_special_values(pool, special, every):
    attributes, data = pool
    attributes["pool_type"] = "max"
    data.flat[::every] = special
    check_with_gradients(check, attributes, data)


def test_nothing_but_minus_infinity():
    data = np.full((2, 3, 9, 21), -np.inf, "float32")
    for pad in (0, 0), (1, 1):
        check_with_gradients(check, {"kernel": (3, 3), "stride": (2, 2), "pad": pad, "pool_type": "max"}, data)


@pytest.mark.parametrize("dtype", ["float64", "int32", "int64", "uint8", "int8"])
@pytest.mark.parametrize("kind", ["max", "avg", "sum", "lp"])
def test_dtypes(dtype, kind):
    data = np.random.default_rng(0).integers(0, 100, (2, 3, 7, 8)).astype(dtype)
    for more in {"kernel": (3, 2), "stride": (2, 2), "pad": (1, 0)}, {"global_pool": True}:
        attributes = {"pool_type": kind, **more, **({"p_value": 1} if kind == "lp" else {})}
        twin = agree("Pooling", data, **attributes)
        pooled = twin.wanted()[0][0]
        if kind == "max":
            check("_max_pooling_grad", [pooled, data, pooled], **attributes)
        elif kind != "lp":
            check("_sum_pooling_grad", [pooled, data], **attributes)


def test_square_roots_of_integers():
    data = np.arange(-300, 300).reshape(1, 1, 20, 30)
    for kernel in (1, 1), (2, 1):
        agree("Pooling", data, pool_type="lp", kernel=kernel, p_value=2)


@pytest.mark.parametrize("kind", ["max", "avg", "sum"])
def test_more_windows_than_the_grid_has_threads(kind, monkeypatch):
    monkeypatch.setattr(launch, "MAX_BLOCKS", 2)
    data = numbers(np.random.default_rng(0), (3, 5, 20, 21), "float32")
    for kernel, stride in ((3, 3), (1, 1)), ((2, 2), (2, 2)):
        check_with_gradients(check, {"kernel": kernel, "stride": stride, "pool_type": kind}, data)


def test_indices_of_64_bits(monkeypatch):
    """What arrays of 2**31 elements or more run, on small ones."""
    monkeypatch.setattr(pooling, "SMALL", 1)
    data = numbers(np.random.default_rng(0), (2, 3, 6, 7), "float32")
    check_with_gradients(check, {"kernel": (3, 2), "stride": (2, 2), "pool_type": "max", "pad": (1, 0)}, data)


@pytest.mark.parametrize("attributes", [
    {"kernel": (3, 2), "stride": (2, 3), "pad": (1, 0)}, {"kernel": (2, 2), "stride": (2, 2), "layout": "NHWC"},
    {"kernel": (3,), "stride": (1,), "pad": (2,)}, {"kernel": (2, 1, 3), "stride": (1, 2, 2), "pad": (1, 0, 1)},
], ids=str)
@pytest.mark.parametrize("kind", ["max", "avg", "lp"])
def test_kernels_that_know_their_windows(monkeypatch, attributes, kind):
    """What large arrays run, on small ones."""
    monkeypatch.setattr(pooling, "MANY", 1)
    shape = {1: (2, 3, 9), 2: (2, 7, 8, 3), 3: (1, 2, 5, 4, 6)}[len(attributes["kernel"])]
    more = {"p_value": 2} if kind == "lp" else {}
    data = numbers(np.random.default_rng(0), shape, "float32")
    data.flat[::11] = np.nan if kind == "max" else 0
    check_with_gradients(check, {"pool_type": kind, **attributes, **more}, data)


@pytest.mark.parametrize("attributes", [
    {"kernel": (2, 2), "stride": (2 ** 32, 1)}, {"kernel": (2 ** 30, 1), "pad": (2 ** 30 - 1, 0)}], ids=str)
def test_windows_that_reach_further_than_32_bits(attributes):
    twin = Twin(REGISTRY["Pooling"](pool_type="max", **attributes), [np.ones((1, 1, 4, 4), "float32")])
    assert "reach 2**31 places" in twin.declined


@pytest.mark.parametrize("kind", ["max", "avg", "sum"])
def test_no_images(kind):
    for layout, shape in ("NCHW", (0, 3, 4, 4)), ("NHWC", (2, 4, 4, 0)):
        check_with_gradients(check, {"kernel": (2, 2), "pool_type": kind, "layout": layout}, np.zeros(shape, "float32"))


@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
def test_one_window_over_all_of_space(layout):
    shape = (2, 3, 40, 50) if layout == "NCHW" else (2, 40, 50, 3)
    for kind in "max", "avg", "sum":
        check_with_gradients(check, {"global_pool": True, "pool_type": kind, "layout": layout},
                             numbers(np.random.default_rng(0), shape, "float32"))


def test_a_gradient_of_infinity_goes_to_the_winner_alone():
    data, grad = np.arange(32, dtype="float32").reshape(1, 1, 4, 8), np.full((1, 1, 2, 4), np.inf, "float32")
    pooled = data[:, :, 1::2, 1::2].copy()
    twin = Twin(REGISTRY["_max_pooling_grad"](kernel=(2, 2), stride=(2, 2)), [grad, data, pooled])
    call, _ = twin._prepare()
    found = twin.run(call, None, [to_gpu(a) for a in twin.arrays])[0][0]
    assert np.all(found[:, :, 1::2, 1::2] == np.inf)
    assert np.count_nonzero(found) == 8


@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
def test_a_saved_position_of_nan_is_that_of_the_reference(layout):
    """One window for each position and each pair of positions of NaN."""
    one = np.eye(6, dtype=bool)
    several = (one[:, None] | one).reshape(36, 1, 2, 3)
    data = np.where(several, np.nan, np.float32([[5, 3, 1], [4, 6, 2]])).astype("float32")
    data = data if layout == "NCHW" else data.transpose(0, 2, 3, 1).copy()
    agree("_max_pooling_argmax", data, kernel=(2, 3), stride=(2, 3), layout=layout)
