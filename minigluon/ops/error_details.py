"""Errors of operators, with the inputs and attributes of the call, and errors for arguments that do not fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from ..base import CallError, MXNetError, OpAttributeError, nearest

__all__ = ["describe", "passed_twice", "other_kind", "refusal", "too_many", "wrong_value"]

MAX_SHOWN = 100                     # the maximum number of characters of a wrong value in a message

Error = TypeVar("Error", bound=MXNetError)


def describe(error: Error, op: Any, inputs: Sequence[Any]) -> Error:
    """Add the operator's inputs (arrays or Specs) and attributes to an error, and return that error."""
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


def too_many(cls: Any, count: int) -> OpAttributeError:
    """Return the error for `count` positional arguments, which are more than the operator has inputs and attributes."""
    return OpAttributeError(f"{cls.name} takes {len(cls.arguments)} arrays and {len(cls.fields)} attributes, "
                            f"but {count} positional arguments were given")


def passed_twice(cls: Any, name: str) -> OpAttributeError:
    """Return the error for an attribute given both by position and by name."""
    return OpAttributeError(f"{cls.name}: attribute {name} is given twice, by position and by name")


def other_kind(cls: Any, name: str, value: Any) -> CallError:
    """Return the error for an input that is not an array, or not a symbol, although the other inputs are."""
    remedy = ("Call the function of F, which is sym while a graph is written" if type(value).__name__ == "Symbol"
              else "Convert it with nd.array(...)")
    return CallError(f"{cls.name}: {name} must be an array of the same kind as the others, "
                     f"found {type(value).__name__} {value!r}. {remedy}.")


def wrong_value(op_name: str, name: str, value: Any, expected: str, choices: Sequence[Any]) -> OpAttributeError:
    """Return the error for an attribute's value. expected: what it should be. choices: the allowed values, if any."""
    hint = nearest(str(value)[:MAX_SHOWN], choices) if choices else ""
    actual = repr(value)
    actual = actual if len(actual) <= MAX_SHOWN else actual[:MAX_SHOWN] + "..."
    return OpAttributeError(f"{op_name}: attribute {name} is {actual}, expected {expected}.{hint}")
