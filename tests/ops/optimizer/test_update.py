"""AdamW: its scale is a number, or an array on any device."""

import numpy as np

import minigluon as mx
from minigluon import nd


def test_adamw_takes_its_scale_as_a_number_or_as_an_array_of_any_device():
    """The numbers are those of real MXNet 1.9.1. A scale of 0, NaN or infinity changes nothing."""
    def step(scale, mixed):
        weight, exact = nd.array([1, 2], dtype="float16" if mixed else "float32"), nd.array([1, 2])
        mean, var, grad = nd.zeros((2,)), nd.zeros((2,)), nd.array([0.5, -1], dtype=weight.dtype)
        if mixed:
            nd.contrib.mp_adamw_update(weight, grad, mean, var, exact, scale, lr=0.1, eta=1, wd=0.01, out=weight)
        else:
            nd.contrib.adamw_update(weight, grad, mean, var, scale, lr=0.1, eta=1, wd=0.01, out=weight)
        return [x.asnumpy() for x in (exact if mixed else weight, mean, var)]

    for mixed in False, True:
        for scale in 2.0, 2, nd.array([2]), nd.array([2], ctx=mx.cpu(1)):
            for found, wanted in zip(step(scale, mixed), (
                    [0.6737702488899231, 2.296229839324951], [0.10000002384185791, -0.20000004768371582],
                    [0.0009999871253967285, 0.003999948501586914]), strict=True):
                np.testing.assert_allclose(found, wanted, 1e-5)
        for scale in 0, np.nan, np.inf:
            for given in scale, nd.array([scale]):
                assert [x.tolist() for x in step(given, mixed)] == [[1, 2], [0, 0], [0, 0]]
