"""Conversions between real numbers and integers with a range."""

import numpy as np

from minigluon.backend import Spec

from ...engine import Call, Phase
from ..integer_steps import (
    TYPES,
    dequantize,
    elementwise,
    elementwise_call,
    not_reals,
    quantize,
    requantize,
)
from ..registry import kernel_for, parts, size

__all__ = ["turn"]

_FLOAT32 = np.dtype("float32")


@kernel_for("_contrib_quantize")
def quantize_with_range(op, inputs, outputs):
    return not_reals(*inputs) or elementwise_call(
        inputs, outputs, [quantize(outputs[0].dtype, 1, 2, places=True, whole=True)])


@kernel_for("_contrib_quantize_v2")
def quantize_by_range(op, inputs, outputs):
    if reason := not_reals(inputs[0]):
        return reason
    if op.calibrated:
        row = quantize(outputs[0].dtype, op.min_calib_range, op.max_calib_range)
        return Call(elementwise(inputs[0], outputs[0], [row], 0, -1, -1, 1, 2, 3))
    row = quantize(outputs[0].dtype, 5, 6, places=True)
    phases, scratch = _extremes(inputs[0], 0, 4)
    return Call(*phases, elementwise(inputs[0], outputs[0], [row], 0, -1, -1, 1, 2, 3), scratch=scratch)


@kernel_for("_contrib_requantize")
def requantize_sums(op, inputs, outputs):
    if reason := not_reals(*inputs[1:]):
        return reason
    if op.calibrated:
        return elementwise_call(inputs, outputs, [
            requantize(outputs[0].dtype, op.min_calib_range, op.max_calib_range)])
    row = requantize(outputs[0].dtype, 7, 8, places=True)
    phases, scratch = _extremes(inputs[0], 0, 6, (1, 2))
    return Call(*phases, elementwise(inputs[0], outputs[0], [row], 0, 1, 2, 3, 4, 5), scratch=scratch)


def _extremes(data, source, first, unit=(-1, -1)):
    """Returns (Phases, scratch Specs) that find the range of an array; it is in arrays first + 1 and first + 2."""
    count = max(1, parts(size(data)))
    fields = {"size": size(data), "type": TYPES[data.dtype], "source": source, "pairs": first, "count": count,
              "low": first + 1, "high": first + 2, "unit_low": unit[0], "unit_high": unit[1]}
    scratch = [Spec((2 * count,), _FLOAT32), Spec((1,), _FLOAT32), Spec((1,), _FLOAT32)]
    return [Phase("part_extremes", None, count, **fields), Phase("all_extremes", None, 1, **fields)], scratch


@kernel_for("_contrib_dequantize")
def dequantize_integers(op, inputs, outputs):
    return not_reals(*inputs[1:]) or elementwise_call(inputs, outputs, [dequantize()])


def turn(batch, rows, columns, itemsize, source, out):
    """Returns the Phase for out (batch, columns, rows) = source (batch, rows, columns)."""
    return Phase("turn_bytes", None, max(1, parts(batch * rows * columns * 2)), batch=batch, rows=rows, columns=columns,
                 size=itemsize, source=source, out=out)
