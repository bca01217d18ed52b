"""Fused layers of MXNet's files with prepacked parameters: `_sg_mkldnn_conv`, `_sg_mkldnn_fully_connected`.

BatchNorm is folded, and weights are rounded, when they are packed. Then a layer has three float32 numbers for each
filter: minus its bias in units of the sums, the factor that converts sums to steps of the output, and zero.
"""

import numpy as np

from ..integer_steps import add_scaled, clip, rescale

__all__ = ["FUSED", "fused_rows", "is_fused", "numbers_of", "suits_fused"]

FUSED = "_sg_mkldnn_conv", "_sg_mkldnn_fully_connected"


def is_fused(layer):
    """Returns whether an operator is a layer that is fused with others."""
    return layer.name in FUSED


def suits_fused(layer):
    """Returns whether its sums become bytes or real numbers in steps that kernels have."""
    parts = layer.parts
    if not layer.quantized or not (layer.calibrated or _is_real(layer)) or parts.has_sum and parts.act is not None:
        return False
    return parts.layer.name == "Convolution" or parts.act is None or _is_relu(parts.act)


def _is_relu(act):
    return act.name == "Activation" and act.act_type == "relu"


def _is_real(layer):
    return getattr(layer, "enable_float_output", False)


def scale_of(layer):
    """Returns the number of integers per unit of the output, as in the reference."""
    low, high = layer.calibrated_range
    return layer.scale(layer.out_dtype, np.maximum(np.abs(low), np.abs(high)))


def numbers_of(layer, own, data_scale):
    """Returns the three numbers for each filter. own: a QuantizedWeight; data_scale: integers per unit of the data."""
    count = len(own.weight)
    with np.errstate(all="ignore"):
        if layer.parts.layer.name == "Convolution":
            factor = scale_of(layer) / data_scale / own.scales
        else:
            factor = np.float32(1) / data_scale / own.scales
            if layer.parts.act is None and not _is_real(layer):
                factor = scale_of(layer) * factor
    bias = np.zeros(count, np.float32) if own.bias is None else own.bias
    return np.concatenate([-bias, np.broadcast_to(factor, count), np.zeros(count)]).astype(np.float32)


def fused_rows(layer, inputs, outputs, packed, at):
    """Returns the rows of a layer. packed: the index of its packed parameters; at: where the numbers begin there."""
    names, filters, parts = layer.list_arguments(), inputs[1].shape[0], layer.parts
    if _is_real(layer):
        rows = [rescale("float32", (0, 0), packed, at, filters)]
        return rows if parts.act is None else [*rows, clip(0, np.inf)]
    ends, dtype = layer.calibrated_range, layer.out_dtype
    if parts.has_sum:
        place = names.index("sum")
        return [rescale("float32", (0, 0), packed, at, filters),
                add_scaled(dtype, ends, inputs[place].dtype, place, names.index("min_sum"), names.index("max_sum"))]
    is_last = parts.layer.name == "FullyConnected" and parts.act is not None
    return [rescale(dtype, ends, packed, at, filters, scale_of(layer) if is_last else 1)]
