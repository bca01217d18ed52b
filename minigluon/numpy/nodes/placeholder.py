"""`Placeholder`, which stands for an input among the arguments of a call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["Placeholder", "filled", "placeholders_in"]


class Placeholder:
    """The position of an input among the arguments of a call."""

    def __init__(self, index: int) -> None:
        self.index = index

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Placeholder) and other.index == self.index

    def __hash__(self) -> int:
        return hash(("input", self.index))

    def __repr__(self) -> str:
        return f"<input {self.index}>"


def filled(value: Any, inputs: Sequence[Any]) -> Any:
    """Return an argument with its placeholders replaced by the inputs."""
    if isinstance(value, Placeholder):
        return inputs[value.index]
    if isinstance(value, tuple):
        return tuple([filled(part, inputs) for part in value])
    return value


def placeholders_in(value: Any) -> int:
    """Return the number of placeholders in an argument."""
    return sum(map(placeholders_in, value)) if isinstance(value, tuple) else int(isinstance(value, Placeholder))
