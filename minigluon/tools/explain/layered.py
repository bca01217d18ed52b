"""A layered layout, computed in time linear in the size of the graph: simple but immediate.

Each node is placed one row below its lowest input. Within a row, nodes are ordered by the positions of their neighbors
in the row above, with the forward part on the left and the backward part on the right; then each node moves toward its
neighbors as far as the row allows. Curves run directly from node to node, behind the nodes in between.
"""

from __future__ import annotations

from typing import Any

__all__ = ["lay_out_simply"]

GAP, ROW = 16, 30       # the distance between the nodes of a row, and between rows


def lay_out_simply(sizes: Any, edges: Any, backward: Any):
    """Return (width, height, centers, edges) as in `layout.Layout`.

    backward: nodes between which edges point upward.
    """
    turned = [(end, start) if start in backward else (start, end) for start, end in edges]
    above = {node: [] for node in sizes}
    for start, end in turned:
        above[end].append(start)
    rows = _rows(sizes, turned)
    centers, top = {}, 0.0
    for row in rows:
        targets = {node: _mean([centers[n][0] for n in above[node] if n in centers]) for node in row}
        height = max(sizes[node][1] for node in row)
        for part in ([n for n in row if n not in backward], [n for n in row if n in backward]):
            centers.update((node, (x, top + height / 2)) for node, x in _placed(part, targets, sizes).items())
        top += height + ROW
    _beside(centers, sizes, backward)
    left = min(x - sizes[node][0] / 2 for node, (x, _) in centers.items())
    centers = {node: (x - left, y) for node, (x, y) in centers.items()}
    width = max(x + sizes[node][0] / 2 for node, (x, _) in centers.items())
    curves = [(start, end, _curve(centers[start], sizes[start], centers[end], sizes[end],
                                  (start in backward) != (end in backward))) for start, end in edges]
    return width, top - ROW, centers, curves


def _curve(start, from_size, end, to_size, across):
    """Return the points of a cubic Bézier curve between two nodes, starting from the lower edge if the other node is
    below.

    across: whether the edge leads from the forward to the backward part, in which case it starts at the right edge.
    """
    if across:
        x, last = start[0] + from_size[0] / 2, end[0] - to_size[0] / 2
        bend = max((last - x) / 2, 12)
        return [(x, start[1]), (x + bend, start[1]), (last - bend, end[1]), (last, end[1])]
    sign = 1 if end[1] >= start[1] else -1
    y, last = start[1] + sign * from_size[1] / 2, end[1] - sign * to_size[1] / 2
    bend = max(abs(last - y) / 2, 12) * sign
    return [(start[0], y), (start[0], y + bend), (end[0], last - bend), (end[0], last)]


def _rows(sizes, edges):
    """Return the rows as lists of nodes. An edge that would close a cycle is ignored."""
    below, waiting = {node: [] for node in sizes}, dict.fromkeys(sizes, 0)
    for start, end in edges:
        below[start].append(end)
        waiting[end] += 1
    depth, remaining = dict.fromkeys(sizes, 0), dict.fromkeys(sizes)
    ready = [node for node in sizes if not waiting[node]]
    while remaining:
        if not ready:
            ready.append(next(iter(remaining)))          # break a cycle
        node = ready.pop()
        if node not in remaining:
            continue
        del remaining[node]
        for end in below[node]:
            waiting[end] -= 1
            if end in remaining:
                depth[end] = max(depth[end], depth[node] + 1)
                if not waiting[end]:
                    ready.append(end)
    rows = {}
    for node in sizes:
        rows.setdefault(depth[node], []).append(node)
    return [rows[number] for number in sorted(rows)]


def _placed(row, targets, sizes):
    """Return {node: x}, ordered by desired position, without overlaps, and as close to these positions as possible."""
    order = sorted(row, key=lambda node: (targets[node] is None, targets[node] or 0.0))
    xs, edge = {}, None
    for node in order:
        half = sizes[node][0] / 2
        x = targets[node] if targets[node] is not None else (edge or 0.0) + half
        xs[node] = x if edge is None else max(x, edge + half)
        edge = xs[node] + half + GAP
    shifts = [targets[node] - xs[node] for node in order if targets[node] is not None]
    shift = _mean(shifts) or 0.0
    return {node: x + shift for node, x in xs.items()}


def _beside(centers, sizes, backward):
    """Move the backward part to the right of the forward part."""
    right = max((x + sizes[n][0] / 2 for n, (x, _) in centers.items() if n not in backward), default=None)
    left = min((x - sizes[n][0] / 2 for n, (x, _) in centers.items() if n in backward), default=None)
    if right is not None and left is not None:
        for node in centers:
            if node in backward:
                centers[node] = centers[node][0] + right + 2 * ROW - left, centers[node][1]


def _mean(numbers):
    return sum(numbers) / len(numbers) if numbers else None
