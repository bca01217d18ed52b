"""The storage types float16 and bfloat16: operators on them compute in float32.

Each result is rounded once, when it is stored. Computing in float16 would round after each step inside an operator,
sums would lose their low bits, intermediate values might overflow, and processors do not have fast float16 arithmetic.
Operators are unaware of this: a backend widens the Specs when it prepares a kernel.
"""

import numpy as np

from ..common.dtypes import is_narrow
from ..ops.shapes import Spec

__all__ = ["is_narrow", "wide_dtype", "widened"]

_FLOAT32 = np.dtype("float32")


def wide_dtype(dtype: np.dtype) -> np.dtype:
    """Returns the compute type: float32 for float16 and bfloat16, otherwise the type itself."""
    return _FLOAT32 if is_narrow(dtype) else dtype


def widened(spec: Spec) -> Spec:
    """Returns the Spec with float32 in place of float16 or bfloat16."""
    return Spec(spec.shape, wide_dtype(spec.dtype))
