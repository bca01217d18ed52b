"""A pass that keeps images in blocks of channels in inference plans (see `operators/blocked_images.py`).

A convolution over all channels, or over groups of them, finds its windows in blocks without packing them; it can also
read a plain image. This is faster if each result needs many multiplications, except where Winograd's method applies,
and for groups. If each channel is convolved separately, as in MobileNet, channels fill vector lanes better than pixels
do, because a row of 5 or 7 pixels does not fill a vector. So both types of convolutions, the nodes before and after
the second type, and the nodes that read their results take and return blocks. A relu between them does, too. If another
node reads a result, a `_from_blocks` is inserted.

Windows that are more than one pixel apart are found faster in blocks, so an image that many filters read with a stride
is converted first.

The pass runs after `prepack_convolution.py`, whose nodes it replaces.
"""

import math
from collections import defaultdict

from minigluon.symbol.graph import Node
from minigluon.symbol.rewrite import Rewriter

from .. import engine
from ..kernels.nn import convolution_packed
from ..kernels.nn.convolution_blocks import MOST_ROWS, fits_groups
from ..operators.blocked_images import BLOCK, BlockedConv, FromBlocks, PoolBlocks, ToBlocks, blocked_shape
from .fuse_neighbours import is_relu

__all__ = ["blocked_layout"]

MANY = 64       # the minimum number of filters that read an image before it is converted for them
DEEP = 128      # the minimum number of products per element for blocks to pay off even with a conversion back


def blocked_layout(draft):
    """Returns an inference plan's draft with nodes that keep images in blocks."""
    if not draft.infers:
        return draft
    chosen = LayoutChoice(draft.graph, draft.specs).chosen
    if not chosen:
        return draft
    result = BlockedLayout(draft.graph, draft.specs, chosen).rewritten()
    notes = [f"{node.name}: {node.op.way}" for node in result.nodes() if isinstance(node.op, BlockedConv)]
    return draft.after("blocked layout", result, notes)


def way_of(node, specs):
    """Returns the method by which a node could work on blocks, or None. "each element" is for relu."""
    if node.op is None or node.op.name != "_packed_conv" and not is_relu(node):
        return None
    shape = specs[node.inputs[0]].shape
    if len(shape) != 4 or not all(isinstance(n, int) for n in shape[1:]):
        return None
    if is_relu(node):
        return "each element"
    geometry = node.op.program[0][0].geometry()
    if node.op.way == "winograd":
        return None
    if node.op.way != "channels":
        return "blocks" if fits_groups(geometry, specs[node.inputs[1]].shape) else None
    suits = geometry.dilate == (1, 1) and len(set(geometry.stride)) == 1 and geometry.kernel[0] <= MOST_ROWS
    return "channel blocks" if suits else None


def pays_alone(node, way, specs):
    """Returns whether blocks pay off even if images are converted before and after the node.

    In plain images, groups of few filters fill tiles badly, and only 3 x 3 has a fast depthwise kernel.
    """
    if way == "each element":
        return False
    geometry, weight = node.op.program[0][0].geometry(), specs[node.inputs[1]].shape
    if way == "channel blocks":
        return not convolution_packed.suits_3x3(geometry) and weight[0] >= BLOCK // 2
    return geometry.groups > 1 or math.prod(weight[1:]) >= DEEP


def prefers_blocks(node, specs):
    """Returns whether a convolution over all channels is faster if its image is converted to blocks first."""
    geometry, weight = node.op.program[0][0].geometry(), specs[node.inputs[1]].shape
    return geometry.stride[1] > 1 and weight[0] >= MANY and weight[1] >= BLOCK


class LayoutChoice:
    """Chooses the nodes that work on blocks. chosen: {node: way}."""

    def __init__(self, graph, specs):
        self.nodes, self.heads = graph.nodes(), set(graph.heads)
        self.ways = {node: way for node in self.nodes if (way := way_of(node, specs))}
        self.users = defaultdict(list)
        for node in self.nodes:
            for pair in node.inputs:
                self.users[pair].append(node)
        self.chosen = {node: way for node, way in self.ways.items() if pays_alone(node, way, specs)}
        for node in self.nodes:
            if self.ways.get(node) == "channel blocks" and self.is_between(node):
                self.chosen.update({n: self.ways[n] for n in self.around(node)})
        self.spread()

    def spread(self):
        """Also chooses convolutions that read blocks, and convolutions whose results are read only as blocks."""
        dense = [node for node in self.nodes if self.ways.get(node) == "blocks"]      # in topological order
        for node in dense:
            if node.inputs[0][0] in self.chosen:
                self.chosen[node] = "blocks"
        for node in reversed(dense):
            if (node, 0) not in self.heads and all(user in self.chosen for user in self.users[node, 0]):
                self.chosen[node] = "blocks"

    def around(self, node):
        """Returns the convolution before a node, the nodes that read its result, and those between."""
        before = [node.inputs[0][0]]
        while self.ways.get(before[-1]) == "each element":
            before.append(before[-1].inputs[0][0])
        return [*before, node, *self.users[node, 0]]

    def is_between(self, node):
        """Returns whether convolutions that could use blocks produce the data and are the result's only readers."""
        return (node, 0) not in self.heads and all(n in self.ways for n in self.around(node))


