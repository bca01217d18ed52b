"""Conversions between real numbers and integers with a range."""

from typing import Literal

import numpy as np

from ..op import Op
from ..registry import register
from .ranges import BYTES, FLOAT32, INT8, INT32, STEPS, UINT8, Quantized, both_ends, magnitude, nearest, real_steps

__all__ = []


class _Conversion(Quantized):
    """Base class of operators whose outputs are numbered in graphs."""

    output_names = ()


class _ToBytes(_Conversion):
    """Base class of operators that return int8 or uint8; chooses the type."""

    def chosen_dtype(self):
        """Returns the type of the output. 'auto' is uint8 if the calibrated minimum is not negative, else int8."""
        if self.out_type == "auto":
            return UINT8 if self.calibrated and self.min_calib_range >= 0 else INT8
        return np.dtype(self.out_type)

    @property
    def calibrated(self):
        """Returns whether a range was measured during calibration."""
        return self.min_calib_range is not None and self.max_calib_range is not None

    def calibrated_range(self):
        """Returns the calibrated range as float32 numbers."""
        return np.float32(self.min_calib_range), np.float32(self.max_calib_range)


@register("data", "min_range", "max_range", name="_contrib_quantize")
class quantize(_Conversion):
    """The nearest integers to data · 127 / m (int8) or data · 255 / m (uint8), m = max(|min_range|, |max_range|).

    data (any shape) | min_range, max_range (1,)
    out like data; the range (1,), (1,): -m to m for int8, the given range for uint8

    out_type: int8 or uint8.

    `quantize_v2` replaces this operator; its steps are slightly smaller, m / 127.5, like those of `dequantize`.

    >>> values, low, high = nd.contrib.quantize(nd.array([-1, 0, 0.5]), nd.array([-1]), nd.array([1]), out_type="int8")
    >>> values.asnumpy(), float(low.asscalar()), float(high.asscalar())
    (array([-127,    0,   64], dtype=int8), -1.0, 1.0)
    """

    out_type: Literal["int8", "uint8"] = "uint8"

    def infer_shape(self, data, min_range, max_range):
        ranges = self.require_ranges(self.arguments[1:], (min_range, max_range))
        return [data, *ranges], [data, (1,), (1,)]

    def infer_dtype(self, *dtypes):
        inputs = self.require_reals(self.arguments, dtypes)
        return inputs, [np.dtype(self.out_type), FLOAT32, FLOAT32]

    def forward(self, data, min_range, max_range):
        m, dtype = magnitude(min_range, max_range), np.dtype(self.out_type)
        with np.errstate(all="ignore"):
            values = nearest(data.astype(np.float32) * (np.floor(STEPS[dtype]) / m), dtype)
        return values, *(both_ends(-m, m) if dtype == INT8 else both_ends(min_range[0], max_range[0]))


@register("data", name="_contrib_quantize_v2")
class quantize_v2(_ToBytes):
    """The nearest integers to data · 127.5 / m (int8) or data · 255.5 / m (uint8), m the largest magnitude.

    data (any shape) | out like data; the range (1,), (1,): -m to m for int8, the given range for uint8

    Integers of the output's type are returned unchanged, with the range in which one step is 1.

    out_type: int8, uint8, or auto, which is uint8 if min_calib_range is at least 0, else int8.
    min_calib_range, max_calib_range: the range, from calibration; without it, the range of data itself.

    >>> values, low, high = nd.contrib.quantize_v2(nd.array([-1, 0, 0.3]))
    >>> values.asnumpy(), float(low.asscalar()), float(high.asscalar())
    (array([-128,    0,   38], dtype=int8), -1.0, 1.0)
    """

    out_type: Literal["auto", "int8", "uint8"] = "int8"
    min_calib_range: float | None = None
    max_calib_range: float | None = None

    def infer_shape(self, data):
        return [data], [data, (1,), (1,)]

    def infer_dtype(self, data):
        dtype = self.chosen_dtype()
        if data is not None and data != dtype:
            self.require_reals(["data"], [data])
        return [data], [dtype, FLOAT32, FLOAT32]

    def forward(self, data):
        dtype = self.chosen_dtype()
        if data.dtype == dtype:
            m = STEPS[dtype]
            return data.copy(), *both_ends(-m if dtype == INT8 else 0, m)
        low, high = self.calibrated_range() if self.calibrated else range_of(data.astype(np.float32))
        m = np.maximum(np.abs(low), np.abs(high))
        with np.errstate(all="ignore"):
            values = nearest(data.astype(np.float32) * (STEPS[dtype] / m), dtype)
        return values, *(both_ends(-m, m) if dtype == INT8 else both_ends(low, high))


