"""Arguments of `np.random` that NumPy accepts, and those that it refuses."""

import pytest
from helpers.errors import message

from minigluon import np

pytestmark = pytest.mark.once


def test_several_means_of_vectors():
    means = np.array([[0, 100], [200, 300], [400, 500]])
    for size, shape in ((None, (3, 2)), (4, (4, 3, 2)), ((5, 4), (5, 4, 3, 2))):
        drawn = np.random.multivariate_normal(means, np.eye(2), size)
        assert drawn.shape == shape
        assert abs(drawn - means).max() < 10
    assert np.random.multivariate_normal(means[0], np.eye(2)).shape == (2,)


def test_sizes_and_scales_that_are_refused():
    assert message(TypeError, lambda: np.random.normal(size=2.5)) == (
        "np.random.normal: TypeError: 'float' object cannot be interpreted as an integer")
    for draw in (np.random.exponential, np.random.rayleigh):
        assert message(ValueError, lambda draw=draw: draw(-1, 2)) == (
            "np.random: the scale must not be negative, found -1")
