"""Kernels that compute block by block, and views that are copied.

The intermediate values of a block are small, stay in the processor's cache, and are no longer needed when the block of
the result is written, so the result may reuse the memory of an input.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...ops.kinds import Elementwise, View
from .table import flat, forward_for, kernel_for

__all__ = ["BLOCK", "by_blocks", "elementwise", "view"]

BLOCK = 2 ** 13         # elements


@kernel_for(Elementwise)
def elementwise(op, inputs, outputs):
    """Prepares a kernel that calls `forward` block by block."""
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
    """Returns a kernel for arrays of one shape that calls `forward`, which allocates, on one block at a time."""
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
