"""The profiler's record as a table, as JSON, and as a trace in Chrome's format."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["as_json", "as_table", "as_trace"]

_KEYS = {"total": lambda s: s.total, "avg": lambda s: s.average, "min": lambda s: s.minimum, "max": lambda s: s.maximum,
         "count": lambda s: s.count}
_COLUMNS = "Time (ms)", "Min Time (ms)", "Max Time (ms)", "Avg Time (ms)"
_VALUES = "Last", "Min", "Max", "Avg"


def as_table(record: Any, sort_by: Any, ascending: Any) -> str:
    """Return a table for each category, with a line for each name."""
    lines = ["", "Profile Statistics:", "\tNote the difference in units for different entries."]
    for table, columns, first in ((record.times, _COLUMNS, "total"), (record.values, _VALUES, "last")):
        for category in sorted(table):
            lines += [category, "=" * 17, _line("Name", "Total Count", *columns),
                      _line("----", "-" * 11, *["-" * len(column) for column in columns])]
            named = sorted(table[category].items(), key=lambda item: _KEYS[sort_by](item[1]), reverse=not ascending)
            lines += [_row(name, getattr(statistics, first), statistics) for name, statistics in named]
            lines.append("")
    if record.lost:
        lines.append(f"The trace has no room for {record.lost} more events.")
    return "\n".join(lines) + "\n"


def _line(name, count, *columns):
    return f"{name:25}{count:>16}" + "".join(f"{column:>17}" for column in columns)


def _row(name, first, statistics):
    numbers = first, statistics.minimum, statistics.maximum, statistics.average
    return _line(name, statistics.count, *[f"{number:.4f}" for number in numbers])


def as_json(record: Any) -> str:
    """Return the same numbers as JSON text."""
    times = {category: {name: {"Count": s.count, "Total": s.total, "Min": s.minimum, "Max": s.maximum, "Avg": s.average}
                        for name, s in names.items()} for category, names in record.times.items()}
    values = {category: {name: {"Count": s.count, "Last": s.last, "Min": s.minimum, "Max": s.maximum, "Avg": s.average}
                         for name, s in names.items()} for category, names in record.values.items()}
    return json.dumps({"Time": times, "Counter": values, "Unit": {"Time": "ms"}})


def as_trace(record: Any) -> str:
    """Return a string in the Trace Event Format, which https://ui.perfetto.dev and chrome://tracing open."""
    devices = sorted({event[5] for event in record.events})
    threads = {ident: number for number, ident in enumerate(dict.fromkeys(event[6] for event in record.events))}
    events = [{"ph": "M", "name": "process_name", "pid": pid, "args": {"name": device}}
              for pid, device in enumerate(devices)]
    for phase, category, name, begin, extra, device, thread in record.events:
        event = {"name": name, "cat": category, "ph": phase, "ts": begin, "pid": devices.index(device),
                 "tid": threads[thread]}
        event.update({"X": {"dur": extra}, "C": {"args": {name: extra}}, "i": {"s": extra}}[phase])
        events.append(event)
    return json.dumps({"traceEvents": events, "displayTimeUnit": "ms"})
