"""Quantized operators as QuantizeLinear and DequantizeLinear around float operators: see `minigluon.ops.quantized`."""

from ...table import listed
from . import elementwise, fused, layers, linear

__all__ = ["elementwise", "fused", "layers", "linear"]

listed("weights of 8 or 4 bits with a scale for each group are not written yet: export the network before "
       "quantize_weights", "_contrib_weight_only_fully_connected")
listed("calibration: it runs before the network is exported", "_contrib_calibrate_entropy")
