"""Argument checks for the loops in `nd.contrib` and `sym.contrib`, and their error messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..base import ArgumentError
from ..common.nest import flatten

__all__ = ["flat_leaves", "loop_variables", "most_iterations", "nested", "pair", "same_count"]


def flat_leaves(value: Any, kind: type[Any], what: str) -> tuple[Any, ...]:
    """Returns (flat list, structure) of an array of type `kind`, or of nested lists of such arrays.

    what: the beginning of the error message, such as "foreach: data".
    """
    return flatten(_opened(value, kind, what))


def _opened(item, kind, what):
    if isinstance(item, (list, tuple)):
        return [_opened(inner, kind, what) for inner in item]
    if not isinstance(item, kind):
        actual = "None" if item is None else f"{type(item).__name__} {item!r}"
        raise ArgumentError(f"{what} must be one {kind.__name__} or nested lists of them, found {actual}")
    return list(item) if kind.__name__ == "Symbol" and len(item) > 1 else item


def pair(result: Sequence[Any], what: str) -> list[Any] | tuple[Any, Any]:
    """Returns the two values returned by a loop body."""
    if not isinstance(result, (list, tuple)) or len(result) != 2:
        actual = f"{len(result)} values" if isinstance(result, (list, tuple)) else type(result).__name__
        raise ArgumentError(f"{what} must return two values, outputs and states, found {actual}. Where there are none, "
                            "return [] in their place.")
    return result


def most_iterations(value: Any) -> int:
    """Returns max_iterations, which may be an array of one element, as an integer."""
    if value is None:
        raise ArgumentError("while_loop: max_iterations is missing; the outputs have one place for each iteration")
    number = value.item() if hasattr(value, "asnumpy") else value
    try:
        number = int(number)
    except (TypeError, ValueError):
        raise ArgumentError(f"while_loop: max_iterations must be an integer, found {value!r}") from None
    if number < 0:
        raise ArgumentError(f"while_loop: max_iterations must be 0 or more, found {number}")
    return number


def loop_variables(value: Any, kind: Any) -> tuple[list[Any], bool]:
    """Returns the loop variables as a list, and whether there was only a single variable that was not in a list."""
    single = isinstance(value, kind)
    if not single and not isinstance(value, (list, tuple)):
        raise ArgumentError(f"while_loop: loop_vars must be one {kind.__name__} or a list of them, found "
                            f"{type(value).__name__} {value!r}")
    if not single and not value:
        raise ArgumentError("while_loop: loop_vars is empty; there must be one variable, or more")
    return ([value] if single else list(value)), single


def same_count(what: str, actual: Any, expected: Any) -> None:
    """Raises ArgumentError unless the body returned as many states as it received."""
    if actual != expected:
        raise ArgumentError(f"{what}: there are {expected} going in and {actual} coming out")


def nested(structure: Any) -> Any:
    """Returns a structure as text for messages: `[*, [*]]`, where `*` stands for one array."""
    return "*" if structure is None else f"[{', '.join(map(nested, structure))}]"
