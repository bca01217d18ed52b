"""Checks of the arrays passed to the tape, and the errors they raise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from ..base import AutogradError, WrittenInPlaceError
from ..diagnostics.strictness import refuse
from .head_gradients import fit_to_head

__all__ = ["list_arrays", "match_heads", "require_version"]

Array = Any         # an NDArray


def require_version(array: Array, version: int, op: Any) -> None:
    """Raise WrittenInPlaceError if the array has been written to since it had this version. Lenient runs accept it."""
    if array._version != version:
        refuse(WrittenInPlaceError(
            f"an array of shape {array.shape} was written in place after operator {op.name} had recorded it, and its "
            "gradient needs the old value. Write to a copy instead, or call backward first."))


def match_heads(heads: Any, head_grads: Any) -> tuple[list[Array], list[Array | None]]:
    """Return heads and their gradients as lists of equal lengths. Raises AutogradError, DTypeError, ContextError."""
    heads = list_arrays(heads, "head")
    if not heads:
        raise AutogradError("backward needs at least one head")
    head_grads = [None] * len(heads) if head_grads is None else list_arrays(head_grads)
    if len(head_grads) != len(heads):
        raise AutogradError(f"{len(heads)} heads but {len(head_grads)} head gradients")
    return heads, [None if g is None else fit_to_head(g, head) for head, g in zip(heads, head_grads, strict=True)]


def list_arrays(arrays: Any, none_is: str = "") -> list[Array]:
    """Return one or more arrays as a list. Raises AutogradError for anything else, and for None if none_is is given."""
    items = list(cast("Sequence[Any]", arrays)) if isinstance(arrays, (list, tuple)) else [arrays]
    for x in items:
        if x is None and none_is:
            raise AutogradError(f"a {none_is} is None, expected an NDArray: does its function lack a return statement?")
        if x is not None and not hasattr(x, "entry"):
            raise AutogradError(f"expected an NDArray or a list of them, found {type(x).__name__} {x!r}")
    return items
