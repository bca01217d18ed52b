"""Rewriting of a graph from float32 to 8-bit integers, for all operators that have a quantized form.

The pass visits nodes in order. Each output of the old graph is kept as real numbers (`where`), as integers with their
range (`integers`), or both; `real` and `whole` convert one into the other, once for all readers:

    float32 -> quantize_v2 -> int8 -> quantized_conv -> int32 -> requantize -> int8 -> ... -> dequantize -> float32
"""

from __future__ import annotations

from typing import Any

from ...ops import REGISTRY
from ...symbol.graph import Node
from ...symbol.rewrite import Rewriter
from .operators import ALWAYS, FusedForm, form_of

__all__ = ["QuantizeGraph", "is_offline", "made_node", "real_name"]


# Operators with one output whose name in MXNet's files is 'conv0_output' and not 'conv0_0'.
_NAMED = {"Activation", "BatchNorm", "Convolution", "Deconvolution", "LeakyReLU", "Pooling"}


def made_node(operator: str, name: str, inputs: Any, **attributes: str) -> Node:
    """Return a new node with its attributes in the form used in files."""
    return Node(REGISTRY[operator](**attributes), name, inputs, attributes)


def is_offline(name: str) -> bool:
    """Return whether a parameter is quantized once, before the graph runs."""
    return name.endswith(("weight", "bias"))


def real_name(pair: Any) -> str:
    """Return the name of an output that MXNet uses in the names of `quantize` nodes: 'relu0_0' if it has no other."""
    node, index = pair
    if node.op is not None and not node.op.output_names and node.op.name not in _NAMED:
        return f"{node.name}_{index}"
    return node.output_name(index)


class QuantizeGraph(Rewriter):
    """Quantizes the nodes that `chosen` returns.

    dtype: int8, uint8 or auto. params: names of the parameters. excluded: names of nodes, excluded_ops: names of
    operators. smart: whether to leave what is not between two layers. by_channel: whether each row of a fused fully
    connected layer's weight has its own step.
    """

    def __init__(self, graph, dtype, params, excluded=(), excluded_ops=(), smart=False, by_channel=False):
        super().__init__(graph)
        self.by_channel = by_channel
        self.dtype, self.params = dtype, set(params)
        self.integers, self.excluded, self.excluded_ops = {}, set(excluded), set(excluded_ops)
        self.quantized = self.chosen(smart)

    def chosen(self, smart):
        """Return the nodes to quantize."""
        able = {node for node in self.nodes if form_of(node.op) and node.name not in self.excluded
                and node.op.name not in self.excluded_ops}
        if not smart:
            return able
        after, before = set(), set()
        for node in self.nodes:
            if node in able and (node.op.name in ALWAYS or any(parent in after for parent, _ in node.inputs)):
                after.add(node)
        for node in reversed(self.nodes):
            if node in before or node.op is not None and node in able and node.op.name in ALWAYS:
                before.add(node)
                before.update(parent for parent, _ in node.inputs if parent in able)
        return after & before

    def visit(self, node):
        """Store the quantized node, or the same node applied to real numbers."""
        if node not in self.quantized:
            self.put(node, node if node.op is None else node.with_inputs([self.real(pair) for pair in node.inputs]))
            return
        form = form_of(node.op)
        reals = form.float_inputs(node.op, self.by_channel) if isinstance(form, FusedForm) else form.reals
        arrays = [self.real(pair) if i in reals else self.whole(pair) for i, pair in enumerate(node.inputs)]
        values = [a if i in reals else a[0] for i, a in enumerate(arrays)]
        ranges = [end for i, a in enumerate(arrays) if i not in reals for end in a[1:]]
        new = Node(form.of(node.op, self.by_channel), f"quantized_{node.name}", [*values, *ranges],
                   self.file_attributes(node, form))
        if form.sums:
            new = made_node("_contrib_requantize", f"requantize_{node.name}", [(new, i) for i in range(3)],
                            out_type=self.dtype)
        self.integers[node, 0] = tuple((new, i) for i in range(3))

    def file_attributes(self, node, form):
        """Return the attributes that the quantized operator shares with the node, in the form used in files."""
        fields = REGISTRY[form.name].fields
        if isinstance(form, FusedForm):
            return {**node.attrs, **form.attributes(self.by_channel)}
        return {key: value for key, value in node.attrs.items() if key in fields or key.startswith("__")}

    def read(self, pair):
        """Return a result of the graph as real numbers."""
        return self.real(pair)

    def real(self, pair):
        """Return an output as real numbers."""
        if pair not in self.where:
            self.where[pair] = made_node("_contrib_dequantize", f"{pair[0].name}_dequantize", self.integers[pair]), 0
        return self.where[pair]

    def whole(self, pair):
        """Return an output as integers with their range, which are three outputs."""
        if pair not in self.integers:
            node, name = pair[0], f"{real_name(pair)}_quantize"
            if node.op is None and node.name in self.params and is_offline(node.name):
                parts = [Node(None, name + end, (), {}) for end in ("", "_min", "_max")]
                self.integers[pair] = tuple((part, 0) for part in parts)
            else:
                new = made_node("_contrib_quantize_v2", name, [self.real(pair)], out_type=self.dtype)
                self.integers[pair] = tuple((new, i) for i in range(3))
        return self.integers[pair]
