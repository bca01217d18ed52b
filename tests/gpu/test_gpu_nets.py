"""Nets of convolutions on the GPU: results and gradients are those of the CPU, and nothing runs on the reference."""

import numpy as np
import pytest
from helpers import gpu_choice  # noqa: F401 - first: it chooses the GPU, or skips the module
from helpers.gpu_checks import GPU
from helpers.threads import run_in_threads

import minigluon as mx
from minigluon import autograd, dispatch, gluon, nd
from minigluon.backend.forgetting import forget_kernels
from minigluon.gluon import nn


def lenet():
    return (2, 1, 28, 28), [
        nn.Conv2D(6, 5, activation="relu"), nn.MaxPool2D(2, 2), nn.Conv2D(10, 5, activation="tanh"),
        nn.AvgPool2D(2, 2), nn.Dense(20, activation="relu"), nn.Dense(10)]


def alexnet():
    """AlexNet's layers with fewer filters, on small images."""
    return (2, 3, 63, 63), [
        nn.Conv2D(8, 11, strides=4, padding=2, activation="relu"), nn.MaxPool2D(3, 2),
        nn.Conv2D(12, 5, padding=2, groups=2, activation="relu"), nn.MaxPool2D(3, 2),
        nn.Conv2D(8, 3, padding=1, activation="relu"), nn.MaxPool2D(3, 2), nn.Flatten(),
        nn.Dense(24, activation="relu"), nn.Dense(5)]


class Residual(nn.HybridSequential):
    """A block of ResNet: two convolutions beside one of kernel 1, and their sum."""

    def __init__(self, filters, stride):
        super().__init__()
        with self.name_scope():
            self.body = nn.HybridSequential()
            self.body.add(nn.Conv2D(filters, 3, strides=stride, padding=1, use_bias=False), nn.BatchNorm(),
                          nn.Activation("relu"), nn.Conv2D(filters, 3, padding=1, use_bias=False), nn.BatchNorm())
            self.beside = nn.Conv2D(filters, 1, strides=stride, use_bias=False)

    def hybrid_forward(self, F, x):
        return F.relu(self.body(x) + self.beside(x))


def resnet():
    return (3, 4, 12, 11), [Residual(8, 1), Residual(12, 2), nn.GlobalAvgPool2D(), nn.Dense(5)]


def separable():
    """Depthwise convolutions and pointwise ones, and a transposed one."""
    return (2, 6, 11, 10), [
        nn.Conv2D(6, 3, padding=1, groups=6), nn.Conv2D(12, 1, activation="relu"), nn.Conv2D(12, 3, groups=12),
        nn.Conv2DTranspose(4, 3, strides=2, padding=1, output_padding=1), nn.Activation("relu")]


def learned(make, ctx, hybridize):
    """Results and gradients of two steps, with parameters drawn from a fixed seed."""
    shape, layers = make()
    rng = np.random.default_rng(1)
    with ctx:
        net = nn.HybridSequential()
        net.add(*layers)
        net.initialize()
        x = nd.array(rng.uniform(-1, 1, shape))
        net(x)
        for p in net.collect_params().values():
            if p.grad_req != "null":
                p.set_data(nd.array(rng.uniform(-0.3, 0.3, p.shape)))
        if hybridize:
            net.hybridize()
        x.attach_grad()
        for _ in range(3):                  # the third time as a CUDA graph
            with autograd.record():
                y = net(x)
            y.backward(nd.array(rng.uniform(-1, 1, y.shape)))
        params = net.collect_params().values()
        return [y.asnumpy(), net(x).asnumpy(), x.grad.asnumpy(),
                *[p.grad().asnumpy() for p in params if p.grad_req != "null"]]


@pytest.mark.parametrize("hybridize", [False, True])
@pytest.mark.parametrize("make", [lenet, alexnet, resnet, separable])
def test_nets_learn_as_on_the_cpu(make, hybridize):
    forget_kernels()
    before = dispatch.declined.copy()
    found = learned(make, GPU, hybridize)
    assert dict(dispatch.declined - before) == {}
    for ours, theirs in zip(found, learned(make, mx.cpu(), hybridize), strict=True):
        np.testing.assert_allclose(ours, theirs, 1e-4, 2e-5 * max(1, np.abs(theirs).max()))


def test_weights_that_are_replaced():
    """By other memory: views follow, a hybridized net takes the new weights, and in a snapshot the old ones."""
    net = nn.Dense(2, in_units=3, use_bias=False)
    net.initialize("ones", ctx=GPU)
    net.hybridize()
    x = nd.array([[1, 2, 3]], ctx=GPU)
    row, flat = net.weight.data()[1], net.weight.data().reshape((6,))[2:4]
    for _ in range(3):
        assert net(x).asnumpy().tolist() == [[6, 6]]
    before = net.weight.data().buffer
    with gluon.parameter_snapshot():
        run_in_threads(lambda i: net.weight.set_data(np.arange(6).reshape(2, 3)), count=1)
        assert net(x).asnumpy().tolist() == [[6, 6]]
    assert before.numpy().tolist() == [[1, 1, 1], [1, 1, 1]]
    assert (row.asnumpy().tolist(), flat.asnumpy().tolist()) == ([3, 4, 5], [2, 3])
    for _ in range(3):
        assert net(x).asnumpy().tolist() == [[8, 26]]
