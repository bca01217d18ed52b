"""A pass over a traced graph: attention as a program has written it becomes one operator.

    batch_dot(query, key), scale, mask, softmax, batch_dot(weights, value)      -> _attention
    the same with the operators _contrib_interleaved_matmul_...                 -> _attention

It runs before gradients are written down, so that they are `_attention`'s own. The transposes that bring the heads of
query, key and value together, and those that take the result apart, go with it: the kernel reads and writes by strides.
Weights that are dropped in training are dropped there (`_attention_dropout`), the same ones, where the backend has a
kernel for that. The graph stays as it is where scores or weights have another user or are a result, where a mask is
learned, and where the backend has no kernel for heads of that size.
"""

from collections import defaultdict
from math import prod

import numpy as np

from minigluon.backend import Spec
from minigluon.ops import REGISTRY
from minigluon.symbol.graph import Node
from minigluon.symbol.rewrite import Rewriter

from .match import read
from .strides import operand_views, result_view, seen_mask

__all__ = ["fuse_attention"]

DTYPES = np.dtype("float32"), np.dtype("float64")
MIN_QUERIES = 8         # with fewer, products of few rows are faster than the kernel's blocks, and scores are small


def fuse_attention(draft, drops=True, takes=None):
    """Put such operators into the traced graph.

    drops: is there a kernel for weights that are dropped? takes: function of a dtype and the sizes of a key and of a
    value, whether there are kernels for such heads; None where there are for all.
    """
    if not any(node.op is not None and node.op.name == "softmax" for node in draft.graph.nodes()):
        return draft
    fusion = AttentionFusion(draft, drops, takes)
    if not fusion.made:
        return draft
    return draft.after("fuse attention", fusion.rewritten(), fusion.notes)


class AttentionFusion(Rewriter):
    """What is known of a graph, and what is replaced in it. drops, takes: see `fuse_attention`.

    learned: nodes that a gradient would reach. made: {node: function that gives the output in its place}.
    """

    def __init__(self, draft, drops=True, takes=None):
        super().__init__(draft.graph, draft.specs)
        self.drops, self.takes = drops, takes
        self.learned, self.made = set(), {}
        for node in self.nodes:
            if node.op is None and node.name in draft.wanted or node.op is not None and node.op.differentiable and any(
                    parent in self.learned for parent, _ in node.inputs):
                self.learned.add(node)
        for node in self.nodes:
            if node.op is not None:
                self.look_at(node)

    def shape(self, pair):
        return self.specs[pair].shape

    def inner(self, pair):
        """The node that computes an output with one user; None for a variable and for what has several."""
        return pair[0] if pair[0].op is not None and self.only_user(pair) is not None else None

    def look_at(self, node):
        """Replace what ends in a product of weights and value."""
        found = read(self, node)
        if found is None or not self.suits(found):
            return
        places = operand_views(self, found)
        if places is None or self.takes and not self.takes(self.specs[found.scores].dtype, places[1].size,
                                                           places[2].size):
            return
        end, layout = result_view(self, node, places[0])
        mask = None
        if found.mask is not None:
            mask = seen_mask(self, found, places)
            if mask is None:
                return
        self.made[end] = lambda: self.attention(found, places, mask, layout, end)
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

    def visit(self, node):
        """Put attention into the place of the last node of it."""
        if node in self.made:
            self.where[node, 0] = self.made[node]()
        else:
            super().visit(node)

    def attention(self, found, places, mask, layout, end):
        """The new node's output, in the shape of that of `end`."""
        like, (query, key, value) = found.node, places
        arrays = [self.reshaped(self.where[place.pair], place.shape, like) for place in places]
        joined = "apart" if value.parts == 1 else "all" if query.parts > 1 else "keys_values"
        arrays = arrays[:{"apart": 3, "keys_values": 2, "all": 1}[joined]]
        if mask is not None:
            pair, shape = mask
            arrays.append(self.reshaped(self.cast(self.where[pair], self.specs[arrays[0]].dtype, like), shape, like))
        dropping = {} if found.dropout is None else {"p": found.dropout.op.p}
        op = REGISTRY["_attention_dropout" if dropping else "_attention"](
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
