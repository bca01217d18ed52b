"""Khatri-Rao products on the GPU."""

import numpy as np
import pytest
from helpers import gpu_choice  # noqa: F401 - sets the environment, and skips where there is no GPU backend
from helpers.gpu_checks import agree
from hypothesis import given, settings
from hypothesis import strategies as st
from minigluon_accel.gpu import launch


@pytest.fixture(autouse=True)
def small_grids(monkeypatch):
    """Fewer blocks than matrices."""
    monkeypatch.setattr(launch, "MAX_BLOCKS", 2)


@settings(deadline=None, max_examples=25)
@given(st.lists(st.integers(0, 6), min_size=1, max_size=4), st.integers(0, 5),
       st.sampled_from(["float32", "float64", "float16", "int32", "int64", "uint8"]))
def test_khatri_rao(rows, columns, dtype):
    rng = np.random.default_rng(1)
    matrices = [rng.integers(-3, 4, (n, columns)).astype(dtype) for n in rows]
    agree("khatri_rao", *matrices)
    grad = rng.integers(-3, 4, (int(np.prod(rows)), columns)).astype(dtype)
    for index in range(len(rows)):
        agree("_khatri_rao_grad", grad, *matrices, index=index, num_args=len(rows) + 1)
