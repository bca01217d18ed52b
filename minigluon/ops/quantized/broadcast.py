"""Sums and products of quantized arrays of the same shape."""

import numpy as np

from ..registry import register
from .ranges import FLOAT32, INT8, INT32, STEPS, UINT8, Quantized, both_ends, magnitude, nearest, real_steps

__all__ = []

_ARGUMENTS = "lhs", "rhs", "lhs_min", "lhs_max", "rhs_min", "rhs_max"


class _OfTwo(Quantized):
    """Base class of the two operators.

    min_calib_range, max_calib_range: the range of the output, from calibration; without it, the output is int32.
    """

    min_calib_range: float | None = None
    max_calib_range: float | None = None

    def infer_shape(self, lhs, rhs, *ranges):
        lhs = self.require("rhs", rhs, self.require("lhs", lhs, rhs))
        return [lhs, lhs, *self.require_ranges(_ARGUMENTS[2:], ranges)], [lhs, (1,), (1,)]

    @property
    def calibrated(self):
        """Returns whether a range was measured during calibration."""
        return self.min_calib_range is not None and self.max_calib_range is not None

    def calibrated_range(self):
        """Returns (min, max, the larger magnitude) of the output."""
        low, high = np.float32(self.min_calib_range), np.float32(self.max_calib_range)
        return low, high, np.maximum(np.abs(low), np.abs(high))


@register(*_ARGUMENTS, name="_contrib_quantized_elemwise_add")
class quantized_elemwise_add(_OfTwo):
    """lhs + rhs: int32 with the range of the sum; with a calibrated range uint8 if both are uint8, else int8.

    lhs, rhs (any shape), int8 or uint8 | lhs_min, lhs_max, rhs_min, rhs_max (1,) | out like lhs; the range (1,), (1,)

    >>> a, b = nd.contrib.quantize_v2(nd.array([1, 2])), nd.contrib.quantize_v2(nd.array([3, -1]))
    >>> values, low, high = nd.contrib.quantized_elemwise_add(a[0], b[0], *a[1:], *b[1:], min_calib_range=-4,
    ...                                                       max_calib_range=4)
    >>> print(nd.contrib.dequantize(values, low, high).asnumpy().round(1))
    [4. 1.]
    """

    def infer_dtype(self, lhs, rhs, *ranges):
        lhs, rhs = (self.require_bytes(name, dtype) for name, dtype in (("lhs", lhs), ("rhs", rhs)))
        out = INT32
        if self.calibrated:
            out = INT8 if INT8 in (lhs, rhs) else None if None in (lhs, rhs) else UINT8
        return [lhs, rhs, *self.require_reals(_ARGUMENTS[2:], ranges)], [out, FLOAT32, FLOAT32]

    def forward(self, lhs, rhs, *ranges):
        a, b = magnitude(*ranges[:2]), magnitude(*ranges[2:])
        dtype, m = INT32, a + b
        low, high = -m, m
        if self.calibrated:
            dtype, (low, high, m) = INT8 if INT8 in (lhs.dtype, rhs.dtype) else UINT8, self.calibrated_range()
        with np.errstate(all="ignore"):
            terms = [x.astype(np.float32) * (real_steps(x.dtype, n) * (STEPS[dtype] / m))
                     for x, n in ((lhs, a), (rhs, b))]
            total = np.float32(terms[0]) + np.float32(terms[1])
            values = nearest(total.astype(np.float64) if dtype == INT32 else total, dtype)
        return values, *both_ends(low, high)


@register(*_ARGUMENTS, name="_contrib_quantized_elemwise_mul")
class quantized_elemwise_mul(_OfTwo):
    """lhs · rhs: int32 with the range of int32; with a calibrated range int8, rounded toward zero.

    lhs, rhs (any shape), int8 | lhs_min, lhs_max, rhs_min, rhs_max (1,)
    out like lhs; the range (1,), (1,), absent with enable_float_output

    enable_float_output: if True, return the real numbers as float32, and no range.

    >>> a, b = nd.contrib.quantize_v2(nd.array([1, 2])), nd.contrib.quantize_v2(nd.array([3, -1]))
    >>> nd.contrib.quantized_elemwise_mul(a[0], b[0], *a[1:], *b[1:])[0].asnumpy()
    array([  8128, -5334], dtype=int32)
    """

    enable_float_output: bool = False

    @property
    def num_outputs(self):
        return 1 if self.enable_float_output else 3

    @property
    def output_names(self):
        return Quantized.output_names[:self.num_outputs]

    def infer_shape(self, *shapes):
        inputs, outputs = super().infer_shape(*shapes)
        return inputs, outputs[:self.num_outputs]

    def infer_dtype(self, lhs, rhs, *ranges):
        lhs, rhs = (self.require_bytes(name, dtype, (INT8,)) for name, dtype in (("lhs", lhs), ("rhs", rhs)))
        out = FLOAT32 if self.enable_float_output else INT8 if self.calibrated else INT32
        return ([lhs, rhs, *self.require_reals(_ARGUMENTS[2:], ranges)],
                [out, FLOAT32, FLOAT32][:self.num_outputs])

    def forward(self, lhs, rhs, *ranges):
        product = lhs.astype(np.int32) * rhs
        a, b = magnitude(*ranges[:2]), magnitude(*ranges[2:])
        if self.enable_float_output:
            return product.astype(np.float32) * (a * b / STEPS[INT8] / STEPS[INT8])
        if not self.calibrated:
            m = product_range(INT8, a, INT8, b)
            return product, *both_ends(-m, m)
        low, high, m = self.calibrated_range()
        with np.errstate(all="ignore"):
            real = product.astype(np.float32) * (real_steps(INT8, a) * real_steps(INT8, b) * (STEPS[INT8] / m))
            return nearest(np.trunc(real), INT8), *both_ends(low, high)


def product_range(left, a, right, b):
    """Returns the magnitude of int32 sums of products of integers with magnitudes a and b."""
    return a / np.floor(STEPS[left]) * (b / np.floor(STEPS[right])) * STEPS[INT32]
