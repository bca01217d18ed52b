"""Shapes of inputs as options of commands."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from ...base import MXNetError, listed

__all__ = ["in_order", "named_shape"]


def named_shape(text: str) -> tuple[str | None, tuple[Any, ...]]:
    """(None, (1, 512)) from '1,512', ('data', (1, 512)) from 'data:1,512'."""
    name, colon, numbers = text.rpartition(":")
    try:
        shape = tuple(int(part) for part in numbers.split(",") if part.strip())
    except ValueError:
        shape = (-1,)
    if any(d < 0 for d in shape) or (colon and not name):
        raise argparse.ArgumentTypeError(f"must be numbers with commas between them, such as 1,512; found {text!r}")
    return name or None, shape


def in_order(shapes: Any, names: Sequence[str]) -> list[Any]:
    """The shapes of inputs, of what `named_shape` gave. names: of the inputs, None where they have none."""
    given = dict(shapes)
    if None in given or not shapes:
        if len(given) > 1 and None in given and len(shapes) != [name for name, _ in shapes].count(None):
            raise MXNetError("give a name with each --shape, or with none")
        return [shape for _, shape in shapes]
    if names is None:
        raise MXNetError("inputs of a block have no names: give shapes without, in order")
    unknown = [name for name in given if name not in names]
    missing = [name for name in names if name not in given]
    if unknown or missing:
        raise MXNetError(f"--shape names {listed(list(given))}; the inputs are {listed(list(names))}")
    return [given[name] for name in names]