def range_of(data):
    """Returns the (smallest, largest) number in an array, ignoring NaN; zeros if there is none."""
    numbers = data[~np.isnan(data)]
    return (numbers.min(), numbers.max()) if numbers.size else (np.float32(0), np.float32(0))


@register("data", "min_range", "max_range", name="_contrib_requantize")
class requantize(_ToBytes):
    """int32 with a range converted to int8 or uint8 with a smaller range m: the nearest integers to x · 127 / m or x ·
    255 / m, where x are the real numbers.

    data (any shape), int32 | min_range, max_range (1,)
    out like data; the range (1,), (1,): -m to m for int8, 0 to m for uint8

    out_type: int8, uint8, or auto, which is uint8 if min_calib_range is at least 0, else int8.
    min_calib_range, max_calib_range: the range of the output, from calibration; without it, the range of data itself.

    >>> data, low, high = nd.array([2 ** 30, -2 ** 29], dtype="int32"), nd.array([-4]), nd.array([4])
    >>> values, low, high = nd.contrib.requantize(data, low, high, min_calib_range=-1, max_calib_range=2)
    >>> values.asnumpy(), float(low.asscalar()), float(high.asscalar())
    (array([127, -64], dtype=int8), -2.0, 2.0)
    """

    out_type: Literal["auto", "int8", "uint8"] = "int8"
    min_calib_range: float | None = None
    max_calib_range: float | None = None

    def infer_shape(self, data, min_range, max_range):
        ranges = self.require_ranges(self.arguments[1:], (min_range, max_range))
        return [data, *ranges], [data, (1,), (1,)]

    def infer_dtype(self, data, *ranges):
        data = self.require_dtype("data", data, INT32)
        return [data, *self.require_reals(self.arguments[1:], ranges)], [self.chosen_dtype(), FLOAT32, FLOAT32]

    def forward(self, data, min_range, max_range):
        step, dtype = real_steps(INT32, magnitude(min_range, max_range)), self.chosen_dtype()
        if self.calibrated:
            m = np.max(np.abs(self.calibrated_range()))
        else:
            m = np.float32(np.abs(data.astype(np.float32)).max(initial=0)) * step
        with np.errstate(all="ignore"):
            values = nearest(data.astype(np.float32) * step * (np.floor(STEPS[dtype]) / m), dtype)
        return values, *both_ends(-m if dtype == INT8 else 0, m)


@register("data", "min_range", "max_range", name="_contrib_dequantize")
class dequantize(Op):
    """The real numbers that integers with a range represent: data · m / 127.5 (int8) or data · m / 255.5 (uint8).

    data (any shape), int8 or uint8 | min_range, max_range (1,), m = max(|min_range|, |max_range|) | out like data

    out_type: float32.

    >>> real = nd.contrib.dequantize(nd.array([-51, 102], dtype="int8"), nd.array([-1]), nd.array([2]))
    >>> print(real.asnumpy().round(4))
    [-0.8  1.6]
    """

    out_type: Literal["float32"] = "float32"
    keeps = ()
    gradient = None
    require_ranges, require_reals = Quantized.require_ranges, Quantized.require_reals
    require_bytes = Quantized.require_bytes

    def infer_shape(self, data, min_range, max_range):
        return [data, *self.require_ranges(self.arguments[1:], (min_range, max_range))], [data]

    def infer_dtype(self, data, *ranges):
        data = self.require_bytes("data", data, BYTES)
        return [data, *self.require_reals(self.arguments[1:], ranges)], [FLOAT32]

    def forward(self, data, min_range, max_range):
        return data.astype(np.float32) * real_steps(data.dtype, magnitude(min_range, max_range))
