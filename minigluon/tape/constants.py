"""Results of operators without a gradient, such as argmax, on the tape.

Most programs record no Constants that matter. Then `Constant.made` stays False, and the tape skips them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any

__all__ = ["Constant", "next_number", "record_constant", "with_constants"]

Pair = tuple[Any, int]              # a tape entry, and the index of its output

next_number = count().__next__      # increasing ids of entries, so that a parent's id is smaller than its child's


class Constant:
    """The result of an operator without a gradient, with its parents on the tape.

    Gradients stop here, but the variables that it depends on receive gradients of zeros, because they took part.
    """

    __slots__ = ("number", "origin", "parents", "specs")
    versions = None                 # not recorded (see is_recorded)
    graph = None
    made = False                    # whether a Constant was ever created; most programs need no check

    def __init__(self, parents: Sequence[Pair], specs: Sequence[Any]):
        self.parents, self.specs = parents, specs
        self.number = next_number()
        Constant.made = True

    def check(self) -> None:
        """Has no effect: no saved array could have been overwritten."""

    def free(self) -> None:
        """Has no effect: there is nothing to free."""

    def gradients(self, *_: Any) -> Sequence[Any]:
        """Returns None for each parent."""
        return [None] * len(self.parents)


def with_constants(parents: Sequence[Pair | None], inputs: Sequence[Any]) -> list[Pair | None]:
    """Returns the parents, including inputs that are Constants, because the variables that these depend on took part.
    """
    return [(x.entry, x.output_index) if x.entry.__class__ is Constant else parent
            for x, parent in zip(inputs, parents, strict=True)]


def record_constant(parents: Sequence[Pair | None], outputs: Sequence[Any], specs: Sequence[Any]) -> bool:
    """Links outputs without a gradient to the tape entries of their parents; returns whether there are any.

    A Constant is replaced with the entries it depends on, except freed parts of a graph, so that a value accumulated
    over steps does not keep old steps alive.
    """
    origins: dict[Pair, None] = {}
    for parent in parents:
        if parent is not None:
            behind = [parent] if not isinstance(parent[0], Constant) else parent[0].parents
            origins.update(dict.fromkeys(pair for pair in behind if pair[0].versions is not None))
    if origins:
        entry = Constant(list(origins), specs)
        for index, y in enumerate(outputs):
            y.entry, y.output_index = entry, index
    return bool(origins)
