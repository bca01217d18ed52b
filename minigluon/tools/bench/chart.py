"""The report as a chart: a summary, followed by a panel with bars and numbers for each program, grouped by kind."""

from __future__ import annotations

import math
import os
import statistics
from itertools import groupby
from operator import itemgetter
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from ...serialization.atomic_write import replacing
from .nets import kind_of
from .table import bytes_text, time_text

__all__ = ["draw", "pages", "write"]

COLORS = {"minigluon": "#1f6fb4", "reference": "#7fb2d9", "numpy": "#8a8a8a", "torch": "#e07b1a", "mxnet": "#4a9a54",
          "onnxruntime": "#8456b8", "openvino": "#c2476f", "jax": "#2f9c95"}
OPACITY = [0.4, 0.7, 0.85, 1]        # the opacities of a library's modes, in order
COLUMNS = 2
MOST_TICKS = 6
MOST_PANELS = 12        # per page
TITLE = "Time of one run, relative to imperative minigluon"
AXIS = "logarithmic; left of 1 is faster"
HEAD = ["ratio", "time", "arrays", "kernels"]           # the headings of the columns next to the bars
SUMMARY_HEAD = ["ratio", "programs"]
WIDTHS = [34, 46, 46, 46]           # the widths of these columns, in points


def write(path: str, report: Any) -> list[Any]:
    """Write the report as one PNG or, if that would be too long, as one PNG for each of `pages`. Returns their paths.
    """
    parts = pages(report)
    base, end = os.path.splitext(path)
    paths = [base + name + end for name in parts]
    for name, page in zip(paths, parts.values(), strict=True):
        with replacing(name) as file:
            draw(page).savefig(file, format="png")
    return paths


def pages(report: Any) -> dict[Any, Any]:
    """Return {suffix of a file name: the part of the report on that page}: '' for all of it, or '-forward-1' and so on.
    """
    kinds = _kinds(report["rows"])
    if sum(map(len, kinds.values())) <= MOST_PANELS:
        return {"": report}
    parts = {}
    for kind, programs in kinds.items():
        names = list(programs)
        for number, start in enumerate(range(0, len(names), MOST_PANELS), 1):
            rows = [row for name in names[start:start + MOST_PANELS] for row in programs[name]]
            parts[f"-{kind}-{number}"] = {**report, "rows": rows}
    return parts


def draw(report: Any) -> Figure:
    """Return the figure. Each bar starts at 1, the time of imperative minigluon, and ends at the ratio to that time."""
    kinds = _kinds(report["rows"])
    sections = [(kind, [(name, HEAD, [_line(row) for row in rows]) for name, rows in programs.items()])
                for kind, programs in kinds.items()]
    summary = [_summary(kind, programs) for kind, programs in kinds.items() if len(programs) > 1]
    if summary:
        sections.insert(0, ("summary", summary))
    heights = [_height(panels) for _, panels in sections]
    columns = min(COLUMNS, max(len(panels) for _, panels in sections))
    figure = Figure(figsize=(6.2 * columns, sum(heights) + 0.4), dpi=120, layout="constrained")
    figure.get_layout_engine().set(w_pad=0.12, h_pad=0.05)
    FigureCanvasAgg(figure)         # draws without a display
    figure.suptitle(f"{TITLE}\n({AXIS})", fontsize=11)
    parts = figure.subfigures(len(sections), 1, height_ratios=heights, squeeze=False)[:, 0]
    for part, (kind, panels) in zip(parts, sections, strict=True):
        part.suptitle(kind, fontsize=12, fontweight="bold", x=0.01, ha="left", color="#555555")
        _section(part, panels, columns)
    return figure


def _kinds(rows):
    """Return {kind: {program: rows}}, both in the order of the report."""
    kinds = {}
    for program, group in groupby(rows, key=itemgetter("program")):
        kinds.setdefault(kind_of(program), {})[program] = list(group)
    return kinds


