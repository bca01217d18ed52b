"""The slice pushdown pass: rows that are never read are not computed.

A text classifier or generator reads only one token of its last layer. Row-wise operators need not compute the other
rows, so the slice moves up to an operator that mixes rows, such as attention, whose keys are all tokens.

Starting from the results, readers request the inputs that they need. If all readers of an output request the same
slice, and its operator has a rule below, only that slice is requested from the operator, which then requests slices of
its own inputs. Embedding has no rule: an index out of range is an error even in rows that are not read, and the message
names its position.
"""

import math
from collections import Counter, defaultdict
from typing import Any, NamedTuple

from ..ops import REGISTRY
from ..ops.math.broadcast import Broadcast
from ..symbol.graph import Node
from ..symbol.rewrite import Rewriter
from .conditions import only_with
from .specs import infer_specs

__all__ = ["slice_pushdown"]


class SliceRequest(NamedTuple):
    """A range along an axis. begin and end are as the program wrote them, including negative numbers and None."""

    axis: int
    begin: Any
    end: Any


@only_with("slice_axis")
def slice_pushdown(draft):
    """Moves slices as early as possible."""
    graph, specs = draft.graph, draft.specs
    cuts = _cuts(graph.nodes(), graph.heads, specs)
    if not cuts:
        return draft
    narrowed = SlicePushdown(graph, specs, cuts).rewritten()
    specs.update(infer_specs(narrowed, draft.input_specs, before=specs))
    counts = Counter(node.op.name for node in cuts)
    notes = [f"{name}: {count} computed only for the elements that are read" for name, count in counts.items()]
    return draft.after("slice pushdown", narrowed, notes)


def _cuts(nodes, heads, specs):
    """Returns {node: (SliceRequest for its first output, its `_axes`)} for nodes that are not computed in full."""
    requests = defaultdict(set)        # output -> the slices that its readers request; None stands for the full output
    for head in heads:
        requests[head].add(None)
    cuts = {}
    for node in reversed(nodes):
        if node.op is None:
            continue
        own = _own_cut(node, specs)
        if own is not None:
            requests[node.inputs[0]].add(own)
            continue
        axes = None
        if len(requests[node, 0]) == 1 and not any((node, k) in requests for k in range(1, node.op.num_outputs)):
            cut, = requests[node, 0]
            axes = cut and _axes(node, cut.axis, specs)
        if axes:
            cuts[node] = cut, axes
        for pair, axis in zip(node.inputs, axes or [None] * len(node.inputs), strict=True):
            requests[pair].add(None if axis is None else cut._replace(axis=axis))
    return cuts


def _own_cut(node, specs):
    """Returns the SliceRequest that a slice node makes to its input; None for any other operator or an empty result."""
    if node.op.name != "slice_axis" or 0 in specs[node, 0].shape:
        return None
    return SliceRequest(node.op.normalize_axis(node.op.axis, len(specs[node, 0].shape)), node.op.begin, node.op.end)


def _axes(node, axis, specs):
    """Returns, for each input, the axis that corresponds to the result's `axis`, or None if all of the input is needed.
    Returns None if positions in the result depend on each other."""
    rule = RULES.get(node.op.name) or (_broadcast if isinstance(node.op, Broadcast) else _elementwise)
    if node.op.random or node.op.mutates:
        return None
    return rule(node.op, axis, specs[node, 0].shape, [specs[pair].shape for pair in node.inputs])


class SlicePushdown(Rewriter):
    """cuts: see `_cuts`. The new nodes' Specs are inferred afterward."""

    def __init__(self, graph, specs, cuts):
        super().__init__(graph, specs)
        self.cuts, self.slices = cuts, {}

    def visit(self, node):
        """Copies a node; slices are created by the nodes that read them."""
        if node.op is None:
            self.where[node, 0] = node, 0
            return
        (cut, axes), op = self.cuts.get(node, (None, [None] * len(node.inputs))), node.op
        own = _own_cut(node, self.specs)
        if own is not None:
            self.where[node, 0] = self.read(node.inputs[0], own, node)
            return
        inputs = [self.read(pair, None if axis is None else cut._replace(axis=axis))
                  for pair, axis in zip(node.inputs, axes, strict=True)]
        if cut and op.name in VIEWS:
            op = REGISTRY["Reshape"](shape=self.shape(node, cut))
        rewritten = node.with_inputs(inputs) if op is node.op else Node(op, node.name, inputs, place=node.place)
        self.where.update(((node, k), (rewritten, k)) for k in range(node.op.num_outputs))

    def read(self, pair, cut=None, like=None):
        """Returns a slice of an output of the old graph. like: the slice node in the old graph."""
        source = self.where[pair]
        if cut is None or self.cuts.get(pair[0], (None,))[0] == cut:
            return source
        if (pair, cut) not in self.slices:
            name, place = (like.name, like.place) if like else (f"{pair[0].name}_cut{len(self.slices)}", pair[0].place)
            self.slices[pair, cut] = Node(REGISTRY["slice_axis"](**cut._asdict()), name, [source], place=place), 0
        return self.slices[pair, cut]

    def shape(self, node, cut):
        """Returns the shape of a node's sliced result."""
        shape = self.specs[node, 0].shape
        span = REGISTRY["slice_axis"](**cut._asdict()).span(shape, cut.axis)
        return (*shape[:cut.axis], span.stop - span.start, *shape[cut.axis + 1:])


# -- rules: (op, axis of the result, shape of the result, shapes of the inputs) -> axes of the inputs, or None ------


def _elementwise(op, axis, shape, inputs):
    """Pairs equal axes, except for a loss, where each position has a gradient even if it is never read."""
    return [axis] * len(inputs) if op.elementwise and op.name != "make_loss" and set(inputs) == {shape} else None


def _broadcast(op, axis, shape, inputs):
    """Pairs axes from the right; an axis of length 1 is read in full."""
    places = [axis - len(shape) + len(other) for other in inputs]
    return [place if place >= 0 and other[place] == shape[axis] else None
            for place, other in zip(places, inputs, strict=True)]


def _dense(op, axis, shape, inputs):
    """Pairs rows of data with rows of the result."""
    return [axis, *[None] * (len(inputs) - 1)] if axis < len(shape) - 1 else None


def _along_another(op, axis, shape, inputs):
    """Pairs all axes except the operator's own, because it works independently at each position in the other axes."""
    return [axis, *[None] * (len(inputs) - 1)] if axis != op.normalize_axis(op.axis, len(shape)) else None


def _softmax(op, axis, shape, inputs):
    return _along_another(op, axis, shape, inputs) if len(inputs) == 1 else None


def _transpose(op, axis, shape, inputs):
    return [op.order(len(shape))[axis]]


def _view(op, axis, shape, inputs):
    """Finds the axis of data that has the same length and the same number of elements before it."""
    for place, length in enumerate(inputs[0]):
        if length == shape[axis] and math.prod(inputs[0][:place]) == math.prod(shape[:axis]):
            return [place]
    return None


def _batch_dot(op, axis, shape, inputs):
    """Pairs rows with rows of lhs, and columns with columns of rhs; the other factor is read in full."""
    batch = len(shape) - 2
    if axis < batch:
        return [axis, axis]
    return [batch + op.transpose_a, None] if axis == batch else [None, batch + (not op.transpose_b)]


VIEWS = ["Reshape", "Flatten", "expand_dims", "squeeze"]
RULES = {"FullyConnected": _dense, "LayerNorm": _along_another, "softmax": _softmax, "log_softmax": _softmax,
         "transpose": _transpose, "batch_dot": _batch_dot, **dict.fromkeys(VIEWS, _view)}
