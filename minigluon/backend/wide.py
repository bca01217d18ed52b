"""Types that are kept and not computed with, float16 and bfloat16: operators on them compute in float32.

Each result is rounded once, when it is stored. In float16 alone it would be rounded after each step inside of an
operator, sums would lose their low bits, and what is between input and result might leave the type's range; processors
have no fast arithmetic for it either. An operator does not know of this: a backend widens the Specs when it prepares
its kernel.
"""

import numpy as np

from ..common.dtypes import is_narrow
from ..ops.shapes import Spec

__all__ = ["is_narrow", "wide_dtype", "widened"]

_FLOAT32 = np.dtype("float32")


def wide_dtype(dtype: np.dtype) -> np.dtype:
    """The type in which numbers of a type are computed with: float32 for float16 and bfloat16, others as they are."""
    return _FLOAT32 if is_narrow(dtype) else dtype


def widened(spec: Spec) -> Spec:
    """The Spec with float32 in place of float16 or bfloat16."""
    return Spec(spec.shape, wide_dtype(spec.dtype))
