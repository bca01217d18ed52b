"""The report as a table, for the terminal or in Markdown."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

__all__ = ["COLUMNS", "bytes_text", "cells", "headline", "markdown", "notes", "print_report", "range_text",
           "time_text"]

COLUMNS = ["library", "median", "range", "this /\nimperative", "hybridized\n/ this", "peak\nmemory", "in\narrays",
           "kernels"]
MIN_WIDTH = 110         # the width of the table; otherwise Rich would use 80 if the output is a file

EXPLANATION = (
    "This / imperative: this time divided by that of imperative minigluon. Hybridized / this: the time of hybridized "
    "minigluon divided by this one; below 1, hybridized is faster. Both are medians over rounds in which all take "
    "turns. Peak memory: the most that a separate process grows in a run, including gradients. In arrays: NumPy's part "
    "of it, without gradients. Kernels: operators that one run dispatches, and steps of plans.")


def print_report(report: Any) -> None:
    """Print the table, with its headline and notes, to standard output."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = max(console.width, MIN_WIDTH)
    console.print(headline(report))
    table = _table(box.SIMPLE_HEAD)
    for program, rows in groupby(report["rows"], key=itemgetter("program")):
        table.add_row(program, style="bold")
        for row in rows:
            table.add_row(*cells(row))
        table.add_section()
    console.print(table)
    for line in notes(report):
        console.print(line)


def markdown(report: Any) -> str:
    """Return the same table as Markdown text, with the program in each row."""
    table = _table(box.MARKDOWN, "program")
    for row in report["rows"]:
        table.add_row(row["program"], *cells(row))
    console = Console(file=io.StringIO(), width=10_000)
    console.print(table)
    lines = [" ".join(re.sub("-{2,}", "---", line).split()) for line in console.file.getvalue().splitlines()]
    return "\n\n".join([headline(report), "\n".join(filter(None, lines)), *notes(report)]) + "\n"


def headline(report: Any) -> str:
    """Return the date, machine, versions and rounds as one line."""
    m, libraries = report["machine"], "; ".join(report["libraries"].values())
    rounds = max(len(row["seconds"]) for row in report["rows"])
    threads = report["settings"]["threads"]
    clock = "processor time; " if report["settings"]["clock"] == "cpu" else ""
    threads = "" if threads is None else "one thread each; " if threads == 1 else f"{threads} threads each; "
    return (f"{report['date'][:10]}, {m['processor']}, {m['cores']} cores, {m['system'].split('-')[0]}, Python "
            f"{m['python']}, {m['blas']}; {libraries}; {threads}{clock}up to {rounds} rounds; "
            f"load {m['load_before']} before and {m['load_after']} after.")


def time_text(seconds: Any) -> str:
    """Format a time: '9.78 ms'."""
    for unit, name in ((1, "s"), (1e-3, "ms")):
        if seconds >= unit:
            return f"{seconds / unit:.3g} {name}" if seconds < 1000 * unit else f"{seconds / unit:.0f} {name}"
    return f"{seconds * 1e6:.3g} µs"


def bytes_text(count: int) -> str:
    """Format a size: '3.8 MB', with powers of ten."""
    for unit, name in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if count >= unit:
            return f"{count / unit:.3g} {name}"
    return f"{count} B"


def range_text(low: Any, high: Any) -> str:
    """Format a range of times: '9.51 to 9.78 ms', or with two units."""
    low, high = time_text(low).split(" "), time_text(high).split(" ")
    return f"{low[0]} to {high[0]} {high[1]}" if low[1] == high[1] else f"{' '.join(low)} to {' '.join(high)}"


def _table(style, *first):
    markdown = style is box.MARKDOWN
    table = Table(box=style, show_edge=markdown, padding=(0, 1, 0, 0) if not markdown else (0, 1))
    for column in first:
        table.add_column(column)
    for i, column in enumerate(COLUMNS):
        name = column.replace("\n", " ") if markdown else column
        table.add_column(name, justify="right" if i else "left", no_wrap=i in (0, 1))
    return table


def cells(row: Any) -> list[str]:
    """Return the texts for a row of the report, in the order of COLUMNS."""
    ratio = lambda value: "" if value is None else f"{value:.2f}"
    return [f"{row['library']} {row['mode']}", time_text(row["median"]), range_text(row["low"], row["high"]),
            ratio(row["of_imperative"]), ratio(row["hybridized_of_this"]),
            *("" if row[key] is None else bytes_text(row[key]) for key in ("resident_bytes", "peak_bytes")),
            "" if row["kernels"] is None else str(row["kernels"])]


def notes(report: Any) -> Iterator[str]:
    """Yield the sentences below the table."""
    yield EXPLANATION
    if report["settings"].get("quick"):
        yield "Quick: sizes and rounds are small, so these numbers mean little."
    for out in report["left_out"]:
        reason = out["reason"].splitlines()[0][:300]
        yield f"{out['library']} {out['mode']} could not run {out['program']}: {reason}"
