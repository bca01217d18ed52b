"""Folding of nodes into boxes: the nodes of a block call, of a time step, or of a sum of gradients.

All passes of a net share one drawing. A place in the drawing belongs to a name, so a node stays where it was in the
previous pass; a fused node takes the place of its last operator, whose name it has. Groups are block calls with enough
places. The forward and backward parts of a call are separate groups, because a common group would be tangled.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ["Folding", "Group", "fold"]

FLAT = 60           # a drawing with at most this many places is not folded
SMALLEST = 4        # the minimum number of places in a folded call; pooling, for example, has fewer
OPENED = 40         # the maximum number of boxes when the page opens


@dataclass
class Group:
    """A box that folds. title: 'LSTMCell, step 3'; name: 'net.cell'. items: indices of places, or ~index of groups.

    parent: the index of the enclosing group, None for the outermost. places: the number of places in it and in its
    groups.
    """

    title: str
    name: str
    phase: str
    parent: int | None
    items: list = field(default_factory=list)
    places: int = 0


@dataclass
class Folding:
    """All places and groups. places: {name of a node: index}. groups: the first is the outermost. home: the group of
    each place.

    edges: {(item, item)} for each group. An edge belongs to the innermost group that contains both ends.
    """

    places: dict
    groups: list
    home: list
    edges: list


def fold(graphs: Any) -> Folding:
    """Return one Folding for all graphs of a net."""
    nodes = {}
    for graph in graphs:
        for node in graph.nodes:
            nodes.setdefault(node.place, node)
    places = {name: number for number, name in enumerate(nodes)}
    tree = _Tree(len(places) > FLAT)
    for node in nodes.values():
        tree.add(node)
    groups, home = tree.numbered(places)
    edges = [{} for _ in groups]
    for graph in graphs:
        for start, end in graph.edges:
            number, pair = _lifted(places[graph.node(start).place], places[graph.node(end).place], groups, home)
            if pair[::-1] not in edges[number]:         # a pass has swapped these two
                edges[number][pair] = None
    return Folding(places, groups, home, edges)


def opened(folded: Any) -> list[int]:
    """Return the indices of the groups that are initially open: from the outside in, while the drawing stays small."""
    open_groups, count, queue = [0], len(folded.groups[0].items), [0]
    while queue:
        inner = [~item for item in folded.groups[queue.pop(0)].items if item < 0]
        for number in inner:
            if count + len(folded.groups[number].items) - 1 <= OPENED:
                count += len(folded.groups[number].items) - 1
                open_groups.append(number)
                queue.append(number)
    return open_groups


class _Tree:
    """The nesting of calls: {(phase, *calls): [node or nested key]}."""

    def __init__(self, folds):
        self.folds = folds
        self.items, self.counts = {(): []}, {(): 0}

    def add(self, node):
        """Add a node, with the groups that contain it."""
        key = (node.phase, *node.calls) if self.folds and node.calls else ()
        self._open(key)
        self.items[key].append(node)
        for depth in range(len(key) + 1):
            if depth != 1:
                self.counts[key[:depth]] += 1

    def _open(self, key):
        if key in self.items:
            return
        around = key[:-1] if len(key) > 2 else ()
        self._open(around)
        self.items[key], self.counts[key] = [], 0
        self.items[around].append(key)

    def numbered(self, places):
        """Return (groups, home of each place), without the calls that are too small to be folded."""
        groups, home = [Group("", "", "", None, places=len(places))], [0] * len(places)
        self._fill(0, (), groups, home, places)
        return groups, home

    def _fill(self, number, key, groups, home, places):
        for item in self.items[key]:
            if not isinstance(item, tuple):
                groups[number].items.append(places[item.place])
                home[places[item.place]] = number
            elif self._is_group(item):
                groups.append(Group(*_called(item), item[0], number, places=self.counts[item]))
                inner = len(groups) - 1
                groups[number].items.append(~inner)
                self._fill(inner, item, groups, home, places)
            else:
                self._fill(number, item, groups, home, places)

    def _is_group(self, key):
        """Return whether a call becomes a group. A call that contains only one group does not become one."""
        single = len(self.items[key]) == 1
        both = sum(self.counts.get((phase, *key[1:]), 0) for phase in ("forward", "backward"))
        return both >= SMALLEST and not single


def _called(key):
    call = key[-1]
    place = call.place.removeprefix(".")
    if call.what == "step":
        return f"{call.kind}, step {call.number}", place
    return call.kind, place + (f", call {call.number + 1}" if call.number else "")


def _lifted(start, end, groups, home):
    """Return (group, (item, item)) for an edge: the innermost group around both places, and its items around them."""
    left, right = _chain(start, groups, home), _chain(end, groups, home)
    depth = 0
    while left[depth][0] == right[depth][0] and left[depth][1] == right[depth][1]:
        depth += 1
    return left[depth][0], (left[depth][1], right[depth][1])


def _chain(place, groups, home):
    """Return [(group, its item that is or contains the place)], from the outside in."""
    chain, item, group = [], place, home[place]
    while group is not None:
        chain.append((group, item))
        item, group = ~group, groups[group].parent
    return chain[::-1]
