"""`mx.explain`: one HTML page that shows what hybridize() makes of a net.

    gather.py       run the passes, look at the plan, measure: plain data
    memory.py       the memory of a plan as plain data
    graphs.py       graphs as plain data
    sources.py      what is written in hybrid_forward
    measure.py      time and memory, imperative and hybridized
    origins.py      which calls of blocks, and which lines, made the nodes
    folding.py      what folds into one box: calls, time steps, sums of gradients
    layout.py       where nodes stand: asks Graphviz's layout of a library
    layered.py      a plain layout for what is too large for that
    picture.py      the drawing of all passes together, for the page's script
    svg.py          SVG
    exports.py      the graph for Graphviz and Netron, a run for Perfetto
    render.py       data -> HTML, with templates/
    explained_page.py   the path of the page, which a notebook shows as the page
    symbol_drawing.py   a Symbol in a notebook
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...common.optional_packages import require
from ...serialization.whole_files import replacing

if TYPE_CHECKING:
    from ...gluon.block import Block

__all__ = ["explain"]


def explain(net: Block, *inputs: Any, path: str = "explain.html", train: bool = False, export: Sequence[Any] = (),
            progress: Any = None) -> Any:
    """Write one HTML page about a HybridBlock, called with `inputs`; returns the page's path, a string.

    In a notebook that is shown as the page itself.

    It shows the source of hybrid_forward, the traced graph, each pass before and after, the memory plan, the steps
    with their times, and imperative against hybridized execution. The page needs no network. train=True explains a
    forward and a backward pass. Parameters, states, gradients and random generators are left as they were.
    export: formats that are written beside the page: 'dot', the graph that runs for Graphviz (net.dot); 'json', the
    traced graph as a symbol file, which Netron opens (net-symbol.json); 'trace', a run with operators, blocks, lines
    and memory for ui.perfetto.dev or chrome://tracing (net-trace.json).
    progress: a function that is told what is done next.

    Raises MXNetError where the packages of the extra `explain` are missing, for a net that cannot be traced, for an
    unknown format, and for a path that cannot be written.

    >>> net = nn.Dense(2, activation="relu", in_units=3)
    >>> net.initialize()
    >>> mx.explain(net, nd.ones((5, 3)), path="net.html")
    'net.html'
    """
    require("jinja2", "pygments", extra="explain", user="explain")
    from .explained_page import ExplainedPage
    from .exports import ENDINGS, require_formats
    from .exports import export as exported
    from .gather import gather
    from .render import render
    require_formats(export)
    page = gather(net, inputs, train, progress)
    if progress is not None:
        progress("layout and page")
    text = render(page)
    stem = os.path.splitext(path)[0]
    files = {path: text, **{stem + ENDINGS[name]: exported(page, name) for name in export}}
    for place, content in files.items():
        with replacing(place) as file:
            file.write(content.encode("utf-8"))
    return ExplainedPage(os.fspath(path), text)
