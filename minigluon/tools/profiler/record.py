"""The profiler's record: events for the trace, and the count and times for each name."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

from ...backend import backend_for

if TYPE_CHECKING:
    from ...context import Context
    from ...ops.op import Op

__all__ = ["Record", "Statistics"]

MAX_EVENTS = 1_000_000          # the maximum number of events in a trace; browsers cannot open longer traces. The
                                # table continues to count.


@dataclass
class Statistics:
    """Times in milliseconds, or values of a counter."""

    count: int = 0
    total: float = 0.0
    minimum: float = float("inf")
    maximum: float = float("-inf")
    last: float = 0.0

    def add(self, value: Any) -> None:
        """Add a time or value."""
        self.count += 1
        self.total += value
        self.last = value
        self.minimum, self.maximum = min(self.minimum, value), max(self.maximum, value)

    @property
    def average(self):
        """The average, total / count."""
        return self.total / self.count if self.count else 0.0


class Record:
    """Events and statistics since the last `clear`. Threads may add to it concurrently."""

    events: list[Any]
    times: dict[Any, Any]
    values: dict[Any, Any]
    lost: int

    def __init__(self):
        self.paused = False
        self._lock = threading.Lock()
        self.clear()

    def clear(self) -> None:
        """Clear the record."""
        with self._lock:
            # (phase, category, name, begin in µs, length in µs or value, device, thread)
            self.events = []
            self.times, self.values = {}, {}    # {category: {name: Statistics}}
            self.lost = 0                   # the number of events that did not fit into the trace

    def timed(self, op: Op, ctx: Context, kernel: int) -> Callable[..., Any]:
        """Return a function that calls `kernel` and records the time, for `watch_kernels`."""
        name, device = op.name, str(ctx)
        wait = backend_for(ctx).synchronize

        def run(*buffers):
            if self.paused:
                return kernel(*buffers)
            begin = perf_counter_ns()
            results = kernel(*buffers)
            wait(ctx)
            self.add("operator", name, begin, perf_counter_ns(), device)
            return results
        return run

    def add(self, category: Any, name: str, begin: Any, end: Any, device: str = "cpu(0)") -> None:
        """Record an event with its beginning and end, in nanoseconds of `perf_counter_ns`."""
        with self._lock:
            self._event("X", category, name, begin, (end - begin) / 1e3, device)
            self._statistics(self.times, category, name).add((end - begin) / 1e6)

    def set(self, category: Any, name: str, value: Any) -> None:
        """Record a counter's new value."""
        with self._lock:
            self._event("C", category, name, perf_counter_ns(), value, "cpu(0)")
            self._statistics(self.values, category, name).add(value)

    def mark(self, category: Any, name: str, scope: Any) -> None:
        """Record a moment. scope: 'process', 'thread' or 'global'."""
        with self._lock:
            self._event("i", category, name, perf_counter_ns(), scope, "cpu(0)")

    def _event(self, phase, category, name, begin, length, device):
        if len(self.events) < MAX_EVENTS:
            self.events.append((phase, category, name, begin / 1e3, length, device, threading.get_ident()))
        else:
            self.lost += 1

    def _statistics(self, table, category, name):
        return table.setdefault(category, {}).setdefault(name, Statistics())
