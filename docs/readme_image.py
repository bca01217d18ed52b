"""The image in the README, narrow enough for a phone: a network, and the plan that `hybridize()` builds."""

import inspect
from textwrap import dedent

from drawing import Drawing
from graph_images import Gated

from minigluon import nd
from minigluon.tools.explain.page_data import gather

__all__ = ["IMAGES"]

FAMILIES = {"product": "symbol", "elementwise": "ops", "fused": "ops", "move": "base"}     # -> color


def hybridized():
    """Draw the network's code, its operators one by one, the steps of its plan, and the memory that both use."""
    net = Gated(prefix="net_")
    net.initialize()
    page = gather(net, [nd.ones((8, 3))])
    traced, planned = page.graphs[0], page.graphs[-1]
    width, left, right, wide = 440, 16, 228, 196

    drawing = Drawing(width, 0, "A network, run operator by operator, and as a plan")
    code = dedent(inspect.getsource(Gated.hybrid_forward)).rstrip()
    drawing.box(left, 16, width - 2 * left, 24 * code.count("\n") + 44, "gluon")
    for number, line in enumerate(code.split("\n")):
        drawing.text(left + 12, 42 + 24 * number, line, 13, "gluon" if number == 0 else "ink", bold=number == 0)
    top = 24 * code.count("\n") + 92
    for x, title in (left, "net(x)"), (right, "net.hybridize(); net(x)"):
        drawing.text(x, top, title, 14, bold=True)
    steps = [node for node in traced.nodes if node.inputs]
    height, gap = 30, 16
    bottom = top + 14 + len(steps) * (height + gap) - gap
    _chain(drawing, left, wide, top + 14, height, gap, steps)
    steps = [node for node in planned.nodes if node.inputs]
    rest = bottom - top - 14 - height * (len(steps) + 1)      # a step with two operators is twice as high
    _chain(drawing, right, wide, top + 14, height, rest / (len(steps) - 1), steps)
    y = bottom + 34
    for x, text in ((left, f"memory: {page.memory.naive} bytes"), (right, f"{page.memory.size} bytes, planned")):
        drawing.text(x, y, text, 14)
    scale = wide / page.memory.naive
    drawing.box(left, y + 12, wide, 16, "array", radius=3)
    drawing.box(right, y + 12, page.memory.size * scale, 16, "backend", radius=3)
    drawing.height = y + 46
    return drawing


def _chain(drawing, x, wide, y, height, gap, nodes):
    """Draw a column of boxes with arrows between them; a box that stands for several operators names each one."""
    for number, node in enumerate(nodes):
        names = [name.strip().removeprefix("broadcast_") for name in node.title.split("+")]
        tall = height * len(names)
        drawing.box(x, y, wide, tall, FAMILIES[node.family])
        for line, name in enumerate(names):
            drawing.text(x + wide / 2, y + 20 + height * line, name, 14, FAMILIES[node.family], anchor="middle")
        if number + 1 < len(nodes):
            drawing.arrow(x + wide / 2, y + tall, x + wide / 2, y + tall + gap)
        y += tall + gap


IMAGES = {"hybridized": hybridized}
