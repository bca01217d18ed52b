"""A pass over inference plans that packs the weights of quantized layers and fuses the operators after them.

    a quantized layer, requantize, batch norm, relu,   -> _packed_integers, whose last input is the result of
    an addition of integers or of dequantized integers
    its weight                                         -> _pack_integers

If ranges are calibrated, the sums in int32 are never stored. All integers stay the same.

Images between such layers have their channels last, so that the four bytes of a product are adjacent. Poolings and
elementwise operators between them work in this layout; before other nodes, channels return to their place.
"""

from typing import NamedTuple

import numpy as np

from minigluon.ops import REGISTRY
from minigluon.symbol.graph import Node
from minigluon.symbol.rewrite import Rewriter

from .. import engine
from ..kernels.integer_steps import MOST_OPERATORS
from ..kernels.quantized import matrix, matrix_packed
from ..kernels.quantized.fused import FUSED, is_fused
from ..operators.packed_integers import ChannelsFirst, ChannelsLast, PackedIntegers, RealsPlusIntegers, channels_last

__all__ = ["prepack_quantized"]

LAYERS = "_contrib_quantized_conv", "_contrib_quantized_fully_connected", *FUSED
BYTES = "int8", "uint8"
SUMS = "elemwise_add", "broadcast_add"


def prepack_quantized(draft):
    """Returns an inference plan's draft with nodes that pack the weights of quantized layers."""
    if not draft.infers or not any(node.op is not None and node.op.name in LAYERS for node in draft.graph.nodes()):
        return draft
    prepacking = QuantizedPrepacking(draft)
    if not prepacking.tails:
        return draft
    result = prepacking.rewritten()
    lines = [f"{node.name}: " + ", ".join(op.name for op, _ in node.op.program)
             for node in result.nodes() if isinstance(node.op, PackedIntegers)]
    return draft.after("prepack quantized", result, lines)


class Tail(NamedTuple):
    """A program that begins with a layer. inputs: pairs of the graph. images: indices of those that are images."""

    layer: Node
    program: tuple
    inputs: list
    images: tuple


