"""Attributes of operators: the conversion of a value from a user or a JSON file to one canonical Python value.

An operator class annotates its attributes (`num_hidden: int`, `no_bias: bool = False`). The annotation is one of
bool, int, float, str, `Shape`, `Index`, `Floats`, `DType`, `Device`, `Graph`, `Literal[...]`, each also `| None`.
"""

import numbers
import types
import typing
from dataclasses import MISSING, dataclass

import numpy as np

from ..common.dtypes import as_dtype
from ..context import parse as parse_context
from .annotations import Device, DType, Floats, Graph, Index, Shape
from .attribute_texts import items_of, number_of
from .error_details import wrong_value
from .symbolic_dimensions import SymbolicDim

__all__ = ["MISSING", "DType", "Device", "Field", "Floats", "Graph", "Index", "Shape", "items_of"]

MAX_INT = (1 << 63) - 1             # the maximum length: lengths in MXNet have 32 or 64 bits


def _bool(value):
    if isinstance(value, str):
        return {"true": True, "1": True, "false": False, "0": False}[value.lower()]
    if isinstance(value, np.bool_) or (isinstance(value, numbers.Number) and value in (0, 1)):
        return bool(value)
    raise ValueError


def _length(value):
    value = _int(value)
    if value > MAX_INT:
        raise ValueError
    return value


def _int(value):
    if isinstance(value, SymbolicDim):
        return value
    if isinstance(value, str):
        value = number_of(value)
    if isinstance(value, (float, np.floating)) and not float(value).is_integer():
        raise ValueError
    value = int(value)
    if not -MAX_INT - 1 <= value <= MAX_INT + 1:        # the end of a range may be one past the last value
        raise ValueError
    return value


def _tuple(item):
    def parse(value):
        if isinstance(value, str):
            value = items_of(value)
        return tuple([item(v) for v in value]) if np.iterable(value) else (item(value),)
    return parse


def _float(value):
    return float(value.strip().rstrip("L") if isinstance(value, str) else value)


def _real(value):
    """Returns a float, or an int if no float represents the integer exactly: arrays may have 64-bit integers."""
    number = float(value)
    if not 2.0 ** 53 <= abs(number) <= 2.0 ** 63 or isinstance(value, (float, np.floating)):
        return number
    try:
        whole = int(value)
    except ValueError:                  # a string such as '1e18'
        return number
    return whole if whole != number and -2 ** 63 <= whole < 2 ** 63 else number


def _int_or_none(value):
    return None if value is None or (isinstance(value, str) and value.strip() == "None") else _int(value)


def _instance(cls):
    def parse(value):
        if not isinstance(value, cls):
            raise TypeError
        return value
    return parse


_PARSERS = {
    bool: (_bool, "True or False"), int: (_int, "an integer"), float: (_real, "a number"),
    str: (_instance(str), "a string"), Graph: (_instance(Graph), "a graph"),
    Shape: (_tuple(_length), "a tuple of integers"), Floats: (_tuple(_float), "a tuple of numbers"),
    Index: (_tuple(_int_or_none), "a tuple of integers and None"),
    DType: (lambda value: as_dtype(value).name, "an element type such as 'float32'"),
    Device: (lambda value: str(parse_context(value)) if value else "", "a device such as 'cpu(0)'"),
}


@dataclass(frozen=True)
class Field:
    """One attribute of an operator: its name, kind, and default (MISSING if it is required)."""

    name: str
    annotation: object
    default: object = MISSING

    def parse(self, value: object, op_name: str) -> typing.Any:
        """Returns the canonical value of a Python value or of MXNet's text form. Raises OpAttributeError."""
        kind, optional, choices = self.kind()
        if optional and (value is None or (isinstance(value, str) and value == "None")):
            return None
        if choices:
            if isinstance(value, (str, numbers.Number)) and value in choices:
                return choices[choices.index(value)]        # 1 for True and 1.0
            expected = "one of " + ", ".join(repr(c) for c in choices)
        else:
            parser, expected = _PARSERS[kind]
            try:
                return parser(value)
            except (ValueError, TypeError, SyntaxError, KeyError, OverflowError, MemoryError, RecursionError):
                pass            # the errors that parsers raise for an unreadable value
        raise wrong_value(op_name, self.name, value, expected + (" or None" if optional else ""), choices)

    def kind(self):
        """Returns (type, whether None is allowed, allowed values)."""
        annotation = self.annotation
        optional = False
        if isinstance(annotation, types.UnionType) or typing.get_origin(annotation) is typing.Union:
            parts = [a for a in typing.get_args(annotation) if a is not type(None)]
            optional, annotation = True, parts[0]
        if typing.get_origin(annotation) is typing.Literal:
            return None, optional, typing.get_args(annotation)
        return annotation, optional, ()
