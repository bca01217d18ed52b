"""Sums, products, relu and batch norm of integers, and integers that are only moved."""

import numpy as np

from ......ops.array.indexing import Embedding
from ......ops.nn.batch_norm import BatchNorm
from ......ops.nn.pooling import Pooling
from ......ops.quantized.ranges import INT8, STEPS, UINT8
from ...table import translates
from .steps import (
    calibrated_ends,
    divided,
    ends,
    from_reals,
    inner,
    magnitude_of,
    reals,
    step_of,
    times,
    to_bytes,
    whole_steps,
)

__all__ = []


@translates("_contrib_quantized_act")
def act(g, op, data, low, high):
    return _between(g, data, low, high, g.Relu)


@translates("_contrib_quantized_pooling")
def pooling(g, op, data, low, high):
    return _between(g, data, low, high, lambda x: inner(g, Pooling(**op.attributes), x))


def _between(g, data, low, high, function):
    """Returns the integers of a function of the real numbers, with the same range."""
    step = step_of(g, data.dtype, low, high)
    return [to_bytes(g, function(reals(g, data, step)), step, data.dtype), low, high]


@translates("_contrib_quantized_flatten")
def flatten(g, op, data, low, high):
    return [g.reshape(data, g.specs[0][0]), low, high]


@translates("_contrib_quantized_embedding")
def embedding(g, op, data, weight, low, high):
    layer = Embedding(input_dim=op.input_dim, output_dim=op.output_dim)
    return [inner(g, layer, data, weight), low, high]


@translates("_contrib_quantized_concat")
def concat(g, op, *inputs):
    n = op.num_args
    arrays, lows, highs = inputs[:n], inputs[n::2], inputs[n + 1::2]
    dtype = INT8 if any(x.dtype == INT8 for x in arrays) else UINT8
    low, high = _extreme(g, "Min", lows), _extreme(g, "Max", highs)
    parts = [reals(g, x, step_of(g, x.dtype, *range_)) for x, *range_ in zip(arrays, lows, highs, strict=True)]
    joined = g.concat(parts, op.dim % arrays[0].rank)
    joined.shape = g.specs[0][0]
    return [to_bytes(g, joined, step_of(g, dtype, low, high), dtype), low, high]


def _extreme(g, kind, values):
    if all(value.array is not None for value in values):
        return g.constant(getattr(np, kind.lower())([value.array for value in values], axis=0))
    return g.call(kind, *values, shape=(1,))


@translates("_contrib_quantized_elemwise_add")
def add(g, op, lhs, rhs, *ranges):
    total = reals(g, lhs, step_of(g, lhs.dtype, *ranges[:2])) + reals(g, rhs, step_of(g, rhs.dtype, *ranges[2:]))
    if op.calibrated:
        dtype = INT8 if INT8 in (lhs.dtype, rhs.dtype) else UINT8
        low, high = calibrated_ends(g, op)
        return [to_bytes(g, total, step_of(g, dtype, low, high), dtype), low, high]
    a, b = magnitude_of(g, *ranges[:2]), magnitude_of(g, *ranges[2:])
    m = g.constant(a.array + b.array) if a.array is not None and b.array is not None else a + b
    return [from_reals(g, total, divided(g, m, 2 ** 31)), *ends(g, m)]


@translates("_contrib_quantized_elemwise_mul")
def mul(g, op, lhs, rhs, *ranges):
    if op.enable_float_output or op.calibrated:
        product = reals(g, lhs, step_of(g, lhs.dtype, *ranges[:2])) * reals(g, rhs, step_of(g, rhs.dtype, *ranges[2:]))
    if op.enable_float_output:
        return product
    if op.calibrated:                   # rounded toward zero, which QuantizeLinear does not do
        low, high = calibrated_ends(g, op)
        q = product / step_of(g, INT8, low, high)
        return [g.cast(g.Clip(g.Sign(q) * g.Floor(g.Abs(q)), np.float32(-128), np.float32(127)), INT8), low, high]
    a, b = whole_steps(g, lhs.dtype, *ranges[:2]), whole_steps(g, rhs.dtype, *ranges[2:])
    q = g.cast(lhs, np.int32) * g.cast(rhs, np.int32)
    step = times(g, a, b)
    q.real = g.cast(q, np.float32) * step
    return [q, *ends(g, divided(g, step, 2.0 ** -31))]


@translates("_contrib_quantized_batch_norm", note="at inference")
def batch_norm(g, op, data, gamma, beta, moving_mean, moving_var, low, high):
    step = step_of(g, INT8, low, high)
    if data.dtype != INT8:              # halved first, as `quantized_batch_norm` does
        ratio = g.constant(np.float32(STEPS[INT8] / STEPS[data.dtype]))
        data = to_bytes(g, g.cast(data, np.float32) * ratio, g.constant(np.float32(1)), INT8)
    layer = BatchNorm(eps=op.eps, axis=op.axis, fix_gamma=False)
    x = inner(g, layer, reals(g, data, step), gamma, beta, moving_mean, moving_var)
    least, most = calibrated_ends(g, op)
    return [to_bytes(g, x, step_of(g, INT8, least, most), INT8), least, most, moving_mean, moving_var]
