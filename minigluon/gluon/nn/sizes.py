"""Checks for layer sizes and convolution windows. An integer stands for the same size along every axis."""

from __future__ import annotations

import numbers
from typing import Any

from ...base import ArgumentError
from ...diagnostics.strictness import refuse

__all__ = ["check_layout", "check_length", "check_rate", "per_axis"]


def per_axis(block: Any, name: str, value: int | tuple[int, ...], rank: int) -> Any:
    """Return `value` as a tuple of `rank` integers. Raises ArgumentError, which names the layer and the argument, if
    this is impossible.
    """
    if isinstance(value, numbers.Number):
        return (value,) * rank
    try:
        sizes = tuple(value)
    except TypeError:
        sizes = ()
    if len(sizes) != rank:
        raise ArgumentError(f"{type(block).__name__}: {name} is {value!r}, expected an integer or {rank} of them")
    return sizes


def check_length(block: Any, name: str, value: int) -> None:
    """Raise ArgumentError unless `value` is the length of an axis."""
    if not isinstance(value, numbers.Integral) or value < 1:
        raise ArgumentError(f"{type(block).__name__}: {name} is {value!r}, expected an integer, at least 1")


def check_rate(block: Any, name: str, value: float) -> None:
    """Raise ArgumentError unless `value` is a probability. MXNet and lenient mode treat a negative value as 0."""
    if isinstance(value, numbers.Real) and 0 <= value <= 1:
        return
    error = ArgumentError(f"{type(block).__name__}: {name} is {value!r}, expected a number from 0 to 1, the share of "
                          "elements that are dropped")
    if isinstance(value, numbers.Real) and value < 0:
        refuse(error)
        return
    raise error


def check_layout(block: Any, layout: str, *layouts: str) -> None:
    """Raise ArgumentError unless `layout` is a known layout."""
    if layout not in layouts:
        raise ArgumentError(f"{type(block).__name__}: layout is {layout!r}, expected {' or '.join(map(repr, layouts))}")
