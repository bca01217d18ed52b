"""Convolutions that absorb the zeros of a `pad` before them, in plans that only infer."""

import numpy as np
import pytest

pytest.importorskip("minigluon_accel", reason="minigluon-accel is not installed")

from helpers.accel_checks import ISAS, configured
from hypothesis import given, settings
from hypothesis import strategies as st

import minigluon as mx
from minigluon import autograd, nd
from minigluon.backend import use_backend
from minigluon.gluon import nn


def padded(pad, convolution, mode="constant", value=0.0):
    """A net: a pad, and a convolution behind it."""
    net = nn.HybridSequential()
    net.add(nn.HybridLambda(lambda F, x: F.pad(x, mode=mode, pad_width=pad, constant_value=value)), convolution)
    return net


def compared(net, x):
    """Compares a net with NumPy, layer by layer; returns the names of the plan's operators."""
    mx.random.seed(5)
    net.initialize(mx.init.Normal(0.3))
    with use_backend("numpy"):
        wanted = net(x).asnumpy()
    for isa in ISAS:
        with configured(isa, 2):
            net.hybridize()
            np.testing.assert_allclose(net(x).asnumpy(), wanted, 0, 1e-4, err_msg=isa)
    return [step.op.name for step in list(net._graphs.values())[-1].compiled.last_plan.steps]


@pytest.mark.parametrize("convolution", [
    lambda: nn.Conv2D(6, 3), lambda: nn.Conv2D(4, 3, groups=4), lambda: nn.Conv2D(8, 3, 2, (0, 1), 2),
    lambda: nn.Conv2D(32, (1, 3), groups=2)])
def test_zeros_are_absorbed(convolution):
    x = nd.random.normal(shape=(2, 4, 9, 8))
    assert "Pad" not in compared(padded((0, 0, 0, 0, 1, 1, 2, 2), convolution()), x)


@pytest.mark.parametrize(("rank", "layer"), [(1, nn.Conv1D), (3, nn.Conv3D)])
def test_other_numbers_of_axes(rank, layer):
    x = nd.random.normal(shape=(1, 3, *(5, 6, 7)[:rank]))
    assert "Pad" not in compared(padded((0, 0, 0, 0, *[1, 1] * rank), layer(4, 3)), x)


STAYING = {
    "uneven": ((0, 0, 0, 0, 0, 1, 1, 1), "constant", 0.0), "ones": ((0, 0, 0, 0, 1, 1, 1, 1), "constant", 1.0),
    "edge": ((0, 0, 0, 0, 1, 1, 1, 1), "edge", 0.0), "reflect": ((0, 0, 0, 0, 1, 1, 1, 1), "reflect", 0.0),
    "channels": ((0, 0, 1, 1, 1, 1, 1, 1), "constant", 0.0), "items": ((1, 1, 0, 0, 1, 1, 1, 1), "constant", 0.0),
}


@pytest.mark.parametrize("name", STAYING)
def test_other_padding_stays(name):
    pad, mode, value = STAYING[name]
    assert "Pad" in compared(padded(pad, nn.Conv2D(5, 3), mode, value), nd.random.normal(shape=(2, 3, 7, 6)))


def test_a_pad_that_others_read_stays_for_them():
    class Both(mx.gluon.HybridBlock):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2D(3, 1)

        def hybrid_forward(self, F, x):
            y = F.pad(x, mode="constant", pad_width=(0, 0, 0, 0, 1, 1, 1, 1))
            return self.conv(y) + y

    assert "Pad" in compared(Both(), nd.random.normal(shape=(2, 3, 5, 4)))


def test_training_plans_keep_it():
    net, x = padded((0, 0, 0, 0, 1, 1, 1, 1), nn.Conv2D(5, 3)), nd.random.normal(shape=(2, 3, 7, 6))
    net.initialize()
    net.hybridize()
    with autograd.record():
        net(x)
    assert "Pad" in [step.op.name for step in list(net._graphs.values())[-1].compiled.last_plan.steps]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 3), st.integers(0, 3), st.integers(0, 2), st.sampled_from([1, 3, 5]), st.integers(1, 3),
       st.integers(1, 2), st.sampled_from([1, 4]), st.integers(1, 9), st.integers(1, 9))
def test_any_even_zeros(pad_y, pad_x, own, kernel, stride, dilation, groups, height, width):
    """The result has the same values as that of the two operators, whatever the convolution's own padding is."""
    reach = dilation * (kernel - 1) + 1
    height, width = max(height, reach - 2 * (own + pad_y)), max(width, reach - 2 * (own + pad_x))
    x = nd.random.normal(shape=(1, 4, height, width))
    net = padded((0, 0, 0, 0, pad_y, pad_y, pad_x, pad_x), nn.Conv2D(8, kernel, stride, own, dilation, groups))
    assert "Pad" not in compared(net, x)
