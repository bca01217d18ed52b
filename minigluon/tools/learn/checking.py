"""Helpers for checking steps: `@check(part, says)`, and comparisons whose failures are readable sentences."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import WrongAnswer
from .text import _

if TYPE_CHECKING:
    from .step import Part

__all__ = ["check", "expect", "filled", "same", "value_text", "wrong"]


def check(part: Part, says: Any) -> Callable[..., Any]:
    """Decorate a check, which is a function without arguments that raises Wrong.

    part: the name of the part that it checks. says: a sentence without a period that is true if the check passes.
    """
    def mark(function):
        function.part, function.says = part, says
        return function
    return mark


def filled(message: str, **values: Any) -> Any:
    """Return the translated message, with values for its {names}. Without values, braces are kept as they are."""
    return _(message).format(**values) if values else _(message)


def wrong(message: str, **values: Any) -> Any:
    """Raise Wrong with a translated message and values for its {names}."""
    raise WrongAnswer(_(message).format(**values))


def expect(condition: Any, message: str, **values: Any) -> None:
    """Raise Wrong unless the condition is true."""
    if not condition:
        wrong(message, **values)


def same(case: Any, actual: Any, expected: Any, why: Any, tolerance: float = 1e-5, **values: Any) -> None:
    """Compare arrays, numbers, or anything with ==. Raises Wrong: '<given> is <found>; expected <expected>: <why>'.

    For arrays, the shapes are compared first, then the dtypes, then the values. If `expected` is an array, `actual`
    must also be an array. values: for the {names} in `case` and `why`.
    """
    actual, expected = _plain(actual), _plain(expected)
    values = {"given": filled(case, **values), "why": filled(why, **values)}
    if isinstance(expected, np.ndarray):
        if expected.shape == () and isinstance(actual, (int, float)):
            raise WrongAnswer(_("{given} is the number {found}; expected an array without axes, as np.asarray or "
                                "keepdims=True returns: {why}").format(found=value_text(actual), **values))
        if not isinstance(actual, np.ndarray):
            raise WrongAnswer(_("{given} is {found}; expected an array of shape {expected}: {why}").format(
                found=value_text(actual), expected=expected.shape, **values))
        if actual.shape != expected.shape:
            raise WrongAnswer(_("{given} has shape {found}; expected {expected}: {why}").format(
                found=actual.shape, expected=expected.shape, **values))
        if actual.dtype != expected.dtype:
            raise WrongAnswer(_("{given} has dtype {found}; expected {expected}: {why}").format(
                found=actual.dtype, expected=expected.dtype, **values))
        equal = np.allclose(actual, expected, tolerance, tolerance, equal_nan=True)
    else:
        equal = type(actual) is type(expected) and actual == expected
    if not equal:
        raise WrongAnswer(_("{given} is {found}; expected {expected}: {why}").format(
            found=value_text(actual), expected=value_text(expected), **values))


def _plain(value):
    """Convert an NDArray to a NumPy array, and a NumPy number to a Python number."""
    if hasattr(value, "asnumpy"):
        return value.asnumpy()
    return value.item() if isinstance(value, np.generic) else value


def value_text(value: Any) -> str:
    """Return a value on one line, with few digits for arrays, and truncated if it is long."""
    if isinstance(value, np.ndarray):
        text = np.array2string(value, precision=4, suppress_small=True, threshold=12, separator=", ")
        text = " ".join(text.split())
    else:
        text = repr(value)
    return text if len(text) <= 200 else text[:200] + "..."
