"""Fixtures for the tests of the compiled kernels."""

import pytest


@pytest.fixture(autouse=True)
def _threads():
    """After each test kernels run on as many threads as before."""
    accel = pytest.importorskip("minigluon_accel", reason="minigluon-accel is not installed")
    before = accel.engine.threads()
    yield
    accel.engine.set_threads(before)
