"""Integers with a range as ONNX writes them: q stands for q · step, and the zero point is 0.

A range (min, max) is two Values. If both are constants, as after calibration, so is the step; otherwise the file
computes it from the data.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ......ops.quantized.ranges import INT32, STEPS
from ...constant_folding import known_array
from ...values import UntranslatableError

if TYPE_CHECKING:
    from ...values import Builder, Value

__all__ = ["calibrated_ends", "ends", "from_reals", "inner", "known_magnitude", "magnitude_of", "reals", "step_of",
           "sums", "times", "to_bytes", "whole_steps"]

SMALLEST = np.float32(1e-30)        # instead of a magnitude of 0, because ONNX's scales are positive


def known_magnitude(low: Value, high: Value) -> Any:
    """Returns the larger magnitude of a constant range, or None. Raises UntranslatableError if it is not finite."""
    arrays = [known_array(end) for end in (low, high)]
    if any(array is None for array in arrays):
        return None
    least, most = (np.float32(array.reshape(-1)[0]) for array in arrays)
    m = np.maximum(np.abs(least), np.abs(most))
    if not np.isfinite(m):
        raise UntranslatableError(f"the range from {least} to {most} is not finite")
    return max(m, SMALLEST)


def magnitude_of(g: Builder, low: Value, high: Value) -> Value:
    """Returns the larger magnitude of a range as a number in the file."""
    m = known_magnitude(low, high)
    if m is not None:
        return g.constant(m)
    return g.reshape(g.Max(g.Abs(low), g.Abs(high), g.constant(np.full(1, SMALLEST))), ())


def step_of(g: Builder, dtype: Any, low: Value, high: Value) -> Value:
    """Returns the real number that one step of integers represents: m / 127.5, m / 255.5 or m / 2^31."""
    return divided(g, magnitude_of(g, low, high), STEPS[np.dtype(dtype)])


def whole_steps(g: Builder, dtype: Any, low: Value, high: Value) -> Value:
    """Returns the step with which products are counted: m / 127 or m / 255."""
    return divided(g, magnitude_of(g, low, high), np.floor(STEPS[np.dtype(dtype)]))


def divided(g: Builder, m: Value, count: Any) -> Value:
    """Returns m / count, as a constant if m is one."""
    return g.constant(m.array / np.float32(count)) if m.array is not None else m / np.float32(count)


def times(g: Builder, a: Value, b: Value) -> Value:
    """Returns a · b, as a constant if both are."""
    return a * b if a.array is None or b.array is None else g.constant(a.array * b.array)


def reals(g: Builder, q: Value, step: Value, axis: int | None = None) -> Value:
    """Returns the real numbers of integers: DequantizeLinear. axis: that of a step for each row or filter."""
    # onnxruntime replaces the zero points of parameters, and fails if two parameters share one.
    name = f"{g.prefix}/zero" if q.array is not None else ""
    zero = g.constant(np.zeros(step.shape, q.dtype), name=name)
    return g.DequantizeLinear(q, step, zero, axis=axis, dtype=np.float32, shape=q.shape)


def to_bytes(g: Builder, x: Value, step: Value, dtype: Any) -> Value:
    """Returns real numbers as the nearest integers: QuantizeLinear."""
    return g.QuantizeLinear(x, step, g.constant(np.zeros((), dtype)), dtype=dtype, shape=x.shape)


def from_reals(g: Builder, x: Value, step: Value) -> Value:
    """Returns real numbers as int32; the Value also keeps the real numbers, from which operators after it go on."""
    q = g.cast(g.Round(x / step), INT32)
    q.shape, q.real = x.shape, x
    return q


def sums(g: Builder, q: Value, low: Value, high: Value) -> Value:
    """Returns the real numbers of int32 with a range."""
    return q.real if q.real is not None else g.cast(q, np.float32) * step_of(g, INT32, low, high)


def ends(g: Builder, m: Value, least: Any = -1) -> list[Value]:
    """Returns the range from least · m to m. least: -1, or 0 for uint8."""
    m = g.constant(m.array.reshape(1)) if m.array is not None else g.reshape(m, (1,))
    return [m * np.float32(least) if m.array is None else g.constant(m.array * np.float32(least)), m]


def calibrated_ends(g: Builder, op: Any) -> tuple[Value, Value]:
    """Returns the calibrated range of an operator as constants."""
    return tuple(g.constant(np.full(1, end, np.float32)) for end in (op.min_calib_range, op.max_calib_range))


def inner(g: Builder, op: Any, *inputs: Any) -> Any:
    """Returns the first output of an operator inside the one that is written, which has the same output shape."""
    from ...table import LISTED, TRANSLATIONS
    if op.name not in TRANSLATIONS:
        raise UntranslatableError(f"it contains {op.name}: {LISTED.get(op.name)}")
    results = TRANSLATIONS[op.name].function(g, op, *inputs)
    return results[0] if isinstance(results, list) else results
