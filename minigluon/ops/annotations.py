"""Types for annotating the attributes of operator classes, in addition to Python's own."""

import operator
import types
import typing
from functools import cache, reduce

from ..context import Context

__all__ = ["DType", "Device", "Floats", "Graph", "Index", "Shape", "python_type"]


class Shape(tuple):
    """Annotation: a tuple of integers. A single integer stands for a tuple with one item."""


class Index(tuple):
    """Annotation: a tuple whose items are integers or None, as in slices."""


class Floats(tuple):
    """Annotation: a tuple of floats."""


class DType(str):
    """Annotation: the name of an element type, such as 'float32'."""


class Device(str):
    """Annotation: a device as text, such as 'cpu(0)'; '' is the current device."""


class Graph:
    """Annotation: a graph that the operator runs, such as the body of a loop; see `control`. Compared by identity."""


# The Python types that programs pass for these annotations, for signatures and stubs.
_PYTHON_TYPES = {Shape: int | tuple[int, ...], Index: tuple[int | None, ...], Floats: float | tuple[float, ...],
                 DType: str | type, Device: str | Context}


@cache
def python_type(annotation):
    """Translates an annotation to Python's own types: `int | tuple[int, ...]` for `Shape`."""
    if isinstance(annotation, types.UnionType):
        return reduce(operator.or_, map(python_type, typing.get_args(annotation)))
    return _PYTHON_TYPES.get(annotation, annotation)
