"""Versions of the parameters: several replacements are one step for the other threads.

Who replaces arrays of parameters does not write to their memory, but gives them other memory. So a thread that reads
holds the old elements as long as it needs them, and nobody waits for it. Two scopes make several arrays go together:

    with replace_together():        # the others see all of these replacements or none
        for param, value in ...:
            param.set_data(value)

    with parameter_snapshot():      # this thread sees all parameters as they are now
        y = net(x)

A call of a hybridized block takes all its parameters from one version by itself: it binds them anew when `number`
has changed. What snapshots know of older versions, those who replace tell them, before they replace it.

While no scope is open, `scopes` is 0, and nothing of this runs: a Parameter is a plain dict of arrays. It asks here
what a thread sees (`Parameter._visible`) and how to replace (`Parameter._replace`); a BlockGraph asks for parameters of
one version (`BlockGraph.bind`).
"""

# The parameters, and those who replace and read them, are one thing in several files.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import os
import threading
from typing import Any

__all__ = ["Snapshot", "bind", "parameter_snapshot", "remember", "replace", "replace_together", "replacing", "seen",
           "snapshot"]

Array = Any         # an NDArray
Buffer = Any
Pairs = dict[Any, tuple[Array, Buffer]]     # of a parameter: context -> its array, and the memory that this had

_REPLACED = "_data", "_plain", "_grad", "_deferred", "_shape", "_dtype"         # attributes of a Parameter

number = 0          # of the newest version
scopes = 0          # how many of the two scopes are open in all threads; with none, nobody need ask for more

_lock = threading.Lock()            # held for moments, while what follows changes
_snapshots: set[Snapshot] = set()
_before: dict[Any, Pairs] = {}      # of the replacement under way: what was there before
_writer = threading.RLock()         # one thread replaces at a time


class _Thread(threading.local):
    """What is open in this thread."""

    snapshot: Snapshot | None = None
    depth = 0                       # of replace_together()
    states: dict[Any, dict[str, Any]]


_thread = _Thread()


class Snapshot:
    """All parameters as they are when it is opened: `with Snapshot() as s: s.pairs(param)`."""

    def __init__(self):
        self.number = number
        self.graphs: dict[Any, Any] = {}        # what readers have bound to the arrays of this version
        self._kept: dict[Any, Pairs] = {}       # what was replaced since
        self._arrays: dict[Any, dict[Any, Array]] = {}

    def __enter__(self) -> Snapshot:
        with _lock:
            self.number, self._kept = number, dict(_before)
            _snapshots.add(self)
        return self

    def __exit__(self, *exc_info: object) -> None:
        with _lock:
            _snapshots.discard(self)

    def pairs(self, param: Any) -> Pairs:
        """Of each device the parameter's array and the memory that it had."""
        now = _pairs(param)
        return self._kept.get(param, now)       # asked last: who replaces an array keeps the old one here before

    def arrays(self, param: Any) -> dict[Any, Array]:
        """{device: array} on the memory of this version."""
        found = self._arrays.get(param)
        if found is None:
            found = self._arrays[param] = {ctx: x._fixed(buffer) for ctx, (x, buffer) in self.pairs(param).items()}
        return found

    def keep(self, param: Any, pairs: Pairs) -> None:
        """Called before a parameter is replaced."""
        self._kept.setdefault(param, pairs)


def _pairs(param: Any) -> Pairs:
    arrays: dict[Any, Array] = param._data or {}
    return {ctx: (x, x.buffer) for ctx, x in arrays.items()}


class parameter_snapshot:
    """`with parameter_snapshot():` - this thread sees all parameters as they are on entry, whatever others replace.

    What it replaces itself it sees at once; from then on it sees the newest values of all.

    >>> layer = nn.Dense(1, in_units=1)
    >>> layer.initialize()
    >>> with gluon.parameter_snapshot():
    ...     weights = [layer.weight.data().item(), layer.weight.data().item()]      # whatever other threads load
    >>> weights[0] == weights[1]
    True
    """

    def __enter__(self) -> None:
        self._outer = _thread.snapshot
        if self._outer is None:
            _thread.snapshot = Snapshot().__enter__()
            _count_scope(1)

    def __exit__(self, *exc_info: object) -> None:
        if self._outer is None and _thread.snapshot is not None:
            _count_scope(-1)
            _thread.snapshot.__exit__()
            _thread.snapshot = None


