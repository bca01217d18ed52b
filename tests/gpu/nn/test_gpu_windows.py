"""im2col and col2im on the GPU."""

import numpy as np
import pytest
from helpers.gpu_checks import agree
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from minigluon_accel.gpu import launch


def numbers(shape, dtype):
    rng = np.random.default_rng(0)
    if np.dtype(dtype).kind == "f":
        return rng.standard_normal(shape).astype(dtype)
    return rng.integers(0, 50, shape).astype(dtype)


def check(how, batch, channels, space, dtype="float32"):
    data = numbers((batch, channels, *space), dtype)
    columns = agree("im2col", data, **how).outputs[0].shape
    columns = numbers(columns, dtype)
    agree("_im2col_grad", columns, data, **how)
    agree("col2im", columns, output_size=space, **how)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int32", "int64", "uint8", "int8"])
def test_dtypes(dtype):
    check({"kernel": (2, 3), "stride": (2, 1), "pad": (1, 1)}, 2, 3, (5, 6), dtype)


@settings(max_examples=15)
@given(st.data())
def test_drawn(data):
    axes = data.draw(st.integers(1, 3))
    several = lambda low, high: tuple(data.draw(st.lists(st.integers(low, high), min_size=axes, max_size=axes)))
    how = {"kernel": several(1, 3), "stride": several(1, 3), "dilate": several(1, 2), "pad": several(0, 2)}
    space = several(1, 7)
    assume(all(n + 2 * p >= d * (k - 1) + 1 for n, p, d, k in zip(
        space, how["pad"], how["dilate"], how["kernel"], strict=True)))
    check(how, data.draw(st.integers(0, 3)), data.draw(st.integers(1, 3)), space)


def test_more_than_one_grid(monkeypatch):
    monkeypatch.setattr(launch, "MAX_BLOCKS", 2)
    check({"kernel": (3, 3)}, 3, 4, (9, 8))
