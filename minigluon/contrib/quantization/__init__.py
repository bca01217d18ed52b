"""Conversion of a trained float32 network to 8-bit integers, with ranges measured on examples."""

from .calibration import HistogramCollector, MinMaxCollector
from .model import calib_graph, quantize_graph, quantize_model
from .net import quantize_net, quantize_net_v2

__all__ = ["HistogramCollector", "MinMaxCollector", "calib_graph", "quantize_graph", "quantize_model", "quantize_net",
           "quantize_net_v2"]
