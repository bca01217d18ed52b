"""Adjoints of linear operators (`ops/linear.py`) find their kernels by the operator that they are the adjoints of."""

from ...ops.linear import Adjoint
from ..table import KernelTable
from .table import kernel_for

__all__ = ["adjoint_function_for", "adjoint_kernel_for"]

_adjoints = KernelTable()
adjoint_function_for = _adjoints.function_for
adjoint_kernel_for = _adjoints.kernel_for       # a decorator: the function gets the operator, and the adjoint's Specs


@kernel_for(Adjoint)
def adjoint(op, inputs, outputs):
    return _adjoints.find(op.operator, inputs, outputs)
