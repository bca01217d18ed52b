"""A pass over a traced graph that replaces attention's operators with a single operator.

    batch_dot(query, key), scale, mask, softmax, batch_dot(weights, value)      -> _attention
    the same with the operators _contrib_interleaved_matmul_...                 -> _attention

It runs before gradients are added to the graph, so that they become the gradients of `_attention`. The transposes that
arrange the heads of query, key and value, and those of the result, also disappear, because the kernel reads and writes
with strides. If weights are dropped in training and the backend has a kernel for this, the operator drops them
(`_attention_dropout`), with the same mask. The graph is left unchanged if scores or weights have another user or are a
result, if a mask is learned, or if the backend has no kernel for heads of that size.
"""

from collections import defaultdict
from math import prod

import numpy as np

from minigluon.backend import Spec
from minigluon.ops import REGISTRY
from minigluon.symbol.graph import Node
from minigluon.symbol.rewrite import Rewriter

from .match import read
from .strides import mask_view, operand_views, result_view

__all__ = ["fuse_attention"]

DTYPES = np.dtype("float32"), np.dtype("float64")
MIN_QUERIES = 8         # with fewer rows, the usual products are faster than the kernel's blocks, and the scores are
                        # small


def fuse_attention(draft, drops=True, takes=None):
    """Replaces the operators of attention in the traced graph.

    drops: whether there is a kernel that drops weights. takes: a function of a dtype and the sizes of a key and of a
    value that returns whether there are kernels for such heads, or None if all sizes are supported.
    """
    if not any(node.op is not None and node.op.name == "softmax" for node in draft.graph.nodes()):
        return draft
    fusion = AttentionFusion(draft, drops, takes)
    if not fusion.made:
        return draft
    return draft.after("fuse attention", fusion.rewritten(), fusion.notes)


class AttentionFusion(Rewriter):
    """The analysis of a graph, and the replacement of its nodes. drops, takes: see `fuse_attention`.

    learned: nodes that a gradient would reach. made: {node: function that returns the replacement for its output}.
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
        """Returns the node that computes an output with one user; None for variables and outputs with several users."""
        return pair[0] if pair[0].op is not None and self.only_user(pair) is not None else None

    def look_at(self, node):
        """Replaces attention that ends in this product of weights and value."""
        match = read(self, node)
        if match is None or not self.suits(match):
            return
        places = operand_views(self, match)
        if places is None or self.takes and not self.takes(self.specs[match.scores].dtype, places[1].size,
                                                           places[2].size):
            return
        end, layout = result_view(self, node, places[0])
        mask = None
        if match.mask is not None:
            mask = mask_view(self, match, places)
            if mask is None:
                return
        self.made[end] = lambda: self.attention(match, places, mask, layout, end)
        self.notes.append(f"{node.name}: one pass for {places[0].heads} heads in place of "
                          f"{', '.join(reversed(match.operators))}")

    def suits(self, match):
        pairs = [match.query.pair, match.key.pair, match.value.pair, (match.node, 0)]
        dtypes = {self.specs[pair].dtype for pair in pairs}
        return (len(dtypes) == 1 and dtypes <= set(DTYPES) and all(prod(self.shape(pair)) for pair in pairs)
                and self.shape(match.scores)[-2] >= MIN_QUERIES
                and (match.mask is None or match.mask[0] not in self.learned)
                and (match.dropout is None or self.drops and self.drops_each(match.dropout)))

    def drops_each(self, node):
        """Returns whether each element is dropped independently, and the mask is not used elsewhere."""
        return not node.op.axes and not self.users[node, 1] and (node, 1) not in self.heads

    # -- the new graph ----------------------------------------------------------------------------------------------

    def visit(self, node):
        """Replaces the last node with attention."""
        if node in self.made:
            self.where[node, 0] = self.made[node]()
        else:
            super().visit(node)

    def attention(self, match, places, mask, layout, end):
        """Returns the new node's output, reshaped to the shape of `end`'s output."""
        like, (query, key, value) = match.node, places
        arrays = [self.reshaped(self.where[place.pair], place.shape, like) for place in places]
        joined = "apart" if value.parts == 1 else "all" if query.parts > 1 else "keys_values"
        arrays = arrays[:{"apart": 3, "keys_values": 2, "all": 1}[joined]]
        if mask is not None:
            pair, shape = mask
            arrays.append(self.reshaped(self.cast(self.where[pair], self.specs[arrays[0]].dtype, like), shape, like))
        dropping = {} if match.dropout is None else {"p": match.dropout.op.p}
        op = REGISTRY["_attention_dropout" if dropping else "_attention"](
            heads=query.heads, joined=joined, query_layout=query.layout, key_layout=key.layout,
            value_layout=value.layout, out_layout=layout, scale=match.scale, masking=match.masking, fill=match.fill,
            weighs=match.weighed is not None, **dropping)
        return self.reshaped(self.add(like.name, op, arrays, like), self.shape((end, 0)), like)

    def add(self, name, op, inputs, like):
        """Returns the first output of a new node, and records its specs."""
        node = Node(op, name, inputs, place=like.place)
        specs = [self.specs[pair] for pair in inputs]
        shapes, dtypes = op.infer_shape(*[s.shape for s in specs])[1], op.infer_dtype(*[s.dtype for s in specs])[1]
        for index, (shape, dtype) in enumerate(zip(shapes, dtypes, strict=True)):
            self.specs[node, index] = Spec(shape, dtype)
        return node, 0

    def reshaped(self, pair, shape, like):
        """Returns the output, reshaped unless it already has this shape."""
        if self.shape(pair) == shape:
            return pair
        return self.add(f"{like.name}_{pair[0].name}", REGISTRY["Reshape"](shape=shape), [pair], like)

    def cast(self, pair, dtype, like):
        if self.specs[pair].dtype == dtype:
            return pair
        return self.add(f"{like.name}_{pair[0].name}", REGISTRY["Cast"](dtype=dtype.name), [pair], like)
