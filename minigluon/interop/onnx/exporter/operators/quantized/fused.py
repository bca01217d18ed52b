"""Layers fused with the operators after them."""

from __future__ import annotations

import numpy as np

from ......ops.quantized.ranges import INT8, STEPS, UINT8
from ...table import translates
from ...values import UntranslatableError
from .layers import product
from .steps import calibrated_ends, ends, from_reals, inner, known_magnitude, reals, step_of, to_bytes

__all__ = []


@translates("_sg_mkldnn_conv")
def fused_conv(g, op, *inputs):
    known = dict(zip(op.list_arguments(), inputs, strict=True))
    if not op.quantized:
        return [_of_reals(g, op, known), *[None] * len(op.mutates)][:op.num_outputs]
    x, own, scale = _product(g, op, known)
    if op.parts.has_sum:
        if op.parts.act is not None:
            x = g.Relu(x)
        other = known["sum"]
        x = x + reals(g, other, step_of(g, other.dtype, known["min_sum"], known["max_sum"]))
    if op.parts.final_act is not None:
        x = g.Relu(x)
    if not op.calibrated:
        return _sums(g, op, x, known, own, scale)
    low, high = calibrated_ends(g, op)
    step = step_of(g, op.out_dtype, low, high)
    if op.out_dtype == UINT8 and op.parts.has_sum and known["sum"].dtype == INT8:
        x = g.Min(x, g.constant(np.float32(127) * step.array))
    return [to_bytes(g, x, step, op.out_dtype), low, high]


@translates("_sg_mkldnn_fully_connected")
def fused_fully_connected(g, op, *inputs):
    known = dict(zip(op.list_arguments(), inputs, strict=True))
    if not op.quantized:
        return _of_reals(g, op, known)
    x, own, scale = _product(g, op, known)
    act = op.parts.act
    if op.enable_float_output or op.calibrated:
        x = x if act is None else inner(g, act, x)
        if op.enable_float_output:
            return x
        low, high = calibrated_ends(g, op)
        return [to_bytes(g, x, step_of(g, op.out_dtype, low, high), op.out_dtype), low, high]
    return _sums(g, op, x if act is None else g.Relu(x), known, own, scale)


def _of_reals(g, op, known):
    """Returns the output of a node in float32. known: {name: Value} of the inputs."""
    parts = op.parts
    x = inner(g, parts.layer, *[known[name] for name in parts.layer.list_arguments()])
    x.shape = g.specs[0][0]
    if parts.norm:
        x = inner(g, parts.norm, x, *[known[name] for name in parts.norm.arguments[1:]])
    if parts.act is not None:
        x = inner(g, parts.act, x)
    if parts.has_sum:
        x = x + known["sum"]
    return x if parts.last_act is None else inner(g, parts.last_act, x)


def _product(g, op, known):
    """Returns (the real numbers of the layer, its QuantizedWeight, the number of integers per unit of the data)."""
    data = known["data"]
    m = known_magnitude(known["min_data"], known["max_data"])
    if m is None:
        raise UntranslatableError("the range of its data is found while the network runs, and its weight depends on "
                                  "it: quantize the network with calib_mode='naive' or 'entropy'")
    arrays = {name: value.array for name, value in known.items() if name not in ("data", "sum")}
    missing = [name for name, array in arrays.items() if array is None and name not in ("min_sum", "max_sum")]
    if missing:
        raise UntranslatableError(f"its {missing[0]} is computed while the network runs, and it has to be a parameter")
    scale = STEPS[data.dtype] / m
    own = op.weight_of({**arrays, "data": np.empty(0, data.dtype)})
    weight, bias, scales = own
    empty = ~np.isfinite(scales)                # filters of zeros
    if empty.any():
        rows = np.broadcast_to(empty, len(weight))
        weight = np.where(rows.reshape(-1, *[1] * (weight.ndim - 1)), np.int8(0), weight)
        scales = np.where(empty, np.float32(1), scales)
    steps = np.float32(1) / (scales if op.by_filter else scales[0])
    bias = None if bias is None else g.constant(bias.astype(np.int32))
    x = product(g, op.parts.layer, data, g.constant(weight), bias, g.constant(np.float32(1) / scale), g.constant(steps))
    return x, own, scale


def _sums(g, op, x, known, own, scale):
    """Returns int32 with its range, of a layer without a calibrated one."""
    low, high = op.sums_range({"data": np.empty(0, known["data"].dtype), "min_data": known["min_data"].array,
                               "max_data": known["max_data"].array}, own)
    q = from_reals(g, x, g.constant(np.float32(1) / (scale * own.scales[0])))
    q.real = g.cast(q, np.float32) * g.constant(np.float32(high[0] / 2 ** 31))
    return [q, *ends(g, g.constant(high[0]))]
