"""Tasks, frames, events, counters and markers, which a program adds to the profile."""

from __future__ import annotations

from time import perf_counter_ns
from typing import Any

from ...base import ArgumentError
from .control import is_running, record

__all__ = ["Counter", "Domain", "Event", "Frame", "Marker", "Task"]


class Domain:
    """A name under which other objects are grouped.

    >>> domain = mx.profiler.Domain("training")
    >>> type(domain.new_task("epoch")).__name__, type(domain.new_frame("batch")).__name__
    ('Task', 'Frame')
    >>> type(domain.new_counter("samples", 0)).__name__, type(domain.new_marker("start")).__name__
    ('Counter', 'Marker')
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __str__(self) -> str:
        return self.name

    def new_task(self, name: str) -> Task:
        """Return a Task in this domain.

        name: its name in the trace.
        """
        return Task(self, name)

    def new_frame(self, name: str) -> Frame:
        """Return a Frame in this domain.

        name: its name in the trace.
        """
        return Frame(self, name)

    def new_counter(self, name: str, value: Any = None) -> Counter:
        """Return a Counter in this domain.

        name: its name in the trace.
        value: its initial value.
        """
        return Counter(self, name, value)

    def new_marker(self, name: str) -> Marker:
        """Return a Marker in this domain.

        name: its name in the trace.
        """
        return Marker(self, name)


class _Duration:
    """The time between `start` and `stop`, or the time that a `with` block takes."""

    name: str

    def __init__(self, name: str, category: str) -> None:
        self.name, self._category, self._begin = name, category, None

    def start(self) -> None:
        """Start."""
        self._begin = perf_counter_ns()

    def stop(self) -> None:
        """Stop. Raises ArgumentError if it has not been started."""
        if self._begin is None:
            raise ArgumentError(f"profiler: stop() of {self.name!r} before start()")
        begin, self._begin = self._begin, None
        if is_running():
            record.add(self._category, self.name, begin, perf_counter_ns())

    def __enter__(self) -> Any:
        self.start()
        return self

    def __exit__(self, *exc_info: Any) -> Any:
        self.stop()

    def __str__(self) -> str:
        return self.name


class Task(_Duration):
    """A piece of work, which may begin and end in different threads.

    domain: the Domain.
    name: its name in the trace.

    >>> mx.profiler.set_state("run")
    >>> task = mx.profiler.Task(mx.profiler.Domain("training"), "epoch")
    >>> task.start()
    >>> task.stop()
    >>> mx.profiler.set_state("stop")
    >>> "epoch" in mx.profiler.dumps(reset=True)
    True
    """

    def __init__(self, domain: Any, name: str) -> None:
        super().__init__(name, str(domain))


class Frame(_Duration):
    """One iteration of an activity that is repeated.

    domain: the Domain.
    name: its name in the trace.

    >>> with mx.profiler.Frame(mx.profiler.Domain("training"), "batch"):
    ...     y = nd.ones((2,)) + 1
    """

    def __init__(self, domain: Any, name: str) -> None:
        super().__init__(name, f"{domain},frame")


class Event(_Duration):
    """A piece of work in one thread, without a domain.

    name: its name in the trace.

    >>> event = mx.profiler.Event("reading")
    >>> event.start()
    >>> event.stop()
    """

    def __init__(self, name: str) -> None:
        super().__init__(name, "event")


class Counter:
    """A number that changes over time: `counter += 1`. value: its initial value.

    domain: the Domain.
    name: its name in the trace.

    >>> samples = mx.profiler.Counter(mx.profiler.Domain("training"), "samples", 0)
    >>> samples += 32
    >>> samples.increment(32)
    >>> samples.decrement(4)
    >>> samples.set_value(0)
    """

    name: str

    def __init__(self, domain: Any, name: str, value: Any = None) -> None:
        self.name, self._category, self._value = name, str(domain), 0
        if value is not None:
            self.set_value(value)

    def set_value(self, value: Any) -> None:
        """Set the value."""
        self._value = value
        if is_running():
            record.set(self._category, self.name, value)

    def increment(self, delta: float = 1) -> None:
        """Add to the value.

        delta: the amount.
        """
        self.set_value(self._value + delta)

    def decrement(self, delta: float = 1) -> None:
        """Subtract from the value.

        delta: the amount.
        """
        self.set_value(self._value - delta)

    def __iadd__(self, delta: Any) -> Any:
        self.increment(delta)
        return self

    def __isub__(self, delta: Any) -> Any:
        self.decrement(delta)
        return self

    def __str__(self) -> str:
        return self.name


class Marker:
    """A named moment.

    domain: the Domain.
    name: its name in the trace.

    >>> mx.profiler.Marker(mx.profiler.Domain("training"), "halfway").mark()
    """

    name: str

    def __init__(self, domain: Any, name: str) -> None:
        self.name, self._category = name, f"{domain},instant_marker"

    def mark(self, scope: str = "process") -> None:
        """Mark the current moment. scope: the extent of the mark's line: 'process', 'thread' or 'global'."""
        short = {"process": "p", "thread": "t", "global": "g", "task": "t", "marker": "t"}
        if scope not in short:
            raise ArgumentError(f"profiler: scope is {scope!r}, expected one of {', '.join(map(repr, short))}")
        if is_running():
            record.mark(self._category, self.name, short[scope])
