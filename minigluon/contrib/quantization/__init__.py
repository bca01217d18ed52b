"""Conversion of a trained network to integers: whole networks to 8 bits, or only the weights to 8 or 4 bits."""

from . import fusing
from .calibration import HistogramCollector, MinMaxCollector
from .model import calib_graph, quantize_graph, quantize_model
from .net import quantize_net, quantize_net_v2
from .weights import WeightOnlyDense, quantize_weights

__all__ = ["HistogramCollector", "MinMaxCollector", "WeightOnlyDense", "calib_graph", "quantize_graph",
           "quantize_model", "quantize_net", "quantize_net_v2", "quantize_weights"]