class replace_together:
    """`with replace_together():` - what is replaced inside becomes visible to the other threads in one step.

    It concerns `set_data`, `load_parameters` and whatever else replaces arrays of parameters, not what writes to them.
    Another thread that wants to replace something waits. After an error inside everything is as it was before.

    >>> layer = nn.Dense(1, in_units=1)
    >>> layer.initialize()
    >>> with gluon.replace_together():
    ...     layer.weight.set_data(nd.array([[5]]))
    ...     layer.bias.set_data(nd.array([6]))
    >>> layer(nd.array([[1]])).item()
    11.0
    """

    def __enter__(self) -> None:
        _writer.acquire()
        if _thread.depth == 0:
            _thread.states = {}
            _count_scope(1)
        _thread.depth += 1

    def __exit__(self, kind: Any, *exc_info: object) -> None:
        try:
            if _thread.depth == 1:
                if kind is not None:
                    for param, state in _thread.states.items():
                        _put_back(param, state, _before[param])
                _finish()
        finally:
            _thread.depth -= 1
            _writer.release()


def _finish() -> None:
    """Let the others see what was replaced."""
    global number, _before
    with _lock:
        _before = {}
        number += 1
    _count_scope(-1)
    _thread.states = {}
    if _thread.snapshot is not None:
        _thread.snapshot.__exit__()
        _thread.snapshot = Snapshot().__enter__()


def _count_scope(change: int) -> None:
    global scopes
    with _lock:
        scopes += change


def remember(param: Any) -> None:
    """Called before a parameter is replaced, inside replace_together()."""
    if param in _before:
        return
    pairs = _pairs(param)
    _thread.states[param] = {name: param.__dict__[name] for name in _REPLACED}
    with _lock:
        _before[param] = pairs
        for opened in _snapshots:
            opened.keep(param, pairs)


def _put_back(param: Any, state: dict[str, Any], pairs: Pairs) -> None:
    """Undo what was replaced. pairs: each array and its memory of before."""
    param.__dict__.update(state)
    for x, buffer in pairs.values():
        if x.buffer is not buffer:
            x._replace_memory(buffer)
    param._count_replacement()


def replace(param: Any, arrays: dict[Any, Array] | None) -> None:
    """Let a parameter take other arrays. Other threads see them when they are complete."""
    if param._data is None and not replacing():
        param._take(arrays)         # nobody reads yet; threads that make a new net's values need not wait for others
        return
    with replace_together():
        remember(param)
        param._take(arrays)


def replacing() -> bool:
    """Is this thread inside replace_together()? It then sees what it has replaced so far."""
    return _thread.depth > 0


def snapshot() -> Snapshot | None:
    """The snapshot that this thread reads from."""
    return None if _thread.depth else _thread.snapshot


def seen(param: Any) -> dict[Any, Array] | None:
    """{device: array} of a parameter as this thread sees it; None where it has no value."""
    opened = snapshot()
    return param._data if opened is None else opened.arrays(param) or None


def bind(graph: Any, ctx: Any, args: Any) -> Any:
    """The parameters of a BlockGraph, bound in one version: the newest, or that of the snapshot this thread is in."""
    if replacing():             # it sees what it has replaced so far
        return _bind_to(Snapshot(), graph, ctx, graph.find_arrays(ctx, args))
    opened = snapshot()
    known, wanted = (graph.bound, number) if opened is None else (opened.graphs.setdefault(graph, {}), opened.number)
    bound = known.get(ctx)
    if bound is not None and bound.version == wanted:
        return bound
    arrays = graph.find_arrays(ctx, args)
    if opened is not None:
        bound = _bind_to(opened, graph, ctx, arrays)
    else:
        with Snapshot() as newest:
            bound = _bind_to(newest, graph, ctx, arrays)
    if not graph.is_computed:           # otherwise the next call asks for the arrays again
        known[ctx] = bound
    return bound


def _bind_to(version: Snapshot, graph: Any, ctx: Any, arrays: list[Array]) -> Any:
    """Bind the parameters as they were in a snapshot. arrays: those that are computed, or had no value then."""
    pairs = [(x, x.buffer) if param.computes_data else version.pairs(param).get(ctx, (x, x.buffer))
             for param, x in zip(graph.params, arrays, strict=True)]
    return graph.compiled.bind([x for x, _ in pairs], ctx, [buffer for _, buffer in pairs], version.number)


def _begin_anew() -> None:
    """In a child process: the other threads are not there, and what they had locked or opened is nobody's."""
    global _lock, _writer, _before, scopes
    _lock = threading.Lock()
    if _thread.depth == 0:
        _writer, _before = threading.RLock(), {}
    _snapshots.intersection_update([_thread.snapshot])
    scopes = len(_snapshots) + (_thread.depth > 0)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)
