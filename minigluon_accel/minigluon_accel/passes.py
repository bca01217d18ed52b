"""The pass of this backend over a plan's graph: a convolution, or a normalization, takes in what is beside it.

    Convolution, relu                               -> _conv_relu
    BatchNorm, relu, where they are large           -> _contrib_BatchNormWithReLU
    Convolution, max pooling, with or without relu  -> _conv_pool
    the gradient of max pooling, those of the       -> _pooled_conv_weight_grad, _pooled_conv_data_grad, and the bias'
    convolution before it                              gradient from that at the pooling's result

Where what lies between has no other user, it is never stored.
"""

from collections import defaultdict

from minigluon.backend.wide import widened
from minigluon.hybrid.again import spec_bytes
from minigluon.hybrid.report import Report
from minigluon.ops import REGISTRY
from minigluon.ops.nn.pooling_winners import WindowsApart
from minigluon.symbol.graph import Node, topological
from minigluon.symbol.symbol import Symbol

from .convolution_fused import ConvPool, ConvRelu, PooledConvDataGrad, PooledConvWeightGrad
from .kernels.nn.convolution import reason_against
from .kernels.nn.convolution_fused import suits_pooled, suits_pooling

__all__ = ["LARGE", "Walk", "is_relu", "rewrite"]

LARGE = 2 ** 18         # bytes: smaller values stay in the cache, where another pass over them costs nothing
# What normalizes, and what does the same with relu: its name and attributes.
NORMALIZING = {"BatchNorm": ("_contrib_BatchNormWithReLU", {}),
               "_batch_norm_again": ("_batch_norm_again", {"relu": True})}


def rewrite(graph, specs, count, reports, infers=False):
    """The graph with such nodes; `specs` gets theirs. See `Backend.rewrite`."""
    walk = Walk(graph, specs, count)
    walk.infers = infers
    for node in walk.nodes:
        if node.op is not None:
            walk.look_at(node)
    if not walk.notes:
        return graph
    result = walk.rebuilt()
    if reports is not None:
        reports.append(Report("accel", graph, result, walk.notes, specs))
    return result


class Walk:
    """What is replaced in a graph. A backend's own pass says with `look_at` by what.

    made: for a node the (op, inputs) that replace it, inputs as pairs of the old graph. gone: the node that
    computes another's result, too. infers: will a BatchNorm be taken into its convolution, see `convolution_packed.py`?
    """

    infers = False

    def __init__(self, graph, specs, count):
        self.graph, self.specs, self.nodes = graph, specs, graph.nodes()
        self.early = set(topological(graph.heads[:count]))
        self.heads = set(graph.heads)
        self.users = defaultdict(list)
        for node in self.nodes:
            for pair in node.inputs:
                self.users[pair].append(node)
        self.made, self.gone, self.notes = {}, {}, []

    def look_at(self, node):
        if is_relu(node):
            self.join_relu(node)
        elif node.op.name == "_max_pooling_winners" or (node.op.name == "Pooling" and WindowsApart.suits(node.op)):
            self.join_pooling(node)
        elif node.op.name == "_max_pooling_winners_grad":
            self.join_winners(node)

    def only_user(self, pair):
        """The node that alone uses an output, in the same part of the plan, or None."""
        users = self.users[pair]
        if len(users) != 1 or pair in self.heads or (users[0] in self.early) != (pair[0] in self.early):
            return None
        return users[0]

    def computed(self, pairs):
        """The Specs of outputs as kernels compute with them."""
        return [widened(self.specs[pair]) for pair in pairs]

    def join_relu(self, relu):
        before, _ = relu.inputs[0]
        if before.op is None or self.only_user((before, 0)) is not relu:
            return
        if before.op.name in NORMALIZING and spec_bytes(self.specs[relu, 0]) >= LARGE:
            behind = before.inputs[0][0]
            if self.infers and behind.op is not None and behind.op.name in ("Convolution", "FullyConnected"):
                return
            name, more = NORMALIZING[before.op.name]
            self.made[before] = REGISTRY[name](**{**before.op.attributes, **more}), before.inputs
            self.gone[relu] = before
            self.notes.append(f"{before.name}: with relu")
        elif before.op.name == "Convolution":
            self.join_convolution(before, relu)

    def join_convolution(self, conv, relu):
        if reason_against(conv.op, self.computed(conv.inputs)):
            return
        operands = tuple(range(len(conv.inputs)))
        self.made[relu] = ConvRelu(program=((conv.op, operands), (relu.op, (-1,)))), conv.inputs
        self.notes.append(f"{conv.name}: with relu")

    def join_pooling(self, pool):
        conv, _ = pool.inputs[0]
        if conv.op is None or conv.op.name != "Convolution" or self.only_user((conv, 0)) is not pool:
            return
        if suits_pooling(pool.op, conv.op, self.computed(conv.inputs), widened(self.specs[conv, 0])):
            return
        program = (conv.op, tuple(range(len(conv.inputs)))), (pool.op, (-1,))
        relu = self.only_user((pool, 0))
        self.notes.append(f"{conv.name}: with max pooling")
        if relu is None or not is_relu(relu):
            self.made[pool] = ConvPool(program=program), conv.inputs
            return
        # The node of the pooling stands for both, so that its winners are found in their place; relu's goes.
        self.made[pool] = ConvPool(program=(*program, (relu.op, (-2,)))), conv.inputs
        self.gone[relu] = pool

    def join_winners(self, pool):
        users = self.users[pool, 0]
        if not users or (pool, 0) in self.heads:
            return
        found = {user: self.without_zeros(user, pool) for user in users}
        if None in found.values():
            return
        self.made.update(found)
        self.notes.append(f"{pool.name}: not stored; {len(users)} gradients of the convolution before read the winners")

    def without_zeros(self, user, pool):
        """(op, inputs) for a gradient of the convolution from that at the pooling's result, or None."""
        grad, winners, like = pool.inputs
        if user.inputs.count((pool, 0)) != 1 or user.inputs[0] != (pool, 0):
            return None
        if _sums_channels(user.op):
            return user.op, (grad,)
        made = {"_conv_weight_grad": PooledConvWeightGrad, "_conv_data_grad": PooledConvDataGrad}.get(user.op.name)
        if made is None:
            return None
        _, other, model = user.inputs
        data, weight = (other, model) if made is PooledConvWeightGrad else (model, other)
        if suits_pooled(pool.op, user.op, *self.computed((like, data, weight))):
            return None
        return made(program=((pool.op, (0, 1, 2)), (user.op, (-1, 3, 4)))), (grad, winners, like, other, model)

    def rebuilt(self):
        where = {}
        for node in self.nodes:
            if node in self.gone:
                where[node, 0] = where[self.gone[node], 0]
                continue
            op, inputs = self.made.get(node, (node.op, node.inputs))
            inputs = [where[pair] for pair in inputs]
            new = node.with_inputs(inputs) if op is node.op else Node(
                op, node.name, inputs, node.attrs, place=node.place)
            for index in range(1 if op is None else op.num_outputs):
                where[node, index] = new, index
                self.specs[new, index] = self.specs[node, index]
        return Symbol([where[pair] for pair in self.graph.heads])


def _sums_channels(op):
    """Is it a `sum` over all axes but that of the channels?"""
    return op.name == "sum" and op.axis == (1,) and op.exclude and not op.keepdims


def is_relu(node):
    """Does a node set what is below 0 to 0?"""
    return node.op.name == "relu" or (node.op.name == "Activation" and node.op.act_type == "relu")
