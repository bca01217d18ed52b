"""The combined drawing of all passes, as plain data for the page's script.

    places      [[name, group]]: the name of a node, wherever it occurs, and the group around it
    groups      [{title, name, phase, parent, items, layout, width, height}], the first is the whole. An item is the
                index of a place, or ~index of a group
    layouts     [{width, height, at: [[x, y]], edges: {"from,to": points}}], by positions in `items`. Groups that look
                the same, such as the steps of a recurrent network, share one
    variants    nodes as drawn: a place has several if a pass turns it into another operator
    details     [inputs, outputs, marks, places that it reads] of nodes, without duplicates
    graphs      {id: [[variant, detail]]}
    open        indices of the groups that are initially open

Each node name has the same position in all passes, and the layout is computed only once.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from .folding import fold, opened
from .layout import lay_out_all
from .svg import node_lines, node_size
from .text import shortened

__all__ = ["picture"]

_TOLD = ("title", "family", "phase", "attributes", "parts")         # a node's attributes that its variant stores


def picture(graphs: Any, stack: Any, operator: Any):
    """Return the data of a net's graphs. stack(lines), operator(name): return the information about a node's origin
    that a variant stores. """
    folded = fold(graphs)
    cast = _DrawingTable(folded, stack, operator)
    nodes = {graph.id: cast.nodes(graph) for graph in graphs[1:] + graphs[:1]}
    sizes = cast.sizes()
    groups, layouts = _groups(folded, sizes, _phases(graphs, folded))
    places = [[name, home] for name, home in zip(folded.places, folded.home, strict=True)]
    return {"places": places, "groups": groups, "layouts": layouts, "variants": list(cast.variants.values()),
            "details": list(cast.details.values()), "graphs": nodes, "open": opened(folded)}


class _DrawingTable:
    """Variants and details, without duplicates.

    The traced graph comes last, because it takes over shapes from the other graphs.
    """

    def __init__(self, folded, stack, operator):
        self.folded, self.stack, self.operator = folded, stack, operator
        self.variants, self.details = {}, {}
        self._numbers, self._shapeless = {}, {}

    def nodes(self, graph):
        """Return [index of the variant, index of the detail] for each node."""
        read = {node.id: [] for node in graph.nodes}
        for start, end in graph.edges:
            read[end].append(graph.node(start))
        return [self._node(node, read[node.id]) for node in graph.nodes]

    def _node(self, node, read):
        inputs = [self._input(*described, read) for described in node.inputs]
        wires = node.title, tuple((argument, value) for argument, value, _ in node.inputs), tuple(node.marks)
        place = self.folded.places[node.place]
        if (place, wires) in self._shapeless and node.outputs[0][1] == "?":
            return self._shapeless[place, wires]
        detail = repr((inputs, node.outputs, node.marks))
        if detail not in self.details:
            self.details[detail] = [inputs, [spec for _, spec in node.outputs], node.marks]
            self._numbers[detail] = len(self.details) - 1
        lines = node_lines(node)
        key = place, node.title, tuple(lines)
        if key not in self.variants:
            width, height = node_size(lines)
            attributes = {name: getattr(node, name) for name in _TOLD}
            self.variants[key] = {**attributes, "place": place, "lines": lines, "width": round(width), "height": height,
                                  "source": self.stack(node.lines), "operator": self.operator(node.operator)}
            self._numbers[key] = len(self.variants) - 1
        indices = self._shapeless[place, wires] = [self._numbers[key], self._numbers[detail]]
        return indices

    def _input(self, argument, value, spec, read):
        """Return [argument, place or None, the value's name without the node's name, spec]."""
        matches = [node for node in read if value == node.name or value.startswith(f"{node.name}_")]
        node = max(matches, key=lambda node: len(node.name), default=None)
        if node is None:
            return [argument, None, value, spec]
        return [argument, self.folded.places[node.place], value[len(node.name):], spec]

    def sizes(self):
        """Return {place: (width, height)} with enough room for each of its variants."""
        sizes = {}
        for variant in self.variants.values():
            width, height = sizes.get(variant["place"], (0, 0))
            sizes[variant["place"]] = max(width, variant["width"]), max(height, variant["height"])
        return sizes


# -- groups ---------------------------------------------------------------------------------------------------------

def _groups(folded, sizes, phases):
    """Return (groups, layouts) for the page. A group's own size is the size of its closed box."""
    lines = [_lines(group) for group in folded.groups]
    closed = [node_size(text) for text in lines]
    requests, numbers, of_group = {}, {}, []
    for group, edges in zip(folded.groups, folded.edges, strict=True):
        position = {item: number for number, item in enumerate(group.items)}
        boxes = tuple(sizes[item] if item >= 0 else closed[~item] for item in group.items)
        backward = tuple(n for n, item in enumerate(group.items)
                         if (phases[item] if item >= 0 else folded.groups[~item].phase) == "backward")
        pairs = _without_fans([(position[start], position[end]) for start, end in edges])
        key = boxes, pairs, backward, _side_by_side(group, folded.groups)
        numbers.setdefault(key, len(numbers))
        requests.setdefault(key, (dict(enumerate(boxes)), *key[1:]))
        of_group.append(numbers[key])
    groups = [{"title": group.title, "name": group.name, "phase": group.phase, "parent": group.parent,
               "items": group.items, "places": group.places, "layout": layout, "lines": text, "width": round(size[0]),
               "height": size[1]}
              for group, layout, text, size in zip(folded.groups, of_group, lines, closed, strict=True)]
    return groups, [_plain(layout) for layout in lay_out_all(list(requests.values()))]


FAN = 8                 # if a node has more edges in one direction, the layout uses only one of them


def _without_fans(edges):
    """Return the edges that the layout uses. A node with edges to many steps would push them all aside."""
    out, into = Counter(start for start, _ in edges), Counter(end for _, end in edges)
    first = {start: min(end for s, end in edges if s == start) for start, count in out.items() if count > FAN}
    last = {end: max(start for start, e in edges if e == end) for end, count in into.items() if count > FAN}
    return tuple((start, end) for start, end in edges
                 if first.get(start, end) == end and last.get(end, start) == start)


def _side_by_side(group, groups):
    """Return the positions of (forward part, backward part) of the same call."""
    at = {(groups[~item].name, groups[~item].phase): n for n, item in enumerate(group.items) if item < 0}
    return tuple((n, at[name, "backward"]) for (name, phase), n in at.items()
                 if phase == "forward" and (name, "backward") in at)


def _lines(group):
    """Return the lines of a closed group: its block, the path to it from the net, and its contents."""
    return [(shortened(group.title, 30), "title", 12.5), (shortened(group.name, 34), "name", 10.5),
            (f"{group.places} operators", "spec", 10.5)]


def _phases(graphs, folded):
    return {folded.places[node.place]: node.phase for graph in graphs for node in graph.nodes}


def _plain(layout):
    edges = {f"{start},{end}": [round(number) for point in points for number in point]
             for start, end, points in layout.edges}
    return {"width": round(layout.width), "height": round(layout.height), "edges": edges,
            "at": [[round(x), round(y)] for _, (x, y) in sorted(layout.centers.items())]}
