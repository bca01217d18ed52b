"""Weights, gradients and states for steps of many weights."""

import numpy as np

from minigluon import nd


def numbers(shape, start, dtype="float32"):
    return nd.array(np.sin(np.arange(start, start + np.prod(shape)) * 1.7).reshape(shape), dtype=dtype)


def flat(arrays):
    return np.concatenate([x.asnumpy().ravel() for x in arrays]).astype("float64")


def close(arrays, expected, rtol=1e-5):
    np.testing.assert_allclose(flat(arrays), expected, rtol=rtol, atol=1e-7)
