"""SVG drawings from plain data: graphs, and buffers over time. Their colors are in templates/svg.css."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from .layout import lay_out
from .text import bytes_text, shortened

if TYPE_CHECKING:
    from ...symbol.graph import Node

__all__ = ["graph_svg", "memory_svg", "node_lines", "node_size", "text_width"]

ADVANCE = 0.605         # the character width at font size 1 in the widest common monospaced font
PAD, LINE = 11, 15
MAX_LINE = 30            # the maximum number of characters per line in a node


def text_width(text: str, size: int) -> float:
    """Return the width of a line of text in a monospaced font."""
    return len(text) * ADVANCE * size


# -- graphs ---------------------------------------------------------------------------------------------------------

def graph_svg(graph: Any, label: str, marked: Any = None) -> str:
    """Return the SVG of a `graphs.Graph`. Nodes have their family's class and their own ids.

    label: what the drawing shows. marked: {id: an additional class}, such as 'added'.
    """
    lines = {node.id: node_lines(node) for node in graph.nodes}
    sizes = {id: node_size(text) for id, text in lines.items()}
    layout = lay_out(sizes, graph.edges, [n.id for n in graph.nodes if n.phase == "backward"])
    parts = [_edge(start, end, points, graph) for start, end, points in layout.edges]
    parts += [_node(node, lines[node.id], sizes[node.id], layout.centers[node.id], (marked or {}).get(node.id, ""))
              for node in graph.nodes]
    margin = 8
    width, height = layout.width + 2 * margin, layout.height + 2 * margin
    arrows = "".join(
        f'<marker id="{graph.id}-{phase}" class="head {phase}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" '
        'markerHeight="8" markerUnits="userSpaceOnUse" orient="auto"><path d="M 0 1 L 7.5 4 L 0 7 z"/></marker>'
        for phase in ("forward", "backward"))
    return (f'<svg class="graph" id="{graph.id}" viewBox="{-margin} {-margin} {width:.0f} {height:.0f}" '
            f'width="{width:.0f}" height="{height:.0f}" role="group" aria-label="{escape(label)}">'
            f"<defs>{arrows}</defs>" + "".join(parts) + "</svg>")


def node_lines(node: Node) -> list[tuple[str, str, float]]:
    """Return [(text, class, font size)]: the operator, its name, its shape, and its meaning for the caller."""
    title = node.name if node.family == "input" else node.title
    lines = [(shortened(title, MAX_LINE), "title", 12.5)]
    if node.family != "input":
        lines.append((shortened(node.name, MAX_LINE + 4), "name", 10.5))
    lines.append((node.outputs[0][1], "spec", 10.5))
    lines += [("→ " + shortened(mark, MAX_LINE), "mark", 10.5) for mark in node.marks]
    return [line for line in lines if line[0] not in ("?", "")]


def node_size(lines: Sequence[str]) -> tuple[float, int]:
    """Return (width, height) of a node with these lines."""
    return max(text_width(text, size) for text, _, size in lines) + 2 * PAD, len(lines) * LINE + 12


def _node(node, lines, size, center, mark):
    (width, height), (x, y) = size, center
    left, top = x - width / 2, y - height / 2
    radius = height / 2 if node.family == "input" else 7
    texts = "".join(f'<text class="{kind}" x="{x:.1f}" y="{top + 18 + LINE * i:.1f}" font-size="{font}">{escape(text)}'
                    "</text>" for i, (text, kind, font) in enumerate(lines))
    kinds = " ".join(filter(None, ["node", f"k-{node.family}", node.phase, mark]))
    name = f"{node.title} {node.name}, {node.outputs[0][1]}"
    return (f'<g class="{kinds}" id="{node.id}" role="button" tabindex="-1" '
            f'aria-label="{escape(name)}"><rect x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{height:.1f}" '
            f'rx="{radius:g}"/>{texts}</g>')


def _edge(start, end, points, graph):
    phase = "backward" if graph.node(end).phase == "backward" else "forward"
    (x, y), following = points[0], points[1:]
    curve = " ".join(f"{px:.1f},{py:.1f}" for px, py in following)
    return (f'<path class="edge {phase}" data-from="{start}" data-to="{end}" d="M {x:.1f},{y:.1f} C {curve}" '
            f'marker-end="url(#{graph.id}-{phase})"/>')


# -- memory ---------------------------------------------------------------------------------------------------------

WIDTH, LEFT, RIGHT, TOP, LANE = 1000, 74, 12, 30, 14


def memory_svg(memory: Any, buffers: Any, label: str, id: str, height: int = 360) -> str:
    """Return the SVG of buffers over time, with steps to the right, addresses upward, and memory outside the block
    below it.

    Gradients are omitted, because the parameters have memory for them anyway. Each rectangle has the index of its
    buffer as data-buffer.
    """
    inside = [(n, b) for n, b in enumerate(buffers) if b.offset is not None and b.size]
    outside = [(n, b) for n, b in enumerate(buffers) if b.offset is None and b.size and b.kind != "gradient"]
    total = max((b.offset + b.size for _, b in inside), default=0)
    lanes = _lanes(outside)
    height = height if total else 0
    bottom = TOP + height
    steps = max(len(memory.steps), 1)
    across = (WIDTH - LEFT - RIGHT) / steps
    full = bottom + (34 + LANE * len(lanes) if lanes else 0) + 26
    parts = [_axes(memory, total, height, across, bottom)]
    for number, b in inside:
        box = height * b.size / total
        y = bottom - height * b.offset / total - box
        parts.append(_buffer(number, b, across, y, box, id))
    if lanes:
        parts.append(f'<text class="axis left" x="{LEFT}" y="{bottom + 24}">outside the block</text>')
    for row, lane in enumerate(lanes):
        parts += [_buffer(number, b, across, bottom + 32 + LANE * row, LANE - 3, id) for number, b in lane]
    parts.append(f'<text class="axis right" x="{WIDTH - RIGHT}" y="{full - 6}">step →</text>')
    return (f'<svg class="memory" id="{id}" viewBox="0 0 {WIDTH} {full:.0f}" width="{WIDTH}" height="{full:.0f}" '
            f'role="group" aria-label="{escape(label)}">' + "".join(parts) + "</svg>")


def _lanes(numbered):
    """Return rows in which no two buffers are live at the same time."""
    lanes = []
    for number, b in sorted(numbered, key=lambda item: item[1].first):
        lane = next((lane for lane in lanes if lane[-1][1].last < b.first), None)
        if lane is None:
            lanes.append([])
            lane = lanes[-1]
        lane.append((number, b))
    return lanes


def _axes(memory, total, height, across, bottom):
    parts = []
    for part in range(5 if total else 0):
        y = bottom - height * part / 4
        parts.append(f'<path class="grid" d="M {LEFT} {y:.1f} H {WIDTH - RIGHT}"/>'
                     f'<text class="axis right" x="{LEFT - 8}" y="{y + 4:.1f}">{bytes_text(total * part / 4)}</text>')
    phases = [("forward", 0, memory.split), ("backward", memory.split, len(memory.steps))]
    for phase, first, last in phases:
        if last > first:
            x, end = LEFT + across * first, LEFT + across * last
            parts.append(f'<text class="axis" x="{(x + end) / 2:.1f}" y="16">{phase}</text>'
                         f'<path class="phase" d="M {x + 2:.1f} 22 H {end - 2:.1f}"/>')
    return "".join(parts)


def _buffer(number, b, across, y, height, id):
    x, width = LEFT + across * b.first, across * (b.last - b.first + 1)
    gap = min(1.2, width / 8)
    caption = f"{b.name}, {bytes_text(b.size)}, steps {b.first} to {b.last}"
    label = shortened(b.name, int((width - 10) / ADVANCE / 10.5))
    text = (f'<text class="inside" x="{x + width / 2:.1f}" y="{y + height / 2 + 4:.1f}" font-size="10.5">'
            f"{escape(label)}</text>" if height >= 16 and len(label) >= min(len(b.name), 10) else "")
    return (f'<rect class="buffer k-{b.family} is-{b.kind}" id="{id}b{number}" data-buffer="{number}" role="button" '
            f'tabindex="-1" aria-label="{escape(caption)}" x="{x + gap / 2:.2f}" y="{y:.2f}" width="{width - gap:.2f}" '
            f'height="{max(height - 0.8, 0.6):.2f}" rx="{min(2, height / 4):.1f}"/>{text}')
