"""Several reports combined into one, so that a long measurement can be split into parts."""

from __future__ import annotations

from typing import Any

from ...base import MXNetError
from .report import Report

__all__ = ["merged"]

ALIKE = ("processor", "cores", "system", "python", "blas")          # the properties that identify a machine


def merged(reports: Any) -> Report:
    """Return a `report.Report` with the programs of all reports; if several contain the same program, the last one
    counts.

    Raises MXNetError if the machine, a library's version, the sizes, the clock or the number of threads differ, because
    such times cannot be compared.
    """
    first, *rest = reports
    joined = Report({**first, "libraries": dict(first["libraries"]), "machine": dict(first["machine"])})
    nets = list(first["settings"]["nets"])
    for report in rest:
        _check(joined, report)
        programs = {row["program"] for row in report["rows"]}
        for key in ("rows", "left_out"):
            joined[key] = [row for row in joined[key] if row["program"] not in programs] + report[key]
        joined["libraries"].update(report["libraries"])
        joined["machine"]["load_after"] = report["machine"]["load_after"]
        nets += [net for net in report["settings"]["nets"] if net not in nets]
    joined["settings"] = {**first["settings"], "nets": nets}
    return joined


def _check(one, other):
    for name in ("quick", "sizes", "threads", "clock"):
        _same(name, one["settings"][name], other["settings"][name])
    for name in ALIKE:
        _same(name, one["machine"][name], other["machine"][name])
    for library in one["libraries"].keys() & other["libraries"].keys():
        _same(library, one["libraries"][library], other["libraries"][library])


def _same(what, one, other):
    if one != other:
        raise MXNetError(f"these reports cannot be merged: {what} is {one!r} in one and {other!r} in another.")
