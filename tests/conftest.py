"""Fixtures for all tests: the same random numbers for each. Hypothesis draws anew each time, but not in CI."""

import os

import hypothesis
import numpy as np
import pytest

import minigluon as mx

# In CI a run must say something about the change and not about the draw; a busy machine must not fail a test.
hypothesis.settings.register_profile("local", deadline=None)
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True, database=None)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "local")


@pytest.fixture(autouse=True)
def _seed():
    np.random.seed(0)
    mx.random.seed(0)
