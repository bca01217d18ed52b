"""The moving image of the landing page: lines of code become operators, and the operators become a plan."""

import inspect
from textwrap import dedent

from drawing import Drawing
from graph_images import Gated
from readme_image import FAMILIES

from minigluon import nd
from minigluon.tools.explain.page_data import gather

__all__ = ["IMAGES"]

LEFT, RIGHT, WIDE, HEIGHT, GAP = 10, 184, 162, 28, 14       # narrow enough for a phone


def landing():
    """Draw a network's code, its operators one by one, and how they move into the steps of its plan."""
    net = Gated(prefix="net_")
    net.initialize()
    page = gather(net, [nd.ones((8, 3))])
    traced, planned = ([node for node in graph.nodes if node.inputs] for graph in (page.graphs[0], page.graphs[-1]))

    drawing = Drawing(356, 0, "Three lines of code, the five operators that they call, and the plan of three steps")
    drawing.period = 12
    code = dedent(inspect.getsource(Gated.hybrid_forward)).rstrip().split("\n")
    drawing.box(LEFT, 10, drawing.width - 2 * LEFT, 20 * len(code) + 16, "gluon")
    for number, line in enumerate(code):
        with drawing.appearing(0.3 + 0.6 * number):
            drawing.text(LEFT + 8, 31 + 20 * number, line, 11, "gluon" if number == 0 else "ink", bold=number == 0)
    top = 20 * len(code) + 70
    with drawing.appearing(2.3):
        drawing.text(LEFT, top, "net(x)", 12, bold=True)
    tops = _operators(drawing, traced, top + 12)
    with drawing.appearing(5.6):
        drawing.text(RIGHT, top - 17, "net.hybridize()\nnet(x)", 12, bold=True)
    bottom = _plan(drawing, planned, tops)
    _memory(drawing, page.memory, bottom + 28)
    drawing.height = bottom + 66
    return drawing


def _operators(drawing, nodes, y):
    """Draw an imperative call's operators in order. Returns {operator's name: [its positions]}."""
    tops = {}
    for number, node in enumerate(nodes):
        with drawing.appearing(2.5 + 0.5 * number):
            if number:
                drawing.arrow(LEFT + WIDE / 2, y - GAP, LEFT + WIDE / 2, y)
            _operator(drawing, LEFT, y, node.title.removeprefix("broadcast_"), node.family)
        tops.setdefault(node.title.removeprefix("broadcast_"), []).append(y)
        y += HEIGHT + GAP
    return tops


def _plan(drawing, nodes, tops):
    """Draw the plan's steps, each of which comes from the operators that it contains. Returns the bottom."""
    y = top = min(min(ys) for ys in tops.values())
    bottom = max(max(ys) for ys in tops.values()) + HEIGHT
    rows = [[name.strip().removeprefix("broadcast_") for name in node.title.split("+")] for node in nodes]
    gap = (bottom - top - HEIGHT * sum(map(len, rows))) / (len(rows) - 1)
    for number, (node, names) in enumerate(zip(nodes, rows, strict=True)):
        if number:
            with drawing.appearing(8.4):
                drawing.arrow(RIGHT + WIDE / 2, y - gap, RIGHT + WIDE / 2, y)
        for name in names:
            with drawing.appearing(5.9 + 0.6 * number, (LEFT - RIGHT, tops[name].pop(0) - y)):
                _operator(drawing, RIGHT, y, name, node.family)
            y += HEIGHT
        y += gap
    return bottom


def _operator(drawing, x, y, name, family):
    drawing.box(x, y, WIDE, HEIGHT, FAMILIES[family])
    drawing.text(x + WIDE / 2, y + 19, name, 13, FAMILIES[family], anchor="middle")


def _memory(drawing, memory, y):
    """Draw the memory that intermediate results take in both ways of running the network."""
    for x, seconds, size, text, kind in ((LEFT, 5, memory.naive, f"memory: {memory.naive} bytes", "array"),
                                         (RIGHT, 9, memory.size, f"{memory.size} bytes, planned", "backend")):
        with drawing.appearing(seconds):
            drawing.text(x, y, text, 12)
            drawing.box(x, y + 12, WIDE * size / memory.naive, 16, kind, radius=3)


IMAGES = {"landing": landing}
