"""The table of NumPy kernels: functions that write an operator's results to given memory, and their helpers.

    @kernel_for(FullyConnected)
    def fully_connected(op, inputs, outputs):
        ...                                 # Specs are examined once, here
        return run                          # run(inputs, targets): targets are the outputs

A function returns `run`, or a `Writer`, which also requests scratch buffers, or a string that says why `forward` must
compute these arrays in new memory. An operator without a function always uses `forward`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...ops.linear import Adjoint
from ..table import KernelTable

if TYPE_CHECKING:
    from ...common.types import DType
    from ...ops.op import Op
    from ...ops.shapes import Spec

__all__ = ["Writer", "adjoint_function_for", "adjoint_kernel_for", "by_ufunc", "flat", "forward_for", "forward_of",
           "function_for", "kernel_for", "positional", "ufunc_for", "writer_for"]


class Writer(NamedTuple):
    """run(inputs, targets): targets are the outputs, then buffers of the Specs in `scratch`."""

    run: object
    scratch: list = []


_writers = KernelTable()
_forwards = {}          # class -> (function(op, *dtypes), the class's `forward`)
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
    """Returns an operator's Writer for arrays with these Specs; None if the operator cannot write to given memory."""
    prepared = _writers.find(op, inputs, outputs, train=train, rng=rng)
    if isinstance(prepared, (str, Writer)):
        return None if isinstance(prepared, str) else prepared
    return Writer(prepared)


def forward_of(cls: Any) -> Callable[..., Any]:
    """Decorator: function(op, *dtypes) returns `forward` for these types, with choices and conversions made in advance,
    for very small operators. It is used as long as the class keeps its `forward`; the course replaces some."""
    def enter(function):
        _forwards[cls] = function, cls.forward
        return function
    return enter


def forward_for(op: Op, *dtypes: np.dtype[Any]) -> Callable[..., Any]:
    """Returns `op.forward` for inputs of these types."""
    for cls in type(op).__mro__:
        if cls in _forwards:
            function, own_forward = _forwards[cls]
            return function(op, *dtypes) if cls.forward is own_forward else op.forward
    return op.forward


def flat(array: Any) -> Any:
    """Return the elements as a vector, which is a view because a plan's memory is contiguous."""
    return array.reshape(array.size)


def ufunc_for(compute: Any, dtype: DType) -> Any:
    """Return the NumPy function equivalent to `compute` for arrays of this type, or None.

    If that holds only for some types, or only after a conversion of the result, `compute.ufunc` contains the function
    and the kinds of types (those of `numpy.dtype.kind`).
    """
    ufunc, kinds = (compute, "fiu") if isinstance(compute, np.ufunc) else getattr(compute, "ufunc", (None, ""))
    return ufunc if dtype.kind in kinds else None


def by_ufunc(ufunc: Any) -> Callable[..., Any]:
    """Return a kernel that passes its target to a function of one or two arrays."""
    ufunc = positional(ufunc)
    if ufunc.nin == 1:
        def run(inputs, targets):
            ufunc(inputs[0], targets[0])
    else:
        def run(inputs, targets):
            ufunc(inputs[0], inputs[1], targets[0])
    return run


def positional(ufunc: Any) -> Callable[..., Any]:
    """Return a NumPy function that takes its output as a positional argument, which saves 60 ns."""
    if ufunc not in (np.maximum, np.minimum):
        return ufunc

    def named(x, y, out):
        return ufunc(x, y, out=out)         # these two ufuncs warn about a third positional argument
    named.nin = 2
    return named
