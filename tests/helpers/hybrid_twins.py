"""Blocks in two copies, one imperative and one hybridized, and what the tests compare of them."""

import copy

import numpy as np

from minigluon import autograd, gluon, nd
from minigluon.gluon import nn


class Lambda(gluon.HybridBlock):
    """A function of (F, *arguments) as a block that counts its calls."""

    def __init__(self, function, **kwargs):
        super().__init__(**kwargs)
        self.function, self.calls = function, 0

    def hybrid_forward(self, F, *args):
        self.calls += 1
        return self.function(F, *args)


def hybrid(function):
    """The function as a hybridized block."""
    block = Lambda(function)
    block.hybridize()
    return block


def both(function):
    """The function as an imperative block and as a hybridized one."""
    return Lambda(function), hybrid(function)


def twins(net, *inputs, **flags):
    """The net, initialized by one call on `inputs` without recording, and a hybridized copy of it."""
    with autograd.pause():
        net(*inputs)
    twin = copy.deepcopy(net)
    twin.hybridize(**flags)
    return net, twin


def mlp(*units, activation="relu", **kwargs):
    """A HybridSequential of Dense layers, initialized."""
    net = nn.HybridSequential(**kwargs)
    with net.name_scope():
        for n in units[:-1]:
            net.add(nn.Dense(n, activation=activation))
        net.add(nn.Dense(units[-1]))
    net.initialize()
    return net


def array(*shape, seed=0):
    """Normal numbers."""
    return nd.array(np.random.default_rng(seed).normal(size=shape))


def variable(*shape, seed=0, grad_req="write"):
    """The same with a gradient."""
    x = array(*shape, seed=seed)
    x.attach_grad(grad_req)
    return x


def equal(found, wanted):
    """The same shape, dtype and bits."""
    found, wanted = found.asnumpy(), wanted.asnumpy()
    assert found.dtype == wanted.dtype
    np.testing.assert_array_equal(found, wanted, strict=True)


def close(found, wanted, ulps=8):
    """Equal to a few units in the last place of the largest number."""
    found, wanted = np.asarray(found), np.asarray(wanted)
    assert found.shape == wanted.shape
    assert found.dtype == wanted.dtype
    if found.dtype.kind != "f":
        np.testing.assert_array_equal(found, wanted)
        return
    scale = np.max(np.abs(wanted), initial=0, where=np.isfinite(wanted))
    np.testing.assert_allclose(found, wanted, rtol=0, atol=ulps * np.finfo(wanted.dtype).eps * scale)


def gradients(net):
    """{name without the net's prefix: gradient} of all parameters that have one."""
    return {name[len(net.prefix):]: p.grad().asnumpy() for name, p in net.collect_params().items()
            if p.grad_req != "null"}


def values(net):
    """{name without the net's prefix: value} of all parameters."""
    return {name[len(net.prefix):]: p.data().asnumpy() for name, p in net.collect_params().items()}
