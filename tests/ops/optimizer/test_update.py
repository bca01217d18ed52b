"""AdamW: its scale is a number, or an array on any device."""

import numpy as np
import pytest

import minigluon as mx
from minigluon import nd
from minigluon.backend import available, use_backend


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


@pytest.mark.parametrize("backend", [name for name in ("numpy", "accel") if name in available()])
def test_a_gradient_whose_square_is_infinite_does_not_make_weights_nan(backend):
    """A running mean is no sum of differences: infinity less infinity is NaN. The variance is as in MXNet infinite."""
    def states():
        return nd.array([1, -2]), nd.array([1e20, 0.5]), nd.zeros((2,)), nd.zeros((2,))

    def adam(weight, grad, mean, var):
        return nd.adam_update(weight, grad, mean, var, lr=0.1)

    def adamw(weight, grad, mean, var):
        return nd.contrib.adamw_update(weight, grad, mean, var, nd.array([1]), lr=0.1, eta=1)

    def lamb(weight, grad, mean, var):
        return weight - 0.1 * nd.lamb_update_phase1(weight, grad, mean, var, t=1, wd=0, bias_correction=False)

    with use_backend(backend):
        for step in adam, adamw, lamb:
            weight, grad, mean, var = states()
            found = step(weight, grad, mean, var).asnumpy()
            assert var.asnumpy()[0] == np.inf
            np.testing.assert_allclose(mean.asnumpy(), [1e19, 0.05], 1e-5)
            np.testing.assert_allclose(found, [1, -2 - 0.1 * 0.05 / (0.001 * 0.25) ** 0.5], 1e-4)
