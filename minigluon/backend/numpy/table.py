"""The table of NumPy's kernels: functions that write an operator's results to given memory.

    @kernel_for(FullyConnected)
    def fully_connected(op, inputs, outputs):
        ...                                 # Specs are examined once, here
        return run                          # run(inputs, targets): targets are the outputs

A function returns `run`, a `Writer`, which also requests scratch buffers, or a string that says why `forward` must
compute these arrays in new memory. An operator without a function always uses `forward`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...ops.linear import Adjoint
from ..table import KernelTable

if TYPE_CHECKING:
    from ...ops.op import Op
    from ...ops.shapes import Spec

__all__ = ["Writer", "adjoint_function_for", "adjoint_kernel_for", "forward_for", "forward_of", "function_for",
           "kernel_for", "writer_for"]


class Writer(NamedTuple):
    """run(inputs, targets): targets are the outputs, then buffers of the Specs in `scratch`."""

    run: object
    scratch: list = []


_writers = KernelTable()
_forwards = {}          # class -> function(op, *dtypes)
kernel_for = _writers.kernel_for
function_for = _writers.function_for

_adjoints = KernelTable()       # keyed by the operators, not by their adjoints
adjoint_kernel_for = _adjoints.kernel_for       # the function receives the operator and the adjoint's Specs
adjoint_function_for = _adjoints.function_for


@kernel_for(Adjoint)
def adjoint(op, inputs, outputs):
    return _adjoints.find(op.operator, inputs, outputs)


def writer_for(op: Op, inputs: Sequence[Spec], outputs: Sequence[Spec], train: bool = False,
               rng: np.random.Generator | None = None) -> Writer | None:
    """Returns an operator's Writer for arrays with these Specs; None if it cannot write to given memory."""
    prepared = _writers.find(op, inputs, outputs, train=train, rng=rng)
    if isinstance(prepared, (str, Writer)):
        return None if isinstance(prepared, str) else prepared
    return Writer(prepared)


def forward_of(cls: Any) -> Callable[..., Any]:
    """Decorator: function(op, *dtypes) returns `forward` for inputs of these types, with all choices and conversions
    made in advance. It is for operators so small that these would take most of the time.
    """
    def enter(function):
        _forwards[cls] = function
        return function
    return enter


def forward_for(op: Op, *dtypes: np.dtype[Any]) -> Callable[..., Any]:
    """Returns `op.forward` for inputs of these types."""
    for cls in type(op).__mro__:
        if cls in _forwards:
            return _forwards[cls](op, *dtypes)
    return op.forward
