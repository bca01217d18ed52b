"""Operators that overwrite inputs: the running statistics of BatchNorm, an optimizer's weights and states."""

from collections.abc import Sequence
from typing import Any

__all__ = ["store_mutated"]


def store_mutated(op: Any, inputs: Sequence[Any], values: Sequence[Any]) -> list[int]:
    """Stores the new values of the inputs that an operator overwrites. Returns the positions that it wrote.

    inputs: the operator's buffers. values: one per name in `op.mutates`, as a Kernel's `run` returns them after
    the outputs; None leaves that input unchanged.
    """
    names = op.argument_names(len(inputs))
    stored: list[int] = []
    for name, value in zip(op.mutates, values, strict=True):
        if value is not None:
            position = names.index(name)
            inputs[position][...] = value
            stored.append(position)
    return stored
