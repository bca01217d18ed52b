"""Explanations of parameters that many functions of `mx.np` share, for the docstrings that do not have their own."""

import inspect
import re
from collections.abc import Callable
from typing import Any

__all__ = ["PARAMETERS", "documented"]

PARAMETERS = {
    "axis": "the axis or axes; None for all of them",
    "keepdims": "True keeps the reduced axes, with length 1",
    "initial": "the value to start from; None for the first element",
    "ddof": "the divisor is the number of elements minus ddof",
    "a_min": "the lower bound: a number, an array, or None",
    "a_max": "the upper bound: a number, an array, or None",
    "offset": "the diagonal: 0 is the main diagonal, positive ones are above it",
    "axis1": "the first of the two axes",
    "axis2": "the second of the two axes",
    "indices_or_sections": "the number of equal parts, or the positions at which to split",
    "source": "the axes to move, an integer or a tuple",
    "destination": "their positions in the result",
    "nan": "the replacement for NaN",
    "posinf": "the replacement for infinity; None for the largest number of the dtype",
    "neginf": "the replacement for minus infinity; None for the smallest number of the dtype",
    "newshape": "the new shape, an integer or a tuple",
    "shift": "the number of positions, an integer or one for each axis",
    "reps": "the number of repetitions along each axis",
}


def documented(call: Callable[..., Any], names: list[str]) -> str:
    """Return a docstring with explanations of the parameters that it does not mention, before errors and examples.

    call: the function of a row, with the docstring.
    names: the parameters.
    """
    doc = inspect.cleandoc(call.__doc__ or "")
    missing = [name for name in names if name in PARAMETERS and not re.search(rf"\b{name}\b[^\n(]*: ", doc)]
    if not missing:
        return doc
    end = re.search(r"\n\n(Raises|>>>)", doc)
    described, remaining = (doc, "") if end is None else (doc[:end.start()], doc[end.start():])
    return "\n\n".join([described, "\n".join(f"{name}: {PARAMETERS[name]}." for name in missing)]) + remaining
