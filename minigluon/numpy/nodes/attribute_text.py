"""Conversion of function arguments to the text of attributes, and back.

A text is read as a number, a tuple, True, False, None or an input (`<input 0>`); any other text stands for itself.
"""

from __future__ import annotations

import ast
from typing import Any

import numpy as onp

from ...base import OpAttributeError
from ...symbol.text import attribute_text
from .placeholder import Placeholder

__all__ = ["MOST_CHARACTERS", "names_in", "text_of", "value_of"]

MOST_CHARACTERS = 4096      # for attributes that are not a plain word: long ones use a lot of memory in Python's parser
_NAMES = {"inf": float("inf"), "nan": float("nan"), "Ellipsis": ...}


def names_in(text: str) -> frozenset[str]:
    """Return the words in a text."""
    return frozenset(text.split())


def text_of(value: Any) -> str:
    """Return the text of an argument, which is the result of `str`, or the name of a type."""
    if isinstance(value, (type, onp.dtype)) and value is not type(None):
        return onp.dtype(value).name
    if isinstance(value, tuple):
        items = [repr(x) if isinstance(x, str) else text_of(x) for x in value]
        return f"({', '.join(items)}{',' if len(items) == 1 else ''})"
    return str(value) if isinstance(value, Placeholder) else attribute_text(value)


def value_of(text: str) -> Any:
    """Return the argument that a text stands for. Raises OpAttributeError for a text that is too long."""
    if text.isidentifier() and text not in ("None", "True", "False", *_NAMES):
        return text
    if len(text) > MOST_CHARACTERS:
        raise OpAttributeError(f"an attribute has {len(text)} characters, expected at most {MOST_CHARACTERS}")
    try:
        return _value(ast.parse(text.replace("<input ", "_input(").replace(">", ")").strip(), mode="eval").body)
    except (ValueError, SyntaxError, TypeError):
        return text                     # a string that is not the text of a value
    except (MemoryError, RecursionError):       # raised by Python's parser for brackets or signs nested too deeply
        return text


def _value(tree):
    """Return the value of an expression. Raises ValueError for an expression that is not a literal or an input."""
    if isinstance(tree, ast.Constant) and not isinstance(tree.value, bytes):
        return tree.value
    if isinstance(tree, (ast.Tuple, ast.List)):
        return tuple([_value(item) for item in tree.elts])
    if isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.USub):
        return -_value(tree.operand)
    if isinstance(tree, ast.Name) and tree.id in _NAMES:
        return _NAMES[tree.id]
    if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and tree.func.id == "_input":
        return Placeholder(_value(tree.args[0]))
    raise ValueError
