"""The updates of many weights at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

__all__ = ["JointUpdates"]


class JointUpdates:
    """The part of Optimizer that updates many weights by one operator.

    A subclass overrides the first two methods if it has an operator of the kind of `_sgd_steps`, to which `_begin_all`
    gives the numbers. `joint_step.py` runs it.
    """

    aggregate_num: int
    begin_num_update: int
    _index_update_count: dict[Any, int]

    def _joint_options(self) -> dict[str, Any] | str:
        """{attribute: value} of the operator that makes all steps in place, or a text: why there is none."""
        return f"{type(self).__name__} makes its steps one by one"

    def _joint_step(self, states: list[Any]) -> tuple[Any, list[Any]] | str:
        """(the operator for weights with such states, the arrays of each state), or why there is none."""
        return cast(str, self._joint_options())

    def _update_is_that_of(self, cls: Any) -> bool:
        """Return whether the steps are those of `cls`: no subclass or program has put others in their place."""
        kind, own = type(self), self.__dict__
        return (kind.update is cls.update and kind.update_multi_precision is cls.update_multi_precision
                and "update" not in own and "update_multi_precision" not in own)

    def _begin_all(self, indices: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """Count the updates: (learning rates, decays), the same as one by one, or `aggregate_num` by `aggregate_num`.

        At once where all have the same count. Otherwise a rate may depend on which of them were counted before.
        """
        counts = self._index_update_count
        lrs: list[Any] = []
        wds: list[Any] = []
        seen = {self.begin_num_update if count is None else count for count in set(map(counts.get, indices))}
        is_even = len(seen) == 1
        size = len(indices) if is_even else max(self.aggregate_num, 1)
        for start in range(0, len(indices), size):
            some = indices[start:start + size]
            self._update_count(some)
            lrs += self._get_lrs(some)
            wds += self._get_wds(some)
        return lrs, wds
