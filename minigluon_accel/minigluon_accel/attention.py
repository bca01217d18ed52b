"""A pass over a traced graph: attention as a program has written it becomes one operator.

    batch_dot(query, key), scale, mask, softmax, batch_dot(weights, value)      -> _attention
    the same with the operators _contrib_interleaved_matmul_...                 -> _attention

It runs before gradients are written down, so that they are `_attention`'s own. The transposes that bring the heads of
query, key and value together, and those that take the result apart, go with it: the kernel reads and writes by strides.
Weights that are dropped in training are dropped there (`_attention_dropped`), the same ones, where the backend has a
kernel for that. The graph stays as it is where scores or weights have another user or are a result, where a mask is
learned, and where the backend has no kernel for heads of that size.
"""

from collections import defaultdict
from math import prod

import numpy as np

from minigluon.backend import Spec
from minigluon.hybrid.report import Report
from minigluon.ops import REGISTRY
from minigluon.symbol.graph import Node
from minigluon.symbol.symbol import Symbol

from .attention_places import place_of_result, placed, seen_mask
from .attention_reading import read

__all__ = ["combine"]

DTYPES = np.dtype("float32"), np.dtype("float64")
MIN_QUERIES = 8         # with fewer, products of few rows are faster than the kernel's blocks, and scores are small


def combine(graph, specs, wanted, reports, drops=True, takes=None):
    """The graph with such operators; `specs` gets theirs. See `Backend.combine`.

    drops: is there a kernel for weights that are dropped? takes: function of a dtype and the sizes of a key and of a
    value, whether there are kernels for such heads; None where there are for all.
    """
    if not any(node.op is not None and node.op.name == "softmax" for node in graph.nodes()):
        return graph
    walk = Walk(graph, specs, wanted, drops, takes)
    for node in walk.nodes:
        if node.op is not None:
            walk.look_at(node)
    if not walk.made:
        return graph
    result = walk.rebuilt()
    if reports is not None:
        reports.append(Report("attention", graph, result, walk.notes, specs))
    return result


class Walk:
    """What is known of a graph, and what is replaced in it. drops, takes: see `combine`.

    learned: nodes that a gradient would reach. made: {node: function of the new outputs, which gives the output in its
    place}.
    """

    def __init__(self, graph, specs, wanted, drops=True, takes=None):
        self.graph, self.specs, self.nodes = graph, specs, graph.nodes()
        self.drops, self.takes = drops, takes
        self.heads, self.users, self.learned = set(graph.heads), defaultdict(list), set()
        for node in self.nodes:
            for pair in node.inputs:
                self.users[pair].append(node)
            if node.op is None and node.name in wanted or node.op is not None and node.op.differentiable and any(
                    parent in self.learned for parent, _ in node.inputs):
                self.learned.add(node)
        self.made, self.notes = {}, []

    def shape(self, pair):
        return self.specs[pair].shape

    def only_user(self, pair):
        """The node that alone uses an output, or None."""
        users = self.users[pair]
        return users[0] if len(users) == 1 and pair not in self.heads else None

    def inner(self, pair):
        """The node that computes an output with one user; None for a variable and for what has several."""
        return pair[0] if pair[0].op is not None and self.only_user(pair) is not None else None

    def look_at(self, node):
        """Replace what ends in a product of weights and value."""
        found = read(self, node)
        if found is None or not self.suits(found):
            return
        places = placed(self, found)
        if places is None or self.takes and not self.takes(self.specs[found.scores].dtype, places[1].size,
                                                           places[2].size):
            return
        end, layout = place_of_result(self, node, places[0])
        mask = None
        if found.mask is not None:
            mask = seen_mask(self, found, places)
            if mask is None:
                return
        self.made[end] = lambda where: self.attention(found, places, mask, layout, end, where)
        self.notes.append(f"{node.name}: one pass for {places[0].heads} heads in place of "
                          f"{', '.join(reversed(found.operators))}")

    def suits(self, found):
        pairs = [found.query.pair, found.key.pair, found.value.pair, (found.node, 0)]
        dtypes = {self.specs[pair].dtype for pair in pairs}
        return (len(dtypes) == 1 and dtypes <= set(DTYPES) and all(prod(self.shape(pair)) for pair in pairs)
                and self.shape(found.scores)[-2] >= MIN_QUERIES
                and (found.mask is None or found.mask[0] not in self.learned)
                and (found.dropout is None or self.drops and self.drops_each(found.dropout)))

    def drops_each(self, node):
        """Is each element dropped by itself, and nobody told which?"""
        return not node.op.axes and not self.users[node, 1] and (node, 1) not in self.heads

    # -- the new graph ----------------------------------------------------------------------------------------------

    def attention(self, found, places, mask, layout, end, where):
        """The new node's output, in the shape of that of `end`."""
        like, (query, key, value) = found.node, places
        arrays = [self.reshaped(where[place.pair], place.shape, like) for place in places]
        joined = "apart" if value.parts == 1 else "all" if query.parts > 1 else "keys_values"
        arrays = arrays[:{"apart": 3, "keys_values": 2, "all": 1}[joined]]
        if mask is not None:
            pair, shape = mask
            arrays.append(self.reshaped(self.cast(where[pair], self.specs[arrays[0]].dtype, like), shape, like))
        dropping = {} if found.dropout is None else {"p": found.dropout.op.p}
        op = REGISTRY["_attention_dropped" if dropping else "_attention"](
            heads=query.heads, joined=joined, query_layout=query.layout, key_layout=key.layout,
            value_layout=value.layout, out_layout=layout, scale=found.scale, masking=found.masking, fill=found.fill,
            weighs=found.weighed is not None, **dropping)
        return self.reshaped(self.add(like.name, op, arrays, like), self.shape((end, 0)), like)

    def add(self, name, op, inputs, like):
        """The first output of a new node, whose specs are entered."""
        node = Node(op, name, inputs, place=like.place)
        known = [self.specs[pair] for pair in inputs]
        shapes, dtypes = op.infer_shape(*[s.shape for s in known])[1], op.infer_dtype(*[s.dtype for s in known])[1]
        for index, (shape, dtype) in enumerate(zip(shapes, dtypes, strict=True)):
            self.specs[node, index] = Spec(shape, dtype)
        return node, 0

    def reshaped(self, pair, shape, like):
        """The output in a shape; itself where it has it."""
        if self.shape(pair) == shape:
            return pair
        return self.add(f"{like.name}_{pair[0].name}", REGISTRY["Reshape"](shape=shape), [pair], like)

    def cast(self, pair, dtype, like):
        if self.specs[pair].dtype == dtype:
            return pair
        return self.add(f"{like.name}_{pair[0].name}", REGISTRY["Cast"](dtype=dtype.name), [pair], like)

    def rebuilt(self):
        where = {}
        for node in self.nodes:
            if node in self.made:
                where[node, 0] = self.made[node](where)
                continue
            new = node.with_inputs([where[pair] for pair in node.inputs])
            for index in range(1 if node.op is None else node.op.num_outputs):
                where[node, index] = new, index
                self.specs[new, index] = self.specs[node, index]
        return Symbol([where[pair] for pair in self.graph.heads])
