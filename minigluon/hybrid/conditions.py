"""Conditions for passes that have nothing to do on most graphs.

    @only_if("saving")                  # if this field of the draft is set
    @only_with("slice_axis")            # on graphs with one of these operators, given by name or as a class
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["only_if", "only_with"]

Pass = Any                              # a function from Draft to Draft, with attributes


def only_if(field: str) -> Callable[[Pass], Pass]:
    """Decorator for a pass that runs only if this field of the draft is set."""
    def mark(pass_: Pass) -> Pass:
        pass_.field = field
        return pass_
    return mark


def only_with(*operators: str | type) -> Callable[[Pass], Pass]:
    """Decorator for a pass that runs only on graphs with one of these operators."""
    def mark(pass_: Pass) -> Pass:
        pass_.operators = operators
        return pass_
    return mark
