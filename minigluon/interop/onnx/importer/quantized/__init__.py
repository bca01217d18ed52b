"""Whole numbers that stand for fractions: what quantized files have, computed in float32."""

from . import linear, products
