"""Sharded optimizer states: each process keeps the states of a part of the weights, takes the steps for these weights,
and sends them to the others.

    gradients    reduce-scatter: each is added up in the process that owns its weight
    step         of the own weights
    weights      all-gather: each is sent by its owner to all others

A weight belongs to one process as a whole, so optimizers that need its norm work unchanged. Rajbhandari et al. 2020,
ZeRO: Memory optimizations toward training trillion parameter models.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..base import MXNetError
from ..optimizer import Updater, states_file

__all__ = ["Shards", "ShardedUpdater"]

# Optimizers whose steps depend on more than the state of the weight.
COUPLED = {"Nadam": "its momentum schedule is common to all weights", "LBSGD": "it keeps sums of gradients",
           "SGLD": "its noise would no longer be drawn in the same order by all processes"}


class Shards:
    """The owners of a Trainer's weights. Each new weight, the largest first, goes to the process that has the least.

    store: a DistributedStore.
    params: the Trainer's Parameters.
    """

    def __init__(self, store: Any, params: Sequence[Any]) -> None:
        self.store, self._params = store, params
        self._owners: dict[int, int] = {}
        self._loads = [0] * store.num_workers

    def owners_of(self, indices: Sequence[int]) -> list[int]:
        """Return the owners of weights with these indices, the same in all processes if the indices are."""
        sizes = {index: math.prod(self._params[index].shape) for index in indices if index not in self._owners}
        for index in sorted(sizes, key=lambda index: (-sizes[index], index)):
            rank = self._loads.index(min(self._loads))
            self._owners[index] = rank
            self._loads[rank] += sizes[index]
        return [self._owners[index] for index in indices]

    def owns(self, index: int) -> bool:
        """Return whether a weight belongs to this process; True if that has not been decided yet."""
        return self._owners.get(index, self.store.rank) == self.store.rank

    def share(self, what: str) -> None:
        """Send the 'weights' or the 'gradients' to all processes, from their owners."""
        learned = [index for index, param in enumerate(self._params) if param._grad is not None]
        arrays = [list((self._params[index]._data if what == "weights" else self._params[index]._grad).values())
                  for index in learned]
        if not learned:
            return
        owners = self.owners_of(learned)
        self.store.from_owners(what, {index: first for index, (first, *_) in zip(learned, arrays, strict=True)}, owners)
        for index, (first, *rest) in zip(learned, arrays, strict=True):
            for x in () if self.owns(index) else rest:
                x[:] = first.as_in_context(x.context)


class ShardedUpdater(Updater):
    """The Updater of one device, with states of this process's weights only.

    is_last: whether it is that of the last device, after whose step the weights are sent.
    """

    def __init__(self, optimizer: Any, shards: Shards, is_last: bool) -> None:
        super().__init__(optimizer)
        reason = next((COUPLED[cls.__name__] for cls in type(optimizer).__mro__ if cls.__name__ in COUPLED), None)
        if reason is not None:
            raise MXNetError(f"the states of {type(optimizer).__name__} cannot be sharded: {reason}. Use another "
                             "optimizer, or do not call shard_optimizer_states.")
        self.shards, self.is_last = shards, is_last

    def prepare(self, indices: Any, grads: Any, weights: Any) -> Any:
        self.states = {index: state for index, state in self.states.items() if self.shards.owns(index)}
        rows = list(zip(indices, grads, weights, strict=True))
        own = [row for row in rows if self.shards.owns(row[0])]
        step = super().prepare(*zip(*own, strict=True)) if own else None
        return ShardedStep(self, step, [index for index, *_ in rows if not self.shards.owns(index)],
                           weights[0].device.device_id)

    def gathered_states(self, wanted: bool) -> bytes | None:
        """Return the states of all processes as `get_states` does, if `wanted`. All processes must call this."""
        parts = self.shards.store.gather_bytes("states of the optimizer", states_file.dump(self.states), wanted)
        if not wanted:
            return None
        whole = Updater(self.optimizer)
        for rank, part in enumerate(parts):
            whole.states.update(self.states if rank == self.shards.store.rank else states_file.load(part))
        return whole.get_states(dump_optimizer=True)


class ShardedStep:
    """A step of the own weights, followed by the exchange of all weights.

    own: the Step of the own weights, or None. others: the indices of the others, whose updates are only counted.
    """

    operator = state_arrays = None
    reason = "the optimizer's states are sharded"

    def __init__(self, updater: ShardedUpdater, own: Any, others: list[int], device_id: int) -> None:
        self._updater, self._own, self._others, self._device_id = updater, own, others, device_id
        self._optimizer = updater.optimizer

    def is_current(self, updater: Any) -> bool:
        """Return whether optimizer, settings and states have not changed since this was prepared."""
        return updater.optimizer is self._optimizer and (self._own is None or self._own.is_current(updater))

    def run(self) -> None:
        """Take the step."""
        if self._own is not None:
            self._own.run()
        self._optimizer._set_current_context(self._device_id)
        self._optimizer._update_count(self._others)
        if self._updater.is_last:
            self._updater.shards.share("weights")
