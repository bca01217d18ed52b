"""Fusion of layers with the operators after them, before a network is quantized and after it, as MXNet does on a CPU.

    before: Convolution, BatchNorm, relu, elemwise_add, relu    -> _sg_mkldnn_conv
            FullyConnected, Activation                          -> _sg_mkldnn_fully_connected
    after:  one of these, _contrib_requantize                   -> the same with the range of the output
            _sg_mkldnn_fully_connected, requantize, dequantize  -> the same with float32 output

BatchNorm then disappears into the weights, and each filter has its own step.
"""

from __future__ import annotations

from typing import Any

from ...ops import REGISTRY
from ...symbol.graph import Node
from ...symbol.infer import infer_shapes
from ...symbol.rewrite import Rewriter
from ...symbol.runnable import optimizers
from ...symbol.subgraph import Subgraph
from ...symbol.symbol import Symbol

__all__ = ["BACKEND", "FuseLayers", "FuseRanges", "fused"]

BACKEND = "MKLDNN_QUANTIZE"
LAYERS = {"Convolution": "_sg_mkldnn_conv", "FullyConnected": "_sg_mkldnn_fully_connected"}
SUMS = "elemwise_add", "broadcast_add"
_EXCLUDED = frozenset[str]()


def _is_relu(node):
    return node.op.name == "relu" or node.op.name == "Activation" and node.op.act_type == "relu"


def _is_positive(node):
    """Returns whether a node's output is never negative: then it and the sum that it is part of are both uint8."""
    while node.op is not None and node.op.name in ("Pooling", "Flatten", "Dropout"):
        node = node.inputs[0][0]
    return node.op is not None and (_is_relu(node) or node.op.name == "clip" and node.op.a_min >= 0)


class FuseLayers(Rewriter):
    """Fuses the layers of a float32 graph. excluded: names of nodes that stay; excluded_ops: names of operators.

    shapes: {input: shape}, from which it follows that two arrays have the same shape if `+` adds them.

    chains: {the last node of a chain: the nodes of the chain, and the pair that is added or None}.
    """

    def __init__(self, graph, excluded=_EXCLUDED, excluded_ops=_EXCLUDED, shapes=None):
        super().__init__(graph)
        self.shapes = infer_shapes(self.nodes, shapes, []) if shapes else {}
        self.excluded, self.excluded_ops = set(excluded), set(excluded_ops)
        self.chains, taken, self.count = {}, set(), dict.fromkeys(LAYERS, 0)
        for node in self.nodes:
            if self.may_fuse(node) and node.op.name in LAYERS:
                chain, other = self.chain_from(node, taken)
                taken.update(chain)
                self.chains[chain[-1]] = chain, other

    def may_fuse(self, node):
        """Returns whether a node exists and is not excluded."""
        return (node is not None and node.op is not None and node.name not in self.excluded
                and node.op.name not in self.excluded_ops)

    def adds_two(self, node):
        """Returns whether a node adds two arrays of the same shape."""
        first, second = (self.shapes.get(pair) for pair in node.inputs) if len(node.inputs) == 2 else (None, None)
        is_sum = node.op.name == "elemwise_add" or (node.op.name == "broadcast_add" and first is not None
                                                    and None not in first and first == second)
        return is_sum and node.inputs[0] != node.inputs[1]

    def chain_from(self, layer, taken):
        """Returns (the nodes that a layer is fused with, the pair that is added or None). taken: nodes of others."""
        chain, other = [layer], None

        def follows(suits):
            user = self.only_user((chain[-1], 0))
            return user if self.may_fuse(user) and user not in taken and suits(user) else None
        if layer.op.name == "FullyConnected":
            act = follows(lambda n: _is_relu(n) or n.op.name == "Activation")
            return chain + [act] * (act is not None), None
        if (layer.op.layout or "NC")[-1] == "C" and layer.op.layout is not None:
            return chain, None
        norm = follows(lambda n: n.op.name == "BatchNorm" and n.op.axis == 1 and not n.op.output_mean_var
                       and n.inputs[0][0] is layer)
        chain += [norm] * (norm is not None)
        act = follows(lambda n: _is_relu(n) or n.op.name == "clip" and n.op.a_min == 0)
        if act is not None:
            return [*chain, act], None
        add = follows(self.adds_two)
        if add is not None:
            other = add.inputs[add.inputs[0][0] is chain[-1]]
            last = self.only_user((add, 0))
            last = last if self.may_fuse(last) and last not in taken and _is_relu(last) else None
            if _is_positive(other[0]) == (last is not None):
                return [*chain, add, *[last] * (last is not None)], other
        return chain, None

    def replace(self, node):
        """Returns the fused node at the end of a chain."""
        if node not in self.chains:
            return super().replace(node)
        chain, other = self.chains[node]
        layer = chain[0]
        parts = [name for name, there in (("bn", any(n.op.name == "BatchNorm" for n in chain)),
                                          ("add", other is not None), ("act", chain[-1] is not layer
                                           and chain[-1].op.name not in ("BatchNorm", *SUMS))) if there]
        kind = LAYERS[layer.op.name]
        if layer.op.name == "FullyConnected":
            parts, flags = ["eltwise"] * len(parts), {"with_eltwise": "True"} if parts else {}
        else:
            act = "with_act" if other is None else "with_postsum_act"
            flags = {key: "true" for key, part in (("with_bn", "bn"), ("with_sum", "add"), (act, "act"))
                     if part in parts}
        number = self.count[layer.op.name]
        self.count[layer.op.name] += 1
        name = "_".join([kind.removeprefix("_"), *parts, str(number)])
        inputs = [pair for n in chain for pair in n.inputs if pair[0] not in chain]
        op = REGISTRY[kind](**flags, subgraph=_graph_of(chain))
        return Node(op, name, [self.where[pair] for pair in inputs], flags)


