"""Operators on two arrays, computed by NumPy functions that broadcast."""

from ....ops.math.broadcast import Binary
from ..blocks import elementwise
from ..table import by_ufunc, kernel_for, ufunc_for


@kernel_for(Binary)
def binary(op, inputs, outputs):
    ufunc = ufunc_for(op.forward, inputs[0].dtype)
    return elementwise(op, inputs, outputs) if ufunc is None else by_ufunc(ufunc)
