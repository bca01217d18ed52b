"""Input shapes as command-line options."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from ...base import MXNetError, listed

__all__ = ["in_order", "named_shape"]


def named_shape(text: str) -> tuple[str | None, tuple[Any, ...]]:
    """Parse '1,512' as (None, (1, 512)), and 'data:1,512' as ('data', (1, 512))."""
    name, colon, numbers = text.rpartition(":")
    try:
        shape = tuple(int(part) for part in numbers.split(",") if part.strip())
    except ValueError:
        shape = (-1,)
    if any(d < 0 for d in shape) or (colon and not name):
        raise argparse.ArgumentTypeError(f"must be numbers separated by commas, such as 1,512; found {text!r}")
    return name or None, shape


def in_order(shapes: Any, names: Sequence[str]) -> list[Any]:
    """Return the shapes in the inputs' order. shapes: from `named_shape`. names: the names of the inputs, or None."""
    by_name = dict(shapes)
    if None in by_name or not shapes:
        if len(by_name) > 1 and None in by_name and len(shapes) != [name for name, _ in shapes].count(None):
            raise MXNetError("give a name with every --shape, or with none of them")
        return [shape for _, shape in shapes]
    if names is None:
        raise MXNetError("inputs of a block have no names: give the shapes in order, without names")
    unknown = [name for name in by_name if name not in names]
    missing = [name for name in names if name not in by_name]
    if unknown or missing:
        raise MXNetError(f"--shape names {listed(list(by_name))}; the inputs are {listed(list(names))}")
    return [by_name[name] for name in names]
