"""Joint updates of many weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

__all__ = ["JointUpdates"]


# methods that a program overrides to change the steps
_STEPS = ("update", "update_multi_precision", "_get_lr", "_get_lrs", "_get_wd", "_get_wds")


class JointUpdates:
    """Mixin for Optimizer that updates many weights with one operator.

    A subclass overrides the first two methods if it has an operator like `_sgd_steps`, whose rates come from
    `_begin_all`. `joint_step.py` runs it.
    """

    aggregate_num: int
    begin_num_update: int
    _index_update_count: dict[Any, int]

    def _joint_options(self) -> dict[str, Any] | str:
        """Return {attribute: value} for the operator that takes all steps in place, or the reason why there is none.
        """
        return f"{type(self).__name__} updates weights one by one"

    def _joint_step(self, states: list[Any]) -> tuple[Any, list[Any]] | str:
        """Return (operator for weights with these states, the arrays of each state), or the reason for having none."""
        return cast(str, self._joint_options())

    def _update_is_that_of(self, cls: Any) -> bool:
        """Return whether the steps and their rates are defined by `cls` and not replaced by a subclass or program.

        `update` reads `_get_lr` for one weight and `_get_lrs` for a list. A program that replaces only one of these
        methods expects it to be used as in MXNet's optimizers.
        """
        kind, own = type(self), self.__dict__
        return all(getattr(kind, name) is getattr(cls, name) and name not in own for name in _STEPS)

    def _begin_all(self, indices: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """Count the updates and return (learning rates, decays), as for single updates or lists of `aggregate_num`.

        All updates are counted at once if their counts are equal. Otherwise, a rate may depend on the order of
        counting.
        """
        counts = self._index_update_count
        lrs: list[Any] = []
        wds: list[Any] = []
        update_counts = {self.begin_num_update if count is None else count for count in set(map(counts.get, indices))}
        is_even = len(update_counts) == 1
        size = len(indices) if is_even else max(self.aggregate_num, 1)
        for start in range(0, len(indices), size):
            some = indices[start:start + size]
            self._update_count(some)
            lrs += self._get_lrs(some)
            wds += self._get_wds(some)
        return lrs, wds
