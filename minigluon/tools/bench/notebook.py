"""The report in a notebook: the chart and, below it, the table, which is initially folded if it is long."""

from __future__ import annotations

import base64
import io
from html import escape
from itertools import groupby
from operator import itemgetter
from typing import Any

from ...display.page import count_text, details, dim, framed, table
from .chart import draw
from .table import COLUMNS, cells, headline, notes

__all__ = ["report_html"]

UNFOLDED = 12           # the maximum number of rows that are shown without folding
SCALE = 80              # pixels on the page per inch of the figure


def report_html(report: Any) -> str:
    """Return the HTML of a `report.Report`."""
    file = io.BytesIO()
    figure = draw(report)
    figure.savefig(file, format="png")
    picture = base64.b64encode(file.getvalue()).decode("ascii")
    programs = len({row["program"] for row in report["rows"]})
    caption = f"Times of {count_text(programs, 'program')}, relative to imperative minigluon"
    image = (f'<img alt="{escape(caption)}" src="data:image/png;base64,{picture}" '
             f'style="width: {SCALE * figure.get_figwidth():.0f}px; max-width: none; border-radius: 6px">')
    lines = [[escape(text) for text in line] for line in _lines(report["rows"])]
    numbers = table(["program", *(name.replace("\n", " ") for name in COLUMNS)], lines, range(2, len(COLUMNS) + 1))
    return framed(f'<div class="mg-scroll" tabindex="0">{image}</div>',
                  details(count_text(len(lines), "measurement"), numbers, len(lines) <= UNFOLDED),
                  *(f"<p>{dim(text)}</p>" for text in (headline(report), *notes(report))))


def _lines(rows):
    """Return the cells of each row; a program is only named in the first of its rows."""
    for program, group in groupby(rows, key=itemgetter("program")):
        for row in group:
            yield [program, *cells(row)]
            program = ""
