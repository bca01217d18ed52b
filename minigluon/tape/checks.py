"""Checks of the arrays that are passed to the tape, and their errors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, cast

from ..base import AutogradError, ContextError, DetachedError, DTypeError, NotRecordedError, WrittenInPlaceError
from ..common.dtypes import as_dtype
from ..diagnostics.strictness import refuse

__all__ = ["list_arrays", "match_heads", "require_alike", "require_recorded", "require_version"]

Array = Any         # an NDArray


def require_version(array: Array, version: int, op: Any) -> None:
    """Raise WrittenInPlaceError if the array was written to since it had this version.

    MXNet, and a lenient run, compute the gradient from the new value.
    """
    if array._version != version:
        refuse(WrittenInPlaceError(
            f"an array of shape {array.shape} was written in place after operator {op.name} had recorded it, and its "
            "gradient needs the old value. Write to a copy instead, or call backward first."))


def require_recorded(head: Array) -> None:
    """Raise an error that says why `head` has no graph, if it has none."""
    if head.entry is not None:
        return
    if head._is_detached:
        raise DetachedError(
            f"cannot differentiate an array of shape {head.shape}: it was cut off from its graph by detach(). "
            "Call backward on the array that detach() was called on.")
    raise NotRecordedError(
        f"cannot differentiate an array of shape {head.shape}: it is not part of a recorded graph. Compute it inside "
        "`with autograd.record():` from arrays that have attach_grad() called, without going through asnumpy().")


def match_heads(heads: Any, head_grads: Any) -> tuple[list[Array], list[Array | None]]:
    """Return heads and their gradients as lists of equal lengths. Raises AutogradError, DTypeError, ContextError."""
    heads = list_arrays(heads, "head")
    if not heads:
        raise AutogradError("backward needs at least one head")
    head_grads = [None] * len(heads) if head_grads is None else list_arrays(head_grads)
    if len(head_grads) != len(heads):
        raise AutogradError(f"{len(heads)} heads but {len(head_grads)} head gradients")
    for i, (head, g) in enumerate(zip(heads, head_grads, strict=True)):
        if g is not None:
            if g.shape != head.shape:
                g = head_grads[i] = _in_shape_of(head, g)
            require_alike("head", head, "head gradient", g)
            if g.dtype != head.dtype:       # plans read its memory as if it were the head's
                found, expected = str(as_dtype(g.dtype)), str(as_dtype(head.dtype))
                raise DTypeError(f"a head of dtype {expected} has a head gradient of dtype {found}. Convert it with "
                                 f".astype('{expected}').")
    return heads, head_grads


def _in_shape_of(head: Array, g: Array) -> Array:
    """Reshape a head gradient with a different shape but as many elements as its head: MXNet takes them in order.

    Only the number of axes of length 1 may differ; anything else raises an error.
    """
    if math.prod(g.shape) != math.prod(head.shape):
        return g
    if [n for n in g.shape if n != 1] != [n for n in head.shape if n != 1]:
        refuse(AutogradError(f"a head of shape {head.shape} has a head gradient of shape {g.shape}"))
    return g.reshape(head.shape)


def require_alike(name: str, array: Array, gradients_name: str, grad: Array) -> None:
    """Check that a gradient has the shape and device of its array: a plan writes into the memory of both."""
    if grad.shape != array.shape:
        raise AutogradError(f"a {name} of shape {array.shape} has a {gradients_name} of shape {grad.shape}")
    if grad.context is not array.context:
        raise ContextError(f"a {name} on {array.context} has a {gradients_name} on {grad.context}. Move it with "
                           f".as_in_context({array.context}).")


def list_arrays(arrays: Any, none_is: str = "") -> list[Array]:
    """Return one array or several as a list. Raises AutogradError for anything else, and for None if it has a name."""
    items = list(cast("Sequence[Any]", arrays)) if isinstance(arrays, (list, tuple)) else [arrays]
    for x in items:
        if x is None and none_is:
            raise AutogradError(f"a {none_is} is None, expected an NDArray: does its function lack a return statement?")
        if x is not None and not hasattr(x, "entry"):
            raise AutogradError(f"expected an NDArray or a list of them, found {type(x).__name__} {x!r}")
    return items