def _graph_of(chain):
    """Returns the Subgraph of a chain of nodes, with variables for their inputs."""
    new, stand_ins = {}, {}

    def inside(pair):
        if pair[0] in new:
            return new[pair[0]], pair[1]
        if pair not in stand_ins:
            stand_ins[pair] = Node(None, f"{pair[0].output_name(pair[1])}0", (), {})
        return stand_ins[pair], 0
    for node in chain:
        op, attrs = node.op, node.attrs
        if op.name == "relu":
            op, attrs = REGISTRY["Activation"](act_type="relu"), {"act_type": "relu"}
        elif op.name in SUMS:
            op, attrs = REGISTRY["elemwise_add"](), {}
        new[node] = Node(op, node.name, [inside(pair) for pair in node.inputs], attrs)
    return Subgraph(Symbol([(new[chain[-1]], 0)]))


class FuseRanges(Rewriter):
    """Writes calibrated ranges of `requantize` into the fused layers before them."""

    def replace(self, node):
        """Returns the layer with a range, or with float32 output, in place of the last node."""
        new = super().replace(node)
        if node.op is None or not node.inputs:
            return new
        before = node.inputs[0][0]
        if node.op.name == "_contrib_requantize" and node.op.calibrated and self.reads_layer(node):
            layer = self.where[before, 0][0]
            calib = {key: node.attrs[key] for key in ("min_calib_range", "max_calib_range")}
            return _with(layer, calib)
        is_requantized = before.op is not None and before.op.name == "_contrib_requantize"
        if node.op.name == "_contrib_dequantize" and is_requantized and self.reads_layer(before):
            layer = before.inputs[0][0]
            if layer.op.name == LAYERS["FullyConnected"] and before.op.calibrated and self.is_alone(before):
                return _with(self.where[layer, 0][0], {"enable_float_output": "True"})
        return new

    def reads_layer(self, node):
        """Returns whether a node is the only user of a fused layer."""
        layer = node.inputs[0][0]
        return layer.op is not None and layer.op.name in LAYERS.values() and self.is_alone(layer)

    def is_alone(self, node):
        """Returns whether one node reads all outputs of a node."""
        pairs = [(node, k) for k in range(node.op.num_outputs)]
        return len({user for pair in pairs for user in self.users[pair]}) == 1 and not self.heads & set(pairs)


def _with(node, attrs):
    """Returns a node with more attributes, given as in files."""
    attrs = {**node.attrs, **attrs}
    return Node(type(node.op)(**{**node.op.attributes, **attrs}), node.name, node.inputs, attrs)


def fused(graph: Symbol) -> Symbol:
    """Returns a graph whose layers are fused: the backend MKLDNN_QUANTIZE of `Symbol.get_backend_symbol`."""
    if any(node.op is not None and node.op.name == "_contrib_requantize" for node in graph.nodes()):
        return FuseRanges(graph).rewritten()
    return FuseLayers(graph).rewritten()


def _backend(symbol: Symbol, input_specs: Any) -> Symbol:
    return fused(symbol)


optimizers[BACKEND] = _backend
