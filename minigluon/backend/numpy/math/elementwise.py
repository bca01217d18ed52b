"""Functions of one array, element by element."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ....ops.math.elementwise import ZEROS, Unary, _relu_grad, clip, sigmoid_into
from ..blocks import elementwise
from ..table import by_ufunc, forward_of, kernel_for, ufunc_for

if TYPE_CHECKING:
    from ....ops.op import Op

# name -> write(x, out), where out may be the memory of x; for elements of more than two bytes
_WRITES = {
    "identity": lambda x, out: np.copyto(out, x),
    "zeros_like": lambda x, out: out.fill(0),
    "ones_like": lambda x, out: out.fill(1),
    "rsqrt": lambda x, out: np.reciprocal(np.sqrt(x, out), out),
    "relu": lambda x, out: np.maximum(x, ZEROS[x.dtype], out=out),
    "sigmoid": sigmoid_into,
}


@forward_of(Unary)
def unary_forward(op: Op, dtype: np.dtype[Any]) -> Callable[..., Any]:
    return op.compute if dtype.kind == "f" else op.forward


@kernel_for(Unary)
def unary(op, inputs, outputs):
    dtype, write = inputs[0].dtype, _WRITES.get(op.name)
    ufunc = ufunc_for(op.forward, dtype)
    if ufunc is not None:
        return by_ufunc(ufunc)
    computes_any_type = op.forward is op.compute
    if write is None or dtype.itemsize < 4 or not (dtype.kind == "f" or computes_any_type):
        return elementwise(op, inputs, outputs)
    return lambda inputs, targets: write(inputs[0], targets[0])


@kernel_for(_relu_grad)
def relu_grad(op, inputs, outputs):
    zero = ZEROS[inputs[1].dtype]

    def run(inputs, targets):
        out = targets[0]
        np.greater(inputs[1], zero, out)    # writes 1 and 0 in the result's own type, as fast as writing a mask
        np.multiply(inputs[0], out, out)
    return run


@kernel_for(clip)
def clipped(op, inputs, outputs):
    dtype = inputs[0].dtype
    if dtype.kind != "f":
        return elementwise(op, inputs, outputs)
    low, high = np.array(op.a_min, dtype), np.array(op.a_max, dtype)

    def run(inputs, targets):
        np.maximum(inputs[0], low, out=targets[0])
        np.minimum(targets[0], high, out=targets[0])
    return run
