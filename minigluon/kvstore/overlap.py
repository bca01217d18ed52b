"""Gradients that are sent while backward continues. An observer of the tape learns when a gradient is final, copies it
to its bucket, and starts to add the bucket up over processes once it is full; the step waits only for the last bucket.
The plan of a `TrainStep` says itself when gradients are final.

    backward  | layer 3 | layer 2 | layer 1 |
    network             | bucket of layer 3 | bucket of layers 2 and 1 |
    step                                                               | updates |
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import os
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from operator import itemgetter
from typing import Any

import numpy as np

from .. import tape
from ..base import MXNetError
from ..tape import Variable, observing
from .buckets import Buckets
from .collectives import Running

__all__ = ["Round", "overlap"]

_SLEEP_SECONDS = 0.001
_NOT_STORED = -1        # instead of the number of writes, if backward has not stored a gradient yet


class Round:
    """The gradients of one step of one Trainer.

    owner: the object whose life limits that of the round. grads: the arrays that receive the gradients. layout: their
    buckets; None for a round that only observes in which order gradients become final. start: a function of a bucket
    and its number that begins to add it up.
    """

    def __init__(self, owner: Any, grads: Sequence[Any], layout: Buckets | None = None,
                 start: Callable[[Any, int], Running] | None = None) -> None:
        self.owner = weakref.ref(owner)
        self.grads, self.layout, self._start = list(grads), layout, start
        self.index_of = {id(grad): index for index, grad in enumerate(grads)}
        self.order: list[int] = []              # the indices of final gradients, in order
        self.running: list[Running] = []        # a list with an item for each bucket that has been started
        self.is_open = True                     # whether gradients may still be added
        self._lock = threading.Lock()           # held while messages are started or continued
        self._versions: dict[int, int] = {}     # the number of writes to each array after backward has stored it
        self._spoiled = self._is_starting = False

    def add(self, variable: Variable, gradient: Any) -> None:
        """Copy a final gradient of a variable to its bucket."""
        index = self.index_of[id(variable.grad)]
        if not self._expects(index, gradient):
            return
        self._versions[index] = _NOT_STORED
        if variable.req == "add":
            np.add(variable.grad.buffer, gradient.buffer, out=self.layout.views[index])
        else:
            self.layout.views[index][...] = gradient.buffer
        self._start_full_buckets()

    def add_stored(self, grad: Any) -> None:
        """Copy a final gradient to its bucket, if it is one of `grads`. It has been stored already."""
        index = self.index_of.get(id(grad))
        if index is None or not self._expects(index, grad):
            return
        self._versions[index] = grad._version
        self.layout.views[index][...] = grad.buffer
        self._start_full_buckets()

    def _expects(self, index, gradient):
        """Return whether a final gradient is to be copied to its bucket."""
        if index not in self.order:
            self.order.append(index)
        if self.layout is None or not isinstance(gradient.buffer, np.ndarray):
            return False
        self._spoiled |= index in self._versions            # another backward without a step
        return index not in self._versions

    def end_backward(self, grads: Any) -> None:
        """Add the remaining gradients of a backward pass, {variable: [gradient]}, before the tape stores them."""
        for variable, (gradient, *_) in grads.items():
            index = self.index_of.get(id(variable.grad))
            if index is None or variable.req == "null":
                continue
            if self._versions.get(index) != _NOT_STORED:
                self.add(variable, gradient)
            if self._versions.get(index) == _NOT_STORED:
                self._versions[index] = variable.grad._version + (gradient is not variable.grad)

    def close(self) -> bool:
        """Start all buckets. Returns whether the gradients have changed since they were sent."""
        with self._lock:
            self.is_open = False
        for index, grad in enumerate(self.grads):
            if index not in self._versions:
                self.layout.views[index][...] = grad.buffer
                self._versions[index] = grad._version
            elif self._versions[index] != grad._version or grad._is_lent or grad._root()._is_lent:
                self._spoiled = True
        self._start_full_buckets()
        return self._spoiled

    def _start_full_buckets(self) -> None:
        buckets = self.layout.buckets
        while len(self.running) < len(buckets) and all(
                index in self._versions for index in buckets[len(self.running)].members):
            number = len(self.running)
            if self._is_starting:
                raise MXNetError("a backward pass was interrupted while it sent gradients, so the processes no longer "
                                 "agree. End the job, and resume from a checkpoint.")
            with self._lock:
                self._is_starting = True
                self.running.append(self._start(buckets[number], number))
                self._is_starting = False
            overlap.wake()

    def is_busy(self) -> bool:
        """Return whether messages are on their way."""
        return any(operation.requests is not None for operation in self.running)

    def progress(self) -> bool:
        """Do what can be done without waiting. Returns whether messages are on their way before the step."""
        with self._lock:
            if not self.is_open:
                return False
            for operation in self.running:
                operation.advance()
            return self.is_busy()


class Overlap:
    """The observer of the tape."""

    def __init__(self) -> None:
        self.rounds: list[Round] = []
        self._thread = threading.get_ident()
        self._walk: Any = None
        self._places: dict[Any, int] = {}               # the place of each entry in the walk
        self._final: list[tuple[int, Any, Round]] = []  # (place of the last use, variable, round), first one last
        self._paused = self._leaves = self._ends = False
        self._moves, self._busy = threading.Thread(), threading.Event()

    def watch(self, number: Round) -> None:
        """Let a round receive gradients, unless debug mode observes the tape."""
        self.rounds = [one for one in self.rounds if one.owner() is not None or one.is_busy()]
        self.rounds.append(number)
        if not self._leaves:
            self._leaves, self._process = True, os.getpid()
            atexit.register(self.leave)
        if observing.observer is None:
            observing.observer = self

    def wake(self) -> None:
        """Let the thread run that moves messages while backward computes: MPI moves them only while it is called."""
        if not self._moves.is_alive():
            self._moves = threading.Thread(target=self._move, name="minigluon gradients", daemon=True)
            self._moves.start()
        self._busy.set()

    def _move(self):
        while self._busy.wait() and not self._ends:
            self._busy.clear()
            while sum([one.progress() for one in self.rounds]) and not self._ends:
                time.sleep(_SLEEP_SECONDS)

    def forget(self, number: Round | None) -> None:
        """Remove a round."""
        if number in self.rounds:
            self.rounds.remove(number)

    def leave(self) -> None:
        """End the thread, and keep the memory of messages on their way: MPI may write to it when Python has ended."""
        if os.getpid() != self._process:        # a forked process has no such thread
            return
        self._ends = True
        self._busy.set()
        if self._moves.is_alive():
            self._moves.join()
        for one in self.rounds:
            if one.is_busy():
                for bucket in one.layout.buckets:
                    for array in (bucket.flat, *bucket.memory.arrays()):
                        ctypes.pythonapi.Py_IncRef(ctypes.py_object(array))

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Context manager in which backward sends nothing."""
        before, self._paused = self._paused, True
        try:
            yield
        finally:
            self._paused = before

    def send(self, grads: Sequence[Any]) -> None:
        """Send gradients that a plan has stored; see `gluon.sending_step`."""
        for one in self._receivers():
            for grad in grads:
                one.add_stored(grad)

    def _receivers(self):
        """Return the rounds to which this thread may add gradients now."""
        rounds = [one for one in self.rounds if one.is_open]
        # A forked process must not call MPI.
        forbidden = not rounds or self._paused or threading.get_ident() != self._thread or os.getpid() != self._process
        return [] if forbidden else rounds

    # -- an Observer of the tape --------------------------------------------------------------------------------

    def recorded(self, op: Any, inputs: Any, entry: Any) -> None:
        """Called after an entry was recorded."""

    def stored(self, F: Any, heads: Any, head_grads: Any, retain: bool) -> Any:
        """Compute the gradients that backward stores."""
        rounds = self._receivers()
        if not rounds:
            return tape.gradients(F, heads, head_grads, retain, store=True)
        self._walk, self._final = self, []
        try:
            grads = tape.gradients(F, heads, head_grads, retain, store=True)
        finally:
            self._walk, self._final = None, []
        for one in rounds:
            one.end_backward(grads)
        return grads

    def visit(self, entry: Any, F: Any, out_grads: Any, retain: bool, walk: Any) -> Any:
        """Return the gradients of an entry, after sending those that are final."""
        if self._walk is not None and walk is not None and threading.get_ident() == self._thread:
            if self._walk is not walk:
                self._begin(walk)
            place = self._places[entry]
            while self._final and self._final[-1][0] < place:
                _, variable, one = self._final.pop()
                if variable in walk.grads:          # otherwise no gradient has reached it so far
                    one.add(variable, walk.grads[variable][0])
        return entry.gradients(F, out_grads, retain, walk)

    def _begin(self, walk):
        """Find out where each variable is used for the last time."""
        self._walk = walk
        self._places = {entry: place for place, entry in enumerate(walk.order)}
        last = {parent[0]: place for place, entry in enumerate(walk.order) for parent in entry.parents
                if parent is not None and isinstance(parent[0], Variable)}
        self._final = sorted([(last[variable], variable, one) for one in self.rounds if one.is_open
                              for variable in last if id(variable.grad) in one.index_of and variable.req != "null"],
                             key=itemgetter(0), reverse=True)


overlap = Overlap()
