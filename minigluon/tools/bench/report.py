"""The medians and ratios over the rounds, as a dict that can be written as JSON."""

from __future__ import annotations

import contextlib
import datetime
import os
import platform
import statistics
from typing import Any

from ...common import hardware as machine
from .peers import ProgramError
from .rounds import contenders, measure

__all__ = ["BASE", "Report", "measure_all", "median_ratio"]

BASE = ("minigluon", "imperative")          # the time of every mode is divided by the time of this mode
HYBRID = ("minigluon", "hybridized")        # the time of this mode is divided by the time of every mode


# Process memory is measured in these modes. `torch.compile` is not included, because its compiler leaves more memory in
# the process than a program needs.
WEIGHED = {"minigluon": ["imperative", "hybridized", "recompute", "one call"], "torch": ["eager"], "mxnet": ["static"]}


class Report(dict):
    """The results of a benchmark (see `measure_all`). Notebooks show it as a chart and a table."""

    def _repr_html_(self):
        from .notebook import report_html
        return report_html(self)


def measure_all(programs: Any, peers: Any, prober: Any, weigh: Any, pace: float, settings: Any, say: Any) -> Report:
    """Measure programs with all peers, and memory and kernels with `prober`, a minigluon process that is not timed.

    weigh(peer, program, mode): returns the peak memory of a new process; None to omit it. settings: the arguments of
    the command, for the record. say(text): shows the progress. Returns a Report:

        {"format": 1, "date": ISO 8601, "machine": {...}, "settings": {...}, "libraries": {name: version},
         "rows": [{"program", "library", "mode", "seconds": [of each round], "median", "low", "high",
                   "of_imperative", "hybridized_of_this", "resident_bytes", "peak_bytes", "kept_bytes",
                   "planned_bytes", "kernels"}, ...],
         "left_out": [{"program", "library", "mode", "reason"}, ...]}

    A ratio is the median over the rounds of the ratio of the two times in a round, or None if one of them is missing.
    resident_bytes is peak memory as the system sees it, in the modes of WEIGHED; peak_bytes is that of NumPy's arrays.
    The latter and the kernels are known only for minigluon.
    """
    report = Report({
        "format": 1, "date": datetime.datetime.now().astimezone().isoformat(timespec="seconds"),
        "machine": _machine(), "settings": {**settings, **pace._asdict()},
        "libraries": {peer.library: peer.version for peer in peers}, "rows": [], "left_out": []})
    for number, program in enumerate(programs, 1):
        field = contenders(peers, program)
        say(f"{number}/{len(programs)} {program}: time")
        times, refusals = measure(field, program, pace)
        report["rows"] += _rows(program, times)
        report["left_out"] += [{"program": program, "library": library, "mode": mode, "reason": reason}
                               for (library, mode), reason in refusals.items()]
        for peer in peers:
            peer.forget()
    for number, program in enumerate(programs, 1):
        say(f"{number}/{len(programs)} {program}: memory and kernels")
        for row in report["rows"]:
            if row["program"] == program and row["library"] == prober.library:
                row.update(prober.examine(program, row["mode"]))
    if weigh is not None:
        _weigh(report["rows"], {peer.library: peer for peer in peers}, weigh, say)
    report["machine"]["load_after"] = _load()
    return report


def _weigh(rows, peers, weigh, say):
    for row in rows:
        if row["mode"] in WEIGHED.get(row["library"], ()):
            say(f"{row['program']}: memory of {row['library']} {row['mode']}")
            with contextlib.suppress(ProgramError):         # it has run before, but may fail with this little memory
                row["resident_bytes"] = weigh(peers[row["library"]], row["program"], row["mode"])


def median_ratio(above: Any, below: Any) -> Any:
    """Return the median over the rounds of one time divided by the other."""
    return statistics.median(a / b for a, b in zip(above, below, strict=True))


def _rows(program, times):
    for (library, mode), seconds in times.items():
        yield {"program": program, "library": library, "mode": mode, "seconds": seconds,
               "median": statistics.median(seconds), "low": min(seconds), "high": max(seconds),
               "of_imperative": median_ratio(seconds, times[BASE]) if BASE in times else None,
               "hybridized_of_this": median_ratio(times[HYBRID], seconds) if HYBRID in times else None,
               **dict.fromkeys(["resident_bytes", "peak_bytes", "kept_bytes", "planned_bytes", "kernels"])}


def _machine():
    return {"processor": machine.processor(), "cores": machine.cores(), "system": platform.platform(),
            "python": platform.python_version(), "blas": machine.blas(), "load_before": _load()}


def _load():
    """Return the load average of the last minute, or None if the system does not report it."""
    return round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None