def _line(row):
    """Return (library, mode, ratio, texts next to the bar) for a row of the report."""
    memory = "" if row["peak_bytes"] is None else bytes_text(row["peak_bytes"])
    kernels = "" if row["kernels"] is None else str(row["kernels"])
    return row["library"], row["mode"], row["of_imperative"], [f"{row['of_imperative']:.2f}", time_text(row["median"]),
                                                               memory, kernels]


def _summary(kind, programs):
    """Return a panel with the geometric mean of each contender's ratios, over the programs that it has run."""
    ratios = {}
    for rows in programs.values():
        for row in rows:
            ratios.setdefault((row["library"], row["mode"]), []).append(row["of_imperative"])
    lines = [(*name, mean, [f"{mean:.2f}", str(len(values))]) for name, values in ratios.items()
             for mean in [statistics.geometric_mean(values)]]
    return f"{kind}: geometric mean", SUMMARY_HEAD, sorted(lines, key=lambda line: list(COLORS).index(line[0]))


def _tallest(panels):
    return max(len(lines) for _, _, lines in panels)


def _height(panels):
    """Return the height of a section, in inches."""
    return 0.4 + math.ceil(len(panels) / COLUMNS) * (0.85 + 0.2 * _tallest(panels))


def _section(part, panels, columns):
    """Draw the panels of one kind, with a common x axis and bars of equal height."""
    rows = math.ceil(len(panels) / COLUMNS)
    places = list(part.subplots(rows, columns, squeeze=False).flat)
    limits = _limits([ratio for _, _, lines in panels for _, _, ratio, _ in lines])
    for axes, (title, head, lines) in zip(places, panels, strict=False):
        _panel(axes, title, head, lines, _tallest(panels))
        _scale(axes, limits)
    for axes in places[len(panels):]:
        axes.remove()


def _limits(ratios):
    """Return the limits of the x axis, which cover all bars and a little extra space."""
    low, high = min(1, *ratios), max(1, *ratios)
    room = max(high / low, 2) ** 0.05
    return low / room, high * room


def _panel(axes, title, head, lines, tallest):
    counts = {}
    for y, (library, _, ratio, texts) in enumerate(lines):
        rank = counts.setdefault(library, 0)
        counts[library] += 1
        axes.barh(y, ratio - 1, left=1, color=COLORS[library], alpha=OPACITY[rank], height=0.7)
        _beside(axes, y, texts)
    _beside(axes, -0.95, head, color="#777777")
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_yticks(range(len(lines)), [f"{library} {mode}" for library, mode, _, _ in lines], fontsize=8)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(tallest - 0.5, -0.5)
    axes.set_title(title, fontsize=10, fontweight="bold", loc="left")
    axes.set_axisbelow(True)
    axes.grid(axis="x", alpha=0.3)
    axes.spines[["top", "right", "left"]].set_visible(False)


def _beside(axes, y, texts, **how):
    """Write texts in columns to the right of the axes."""
    place = 0
    for text, width in zip(texts, WIDTHS, strict=False):
        place += width
        axes.annotate(text, (1, y), xycoords=("axes fraction", "data"), xytext=(place, 0), textcoords="offset points",
                      ha="right", va="center", fontsize=8, annotation_clip=False, **how)


def _scale(axes, limits):
    """Set a logarithmic x axis: ticks at powers of two, far enough apart for their labels, including 1."""
    axes.set_xscale("log", base=2)
    axes.set_xlim(*limits)
    low, high = math.ceil(math.log2(limits[0])), math.floor(math.log2(limits[1]))
    step = math.ceil((high - low + 1) / MOST_TICKS)
    octaves = range(-(-low // step) * step, high + 1, step)
    axes.xaxis.set_major_locator(FixedLocator([2.0 ** octave for octave in octaves]))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:.0f}" if x >= 1 else f"1/{1 / x:.0f}"))
    axes.tick_params(axis="x", labelsize=8)
