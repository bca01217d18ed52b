"""The NumPy backend: the reference, and kernels that write to the memory of a plan."""

from __future__ import annotations

from typing import Any

from ...ops import REGISTRY
from ...ops.error_details import refusal
from ...ops.linear import Adjoint
from . import array, linalg, math, nn, optimizer, rnn
from .blocks import elementwise, view
from .reference import ReferenceBackend, ReferenceKernel
from .table import Writer, adjoint_function_for, forward_for, function_for, kernel_for, writer_for

__all__ = ["ReferenceBackend", "ReferenceKernel", "Writer", "forward_for", "kernel_for", "prepared_operators",
           "refusal", "writer_for"]


def prepared_operators() -> dict[Any, Any]:
    """Returns {name: function} for all operators whose family has a dedicated kernel.

    Operators that `blocks.py` computes block by block with `forward` are not included, nor are copies with a different
    shape.
    """
    functions = {}
    for cls in set(REGISTRY.values()):
        function = adjoint_function_for(cls.of) if issubclass(cls, Adjoint) else function_for(cls)
        if function not in (None, elementwise, view):
            functions[cls.name] = function
    return functions
