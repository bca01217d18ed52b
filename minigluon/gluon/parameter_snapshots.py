"""Versions of the parameters that make several replacements atomic for other threads.

A replacement does not overwrite the memory of a parameter's arrays but assigns them new memory. A reading thread
therefore keeps the old elements as long as it needs them, and no other thread waits for it. Two scopes group several
arrays:

    with replace_together():        # other threads see all of these replacements or none
        for param, value in ...:
            param.set_data(value)

    with parameter_snapshot():      # this thread sees all parameters as of now
        y = net(x)

A call to a hybridized block automatically uses one version of all its parameters: it rebinds them when `number` has
changed. Before a thread replaces values, it passes the old ones to open snapshots.

While no scope is open, `scopes` is 0, and none of this runs: a Parameter is a plain dict of arrays. This module
determines what a thread sees (`Parameter._visible`) and how parameters are replaced (`Parameter._replace`), and binds a
BlockGraph to one version of the parameters (`BlockGraph.bind`).
"""

# Parameters and the code that replaces and reads them belong together but are in several files.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import os
import threading
from typing import Any

__all__ = ["Snapshot", "bind", "parameter_snapshot", "remember", "replace", "replace_together", "replacing",
           "snapshot", "visible_arrays"]

Array = Any         # an NDArray
Buffer = Any
Pairs = dict[Any, tuple[Array, Buffer]]     # for a parameter: context -> (its array, the array's memory)

_REPLACED = "_data", "_plain", "_grad", "_deferred", "_shape", "_dtype"         # a Parameter's attributes

number: int = 0     # the number of the newest version
scopes = 0          # the number of open scopes of both kinds in all threads; if it is 0, nothing else is checked

_lock = threading.Lock()            # held only while the following variables change
_snapshots: set[Snapshot] = set()
_before: dict[Any, Pairs] = {}      # original values during the replacement in progress
_writer = threading.RLock()         # only one thread replaces at a time


class _Thread(threading.local):
    """The scopes that are open in this thread."""

    snapshot: Snapshot | None = None
    depth = 0                       # scopes of replace_together()
    states: dict[Any, dict[str, Any]]


_thread = _Thread()


class Snapshot:
    """All parameters as they were when the snapshot was opened: `with Snapshot() as s: s.pairs(param)`."""

    def __init__(self):
        self.number = number
        self.graphs: dict[Any, Any] = {}        # readers' bindings to this version's arrays
        self._kept: dict[Any, Pairs] = {}       # values replaced since this version
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
        """Return {device: (the parameter's array, its memory at that time)}."""
        now = _pairs(param)
        return self._kept.get(param, now)       # read last, because a replacement first stores the old array here

    def arrays(self, param: Any) -> dict[Any, Array]:
        """Return {device: array} with arrays that use this version's memory."""
        arrays_of = self._arrays.get(param)
        if arrays_of is None:
            arrays_of = self._arrays[param] = {ctx: x._fixed(buffer) for ctx, (x, buffer) in self.pairs(param).items()}
        return arrays_of

    def keep(self, param: Any, pairs: Pairs) -> None:
        """Store a parameter's arrays before they are replaced."""
        self._kept.setdefault(param, pairs)


def _pairs(param: Any) -> Pairs:
    arrays: dict[Any, Array] = param._data or {}
    return {ctx: (x, x.buffer) for ctx, x in arrays.items()}


class parameter_snapshot:
    """Context manager in which this thread sees all parameters as they were on entry, whatever other threads replace.

    The thread's own replacements are visible immediately; after one, it sees the newest values of all parameters.

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
    """Context manager whose replacements become visible to other threads all at once.

    It applies to `set_data`, `load_parameters` and everything else that replaces parameters' arrays, but not to writes
    into the arrays. Other threads wait before they replace anything. An error inside the scope restores the previous
    state.

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
    """Make the replacements visible to other threads."""
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
    """Store a parameter's state before it is replaced inside replace_together()."""
    if param in _before:
        return
    pairs = _pairs(param)
    _thread.states[param] = {name: param.__dict__[name] for name in _REPLACED}
    with _lock:
        _before[param] = pairs
        for opened in _snapshots:
            opened.keep(param, pairs)


def _put_back(param: Any, state: dict[str, Any], pairs: Pairs) -> None:
    """Undo a replacement. pairs: each array and its previous memory."""
    param.__dict__.update(state)
    for x, buffer in pairs.values():
        if x.buffer is not buffer:
            x._replace_memory(buffer)
    param._count_replacement()


def replace(param: Any, arrays: dict[Any, Array] | None) -> None:
    """Replace a parameter's arrays. Other threads see them once they are complete."""
    if param._data is None and not replacing():
        param._take(arrays)         # not visible yet, so threads that initialize a new net need not wait for each other
        return
    with replace_together():
        remember(param)
        param._take(arrays)


def replacing() -> bool:
    """Return whether this thread is inside replace_together() and therefore sees its own replacements."""
    return _thread.depth > 0


def snapshot() -> Snapshot | None:
    """Return the snapshot that this thread reads from."""
    return None if _thread.depth else _thread.snapshot


def visible_arrays(param: Any) -> dict[Any, Array] | None:
    """Return a parameter's {device: array} as this thread sees it; None if it has no value."""
    opened = snapshot()
    return param._data if opened is None else opened.arrays(param) or None


def bind(graph: Any, ctx: Any, args: Any) -> Any:
    """Bind one version of a BlockGraph's parameters: the newest, or that of this thread's snapshot."""
    if replacing():             # this thread sees its own replacements
        return _bind_to(Snapshot(), graph, ctx, graph.find_arrays(ctx, args))
    opened = snapshot()
    bounds, version = (graph.bound, number) if opened is None else (opened.graphs.setdefault(graph, {}), opened.number)
    bound = bounds.get(ctx)
    if bound is not None and bound.version == version:
        return bound
    arrays = graph.find_arrays(ctx, args)
    if opened is not None:
        bound = _bind_to(opened, graph, ctx, arrays)
    else:
        with Snapshot() as newest:
            bound = _bind_to(newest, graph, ctx, arrays)
    if not graph.is_computed:           # otherwise the next call looks up the arrays again
        bounds[ctx] = bound
    return bound


def _bind_to(version: Snapshot, graph: Any, ctx: Any, arrays: list[Array]) -> Any:
    """Bind a snapshot's parameters. arrays: the computed arrays, and the arrays of parameters that had no value at that
    time.
    """
    pairs = [(x, x.buffer) if param.computes_data else version.pairs(param).get(ctx, (x, x.buffer))
             for param, x in zip(graph.params, arrays, strict=True)]
    return graph.compiled.bind([x for x, _ in pairs], ctx, [buffer for _, buffer in pairs], version.number)


def _begin_anew() -> None:
    """Reset locks and scopes in a child process, in which the other threads that held them do not exist."""
    global _lock, _writer, _before, scopes
    _lock = threading.Lock()
    if _thread.depth == 0:
        _writer, _before = threading.RLock(), {}
    _snapshots.intersection_update([_thread.snapshot])
    scopes = len(_snapshots) + (_thread.depth > 0)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)
