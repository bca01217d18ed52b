"""`mx.explain`: one HTML page that shows what hybridize() does to a net.

    gather.py       run the passes, inspect the plan, measure: plain data
    memory.py       the memory of a plan as plain data
    graphs.py       graphs as plain data
    sources.py      the source of hybrid_forward
    comparing.py    what differs between two nets
    measure.py      time and memory, imperative and hybridized
    origins.py      the block calls and the lines that created the nodes
    folding.py      the nodes that fold into one box: calls, time steps, sums of gradients
    layout.py       positions of nodes, with Graphviz's layout from a library
    layered.py      a simple layout for graphs that are too large for that
    picture.py      the combined drawing of all passes, for the page's script
    svg.py          SVG
    exports.py      the graph for Graphviz and Netron, a run for Perfetto
    render.py       data -> HTML, with templates/
    explained_page.py   the path of the page, which a notebook displays as the page itself
    symbol_drawing.py   a Symbol in a notebook
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...serialization.atomic_write import replacing

if TYPE_CHECKING:
    from ...gluon.block import Block

__all__ = ["explain"]


def explain(net: Block, *inputs: Any, path: str = "explain.html", train: bool = False, export: Sequence[Any] = (),
            progress: Any = None, against: Block | None = None) -> Any:
    """Write one HTML page about a HybridBlock called with `inputs`, and return the page's path, a string.

    A notebook displays this string as the page itself.

    The page shows the source of hybrid_forward, the traced graph before and after each pass, the memory plan, the steps
    with their times, and imperative compared with hybridized execution. It does not need a network connection.
    train=True explains a forward and a backward pass. Parameters, states, gradients and random generators are not
    changed. export: formats to write next to the page: 'dot', the graph that runs, for Graphviz (net.dot); 'json', the
    traced graph as a symbol file, which Netron opens (net-symbol.json); 'trace', a run with operators, blocks, lines
    and memory, for ui.perfetto.dev or chrome://tracing (net-trace.json).
    progress: a function that is called with the name of each stage before the stage starts.
    against: another net, or an older version of this one, which is called with the same inputs: the page begins with
    what differs from it, in operators, parameters, kernels, memory and time, and the path's attribute `differences` is
    the same as text.

    Raises MXNetError if packages of the extra `explain` are missing, if the net cannot be traced, for an unknown
    format, and if the path cannot be written.

    >>> net = nn.Dense(2, activation="relu", in_units=3)
    >>> net.initialize()
    >>> mx.explain(net, nd.ones((5, 3)), path="net.html")
    'net.html'
    """
    from ...common.optional_packages import require
    require("jinja2", "pygments", extra="explain", user="explain")
    from .comparing import compare, text_of
    from .explained_page import ExplainedPage
    from .exports import ENDINGS, require_formats
    from .exports import export as exported
    from .page_data import gather
    from .render import render
    require_formats(export)
    other = None if against is None else gather(against, inputs, train, progress)
    page = gather(net, inputs, train, progress)
    if other is not None:
        page.compared = compare(other, page)
    if progress is not None:
        progress("drawing the page")
    text = render(page)
    stem = os.path.splitext(path)[0]
    files = {path: text, **{stem + ENDINGS[name]: exported(page, name) for name in export}}
    for place, content in files.items():
        with replacing(place) as file:
            file.write(content.encode("utf-8"))
    return ExplainedPage(os.fspath(path), text, text_of(page.compared))
