"""Functions that create evenly spaced numbers and diagonals: `arange`, `linspace`, and `eye`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base import MXNetError
from ..common.dtypes import as_dtype
from ..common.types import DType, Number
from ..context import Context
from ..ops import REGISTRY
from .creation import from_host, refusing
from .ndarray import NDArray
from .register import make_function

__all__ = ["arange", "eye", "linspace"]

_eye = make_function(REGISTRY["_eye"], "eye")


@refusing
def arange(start: Number, stop: Number | None = None, step: Number = 1.0, repeat: int = 1,
           infer_range: bool | None = None, ctx: Context | None = None, dtype: DType | None = None) -> NDArray:
    """Returns start, start + step, ... below stop, each `repeat` times.

    If only one number n is given, the range is from 0 to n.

    start: the first value.
    stop: the exclusive upper bound.
    step: the difference between neighbors, which may be negative but not 0.
    repeat: how many times each value is repeated.
    infer_range: has no effect; accepted for old programs. The length must follow from the arguments.
    ctx: the device; the current one if None.
    dtype: float32 if None. For an integer type, start and step are truncated after the values have been counted.

    >>> print(nd.arange(3).asnumpy(), nd.arange(2, 8, 3, repeat=2).asnumpy())
    [0. 1. 2.] [2. 2. 5. 5.]
    """
    if stop is None:
        start, stop = 0, start
    if step == 0:
        raise MXNetError("arange: step must not be 0")
    dtype = as_dtype(dtype)
    values = np.arange(start, stop, step)
    if dtype.kind in "iu" and values.dtype.kind == "f":
        values = int(start) + np.arange(len(values)) * int(step)
    values = values if repeat == 1 else np.repeat(values, repeat)
    return from_host(values.astype(dtype), ctx)


@refusing
def linspace(start: Number, stop: Number, num: int, endpoint: bool = True, ctx: Context | None = None,
             dtype: DType | None = None) -> NDArray:
    """Returns evenly spaced numbers.

    start: the first value.
    stop: the last value if `endpoint`; otherwise the value that would follow the last one.
    num: the number of values.
    endpoint: whether to include `stop`.
    ctx: the device; the current one if None.
    dtype: float32 if None.

    >>> print(nd.linspace(0, 1, 5).asnumpy())
    [0.   0.25 0.5  0.75 1.  ]
    """
    return from_host(np.linspace(start, stop, num, endpoint).astype(as_dtype(dtype)), ctx)


def eye(N: int, M: int = 0, k: int = 0, ctx: Context | None = None, dtype: DType | None = None,
        **kwargs: Any) -> NDArray:
    """Returns (N, M) with ones on a diagonal and zeros elsewhere.

    N: the number of rows.
    M: the number of columns; N if 0.
    k: the index of the diagonal: 0 is the main diagonal, positive indices are above it.
    ctx: the device; the current one if None.
    dtype: float32 if None.
    kwargs: `out`, an array to fill instead of a new one.

    >>> print(nd.eye(2, 3, k=1).asnumpy())
    [[0. 1. 0.]
     [0. 0. 1.]]
    """
    return _eye(N=N, M=0 if M is None else M, k=k, ctx=ctx, dtype=as_dtype(dtype).name, **kwargs)
