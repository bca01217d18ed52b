"""Normalizations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..... import symbol as sym
from ..table import operator

if TYPE_CHECKING:
    from .....symbol import Symbol
    from ..call import Call


@operator("BatchNormalization")
def batch_norm(call: Call) -> list[Any] | Symbol:
    """Turns mean and variance into auxiliary states, or writes out the formula if the file computes them."""
    if call.attribute("training_mode", 0):
        return _training_batch_norm(call)
    is_constant = all(call.is_known(index) and call.value(index).array.dtype == np.float32 for index in range(1, 5))
    rank, eps = call.rank(), call.attribute("epsilon", 1e-5)
    if is_constant and call.dtype() == np.float32 and not _shared(call):
        return sym.BatchNorm(*call.all_data(), eps=eps, momentum=call.attribute("momentum", 0.9), fix_gamma=False)
    x = call.data()
    scale, bias, mean, var = (sym.reshape(call.data(i), shape=(1, -1) + (1,) * (rank - 2)) for i in range(1, 5))
    return sym.broadcast_add(sym.broadcast_mul(sym.broadcast_sub(x, mean), sym.broadcast_mul(
        sym.rsqrt(var + eps), scale)), bias)


def _shared(call):
    """Returns whether any of the tensors is used elsewhere, because training may only update states that are not
    shared.
    """
    names = [call.value(index).name for index in range(1, 5)]
    used = call.graph.states
    if len(set(names)) < 4 or any(name in used for name in names[2:]):
        return True
    used.update(names)
    return False


def _training_batch_norm(call):
    x, rank, eps, momentum = call.data(), call.rank(), call.attribute("epsilon", 1e-5), call.attribute("momentum", 0.9)
    axes = (0, *range(2, rank))
    mean = sym.mean(x, axis=axes, keepdims=True)
    var = sym.mean(sym.square(sym.broadcast_sub(x, mean)), axis=axes, keepdims=True)
    scale, bias = (sym.reshape(call.data(i), shape=(1, -1) + (1,) * (rank - 2)) for i in (1, 2))
    out = sym.broadcast_add(sym.broadcast_mul(sym.broadcast_sub(x, mean), sym.broadcast_mul(
        sym.rsqrt(var + eps), scale)), bias)
    moved = [call.data(i) * momentum + sym.reshape(statistic, shape=(-1,)) * (1 - momentum)
             for i, statistic in ((3, mean), (4, var))]
    return [out, *moved]


@operator("InstanceNormalization")
def instance_norm(call: Call) -> Symbol:
    return sym.InstanceNorm(*call.all_data(), eps=call.attribute("epsilon", 1e-5))


@operator("LayerNormalization")
def layer_norm(call: Call) -> Symbol | list[Symbol]:
    rank, eps = call.rank(), call.attribute("epsilon", 1e-5)
    axis, x = call.axis(call.attribute("axis", -1)), call.data()
    if axis == rank - 1 and len(call.outputs) == 1 and call.has(2) and call.rank(1) == 1:
        return sym.LayerNorm(*call.all_data(), axis=-1, eps=eps)
    axes = tuple(range(axis, rank))
    mean = sym.mean(x, axis=axes, keepdims=True)
    centred = sym.broadcast_sub(x, mean)
    inverse = sym.rsqrt(sym.mean(sym.square(centred), axis=axes, keepdims=True) + eps)
    out = sym.broadcast_mul(sym.broadcast_mul(centred, inverse), call.data(1))
    if call.has(2):
        out = sym.broadcast_add(out, call.data(2))
    return [out, mean, inverse][:max(1, len(call.outputs))]


@operator("RMSNormalization")
def rms_norm(call: Call) -> Symbol:
    rank, axis, x = call.rank(), call.axis(call.attribute("axis", -1)), call.data()
    inverse = sym.rsqrt(sym.mean(sym.square(x), axis=tuple(range(axis, rank)), keepdims=True)
                        + call.attribute("epsilon", 1e-5))
    return sym.broadcast_mul(sym.broadcast_mul(x, inverse), call.data(1))


@operator("GroupNormalization")
def group_norm(call: Call) -> Symbol:
    """Handles gamma and beta per group (until opset 20) or per channel (since 21)."""
    groups, channels = call.attribute("num_groups"), call.length(1)
    gamma, beta = call.data(1), call.data(2)
    if call.opset < 21 and call.length(0, 1) != channels:
        gamma, beta = (sym.repeat(part, repeats=channels // groups, axis=0) for part in (gamma, beta))
    rank, x = call.rank(), call.data()
    parts = sym.reshape(x, shape=(0, -4, groups, channels // groups, -2))
    axes = tuple(range(2, rank + 1))
    centred = sym.broadcast_sub(parts, sym.mean(parts, axis=axes, keepdims=True))
    inverse = sym.rsqrt(sym.mean(sym.square(centred), axis=axes, keepdims=True) + call.attribute("epsilon", 1e-5))
    out = sym.reshape(sym.broadcast_mul(centred, inverse), shape=(0, -3, -2))
    gamma, beta = (sym.reshape(part, shape=(1, -1) + (1,) * (rank - 2)) for part in (gamma, beta))
    return sym.broadcast_add(sym.broadcast_mul(out, gamma), beta)


@operator("LRN")
def local_response_norm(call: Call) -> Symbol:
    size = call.attribute("size")
    if size % 2 == 0:
        raise call.refuse("a window over an even number of channels")
    return sym.LRN(call.data(), alpha=call.attribute("alpha", 1e-4), beta=call.attribute("beta", 0.75),
                   knorm=call.attribute("bias", 1.0), nsize=size)


@operator("LpNormalization")
def lp_norm(call: Call) -> Symbol:
    """Normalizes the vectors; vectors of zeros stay zero."""
    p, axis, x = call.choice("p", 2, 1), call.axis(call.attribute("axis", -1)), call.data()
    norm = sym.sum(sym.abs(x), axis=axis, keepdims=True) if p == 1 else sym.sqrt(
        sym.sum(sym.square(x), axis=axis, keepdims=True))
    return sym.broadcast_div(x, norm + (norm == 0))


@operator("MeanVarianceNormalization")
def mean_variance_norm(call: Call) -> Symbol:
    x, axes = call.data(), tuple(call.axis(axis) for axis in call.attribute("axes", [0, 2, 3]))
    centred = sym.broadcast_sub(x, sym.mean(x, axis=axes, keepdims=True))
    return sym.broadcast_div(centred, sym.sqrt(sym.mean(sym.square(centred), axis=axes, keepdims=True)) + 1e-9)
