"""The kernels of pooling against the reference: sizes that fill no vector, ties, padding, layouts, tiles of 2 x 2."""

import numpy as np
import pytest

pytest.importorskip("minigluon_accel", reason="minigluon-accel is not installed")

from accel_checks import Twin
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from minigluon.ops import REGISTRY
from minigluon.ops.pooling_winners import WindowsApart

LAYOUTS = {(1, False): "NCW", (2, False): "NCHW", (3, False): "NCDHW", (1, True): "NWC", (2, True): "NHWC",
           (3, True): "NDHWC"}


def numbers(rng, shape, dtype):
    """Few different ones, so that windows have several largest elements."""
    return rng.integers(-3, 4, shape).astype(dtype)


@st.composite
def pools(draw):
    """(attributes of Pooling, data)"""
    d, last = draw(st.sampled_from([1, 2, 2, 2, 3])), draw(st.booleans())
    space = [draw(st.integers(1, 40 if d < 3 else 6)) for _ in range(d)]
    kernel = [draw(st.integers(1, min(4, n))) for n in space]
    convention = draw(st.sampled_from(["valid", "full", "same"]))
    pad = [0 if convention == "same" or draw(st.booleans()) else draw(st.integers(0, k - 1)) for k in kernel]
    attributes = {
        "kernel": tuple(kernel), "stride": tuple(draw(st.integers(1, 4)) for _ in kernel), "pad": tuple(pad),
        "pooling_convention": convention, "layout": LAYOUTS[d, last], "global_pool": draw(st.integers(0, 9)) == 0,
        "pool_type": draw(st.sampled_from(["max", "avg", "sum", "lp"])), "p_value": draw(st.integers(1, 2)),
        "count_include_pad": draw(st.booleans())}
    batch, channels = draw(st.integers(1, 3)), draw(st.integers(1, 5))
    shape = (batch, *space, channels) if last else (batch, channels, *space)
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    return attributes, numbers(rng, shape, draw(st.sampled_from(["float32", "float64"])))


def check(name, arrays, **attributes):
    assert Twin(REGISTRY[name](**attributes), arrays).check(), name


def check_with_gradients(attributes, data):
    rng = np.random.default_rng(0)
    pooling = REGISTRY["Pooling"](**attributes)
    check("Pooling", [data], **attributes)
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


@pytest.mark.parametrize("width", [1, 2, 3, 4, 6, 8, 12, 16, 17, 33])
@pytest.mark.parametrize("images", [1, 3, 40])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_tiles_of_two_by_two(width, images, dtype):
    data = numbers(np.random.default_rng(width), (images, 3, 6, 2 * width), dtype)
    check_with_gradients({"kernel": (2, 2), "stride": (2, 2), "pool_type": "max"}, data)


def test_nothing_but_minus_infinity():
    data = np.full((2, 3, 9, 21), -np.inf, "float32")
    for pad in (0, 0), (1, 1):
        check("Pooling", [data], kernel=(3, 3), stride=(2, 2), pad=pad, pool_type="max")


@pytest.mark.parametrize("windows", [{"kernel": (2, 2), "stride": (2, 2)}, {"kernel": (3, 3), "stride": (2, 2)},
                                     {"kernel": (5, 1)}, {"global_pool": True, "kernel": (1, 1)}])
def test_nan_reaches_every_window_that_sees_it(windows):
    data = np.random.default_rng(0).standard_normal((2, 3, 12, 36)).astype("float32")
    data.flat[::97] = np.nan
    for kind in "max", "avg":
        check("Pooling", [data], pool_type=kind, **windows)


def test_a_gradient_of_infinity_goes_to_the_winner_alone():
    data, grad = np.arange(32, dtype="float32").reshape(1, 1, 4, 8), np.full((1, 1, 2, 4), np.inf, "float32")
    attributes = {"kernel": (2, 2), "stride": (2, 2), "pool_type": "max"}
    twin = Twin(REGISTRY["_max_pooling_grad"](**attributes), [grad, data, data[:, :, 1::2, 1::2].copy()])
    found = twin.imperative()[0]
    assert np.all(found[:, :, 1::2, 1::2] == np.inf)
    assert np.isfinite(found).sum() == 24
    assert not found[np.isfinite(found)].any()


def test_what_is_declined():
    data = np.ones((1, 1, 4, 4), "float32")
    for found, attributes, reason in [
            (data.astype("float16"), {}, "dtype float16"), (data.astype("int32"), {}, "dtype int32"),
            (data, {"pool_type": "lp", "p_value": 3}, "p_value 3")]:
        twin = Twin(REGISTRY["Pooling"](kernel=(2, 2), **attributes), [found])
        assert isinstance(twin._prepare(), str)
        assert twin._prepare() == reason