class BlockedLayout(Rewriter):
    """Rewrites the graph. chosen: {node: way}. blocked: new pairs that are in blocks. turned: {new pair: the converted
    pair}."""

    def __init__(self, graph, specs, chosen):
        super().__init__(graph, specs)
        self.chosen, self.blocked, self.turned = chosen, set(), {}

    def replace(self, node):
        """Returns a node that works on blocks, or the same node on plain images."""
        if self.chosen.get(node) == "each element":
            return self.each_element(node)
        if node in self.chosen:
            return self.blocked_conv(node)
        return self.pooling(node) if self.pools(node) else node.with_inputs([self.read(pair) for pair in node.inputs])

    def put(self, node, new):
        """Registers a new node; blocked results get their own Spec."""
        for index in range(1 if new.op is None else new.op.num_outputs):
            self.where[node, index] = new, index
            self.specs.setdefault((new, index), self.specs[node, index])

    def add(self, op, node, name, inputs, shape):
        """Returns the new node's pair that replaces a pair in the old graph."""
        new = Node(op, name, inputs, place=node.place)
        self.specs[new, 0] = self.specs[node, 0]._replace(shape=shape)
        return new, 0

    def read(self, pair):
        """Returns the pair that replaces a pair in the old graph, in the layout that other nodes read."""
        new = self.where[pair]
        if new not in self.blocked:
            return new
        if new not in self.turned:
            shape = self.specs[pair].shape
            name = f"{pair[0].name}_from_blocks"
            self.turned[new] = self.add(FromBlocks(channels=shape[1]), pair[0], name, [new], shape)
        return self.turned[new]

    def in_blocks(self, pair):
        """Returns the blocked pair that replaces a pair in the old graph."""
        new = self.where[pair]
        if new in self.blocked:
            return new
        if new not in self.turned:
            name = f"{pair[0].name}_to_blocks"
            self.turned[new] = self.add(ToBlocks(), pair[0], name, [new], blocked_shape(self.specs[pair].shape))
            self.specs[self.turned[new]] = self.specs[self.turned[new]]._replace(dtype=self.specs[pair].dtype)
        return self.turned[new]

    def each_element(self, node):
        """Returns a node on blocks if its input is in blocks."""
        [pair] = node.inputs
        if self.where[pair] not in self.blocked:
            return node.with_inputs([self.where[pair]])
        result = self.add(node.op, node, node.name, [self.where[pair]], blocked_shape(self.specs[node, 0].shape))
        self.blocked.add(result)
        return result[0]

    def pools(self, node):
        """Returns whether the node is the mean or the sum of whole images in blocks."""
        return (node.op is not None and node.op.name == "Pooling" and node.op.global_pool
                and node.op.pool_type in ("avg", "sum") and self.where[node.inputs[0]] in self.blocked
                and self.specs[node, 0].dtype == self.specs[node.inputs[0]].dtype)

    def pooling(self, node):
        [data] = node.inputs
        op = PoolBlocks(pooling=node.op, channels=self.specs[data].shape[1])
        return self.add(op, node, node.name, [self.where[data]], self.specs[node, 0].shape)[0]

    def blocked_conv(self, node):
        """Returns the convolution on blocks (on a plain image if each filter reads all channels), and its addend."""
        way, program, data = self.chosen[node], node.op.program, node.inputs[0]
        added = [next(k for k in operands if k >= 0) for op, operands in program
                 if op.name in ("elemwise_add", "broadcast_add")]
        turned = way == "channel blocks" or self.where[data] in self.blocked or prefers_blocks(node, self.specs)
        blocked = [0, *added] if turned else added
        inputs = [self.in_blocks(pair) if k in blocked else self.read(pair)
                  for k, pair in enumerate(node.inputs[:-1])]
        pack, weight = node.inputs[-1][0], self.specs[node.inputs[1]]
        length = convolution_packed.length_of(program[0][0], weight.shape, way)
        packing = type(pack.op)(**{**pack.op.attributes, "way": way, "length": length, "isa": engine.isa()})
        filters = self.add(packing, pack, pack.name, [self.read(pair) for pair in pack.inputs],
                           (length + weight.shape[0],))
        op = BlockedConv(program=program, way=way, length=length, blocked=tuple(blocked),
                         channels=tuple([self.specs[node.inputs[k]].shape[1] for k in blocked]))
        result = self.add(op, node, node.name, [*inputs, filters], blocked_shape(self.specs[node, 0].shape))
        self.blocked.add(result)
        return result[0]
