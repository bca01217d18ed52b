"""Operators on 8-bit integers as rows of `csrc/integer_steps.h`: after a product, or as an elementwise kernel.

Each row is a list of STEP_LENGTH numbers: the operator, then its types, ranges, and indices of arrays.
"""

import numpy as np

from ..engine import Call, Phase
from .registry import parts, size

__all__ = ["MOST_OPERATORS", "TYPES", "add", "add_reals", "add_scaled", "clip", "dequantize", "elementwise",
           "elementwise_call", "normalize", "not_reals", "quantize", "relu", "requantize", "rescale", "row", "widen"]

STEP_LENGTH = 8
MOST_OPERATORS = 10
QUANTIZE, REQUANTIZE, DEQUANTIZE, RELU, NORMALIZE, ADD, WIDEN, ADD_REALS, CLIP, RESCALE, ADD_SCALED = range(11)
TYPES = {np.dtype(name): number for number, name in enumerate(("int8", "uint8", "int32", "float32"))}


def row(*numbers):
    """Returns a row, filled up with zeros."""
    return [*numbers, *[0] * (STEP_LENGTH - len(numbers))]


def quantize(dtype, low, high, places=False, whole=False):
    """Returns the row that converts real numbers. low, high: a range, or with `places` indices of arrays.

    whole: whether the largest number becomes 127 or 255; otherwise 127.5 or 255.5.
    """
    return row(QUANTIZE, TYPES[dtype], low, high, int(places), int(whole))


def requantize(dtype, low, high, places=False):
    """Returns the row that converts int32. low, high: as for `quantize`."""
    return row(REQUANTIZE, TYPES[dtype], low, high, int(places))


def dequantize():
    """Returns the row that converts to real numbers."""
    return row(DEQUANTIZE)


def relu():
    """Returns the row of max(x, 0)."""
    return row(RELU)


def normalize(op, beta, mean, factor, factor_at=0):
    """Returns the row of a quantized batch norm. beta, mean, factor: indices of arrays; factor_at: an offset in bytes.
    """
    return row(NORMALIZE, op.min_calib_range, op.max_calib_range, beta, mean, factor, factor_at)


def add(op, out, other, dtype, low, high):
    """Returns the row that adds an array. other, low, high: indices of it and its range; dtype: its type."""
    ends = (op.min_calib_range, op.max_calib_range) if op.calibrated else (0, 0)
    return row(ADD, TYPES[out], *ends, TYPES[dtype], other, low, high)


def add_reals(dtype, other, low, high):
    """Returns the row that adds integers, converted to real numbers. other, low, high: indices."""
    return row(ADD_REALS, TYPES[dtype], other, low, high)


def clip(low, high):
    """Returns the row that limits real numbers."""
    return row(CLIP, low, high)


def rescale(dtype, ends, place, at, filters, factor=1):
    """Returns the row that converts sums to real numbers or to steps of a result, with numbers for each filter.

    dtype, ends: the type and range of the result. place: the index of the array with these numbers. at: where they
    begin there, in bytes. factor: for all filters, applied last.
    """
    return row(RESCALE, TYPES[np.dtype(dtype)], *ends, place, at, 4 * filters, factor)


def add_scaled(dtype, ends, other, place, low, high):
    """Returns the row that adds integers in steps of the result. dtype, ends: the type and range of the result; other,
    place, low, high: the type of the integers, and the indices of them and their range."""
    return row(ADD_SCALED, TYPES[np.dtype(dtype)], *ends, TYPES[other], place, low, high)


def widen(dtype, low, high):
    """Returns the row that converts integers to the type and range of a concatenation. low, high: indices."""
    return row(WIDEN, TYPES[dtype], low, high, 1)


def not_reals(*specs):
    """Returns None if these arrays, ranges and statistics, are float32; else the reason for declining."""
    return next((f"dtype {spec.dtype}" for spec in specs if spec.dtype != np.float32), None)


def elementwise(data, out, rows, source, low, high, target, out_low=-1, out_high=-1, shape=None, channels=0,
                place=None):
    """Returns the Phase of an elementwise operator. data, out: Specs; the others are indices of arrays, or -1.

    shape: (lines, length), if the data is not one line. channels: as in csrc/quantized/linear_bytes.c. place: (first
    result in the output, distance of lines there).
    """
    lines, length = shape or (1, size(data))
    first, line = place or (0, length)
    return Phase("integer_steps", None, max(1, parts(size(data) * 2)), lines=lines, length=length, channels=channels,
                 by_channel=int(any(r[0] == NORMALIZE for r in rows)),
                 type=TYPES[data.dtype], source=source, low=low, high=high, out_type=TYPES[out.dtype], out=target,
                 out_low=out_low, out_high=out_high, out_first=first, out_line=line,
                 operators=len(rows), rows=[n for r in rows for n in r])


def elementwise_call(inputs, outputs, rows):
    """Returns the Call of an operator whose inputs are data and its range, and whose outputs may have a range."""
    target = len(inputs)
    ends = (target + 1, target + 2) if len(outputs) == 3 else (-1, -1)
    return Call(elementwise(inputs[0], outputs[0], rows, 0, 1, 2, target, *ends))
