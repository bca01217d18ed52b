"""Fixtures for the tests of explain."""

import pytest

import minigluon as mx


@pytest.fixture(autouse=True, scope="module")
def _reference():
    """Passes and notes are those of the reference; an accelerator has more."""
    with mx.backend.use_backend("numpy"):
        yield
