"""Errors of operators, with the inputs and attributes of the call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from ..base import MXNetError

__all__ = ["describe", "refusal"]

Error = TypeVar("Error", bound=MXNetError)


def describe(error: Error, op: Any, inputs: Sequence[Any]) -> Error:
    """Add the operator's inputs (arrays or Specs) and attributes to an error, and return the error."""
    names = op.argument_names(len(inputs))
    listed = ", ".join(f"{n} {x.shape} {x.dtype}" for n, x in zip(names, inputs, strict=False))
    error.add(f"inputs: {listed or 'none'}")
    if op.fields:
        error.add("attributes: " + ", ".join(f"{k}={v!r}" for k, v in op.attributes.items()))
    return error


def refusal(op: Any, inputs: Sequence[Any], error: Exception) -> MXNetError:
    """Return the MXNetError for a call that NumPy rejected although the operator's shape rule allowed it."""
    refused = MXNetError(f"{op.name}: cannot be computed: {error or type(error).__name__}")
    describe(refused, op, inputs)
    if isinstance(error, MemoryError):
        refused.add("remedy: the result does not fit into memory; check the sizes among the attributes")
    return refused
