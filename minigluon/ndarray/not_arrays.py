"""The error of `invoke` for inputs that are missing or are not arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..base import CallError, MXNetError
from ..ops.op import Op
from .ndarray import NDArray

__all__ = ["not_arrays"]


def not_arrays(op: Op, inputs: Sequence[Any]) -> MXNetError | None:
    """Return the error for inputs that are missing or are not arrays; None if all of them are arrays."""
    if inputs and all(isinstance(x, NDArray) for x in inputs):
        return None
    try:
        op.require_count(len(inputs), [k for k, x in enumerate(inputs) if x is None])
    except MXNetError as error:
        return error
    name, x = next(((name, x) for name, x in zip(op.argument_names(len(inputs)), inputs, strict=True)
                    if not isinstance(x, NDArray)), ("an input", None))
    return CallError(f"{op.name}: {name} must be an NDArray, found {type(x).__name__} {x!r}. "
                     "Convert it with nd.array(...).")
