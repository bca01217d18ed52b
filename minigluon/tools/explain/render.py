"""Rendering of the page's data as one self-contained HTML or SVG file."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path
from typing import Any

from .drawing_data import picture
from .graphs import FAMILIES
from .sources import Sources
from .svg import memory_svg
from .text import bytes_text, count_text, ratio_text, time_text

__all__ = ["render", "standalone_svg"]

TEMPLATES = Path(__file__).parent / "templates"


def render(page: Any) -> str:
    """Return the HTML of a `gather.Page`."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    environment = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined,
                              trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True)
    environment.filters.update(bytes=bytes_text, time=time_text, count=count_text, highlight=_highlight)
    memory, sources = page.memory, Sources([*page.sources, *page.operators])
    drawing = picture(page.graphs, sources.stack, sources.operator)
    numbers = {name: number for number, (name, _) in enumerate(drawing["places"])}
    place_of = {node.id: numbers[node.place] for graph in page.graphs for node in graph.nodes}
    return environment.get_template("page.html").render(
        page=page, style=_file("style.css"),
        svg_style=_file("svg.css"), script=_file("graph.js") + _file("page.js"), ratio=ratio_text,
        data=_data(page, drawing, sources, place_of), place_of=place_of, operators=page.operators,
        families=_families(page), folded=len(drawing["groups"]) > 1,
        planned=memory_svg(memory, memory.buffers, "Buffers of the plan over its steps", "planned"),
        naive=memory_svg(memory, memory.values, "Each value with its own memory, over the steps", "naive"),
        slowest=max((s.seconds or 0 for s in page.steps), default=0), together=sum(s.seconds or 0 for s in page.steps),
        imperative=page.measured[0], hybridized=page.measured[1], kernels=sum(s.how != "view" for s in page.steps))


def standalone_svg(svg: str, title: str) -> str:
    """Return a drawing from the page as a separate file with a background and its own colors, for light and dark
    mode."""
    x, y, width, height = re.search(r'viewBox="([^"]*)"', svg)[1].split()
    start = svg.index(">") + 1
    return (f'<svg xmlns="http://www.w3.org/2000/svg"{svg[4:start]}\n<title>{escape(title)}</title>\n'
            f"<style>\n{_file('svg.css')}</style>\n"
            f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="10" style="fill: var(--paper)"/>'
            + re.sub(r"(?=<(g|path|rect|text)\b)", "\n", svg[start:]) + "\n")


def _file(name):
    return (TEMPLATES / name).read_text(encoding="utf-8")


def _data(page, drawing, sources, place_of):
    """Return the data that the script draws and looks up after a click."""
    buffers = {"planned": page.memory.buffers, "naive": page.memory.values}
    passes = [{**vars(p), **{kind: [place_of[id] for id in getattr(p, kind)] for kind in _CHANGES}}
              for p in page.passes]
    return {
        "picture": drawing, "passes": passes, "steps": page.memory.steps, "lines": sources.lines,
        "stacks": sources.stacks, "operators": sources.operators,
        "buffers": {name: [{**_buffer_fields(b), "text": bytes_text(b.size), "place": _place(b)} for b in group]
                    for name, group in buffers.items()},
    }


_CHANGES = ("removed", "added", "changed")


def _buffer_fields(buffer):
    return {name: getattr(buffer, name) for name in ("name", "first", "last", "then", "family")}


_PLACES = {
    "constant": "computed once, stored outside the block",
    "result": "new memory for each call, returned to the caller",
    "gradient": "the parameter's own gradient memory",
    "own": "allocated by the kernel itself",
}


def _place(buffer):
    if buffer.offset is None:
        return _PLACES[buffer.kind]
    what = "scratch memory of its kernel, " if buffer.kind == "scratch" else ""
    return f"{what}bytes {buffer.offset:,} to {buffer.offset + buffer.size - 1:,} of the block"


def _families(page):
    """Return (family, description) of the families that occur, for the legend."""
    present = {node.family for graph in page.graphs for node in graph.nodes} | {b.family for b in page.memory.buffers}
    return [(family, what) for family, (what, _) in FAMILIES.items() if family in present]


def _highlight(text, id):
    """Return Python code with syntax highlighting, as HTML; line k has the id '<id>-k'."""
    from markupsafe import Markup
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import PythonLexer

    class Lines(HtmlFormatter):
        def wrap(self, source):         # without a wrapper: `nowrap` would also omit the ids of the lines
            return source

    return Markup(highlight(text, PythonLexer(), Lines(linespans=id)))
