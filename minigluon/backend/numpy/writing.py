"""Helpers that the kernels of several families share.

If one NumPy function does the work, it gets the target as its `out`. Longer computations run block by block: the
intermediate values are small, stay in the processor's cache, and are used up before their block of the result is
written, so the result may take the memory of an input.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...ops.families import Elementwise, View
from .table import forward_for, kernel_for

if TYPE_CHECKING:
    from ...common.types import DType

__all__ = ["BLOCK", "by_blocks", "by_ufunc", "elementwise", "flat", "positional", "ufunc_for"]

BLOCK = 2 ** 13         # elements


@kernel_for(Elementwise)
def elementwise(op, inputs, outputs):
    """By `forward`, block by block."""
    if any(spec.shape != outputs[0].shape for spec in inputs):
        return "shapes that differ"
    return by_blocks(forward_for(op, *[spec.dtype for spec in inputs]))


@kernel_for(View)
def view(op, inputs, outputs):
    shape = outputs[0].shape

    def run(inputs, targets):
        np.copyto(targets[0], inputs[0].reshape(shape))
    return run


def by_blocks(forward: Any) -> Callable[..., Any]:
    """A kernel for arrays of one shape from a function that makes new ones: it is called for one block at a time."""
    def run(inputs, targets):
        out = targets[0]
        if out.size <= BLOCK:
            out[...] = forward(*inputs)
            return
        out, inputs = flat(out), [flat(x) for x in inputs]
        for start in range(0, out.size, BLOCK):
            block = slice(start, start + BLOCK)
            out[block] = forward(*[x[block] for x in inputs])
    return run


def flat(array: Any) -> Any:
    """The elements as a vector, a view: memory of a plan is in one piece."""
    return array.reshape(array.size)


def ufunc_for(compute: Any, dtype: DType) -> Any:
    """Return the NumPy function that computes the same for arrays of this type, or None.

    If that holds for some types only, or up to a conversion of the result, `compute.ufunc` has the function and the
    kinds of types (those of `numpy.dtype.kind`).
    """
    ufunc, kinds = (compute, "fiu") if isinstance(compute, np.ufunc) else getattr(compute, "ufunc", (None, ""))
    return ufunc if dtype.kind in kinds else None


def by_ufunc(ufunc: Any) -> Callable[..., Any]:
    """A kernel that hands its target to a function of one or two arrays."""
    ufunc = positional(ufunc)
    if ufunc.nin == 1:
        def run(inputs, targets):
            ufunc(inputs[0], targets[0])
    else:
        def run(inputs, targets):
            ufunc(inputs[0], inputs[1], targets[0])
    return run


def positional(ufunc: Any) -> Callable[..., Any]:
    """A NumPy function that takes its output by position, which saves 60 ns."""
    if ufunc not in (np.maximum, np.minimum):
        return ufunc

    def named(x, y, out):
        return ufunc(x, y, out=out)         # these two warn of a third argument without a name
    named.nin = 2
    return named
