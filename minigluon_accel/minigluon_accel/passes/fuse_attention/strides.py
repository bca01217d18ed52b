"""Memory layout of attention's query, key, value, mask and result, as seen through transposes and reshapes."""

from dataclasses import dataclass
from math import prod
from typing import Any

from .match import VIEWS

__all__ = ["OperandView", "operand_views", "result_view", "mask_view"]

STRETCHES = {"broadcast_axis", "broadcast_to", "broadcast_like"}
# axes of a transpose to (batch, heads, length, size), or with the last two swapped -> layout of the source
LAYOUTS = {(0, 2, 1, 3): "NTC", (1, 2, 0, 3): "TNC"}
TURNED = {(0, 2, 3, 1): "NTC", (1, 2, 3, 0): "TNC"}


@dataclass
class OperandView:
    """An output that contains query, key or value, and its layout: see `AttentionOp`.

    shape: the shape with which it is read.
    """

    pair: Any
    layout: str
    batch: int
    heads: int
    length: int
    size: int
    parts: int = 1

    @property
    def shape(self):
        width = self.heads * self.parts * self.size
        return {"PTC": (self.batch * self.heads, self.length, self.size), "NTC": (self.batch, self.length, width),
                "TNC": (self.length, self.batch, width)}[self.layout]


def operand_views(walk, match):
    """Returns the OperandViews of query, key and value, or None."""
    places = [_place(walk, factor) for factor in (match.query, match.key, match.value)]
    if None in places:
        return None
    sizes = {(place.batch, place.heads) for place in places if place.layout != "PTC"}
    if len(sizes) > 1:
        return None
    batch, heads = sizes.pop() if sizes else _heads_from_result(walk, match, places[0])
    for place in places:
        if place.layout == "PTC":
            place.batch, place.heads = batch, heads
    return places


def _place(walk, factor):
    pair, shape = factor.pair, walk.shape(factor.pair)
    if factor.parts > 1 or factor.heads > 1:
        length, batch, width = shape
        size = width // factor.heads // factor.parts
        return OperandView(pair, "TNC", batch, factor.heads, length, size, factor.parts)
    length, size = shape[-2:][::-1] if factor.turned else shape[-2:]
    node = walk.inner(pair)
    if node is not None and node.op.name == "transpose" and factor.turned and (
            tuple(node.op.axes) == (*range(len(shape) - 2), len(shape) - 1, len(shape) - 2)):
        return _place(walk, type(factor)(node.inputs[0]))
    source = node.inputs[0] if node is not None and node.op.name in VIEWS else pair
    node = source[0]
    if node.op is not None and node.op.name == "transpose" and walk.shape(source)[-2:] == shape[-2:]:
        layout = (TURNED if factor.turned else LAYOUTS).get(tuple(node.op.axes))
        if layout is not None:
            batch, heads = walk.shape(source)[:2]
            return OperandView(node.inputs[0], layout, batch, heads, length, size)
    return None if factor.turned else OperandView(pair, "PTC", prod(shape[:-2]), 1, length, size)


def _heads_from_result(walk, match, place):
    """Returns (batch, heads), from the result's split or the mask's view: query, key and value do not reveal them."""
    pair = match.node, 0
    user = walk.only_user(pair)
    if user is not None and user.op.name in VIEWS:
        shape = walk.shape((user, 0))
        if len(shape) == 4 and shape[2:] == walk.shape(pair)[-2:]:
            return shape[:2]
    if match.mask is not None:
        shapes = [walk.shape(match.mask), *[walk.shape(p) for p in match.mask[0].inputs]]
        for shape in (match.level, *shapes):
            if len(shape) > 3 and prod(shape[:2]) == place.batch:
                return shape[:2]
    return place.batch, 1


def result_view(walk, node, query):
    """Returns (the node with the result of attention, its layout), past the transpose of the heads if there is one."""
    user = walk.only_user((node, 0))
    if node.op.name != "batch_dot":
        return node, "TNC"
    if user is not None and user.op.name in VIEWS and walk.shape((user, 0))[-2:] == walk.shape((node, 0))[-2:]:
        user = walk.only_user((user, 0))
    if user is not None and user.op.name == "transpose":
        layout = LAYOUTS.get(tuple(user.op.axes))
        if layout is not None and walk.shape(user.inputs[0])[:2] == (query.batch, query.heads):
            return user, layout
    return node, "PTC"


def mask_view(walk, match, places):
    """Returns (output, shape) of the mask as (batch, heads, length, keys), with 1 along axes that share it, or None."""
    query, key, _ = places
    full = query.batch, query.heads, query.length, match.level[-1] if match.masking in LENGTHS else key.length
    pair, shape = match.mask, walk.shape(match.mask)
    if match.masking in LENGTHS and prod(shape) == prod(match.level):
        shape = match.level
    shape = (1,) * (len(match.level) - len(shape)) + shape
    view = _spread(shape, match.level, full)
    if view is None:
        return None
    return _before_stretches(walk, pair, view)


LENGTHS = ("length", "until")


def _spread(shape, level, full):
    """Returns a shape (`level`, or 1 along some axes) in terms of `full`: each axis of level covers adjacent axes of
    full."""
    result, at = [], 0
    for length, most in zip(shape, level, strict=True):
        group = []
        while prod(group) < most or not group and at < len(full):
            if at == len(full):
                return None
            group.append(full[at])
            at += 1
        if prod(group) != most or length not in (1, most):
            return None
        result += group if length == most else [1] * len(group)
    remaining = full[at:]
    return (*result, *remaining) if prod(remaining) == 1 else None


def _before_stretches(walk, pair, target):
    """Returns the mask before it was broadcast along some axes, if the graph reveals that."""
    node = pair[0]
    while node.op is not None and (node.op.name in VIEWS or node.op.name in STRETCHES):
        source, shape = node.inputs[0], walk.shape(node.inputs[0])
        if node.op.name in STRETCHES:
            axes = _axes_of(walk.shape((node, 0)), target)
            if axes is None or len(shape) != len(walk.shape((node, 0))):
                break
            target = tuple([1 if axis is None or shape[axis] == 1 else n for axis, n in zip(axes, target, strict=True)])
        pair, node = source, source[0]
    return pair, target


def _axes_of(shape, target):
    """Returns, for each axis of `target`, the matching axis of a shape, None for length 1; or None if they differ."""
    axes, remaining = [], [axis for axis, n in enumerate(shape) if n != 1]
    for n in target:
        if n == 1:
            axes.append(None)
        elif remaining and shape[remaining[0]] == n:
            axes.append(remaining.pop(0))
        else:
            return None
    return axes if not remaining else None
