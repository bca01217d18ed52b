"""Parts of matrices on the GPU."""

import numpy as np
import pytest
from helpers import gpu_choice  # noqa: F401 - sets the environment, and skips where there is no GPU backend
from helpers.gpu_checks import agree
from hypothesis import given, settings
from hypothesis import strategies as st
from minigluon_accel.gpu import launch

REAL = ["float32", "float64"]


@pytest.fixture(autouse=True)
def small_grids(monkeypatch):
    """Fewer blocks than matrices."""
    monkeypatch.setattr(launch, "MAX_BLOCKS", 2)


@settings(deadline=None, max_examples=25)
@given(st.data())
def test_parts(data):
    dtype = data.draw(st.sampled_from(REAL))
    side, offset = data.draw(st.integers(1, 9)), data.draw(st.integers(-4, 4))
    lead = data.draw(st.sampled_from([(), (2,), (3, 2), (0,)]))
    rng, length = np.random.default_rng(side), max(side - abs(offset), 1)
    vectors = rng.normal(size=(*lead, length)).astype(dtype)
    agree("linalg_makediag", vectors, offset=offset)
    lower = data.draw(st.booleans())
    triangle = rng.normal(size=(*lead, length * (length + 1) // 2)).astype(dtype)
    agree("linalg_maketrian", triangle, offset=offset, lower=lower)
    if abs(offset) < side:
        matrices = rng.normal(size=(*lead, side, side)).astype(dtype)
        agree("linalg_extractdiag", matrices, offset=offset)
        agree("linalg_extracttrian", matrices, offset=offset, lower=lower)
