"""Quantized operators: products of integers with known weights are computed on integers."""

from . import linear, microsoft, products
