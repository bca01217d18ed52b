"""Results of operators without a gradient, such as argmax, on the tape.

Most programs make none while they record, or none that counts; then `Constant.made` stays False, and the tape has
nothing to do for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any

__all__ = ["Constant", "next_number", "record_constant", "with_constants"]

Pair = tuple[Any, int]              # an entry of the tape, and which output of it

next_number = count().__next__      # of an entry: grows with time, so a parent's is smaller than its child's


class Constant:
    """The result of an operator without a gradient. It remembers what it was computed from.

    No gradient goes further back; but the variables behind it have taken part, and get a gradient of zeros.
    """

    __slots__ = ("number", "origin", "parents", "specs")
    versions = None                 # not recorded, see is_recorded
    graph = None
    made = False                    # was there ever one? Most programs make none, and need not look for them

    def __init__(self, parents: Sequence[Pair], specs: Sequence[Any]):
        self.parents, self.specs = parents, specs
        self.number = next_number()
        Constant.made = True

    def check(self) -> None:
        """Nothing was saved that might be overwritten."""

    def free(self) -> None:
        """There is nothing to let go."""

    def gradients(self, *_: Any) -> Sequence[Any]:
        """None for each parent."""
        return [None] * len(self.parents)


def with_constants(parents: Sequence[Pair | None], inputs: Sequence[Any]) -> list[Pair | None]:
    """The parents with those inputs that are Constants: variables behind them have taken part."""
    return [(x.entry, x.output_index) if x.entry.__class__ is Constant else parent
            for x, parent in zip(inputs, parents, strict=True)]


def record_constant(parents: Sequence[Pair | None], outputs: Sequence[Any], specs: Sequence[Any]) -> bool:
    """Have outputs that no gradient goes through remember what is on the tape behind their parents; is there anything?

    What is behind a Constant counts in its stead, but for those parts of a graph that were freed: so a number that is
    added up from step to step holds no old steps.
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
