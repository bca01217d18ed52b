"""The base class of quantized operators, and arithmetic with ranges.

A quantized array consists of integers and a range, two arrays of shape (1,): the real numbers `min` and `max` that the
integers cover. Only the larger magnitude m = max(|min|, |max|) defines the scale, and zero is always the integer 0:

    integers    real number that the integer q stands for
    int8        q · m / 127.5
    uint8       q · m / 255.5       the real numbers are not negative
    int32       q · m / 2³¹

The half is added because numbers are rounded to the nearest integer: m itself becomes 127.5, which is stored as 127.
"""

import numpy as np

from ...base import DTypeError
from ..op import Op

__all__ = ["BYTES", "FLOAT32", "INT8", "INT32", "STEPS", "UINT8", "Quantized", "both_ends", "magnitude", "nearest",
           "real_steps"]

FLOAT32, INT8, UINT8, INT32 = (np.dtype(name) for name in ("float32", "int8", "uint8", "int32"))
BYTES = INT8, UINT8
# The number of integers on one side of zero, including the half from rounding.
STEPS = {INT8: np.float32(127.5), UINT8: np.float32(255.5), INT32: np.float32(2 ** 31)}


class Quantized(Op):
    """Base class of operators whose outputs are integers and their range: (output, min, max)."""

    num_outputs = 3
    output_names = ("output", "min_output", "max_output")
    keeps = ()
    gradient = None

    def require_ranges(self, names, shapes):
        """Returns the shapes of ranges: (1,) for each."""
        return [self.require(name, shape, (1,)) for name, shape in zip(names, shapes, strict=True)]

    def require_bytes(self, argument, dtype, allowed=BYTES):
        """Checks that a dtype, if known, is one of `allowed`; raises DTypeError. Returns it, or the only allowed one.
        """
        if dtype is None:
            return allowed[0] if len(allowed) == 1 else None
        if dtype not in allowed:
            raise DTypeError(f"{self.name}: {argument} is {dtype}, expected {' or '.join(map(str, allowed))}. Quantize "
                             "it first with nd.contrib.quantize_v2.")
        return dtype

    def require_reals(self, names, dtypes):
        """Returns the dtypes of real numbers: float32 unless another floating-point type is known. Raises DTypeError.
        """
        for name, dtype in zip(names, dtypes, strict=True):
            self.require_float(name, dtype)
        return [FLOAT32 if dtype is None else dtype for dtype in dtypes]


def magnitude(low, high):
    """Returns the larger magnitude of a range as float32; NaN if an end is NaN."""
    return np.float32(np.maximum(np.abs(low.reshape(-1)[0]), np.abs(high.reshape(-1)[0])))


def both_ends(low, high):
    """Returns a range as two arrays of shape (1,)."""
    return np.full(1, low, np.float32), np.full(1, high, np.float32)


def nearest(x, dtype):
    """Returns real numbers as the nearest integers of a type, with halves rounded to even, clipped to its range.

    NaN becomes 127 as int8 and 0 as uint8, as in MXNet.
    """
    info = np.iinfo(dtype)
    with np.errstate(invalid="ignore"):
        rounded = np.nan_to_num(np.rint(x), nan=info.max if info.min else 0, posinf=info.max, neginf=info.min)
    return np.clip(rounded, info.min, info.max).astype(dtype)


def real_steps(dtype, m):
    """Returns the real number that one step of integers with magnitude m represents."""
    return m / STEPS[np.dtype(dtype)]
