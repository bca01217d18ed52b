"""Explanations of parameters that many functions of `mx.np` have, for docstrings that do not explain them."""

import inspect
import re

from .table import Function

__all__ = ["PARAMETERS", "documented"]

PARAMETERS = {
    "axis": "the axis or axes; None for all of them",
    "keepdims": "True keeps the reduced axes, with length 1",
    "initial": "the value to start from; None for the first element",
    "ddof": "the divisor is the number of elements minus ddof",
    "correction": "the name of ddof in the array API standard",
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
_END = re.compile(r"\n\n(?=Raises |>>> )")      # where the errors or the example begin


def documented(row: Function) -> str:
    """Return a row's docstring, with explanations of those parameters that it does not mention before its end.

    row: a row of the table. The example uses the row's name if the function has several names.
    """
    doc, *end = _END.split(inspect.cleandoc(row.call.__doc__ or ""), maxsplit=1)
    missing = [name for name in row.signature.parameters
               if name in PARAMETERS and not re.search(rf"\b{name}\b[^\n(]*: ", doc)]
    explained = ["\n".join(f"{name}: {PARAMETERS[name]}." for name in missing)] if missing else []
    return "\n\n".join([doc, *explained, *end]).replace(f"np.{row.in_example}(", f"np.{row.name}(")
