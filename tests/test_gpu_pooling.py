"""Pooling on the GPU: drawn windows in all layouts and conventions, there and back; ties, NaN, dtypes."""

import numpy as np
import pytest
from gpu_checks import Twin, agree, to_gpu
from gpu_rows import cases_of, check_case
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from minigluon_accel.gpu import launch

from minigluon.ops import REGISTRY
from minigluon.ops.pooling_winners import WindowsApart

OWN = {"Pooling", "_sum_pooling_grad", "_max_pooling_grad", "_pick_largest", "_max_pooling_winners",
       "_max_pooling_winners_grad"}
ROWS = cases_of(*OWN)
LAYOUTS = {(1, False): "NCW", (2, False): "NCHW", (3, False): "NCDHW", (1, True): "NWC", (2, True): "NHWC",
           (3, True): "NDHWC"}


@pytest.mark.parametrize("case", ROWS, ids=lambda c: c.id)
def test_rows(case):
    for dtype in "float32", "float64", "float16":
        check_case(case, dtype, only=OWN)


def numbers(rng, shape, dtype):
    """Few different ones, so that windows have several largest elements."""
    return rng.integers(-3, 4, shape).astype(dtype)


@st.composite
def pools(draw):
    """(attributes of Pooling, data)"""
    d, last = draw(st.sampled_from([1, 2, 2, 2, 3])), draw(st.booleans())
    space = [draw(st.integers(1, 20 if d < 3 else 6)) for _ in range(d)]
    kernel = [draw(st.integers(1, min(4, n))) for n in space]
    convention = draw(st.sampled_from(["valid", "full", "same"]))
    pad = [0 if convention == "same" or draw(st.booleans()) else draw(st.integers(0, k - 1)) for k in kernel]
    attributes = {
        "kernel": tuple(kernel), "stride": tuple(draw(st.integers(1, 4)) for _ in kernel), "pad": tuple(pad),
        "pooling_convention": convention, "layout": LAYOUTS[d, last], "global_pool": draw(st.integers(0, 9)) == 0,
        "pool_type": draw(st.sampled_from(["max", "avg", "sum", "lp"])), "p_value": draw(st.integers(1, 3)),
        "count_include_pad": draw(st.booleans())}
    batch, channels = draw(st.integers(1, 3)), draw(st.integers(1, 5))
    shape = (batch, *space, channels) if last else (batch, channels, *space)
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    return attributes, numbers(rng, shape, draw(st.sampled_from(["float32", "float16"])))


def check(name, arrays, **attributes):
    assert Twin(REGISTRY[name](**attributes), arrays).check(), name


def check_with_gradients(attributes, data):
    rng = np.random.default_rng(0)
    pooling = REGISTRY["Pooling"](**attributes)
    check("Pooling", [data], **attributes)
    with np.errstate(all="ignore"):
        pooled = pooling.forward(data)
    grad = rng.standard_normal(pooled.shape).astype(data.dtype)
    if pooling.pool_type in ("avg", "sum"):
        check("_sum_pooling_grad", [grad, data], **attributes)
    if pooling.pool_type != "max":
        return
    check("_max_pooling_grad", [grad, data, pooled], **attributes)
    check("_pick_largest", [rng.standard_normal(data.shape).astype(data.dtype), data, pooled], **attributes)
    if WindowsApart.suits(pooling):
        check("_max_pooling_winners", [data], **attributes)
        winners = REGISTRY["_max_pooling_winners"](**attributes).forward(data)[1]
        check("_max_pooling_winners_grad", [grad, winners, data], **attributes)


@settings(deadline=None, max_examples=60)
@given(pools())
def test_windows(pool):
    attributes, data = pool
    try:
        REGISTRY["Pooling"](**attributes).infer_shape(data.shape)
    except ValueError:
        assume(False)
    check_with_gradients(attributes, data)


@settings(deadline=None, max_examples=25)
@given(pools(), st.sampled_from([np.nan, np.inf, -np.inf]), st.integers(1, 9))
def test_special_values(pool, special, every):
    attributes, data = pool
    attributes["pool_type"] = "max"
    data.flat[::every] = special
    try:
        REGISTRY["Pooling"](**attributes).infer_shape(data.shape)
    except ValueError:
        assume(False)
    check_with_gradients(attributes, data)


def test_nothing_but_minus_infinity():
    data = np.full((2, 3, 9, 21), -np.inf, "float32")
    for pad in (0, 0), (1, 1):
        check_with_gradients({"kernel": (3, 3), "stride": (2, 2), "pad": pad, "pool_type": "max"}, data)


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


@pytest.mark.parametrize("kind", ["max", "avg", "sum"])
def test_more_windows_than_the_grid_has_threads(kind, monkeypatch):
    monkeypatch.setattr(launch, "MOST_BLOCKS", 2)
    data = numbers(np.random.default_rng(0), (3, 5, 20, 21), "float32")
    for kernel, stride in ((3, 3), (1, 1)), ((2, 2), (2, 2)):
        check_with_gradients({"kernel": kernel, "stride": stride, "pool_type": kind}, data)


@pytest.mark.parametrize("kind", ["max", "avg", "sum"])
def test_no_images(kind):
    check_with_gradients({"kernel": (2, 2), "pool_type": kind}, np.zeros((0, 3, 4, 4), "float32"))
    check_with_gradients({"kernel": (2, 2), "pool_type": kind, "layout": "NHWC"}, np.zeros((2, 4, 4, 0), "float32"))


@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
def test_one_window_over_all_of_space(layout):
    shape = (2, 3, 40, 50) if layout == "NCHW" else (2, 40, 50, 3)
    for kind in "max", "avg", "sum":
        check_with_gradients({"global_pool": True, "pool_type": kind, "layout": layout},
                             numbers(np.random.default_rng(0), shape, "float32"))


def test_a_gradient_of_infinity_goes_to_the_winner_alone():
    data, grad = np.arange(32, dtype="float32").reshape(1, 1, 4, 8), np.full((1, 1, 2, 4), np.inf, "float32")
    pooled = data[:, :, 1::2, 1::2].copy()
    twin = Twin(REGISTRY["_max_pooling_grad"](kernel=(2, 2), stride=(2, 2)), [grad, data, pooled])
    call, _ = twin._prepare()
    found = twin.run(call, None, [to_gpu(a) for a in twin.arrays])[0][0]
    assert np.all(found[:, :, 1::2, 1::2] == np.inf)
    assert np.count_nonzero(found) == 8
