"""Quantized operators, which are computed in float32."""

from . import linear, products
