"""Functions that switch the profiler on and off, and read its record."""

from __future__ import annotations

import os
from typing import Any

from ...backend.watchers import unwatch_kernels, watch_kernels
from ...base import ArgumentError, nearest
from ...diagnostics import strictness
from ...kvstore import job
from ...serialization.atomic_write import replacing
from .record import Record
from .text import as_json, as_table, as_trace

__all__ = ["dump", "dump_profile", "dumps", "pause", "profiler_set_config", "profiler_set_state", "resume",
           "set_config", "set_state"]

# MXNet's options. Operators are always recorded; only `filename` has an effect.
_options = {"profile_all": False, "profile_symbolic": False, "profile_imperative": False, "profile_memory": False,
            "profile_api": False, "filename": "profile.json", "continuous_dump": False, "dump_period": 1.0,
            "aggregate_stats": False, "profile_process": "worker"}

record: Record = Record()
_running = False


def set_config(**kwargs: Any) -> None:
    """Set options. Call it before `set_state("run")`.

    filename: the file to which `dump` writes the trace, 'profile.json' by default. profile_all, profile_symbolic,
    profile_imperative, profile_memory, profile_api, continuous_dump, dump_period, aggregate_stats, profile_process:
    accepted for compatibility with MXNet, without effect; operators are always recorded and counted. Raises
    ArgumentError for other options.
    kwargs: the options.

    >>> mx.profiler.set_config(filename="trace.json")
    >>> mx.profiler.set_state("run")
    >>> y = nd.ones((2,)) + 1
    >>> mx.profiler.set_state("stop")
    >>> mx.profiler.dump()                              # a file for chrome://tracing or Perfetto
    >>> import os
    >>> os.listdir()
    ['trace.json']
    >>> mx.profiler.set_config(filename="profile.json")
    """
    for name in kwargs:
        if name not in _options:
            raise ArgumentError(f"profiler.set_config: unknown option {name!r}." + nearest(name, _options)
                                + f" Options: {', '.join(_options)}.")
    _options.update(kwargs)


def set_state(state: Any = "stop", profile_process: str = "worker") -> None:
    """Start or stop recording. The record is kept until `dumps(reset=True)`.

    state: 'run' or 'stop'.
    profile_process: no effect; in MXNet 'worker' or 'server'.

    >>> mx.profiler.set_state("run")
    >>> y = nd.ones((2,)) + 1
    >>> mx.profiler.set_state("stop")
    >>> "_plus_scalar" in mx.profiler.dumps(reset=True)
    True
    """
    global _running
    if state not in ("run", "stop"):
        raise ArgumentError(f"profiler.set_state: state is {state!r}, expected 'run' or 'stop'")
    if (state == "run") != _running:
        _running = state == "run"
        record.paused = False
        (watch_kernels if _running else unwatch_kernels)(record.timed)


def is_running() -> bool:
    """Return whether the profiler is recording and not paused."""
    return _running and not record.paused


def pause(profile_process: str = "worker") -> None:
    """Stop recording until `resume`.

    profile_process: no effect; in MXNet 'worker' or 'server'.

    >>> mx.profiler.set_state("run")
    >>> mx.profiler.pause()
    >>> y = nd.sqrt(nd.ones((2,)))
    >>> mx.profiler.resume()
    >>> mx.profiler.set_state("stop")
    >>> "sqrt" in mx.profiler.dumps(reset=True)
    False
    """
    record.paused = True


def resume(profile_process: str = "worker") -> None:
    """Continue recording after `pause`.

    profile_process: no effect; in MXNet 'worker' or 'server'.

    >>> mx.profiler.set_state("run")
    >>> mx.profiler.pause()
    >>> mx.profiler.resume()
    >>> y = nd.sqrt(nd.ones((2,)))
    >>> mx.profiler.set_state("stop")
    >>> "sqrt" in mx.profiler.dumps(reset=True)
    True
    """
    record.paused = False


def dump(finished: bool = True, profile_process: str = "worker") -> None:
    """Write the trace to the file set by `set_config`. finished: True also stops recording.

    If several processes have a `dist_sync` store, process 1 writes to 'profile-rank1.json', and so on.

    profile_process: no effect; in MXNet 'worker' or 'server'.

    >>> mx.profiler.set_config(filename="trace.json")
    >>> mx.profiler.set_state("run")
    >>> mx.profiler.dump()
    >>> import os
    >>> os.listdir()
    ['trace.json']
    >>> mx.profiler.set_config(filename="profile.json")
    """
    with replacing(_path()) as file:
        file.write(as_trace(record).encode())
    if finished:
        set_state("stop")


def _path():
    """Return the file for the trace of this process, which has the plain name for process 0."""
    stem, extension = os.path.splitext(os.fspath(_options["filename"]))
    return f"{stem}-rank{number}{extension}" if (number := job.rank()) else stem + extension


def dumps(reset: bool = False, format: str = "table", sort_by: str = "total", ascending: bool = False) -> str:
    """Return a string with the count and the time in milliseconds for each name.

    reset: True clears the record afterward.
    format: 'table' or 'json'.
    sort_by: 'total', 'avg', 'min', 'max' or 'count'.
    ascending: True sorts in ascending order.

    >>> mx.profiler.set_state("run")
    >>> y = nd.sqrt(nd.ones((2,)))
    >>> mx.profiler.set_state("stop")
    >>> "sqrt" in mx.profiler.dumps(reset=True, sort_by="count")
    True
    """
    for name, value, allowed in (("format", format, ("table", "json")), ("ascending", ascending, (False, True)),
                                 ("sort_by", sort_by, ("total", "avg", "min", "max", "count"))):
        if value not in allowed:
            raise ArgumentError(f"profiler.dumps: {name} is {value!r}, expected one of {', '.join(map(repr, allowed))}")
    text = as_table(record, sort_by, ascending) if format == "table" else as_json(record)
    if reset:
        record.clear()
    return text


# -- older names ------------------------------------------------------------------------------------------------------


def profiler_set_config(mode: str = "symbolic", filename: str = "profile.json") -> None:
    """Call `set_config(filename=filename)`; deprecated.

    mode: no effect; everything is recorded.

    >>> import warnings
    >>> with warnings.catch_warnings():                         # it is deprecated
    ...     warnings.simplefilter("ignore")
    ...     mx.profiler.profiler_set_config(filename="profile.json")
    """
    strictness.warn("profiler.profiler_set_config is deprecated, use profiler.set_config", DeprecationWarning)
    set_config(filename=filename)


def profiler_set_state(state: Any = "stop") -> None:
    """Call `set_state(state)`; deprecated.

    >>> import warnings
    >>> with warnings.catch_warnings():                         # it is deprecated
    ...     warnings.simplefilter("ignore")
    ...     mx.profiler.profiler_set_state("stop")
    """
    strictness.warn("profiler.profiler_set_state is deprecated, use profiler.set_state", DeprecationWarning)
    set_state(state)


def dump_profile() -> None:
    """Call `dump(True)`; deprecated.

    >>> import warnings
    >>> with warnings.catch_warnings():                         # it is deprecated
    ...     warnings.simplefilter("ignore")
    ...     mx.profiler.dump_profile()
    >>> import os
    >>> os.listdir()
    ['profile.json']
    """
    strictness.warn("profiler.dump_profile is deprecated, use profiler.dump", DeprecationWarning)
    dump()
