"""The kernels of pooling against the reference: sizes that fill no vector, ties, padding, layouts, tiles of 2 x 2."""

import numpy as np
import pytest

pytest.importorskip("minigluon_accel", reason="minigluon-accel is not installed")

from helpers.accel_checks import Twin
from helpers.pooling_draws import check_with_gradients, numbers, pools
from hypothesis import given, settings

from minigluon.ops import REGISTRY

POOLS = pools(longest=40, most_p=2, dtypes=["float32", "float64"])


def check(name, arrays, **attributes):
    assert Twin(REGISTRY[name](**attributes), arrays).check(), name


@settings(deadline=None, max_examples=30)
@given(POOLS)
def test_windows(pool):
    attributes, data = pool
    check_with_gradients(check, attributes, data)


@pytest.mark.parametrize("width", [1, 2, 3, 4, 6, 8, 12, 16, 17, 33])
@pytest.mark.parametrize("images", [1, 3, 40])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_tiles_of_two_by_two(width, images, dtype):
    data = numbers(np.random.default_rng(width), (images, 3, 6, 2 * width), dtype)
    check_with_gradients(check, {"kernel": (2, 2), "stride": (2, 2), "pool_type": "max"}, data)


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
            (data.astype("int32"), {}, "dtype int32"),
            (data, {"pool_type": "lp", "p_value": 3}, "p_value 3")]:
        twin = Twin(REGISTRY["Pooling"](kernel=(2, 2), **attributes), [found])
        assert isinstance(twin._prepare(), str)
        assert twin._prepare() == reason
