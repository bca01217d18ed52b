"""Operators on an array and a number, which is converted once to the array's type."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ....ops.math.scalar import Scalar
from ....ops.numeric import cast
from ..blocks import elementwise
from ..table import forward_of, kernel_for, positional, ufunc_for

if TYPE_CHECKING:
    from ....common.types import DType
    from ....ops.op import Op


@forward_of(Scalar)
def scalar_forward(op: Op, dtype: DType) -> Callable[..., Any]:
    if dtype.kind == "b":
        return op.forward
    scalar, compute = cast(np.array(op.scalar), dtype), op.compute      # a 0-d array is fastest
    return lambda data: compute(data, scalar)


@kernel_for(Scalar)
def scalar(op, inputs, outputs):
    dtype, left = inputs[0].dtype, getattr(op.compute, "left", None)
    ufunc = ufunc_for(left or op.compute, dtype)
    if ufunc is None or dtype.kind == "b":
        return elementwise(op, inputs, outputs)
    ufunc, scalar = positional(ufunc), cast(np.array(op.scalar), dtype)
    if left:
        return lambda inputs, targets: ufunc(scalar, inputs[0], targets[0])
    return lambda inputs, targets: ufunc(inputs[0], scalar, targets[0])