class QuantizedTails(Rewriter):
    """Collects tails. tails: {node: the Tail whose last line it is}. kept: the variables that persist across calls."""

    def __init__(self, draft):
        super().__init__(draft.graph, draft.specs)
        self.tails, self.kept = {}, set(draft.parameters)
        for node in self.nodes:
            if node.op is not None:
                self.look_at(node)
        for node in list(self.tails):
            if self.tails[node].images and self.dtype(node) == "float32":
                del self.tails[node]        # bytes are stored, and converted afterwards

    def dtype(self, node):
        return str(self.specs[node, 0].dtype)

    def look_at(self, node):
        name = node.op.name
        if name in LAYERS:
            self.begin(node)
        elif name == "_contrib_quantized_elemwise_add":
            self.join_integers(node)
        elif name in SUMS:
            self.join_reals(node)
        elif name == "_contrib_quantized_batch_norm":
            self.join_norm(node)
        elif name in ("_contrib_requantize", "_contrib_quantize_v2"):
            if node.op.calibrated:
                self.join(node, node.op, range(len(node.inputs)))
        elif name in ("_contrib_quantized_act", "_contrib_dequantize", "clip"):
            self.join(node, node.op, range(len(node.inputs)))

    def begin(self, node):
        specs = [self.specs[pair] for pair in node.inputs]
        if not matrix_packed.suits(node.op, specs, self.specs[node, 0]):
            return
        inputs, packed = list(node.inputs), {"weight"}
        images = (0,) if matrix_packed.plain_layer(node.op).name == "Convolution" else ()
        names = node.op.list_arguments()
        if is_fused(node.op):
            packed = set(matrix_packed.fused_parameters(node.op, False))
            images += (names.index("sum"),) if node.op.parts.has_sum else ()
            inputs += inputs[names.index("min_data"):names.index("min_data") + 2]   # kernels read two ranges
        if all(pair[0] in self.kept for name, pair in zip(names, node.inputs, strict=True) if name in packed):
            self.tails[node] = Tail(node, ((node.op, tuple(range(len(node.inputs)))),), inputs, images)

    def tail_before(self, node, positions):
        """Returns the Tail whose results are the inputs at these positions of a node, and of no other node; or None."""
        pairs = [node.inputs[k] for k in positions]
        before = pairs[0][0]
        tail = self.tails.get(before)
        if tail is None or len(tail.program) > MOST_OPERATORS or pairs != [(before, k) for k in range(len(pairs))]:
            return None
        pairs = [(before, k) for k in range(before.op.num_outputs)]
        alone = all(user is node for pair in pairs for user in self.users[pair]) and not self.heads & set(pairs)
        return tail if alone and self.dtype(before) in self.suitable(node) else None

    def suitable(self, node):
        """Returns the dtypes on which an operator can follow a product."""
        name = node.op.name
        if name == "_contrib_requantize":
            return ("int32",)
        return ("float32",) if name in (*SUMS, "_contrib_quantize_v2", "clip") else BYTES

    def join(self, node, op, positions, more=None, images=()):
        """Appends an operator as the next line; returns whether that is possible.

        positions: those of the node's inputs that the tail computes. more: pairs for the other operands, by default the
        node's other inputs. images: which of them are images.
        """
        tail = self.tail_before(node, positions)
        if tail is None:
            return False
        last = len(tail.program) - 1
        others = [pair for k, pair in enumerate(node.inputs) if k not in positions] if more is None else more
        if any(str(self.specs[pair].dtype) not in (*BYTES, "float32") for pair in others):
            return False
        numbers = iter(range(len(tail.inputs), len(tail.inputs) + len(others)))
        computed = {k: (last, number) for number, k in enumerate(positions)}
        count = len(positions) + len(others)
        operands = tuple([computed[k] if k in computed else next(numbers) for k in range(count)])
        places = tuple([len(tail.inputs) + k for k in images]) if tail.images else ()
        self.tails[node] = Tail(tail.layer, (*tail.program, (op, operands)), [*tail.inputs, *others],
                                (*tail.images, *places))
        return True

    def join_norm(self, node):
        """Joins a normalization of channels with statistics that persist; a program has at most one, and none after a
        fused layer, whose packed numbers are at the place of its factors."""
        tail = self.tails.get(node.inputs[0][0])
        is_last = (tail is not None and not is_fused(tail.layer.op)
                   and (tail.images or len(self.specs[node, 0].shape) == 2))
        if (is_last and node.op.axis == 1 and all(parent in self.kept for parent, _ in node.inputs[1:5])
                and all(op.name != node.op.name for op, _ in tail.program)):
            self.join(node, node.op, (0, 5, 6))

    def join_integers(self, node):
        """Joins a sum of integers to the tail that computes one of them."""
        if node.op.calibrated or node.inputs[0] == node.inputs[1]:
            return
        for positions in (0, 2, 3), (1, 4, 5):
            if self.join(node, node.op, positions, images=(0,)):
                return

    def join_reals(self, node):
        """Joins a sum of real numbers, if the other ones are dequantized integers."""
        for position, (other, _) in ((0, node.inputs[1]), (1, node.inputs[0])):
            alike = self.specs[node.inputs[0]] == self.specs[node.inputs[1]]
            if (not alike or other.op is None or other.op.name != "_contrib_dequantize"
                    or other is node.inputs[position][0]):
                continue
            if self.join(node, RealsPlusIntegers(), (position,), other.inputs, (0,)):
                program = self.tails[node].program
                op, operands = program[-1]
                order = sorted(operands, key=lambda k: not isinstance(k, tuple))
                self.tails[node] = self.tails[node]._replace(program=(*program[:-1], (op, tuple(order))))
                return


