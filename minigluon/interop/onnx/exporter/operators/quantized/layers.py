"""Convolutions and fully connected layers of integers: DequantizeLinear of data and weight, the layer, QuantizeLinear.

Runtimes recognize this form and compute the layer in integers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ......ops.quantized.matrix import bias_of
from ......ops.quantized.ranges import INT8, STEPS
from ...table import translates
from .steps import divided, ends, from_reals, inner, known_magnitude, magnitude_of, reals, times, whole_steps

if TYPE_CHECKING:
    from ...values import Builder, Value

__all__ = ["product"]


def product(g: Builder, layer: Any, data: Value, weight: Value, bias: Any, step: Value, steps: Value) -> Value:
    """Returns the real numbers of a layer.

    layer: the float32 operator. bias: int32 in units of the products, or None. step: that of the data. steps: that of
    the weight, or one for each of its filters or rows.
    """
    by_row = 0 if steps.shape else None
    unit = times(g, step, steps)
    inputs = [reals(g, data, step), reals(g, weight, steps, by_row)]
    inputs += [] if bias is None else [reals(g, bias, unit, by_row)]
    plain = type(layer)(**{**layer.attributes, "no_bias": bias is None})
    y = inner(g, plain, *inputs)
    y.shape = g.specs[0][0]
    return y


@translates("_contrib_quantized_conv", "_contrib_quantized_fully_connected")
def layer_of_integers(g, op, data, weight, *others):
    bias, ranges = (None, others) if op.no_bias else (others[0], others[1:])
    step, steps = whole_steps(g, data.dtype, *ranges[:2]), whole_steps(g, INT8, *ranges[2:4])
    if bias is not None:
        bias = _bias(g, bias, data.dtype, *[ranges[i:i + 2] for i in (0, 2, 4)])
    x = product(g, op.layer(), data, weight, bias, step, steps)
    unit = times(g, step, steps)
    return [from_reals(g, x, unit), *ends(g, divided(g, unit, 2.0 ** -31))]


def _bias(g, bias, dtype, data, weight, own):
    """Returns an int8 bias in units of the products, as int32. data, weight, own: ranges."""
    known = [known_magnitude(*range_) for range_ in (data, weight, own)]
    if bias.array is not None and all(m is not None for m in known):
        most = np.iinfo(np.int32).max
        return g.constant(np.clip(bias_of(bias.array, dtype, *known), -most, most).astype(np.int32))
    a, b, c = (magnitude_of(g, *range_) for range_ in (data, weight, own))
    factor = c * np.float32(STEPS[dtype]) / (a * b)
    return g.cast(g.cast(bias, np.float32) * factor, np.int32)
