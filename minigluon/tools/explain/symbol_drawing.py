"""A Symbol in a notebook: a drawing of its graph or, if it cannot be drawn, a table of inputs and outputs."""

import shutil
import sysconfig
import zlib
from collections import Counter
from html import escape
from typing import Any

from ...display.page import code, count_text, dim, framed, table
from ...legacy.visualization import PARAMETERS
from ...symbol.graph import variables
from .graphs import DrawingContext, describe
from .layout import PROGRAMS
from .render import standalone_svg
from .svg import graph_svg

__all__ = ["symbol_html", "symbol_svg"]

MOST = 100              # the maximum number of nodes in a drawing; a larger one would be pages long and hard to read
LISTED = 12             # the maximum number of inputs, outputs and operators named in the table


def symbol_svg(symbol: Any) -> str | None:
    """Return a drawing of a Symbol as SVG, or None if it has too many nodes or no layout program is installed.

    If the result is None, Jupyter shows `symbol_html` instead.
    """
    return _draw(symbol) if _is_drawn(symbol) else None


def symbol_html(symbol: Any) -> str | None:
    """Return a table of a Symbol's inputs, outputs and operators, or None if `symbol_svg` draws it."""
    if _is_drawn(symbol):
        return None
    nodes = symbol.nodes()
    counts = Counter(node.op.name for node in nodes if node.op is not None)
    operators = [f"{name} ×{count}" if count > 1 else name for name, count in counts.most_common()]
    rows = [("inputs", _drawn_variables(symbol)), ("outputs", symbol.list_outputs()), ("operators", operators)]
    size = f"{count_text(counts.total(), 'operator')}, {count_text(len(nodes) - counts.total(), 'variable')}"
    return framed(f"<div><b>{type(symbol).__name__}</b> {code(symbol.name or '')} {dim(size)}</div>",
                  table((), [[dim(what), escape(_listed(names))] for what, names in rows]))


def _listed(names):
    more = f", … and {len(names) - LISTED:,} more" if len(names) > LISTED else ""
    return ", ".join(names[:LISTED]) + more


def _is_drawn(symbol):
    operators = sum(node.op is not None for node in symbol.nodes())
    return operators + len(_drawn_variables(symbol)) <= MOST and _can_lay_out()


def _drawn_variables(symbol):
    """Return the names of the inputs that are not layer parameters, judging by their suffixes."""
    arguments, _ = variables(symbol.nodes())
    return [node.name for node in arguments if not node.name.endswith((*PARAMETERS, "_parameters"))]


def _can_lay_out():
    """Return whether a layout program is installed."""
    scripts = sysconfig.get_path("scripts")
    return any(shutil.which(name, path=scripts) or shutil.which(name) for name in PROGRAMS)


def _draw(symbol):
    """Return the drawing with a scoped style, because some front ends place it on a page with other drawings."""
    inputs = _drawn_variables(symbol)
    look = DrawingContext(drawn=set(inputs), count=len(symbol.heads))
    id = f"symbol{zlib.crc32(' '.join(node.name for node in symbol.nodes()).encode()):08x}"
    graph, _ = describe(symbol, {}, look, id)
    title = f"Graph of {count_text(graph.operators, 'operator')}"
    svg = standalone_svg(graph_svg(graph, title), title)
    start, end = svg.index("<style>") + len("<style>"), svg.index("</style>")
    scoped = svg[start:end].replace(":root", ":scope").replace("svg text", "text")
    return svg[:start] + f"\n@scope (#{id}) {{{scoped}}}\n" + svg[end:]
