"""The report as a chart: a panel for each program, a bar for each library and mode."""

import math
from itertools import groupby
from operator import itemgetter
from textwrap import fill

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from ..formats.whole_files import replacing
from .table import bytes_text, time_text

__all__ = ["draw", "write"]

COLORS = {"minigluon": "#1f6fb4", "reference": "#7fb2d9", "numpy": "#8a8a8a", "torch": "#e07b1a", "mxnet": "#4a9a54"}
OPACITY = [0.4, 0.7, 0.85, 1]        # of a library's modes, in their order
TICKS = [2.0 ** n for n in range(-20, 21)]
COLUMNS = 3
LETTERS = 44            # of the title, above each panel


def write(path, report):
    """A PNG of the report."""
    with replacing(path) as file:
        draw(report).savefig(file, format="png")


def draw(report):
    """The figure. A bar starts at 1, the time of imperative minigluon, and ends at this one's ratio to it."""
    groups = [(program, list(rows)) for program, rows in groupby(report["rows"], key=itemgetter("program"))]
    columns = min(COLUMNS, len(groups))
    lines = math.ceil(len(groups) / columns)
    tallest = max(len(rows) for _, rows in groups)
    figure = Figure(figsize=(4.8 * columns, lines * (0.9 + 0.24 * tallest) + 0.5), dpi=120, layout="constrained")
    FigureCanvasAgg(figure)         # draws without a display
    figure.suptitle(fill("Time of one run, relative to imperative minigluon. Logarithmic; left of 1 is faster",
                         LETTERS * columns))
    panels = list(figure.subplots(lines, columns, squeeze=False, sharex=True).flat)
    limits = _limits(row["of_imperative"] for row in report["rows"])
    for axes, (program, rows) in zip(panels, groups, strict=False):
        _panel(axes, program, rows, limits)
    for axes in panels[len(groups):]:
        axes.remove()
    return figure


def _limits(ratios):
    """Of the common x axis, with room for the texts beside the bars."""
    low, high = 1, 1
    for ratio in ratios:
        low, high = min(low, ratio), max(high, ratio)
    span = max(high / low, 2)
    return low / span ** 0.05, high * span ** 0.5


def _panel(axes, program, rows, limits):
    seen = {}
    for y, row in enumerate(rows):
        ratio, rank = row["of_imperative"], seen.setdefault(row["library"], 0)
        seen[row["library"]] += 1
        axes.barh(y, ratio - 1, left=1, color=COLORS[row["library"]], alpha=OPACITY[rank], height=0.7)
        axes.annotate(f"{ratio:.2f}   {time_text(row['median'])}", (max(1, ratio), y), xytext=(4, 0),
                      textcoords="offset points", va="center", fontsize=8)
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_xscale("log", base=2)
    axes.set_xlim(*limits)
    axes.xaxis.set_major_locator(FixedLocator([tick for tick in TICKS if limits[0] <= tick <= limits[1]]))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}" if x >= 1 else f"1/{1 / x:g}"))
    axes.tick_params(axis="x", labelbottom=True, labelsize=8)
    axes.set_yticks(range(len(rows)), [f"{row['library']} {row['mode']}" for row in rows], fontsize=8)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_title(program, fontsize=10, fontweight="bold", loc="left", pad=18)
    axes.text(0, 1.03, _memory_and_kernels(rows), transform=axes.transAxes, fontsize=8, va="bottom")
    axes.set_axisbelow(True)
    axes.grid(axis="x", alpha=0.3)
    axes.spines[["top", "right", "left"]].set_visible(False)


def _memory_and_kernels(rows):
    """Of minigluon's modes, imperative first."""
    own = [row for row in rows if row["kernels"] is not None]
    memory, kernels = [bytes_text(row["peak_bytes"]) for row in own], [str(row["kernels"]) for row in own]
    return f"arrays {' → '.join(memory)}, kernels {' → '.join(kernels)}"
