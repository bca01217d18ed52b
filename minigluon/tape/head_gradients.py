"""Heads that cannot be differentiated, and gradients that a program passes for heads or variables."""

from __future__ import annotations

import math
from typing import Any

from ..base import AutogradError, ContextError, DetachedError, DTypeError, NotRecordedError
from ..common.dtypes import as_dtype
from ..diagnostics.strictness import refuse

__all__ = ["fit_to_head", "require_alike", "unrecorded"]

Array = Any         # an NDArray


def fit_to_head(g: Array, head: Array) -> Array:
    """Return a head gradient with the shape of its head. Raises AutogradError, DTypeError, ContextError."""
    if g.shape != head.shape:
        g = _in_shape_of(head, g)
    require_alike("head", head, "head gradient", g)
    if g.dtype != head.dtype:       # plans read its memory as if it were the head's
        actual, expected = str(as_dtype(g.dtype)), str(as_dtype(head.dtype))
        raise DTypeError(f"a head of dtype {expected} has a head gradient of dtype {actual}. Convert it with "
                         f".astype('{expected}').")
    return g


def _in_shape_of(head: Array, g: Array) -> Array:
    """Reshape a head gradient with a different shape but as many elements as its head: MXNet takes elements in order.

    Only the number of axes of length 1 may differ; anything else raises an error.
    """
    if math.prod(g.shape) != math.prod(head.shape):
        return g
    if [n for n in g.shape if n != 1] != [n for n in head.shape if n != 1]:
        refuse(AutogradError(f"a head of shape {head.shape} has a head gradient of shape {g.shape}"))
    return g.reshape(head.shape)


def require_alike(name: str, array: Array, gradients_name: str, grad: Array) -> None:
    """Check that a gradient has its array's shape and device, because a plan writes into the memory of both."""
    if grad.shape != array.shape:
        raise AutogradError(f"a {name} of shape {array.shape} has a {gradients_name} of shape {grad.shape}")
    if grad.context is not array.context:
        raise ContextError(f"a {name} on {array.context} has a {gradients_name} on {grad.context}. Move it with "
                           f".as_in_context({array.context}).")


def unrecorded(head: Array) -> AutogradError:
    """Return the error for a head without a graph, which says why it has none."""
    if head._is_detached:
        return DetachedError(
            f"cannot differentiate an array of shape {head.shape}: it was cut off from its graph by detach(). "
            "Call backward on the array that detach() was called on.")
    return NotRecordedError(
        f"cannot differentiate an array of shape {head.shape}: it is not part of a recorded graph. Compute it inside "
        "`with autograd.record():` from arrays that have attach_grad() called, without going through asnumpy().")
