"""Fixtures for all tests: the same random numbers for each."""

import numpy as np
import pytest

import minigluon as mx


@pytest.fixture(autouse=True)
def _seed():
    np.random.seed(0)
    mx.random.seed(0)
