"""A Symbol in a notebook: its graph as a drawing, or where it cannot be drawn, what goes in and out of it."""

import shutil
import sysconfig
import zlib
from collections import Counter
from html import escape
from typing import Any

from ...display.page import code, count_text, dim, framed, table
from ...legacy.visualization import PARAMETERS
from ...symbol.graph import variables
from .graphs import Look, describe
from .layout import PROGRAMS
from .render import alone
from .svg import graph_svg

__all__ = ["symbol_html", "symbol_svg"]

MOST = 100              # nodes of a drawing; a larger one is pages long, and says little
LISTED = 12             # names of inputs and outputs, and operators, in the table


def symbol_svg(symbol: Any) -> str | None:
    """The drawing of a Symbol as SVG; None where it has too many nodes, or where no program lays graphs out.

    Jupyter takes None for "no SVG", and shows `symbol_html` then.
    """
    return _draw(symbol) if _is_drawn(symbol) else None


def symbol_html(symbol: Any) -> str | None:
    """What goes into a Symbol, what comes out, its operators, where it is not drawn; otherwise None."""
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
    """Names of the inputs that are no parameters of layers, by the ends of their names."""
    arguments, _ = variables(symbol.nodes())
    return [node.name for node in arguments if not node.name.endswith((*PARAMETERS, "_parameters"))]


def _can_lay_out():
    """Is a program of `layout` there?"""
    scripts = sysconfig.get_path("scripts")
    return any(shutil.which(name, path=scripts) or shutil.which(name) for name in PROGRAMS)


def _draw(symbol):
    """The drawing, with its style for itself: some front ends put it into the page beside other drawings."""
    inputs = _drawn_variables(symbol)
    look = Look(drawn=set(inputs), count=len(symbol.heads))
    id = f"symbol{zlib.crc32(' '.join(node.name for node in symbol.nodes()).encode()):08x}"
    graph, _ = describe(symbol, {}, look, id)
    title = f"Graph of {count_text(graph.operators, 'operator')}"
    svg = alone(graph_svg(graph, title), title)
    start, end = svg.index("<style>") + len("<style>"), svg.index("</style>")
    scoped = svg[start:end].replace(":root", ":scope").replace("svg text", "text")
    return svg[:start] + f"\n@scope (#{id}) {{{scoped}}}\n" + svg[end:]
