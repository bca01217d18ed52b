"""A pass over a DataLoader that can be resumed in the middle."""

from __future__ import annotations

import copy
import zlib
from collections.abc import Iterator
from typing import Any

from ...base import MXNetError
from ...common import generators as rng
from ..data import DataLoader
from .attributes import checkpointed_values, restore

__all__ = ["Pass"]


class Pass:
    """A DataLoader's batches, with a position that a checkpoint can store.

    Each `for` loop starts a new pass, except the first after `restore`, which continues where `state` was called. The
    samples of earlier batches are not read again: the sampler yields its indices again, from the random state at the
    beginning of the pass, and the random state for the samples is restored.

    loader: the DataLoader.
    batches: the number of batches taken in the current pass.

    >>> from minigluon.gluon.resume import Pass
    >>> loader = gluon.data.DataLoader(list(range(10)), batch_size=2, shuffle=True, batchify_fn=list)
    >>> first, again = Pass(loader), Pass(loader)
    >>> batches = iter(first)
    >>> begun = [next(batches), next(batches)]
    >>> state = first.state()
    >>> rest = list(batches)
    >>> again.restore(state)
    >>> list(again) == rest, len(rest)
    (True, 3)
    """

    loader: Any
    batches: int

    def __init__(self, loader: Any):
        self.loader, self.batches = loader, 0
        self._samplers = _samplers(loader)
        self._began = self._order = None    # the random state at the beginning of the pass, and the indices drawn
        self._replayed = None               # the state to resume from

    def state(self) -> Any:
        """Return the state of the pass as plain values."""
        if self._replayed:
            return self._replayed
        if self.batches == 0:
            samplers = list(map(checkpointed_values, self._samplers))
            return {"batches": 0, "began": None, "samplers": samplers, "drawn": 0, "order": 0}
        drawn, checksum = (0, 0) if self._order is None else (self._order.drawn, self._order.checksum)
        return {"batches": self.batches, **self._began, "drawn": drawn, "order": checksum}

    def restore(self, state: Any) -> None:
        """Make the next `for` loop continue from a state."""
        for sampler, values in zip(self._samplers, state["samplers"], strict=True):
            restore(sampler, values)
        self.batches, self._replayed = state["batches"], state if state["batches"] else None

    def end(self) -> None:
        """End the pass, whether it is complete or not."""
        self.batches, self._replayed = 0, None

    def __iter__(self) -> Iterator[Any]:
        replayed, self._replayed = self._replayed, None
        if replayed:
            self.batches, here = replayed["batches"], rng.state()
            self._began = {name: replayed[name] for name in ("began", "samplers")}
            rng.restore(replayed["began"])          # for the sampler and the workers' seeds
        else:
            self.batches, here = 0, None
            self._began = {"began": rng.state(), "samplers": list(map(checkpointed_values, self._samplers))}
        for batch in self._remaining(replayed, here):
            self.batches += 1
            yield batch

    def _remaining(self, replayed, here):
        """Yield the remaining batches. here: the random state to continue from."""
        self._order = None
        if type(self.loader).__iter__ is DataLoader.__iter__:
            loader = copy.copy(self.loader)
            loader._batch_sampler = self._order = _ResumedBatchSampler(self.loader._batch_sampler, replayed, here)
            loader._first = self.batches
            return loader
        batches = iter(self.loader)                 # for a custom loop, which reloads earlier batches
        if replayed:
            for _ in range(self.batches):
                next(batches, None)
            rng.restore(here)
        return batches


class _ResumedBatchSampler:
    """A batch sampler that skips the lists already taken and computes a checksum of its lists."""

    def __init__(self, sampler, replayed, here):
        self._sampler, self._replayed, self._here = sampler, replayed, here
        self.drawn = self.checksum = 0

    def __iter__(self):
        lists = self._noted()
        if self._replayed:
            yield from self._waiting(lists, self._replayed)
        yield from lists

    def _noted(self):
        for indices in self._sampler:
            self.drawn += 1
            self.checksum = zlib.crc32(repr(list(indices)).encode(), self.checksum)
            yield indices

    def _waiting(self, lists, before):
        """Return the lists that were prefetched for workers but not taken."""
        drawn = [indices for _, indices in zip(range(before["drawn"]), lists)]
        if (self.drawn, self.checksum) != (before["drawn"], before["order"]):
            raise MXNetError("the training cannot be resumed exactly: the sampler yields the samples of this pass in "
                             "another order than before the checkpoint. Is the data the same? A sampler must draw its "
                             "order at once, or from a separate random generator.")
        rng.restore(self._here)
        return drawn[before["batches"]:]

    def __len__(self):
        return len(self._sampler)


def _samplers(loader):
    """Return a loader's samplers that have a state for checkpoints."""
    samplers = [loader._batch_sampler, getattr(loader._batch_sampler, "_sampler", None)]
    return [sampler for sampler in samplers if getattr(sampler, "checkpointed", ())]
