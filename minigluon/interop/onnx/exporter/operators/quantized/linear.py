"""Conversions between real numbers and integers: QuantizeLinear and DequantizeLinear."""

import numpy as np

from ......ops.quantized.ranges import INT8, STEPS, UINT8
from ...table import translates
from .steps import calibrated_ends, divided, ends, magnitude_of, reals, step_of, sums, to_bytes, whole_steps

__all__ = []


@translates("_contrib_quantize")
def quantize(g, op, data, low, high):
    dtype = np.dtype(op.out_type)
    q = to_bytes(g, g.cast(data, np.float32), whole_steps(g, dtype, low, high), dtype)
    return [q, *(ends(g, magnitude_of(g, low, high)) if dtype == INT8 else (low, high))]


@translates("_contrib_quantize_v2")
def quantize_v2(g, op, data):
    dtype = op.chosen_dtype()
    if data.dtype == dtype:             # already integers: one step is 1
        return [data, *ends(g, g.constant(STEPS[dtype]), -1 if dtype == INT8 else 0)]
    x = g.cast(data, np.float32)
    low, high = calibrated_ends(g, op) if op.calibrated else (_end(g, x, "Min"), _end(g, x, "Max"))
    m = magnitude_of(g, low, high)
    return [to_bytes(g, x, divided(g, m, STEPS[dtype]), dtype), *(ends(g, m) if dtype == INT8 else (low, high))]


def _end(g, x, kind):
    return g.reshape(g.reduce(kind, x, range(x.rank)), (1,)) if x.rank else g.reshape(x, (1,))


@translates("_contrib_requantize")
def requantize(g, op, data, low, high):
    x, dtype = sums(g, data, low, high), op.chosen_dtype()
    largest = calibrated_ends(g, op) if op.calibrated else [_end(g, g.Abs(x), "Max")] * 2
    m = magnitude_of(g, *largest)
    return [to_bytes(g, x, divided(g, m, np.floor(STEPS[dtype])), dtype), *ends(g, m, 0 if dtype == UINT8 else -1)]


@translates("_contrib_dequantize")
def dequantize(g, op, data, low, high):
    return reals(g, data, step_of(g, data.dtype, low, high))
