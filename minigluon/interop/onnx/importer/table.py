"""The table of ONNX operators and the functions that translate them to symbols."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["ELEMENTWISE", "TABLE", "NotRepresentableError", "operator"]

TABLE = {}              # (domain, operator): function(call) -> a Symbol, a known array, or a list of them
ELEMENTWISE = set()     # the operators whose result is a scalar if all inputs are scalars

ONNX = ""


class NotRepresentableError(Exception):
    """Raised for a node without a counterpart in minigluon; the message is the reason.

    inputs: names of values that would have to be known when the file is read.
    """

    def __init__(self, reason: str, inputs: Any = ()):
        super().__init__(reason)
        self.inputs: tuple[Any, ...] = tuple(inputs)


def operator(*names: Any, elementwise: bool = False, domain: str = ONNX) -> Callable[..., Any]:
    """Registers the decorated function for these ONNX operators."""
    def enter(function):
        for name in names:
            TABLE[domain, name] = function
            if elementwise:
                ELEMENTWISE.add((domain, name))
        return function
    return enter
