"""The table of ONNX's operators: who turns a node of each into symbols."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["ELEMENTWISE", "NotRepresentable", "TABLE", "operator"]

TABLE = {}              # (domain, operator): function(call) -> a Symbol, an array that is known, or a list of them
ELEMENTWISE = set()     # those whose result is a scalar where all inputs are

ONNX = ""


class NotRepresentable(Exception):
    """A node that has no counterpart here, with the reason as its text.

    inputs: names of values that would have to be known when the file is read.
    """

    def __init__(self, reason: str, inputs: Any = ()):
        super().__init__(reason)
        self.inputs: tuple[Any, ...] = tuple(inputs)


def operator(*names: Any, elementwise: bool = False, domain: str = ONNX) -> Callable[..., Any]:
    """Enter the function below for these operators of ONNX."""
    def enter(function):
        for name in names:
            TABLE[domain, name] = function
            if elementwise:
                ELEMENTWISE.add((domain, name))
        return function
    return enter