class QuantizedPrepacking(QuantizedTails):
    """Rewrites the graph. last: new pairs that are images with channels last. turned: {new pair: the same in the other
    layout}."""

    def __init__(self, draft):
        super().__init__(draft)
        self.last, self.turned = set(), {}

    def replace(self, node):
        """Returns the node that replaces the last node of a tail, or one that works in the layout of its inputs."""
        tail = self.tails.get(node)
        if tail is not None:
            return self.packed(node, tail)
        moved = self.moved(node)
        return moved or node.with_inputs([self.read(pair) for pair in node.inputs])

    def put(self, node, new):
        """Registers a new node; a pair with channels last gets its own Spec."""
        for index in range(1 if node.op is None else node.op.num_outputs):
            self.where[node, index] = new, index
            if (node, index) in self.specs:
                self.specs.setdefault((new, index), self.specs[node, index])

    def read(self, pair):
        """Returns a pair of the old graph with channels first."""
        new = self.where[pair]
        return self.turn(new, ChannelsFirst(), self.specs[pair].shape) if new in self.last else new

    def read_last(self, pair):
        """Returns a pair of the old graph with channels last."""
        new = self.where[pair]
        return new if new in self.last else self.turn(new, ChannelsLast(), channels_last(self.specs[pair].shape))

    def turn(self, new, op, shape):
        """Returns a new pair in the other layout."""
        if new not in self.turned:
            node = Node(op, f"{new[0].name}{op.name}", [new], place=new[0].place)
            self.specs[node, 0] = self.specs[new]._replace(shape=shape)
            self.turned[new] = node, 0
        return self.turned[new]

    def set_last(self, node, new):
        """Registers that the first result of a new node has its channels last."""
        spec = self.specs[node, 0]
        self.specs[new, 0] = spec._replace(shape=channels_last(spec.shape))
        self.last.add((new, 0))
        return new

    def moved(self, node):
        """Returns a node that works with channels last, or None if it cannot or its inputs are not."""
        if node.op is None or not any(self.where[pair] in self.last for pair in node.inputs):
            return None
        op, count = LAYOUTS.get(node.op.name, lambda op: (None, 0))(node.op)
        if op is None or len(self.specs[node.inputs[0]].shape) != 4:
            return None
        inputs = [self.read_last(pair) if k < count else self.read(pair) for k, pair in enumerate(node.inputs)]
        return self.set_last(node, Node(op, node.name, inputs, place=node.place))

    def packed(self, node, tail):
        """Returns the PackedIntegers that replaces a node, after its IntegersPrepack."""
        inputs = [self.read_last(pair) if k in tail.images else self.read(pair) for k, pair in enumerate(tail.inputs)]
        norm, own = next(((op, operands) for op, operands in tail.program
                          if op.name == "_contrib_quantized_batch_norm"), (None, ()))
        layer, shapes = tail.layer, [self.specs[pair].shape for pair in (*tail.layer.inputs[:2], (tail.layer, 0))]
        sizes = matrix_packed.sizes_for(layer.op, *shapes)
        how = {"sizes": matrix.weight_sizes(sizes), "way": (engine.isa(), matrix.way_of(sizes))}
        if is_fused(layer.op):
            m = constant_magnitude(layer.inputs[layer.op.list_arguments().index("min_data")])
            op = matrix_packed.FusedPrepack(layer=layer.op, data=str(self.specs[layer.inputs[0]].dtype), magnitude=m,
                                            **how)
            names = matrix_packed.fused_parameters(layer.op, m is None)
            parameters = [inputs[layer.op.list_arguments().index(name)] for name in names]
        else:
            op = matrix_packed.IntegersPrepack(norm=norm, **how)
            parameters = [inputs[k] for k in (1, *([own[1], own[4]] if norm else []))]
        pack = Node(op, f"{layer.name}_packed", parameters, place=layer.place)
        length = op.infer_shape(*[self.specs[pair].shape for pair in parameters])[1][0]
        self.specs[pack, 0] = self.specs[tail.inputs[1]]._replace(shape=length, dtype=np.dtype("int8"))
        op = PackedIntegers(program=tail.program, last=tail.images, out_last=bool(tail.images))
        new = Node(op, node.name, [*inputs, (pack, 0)], place=node.place)
        return self.set_last(node, new) if tail.images else new


def constant_magnitude(pair):
    """Returns the larger magnitude of the range whose lower end is an output, or None if it depends on data."""
    node, index = pair
    while node.op is not None and node.op.name in FOLLOWED:
        node, index = node.inputs[1]
    if node.op is None or not index:
        return None
    if node.op.name == "_contrib_quantized_concat":
        parts = [constant_magnitude(low) for low in node.inputs[node.op.num_args::2]]
        return None if None in parts else max(parts)
    if not getattr(node.op, "calibrated", False) or not node.op.min_calib_range <= node.op.max_calib_range:
        return None
    return float(max(abs(np.float32(node.op.min_calib_range)), abs(np.float32(node.op.max_calib_range))))


# Operators whose output has the range of their first input.
FOLLOWED = "_contrib_quantized_pooling", "_contrib_quantized_act", "_contrib_quantized_flatten"


def _same(count):
    return lambda op: (op, count)


def _with(**changes):
    """Returns a function of an operator -> (the operator with other attributes, 1)."""
    return lambda op: (REGISTRY[op.name](**{**op.attributes, **changes}), 1)


def _pooling(op):
    return _with(layout="NHWC")(op) if op.layout in (None, "NCHW") and len(op.kernel) in (0, 2) else (None, 0)


def _joining(op):
    return (REGISTRY[op.name](num_args=op.num_args, dim=3), op.num_args) if op.dim == 1 else (None, 0)


def _batch_norm(op):
    return _with(axis=3)(op) if op.axis == 1 else (None, 0)


# {operator: function of it that returns (the operator with channels last, the number of inputs that are images)}
LAYOUTS = {"_contrib_quantized_pooling": _pooling, "_contrib_quantized_concat": _joining,
           "_contrib_quantized_batch_norm": _batch_norm, "_contrib_quantized_act": _same(1),
           "_contrib_requantize": _same(1), "_contrib_quantized_elemwise_add": _same(2)}
