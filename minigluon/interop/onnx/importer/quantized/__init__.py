"""Quantized operators, computed in float32."""

from . import linear, products
