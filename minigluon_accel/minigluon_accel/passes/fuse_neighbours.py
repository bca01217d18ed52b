"""A pass that fuses neighbors: a convolution or a normalization absorbs the operators next to it.

    Convolution, relu                               -> _conv_relu
    BatchNorm, relu, if they are large              -> _contrib_BatchNormWithReLU
    Convolution, max pooling, with or without relu  -> _conv_pool
    the gradient of max pooling, and those of       -> _pooled_conv_weight_grad, _pooled_conv_data_grad, and the
    the convolution before it                          gradient of the bias from that of the pooling's result

If an intermediate value has no other user, it is never stored.
"""

from minigluon.backend.wide import widened
from minigluon.hybrid.rematerialize import spec_bytes
from minigluon.ops import REGISTRY
from minigluon.ops.nn.pooling_argmax import NonOverlappingWindows
from minigluon.symbol.graph import Node
from minigluon.symbol.rewrite import Rewriter

from ..kernels.nn.convolution import reason_against
from ..kernels.nn.convolution_fused import suits_pooled, suits_pooling
from ..operators.fused_convolution import ConvPool, ConvRelu, PooledConvDataGrad, PooledConvWeightGrad

__all__ = ["LARGE", "NeighbourFusion", "fuse_neighbours", "is_relu"]

LARGE = 2 ** 18         # in bytes; smaller arrays stay in the cache, where another pass over them costs nothing
# Each normalization, and the operator that also applies relu: its name and attributes.
NORMALIZING = {"BatchNorm": ("_contrib_BatchNormWithReLU", {}),
               "_batch_norm_recompute": ("_batch_norm_recompute", {"relu": True})}


def fuse_neighbours(draft):
    """Lets convolutions and normalizations absorb their neighbors."""
    fusion = NeighbourFusion(draft)
    return draft.after("fuse neighbours", fusion.rewritten(), fusion.notes) if fusion.notes else draft


class NeighbourFusion(Rewriter):
    """Decides, when it is created, which nodes are replaced. A backend's own fusion overrides `look_at` to select other
    nodes.

    made: for a node, the (op, inputs) that replace it; inputs are pairs of the old graph. gone: {node: the node that
    also computes its result}. infers: whether a BatchNorm will be folded into its convolution (see
    `prepack_convolution.py`).
    """

    def __init__(self, draft):
        super().__init__(draft.graph, draft.specs)
        self.forward_nodes, self.infers = self.needed_for_first(draft.results), draft.infers
        self.made, self.gone = {}, {}
        for node in self.nodes:
            if node.op is not None:
                self.look_at(node)

    def look_at(self, node):
        if is_relu(node):
            self.join_relu(node)
        elif (node.op.name == "_max_pooling_argmax"
              or node.op.name == "Pooling" and NonOverlappingWindows.suits(node.op)):
            self.join_pooling(node)
        elif node.op.name == "_max_pooling_argmax_grad":
            self.save_argmax(node)

    def only_user(self, pair):
        """Returns the only user of an output if it is in the same part of the plan, otherwise None."""
        user = super().only_user(pair)
        return user if user is not None and (user in self.forward_nodes) == (pair[0] in self.forward_nodes) else None

    def computed(self, pairs):
        """Returns the Specs of outputs, in the dtypes of the kernels' arithmetic."""
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
        # The pooling node represents both, so its argmax indices remain in their position; the relu node disappears.
        self.made[pool] = ConvPool(program=(*program, (relu.op, (-2,)))), conv.inputs
        self.gone[relu] = pool

    def save_argmax(self, pool):
        users = self.users[pool, 0]
        if not users or (pool, 0) in self.heads:
            return
        replacements = {user: self.without_zeros(user, pool) for user in users}
        if None in replacements.values():
            return
        self.made.update(replacements)
        self.notes.append(f"{pool.name}: not stored; {len(users)} gradients of the convolution before read the winners")

    def without_zeros(self, user, pool):
        """Returns (op, inputs) that compute the convolution's gradient from that of the pooling's result, or None."""
        grad, winners, like = pool.inputs
        if user.inputs.count((pool, 0)) != 1 or user.inputs[0] != (pool, 0):
            return None
        if _sums_channels(user.op):
            return user.op, (grad,)
        pooled = {"_conv_weight_grad": PooledConvWeightGrad, "_conv_data_grad": PooledConvDataGrad}.get(user.op.name)
        if pooled is None:
            return None
        _, other, model = user.inputs
        data, weight = (other, model) if pooled is PooledConvWeightGrad else (model, other)
        if suits_pooled(pool.op, user.op, *self.computed((like, data, weight))):
            return None
        return pooled(program=((pool.op, (0, 1, 2)), (user.op, (-1, 3, 4)))), (grad, winners, like, other, model)

    def visit(self, node):
        """Redirects the readers of a removed node to the node that also computes its result."""
        if node in self.gone:
            self.where[node, 0] = self.where[self.gone[node], 0]
        else:
            super().visit(node)

    def replace(self, node):
        """Returns a node with the replacing operator and inputs."""
        if node not in self.made:
            return super().replace(node)
        op, operands = self.made[node]
        inputs = [self.where[pair] for pair in operands]
        return node.with_inputs(inputs) if op is node.op else Node(op, node.name, inputs, node.attrs, place=node.place)


def _sums_channels(op):
    """Returns whether the operator is a `sum` over all axes except the channels."""
    return op.name == "sum" and op.axis == (1,) and op.exclude and not op.keepdims


def is_relu(node):
    """Returns whether a node sets all elements below 0 to 0."""
    return node.op.name == "relu" or (node.op.name == "Activation" and node.op.act_type == "relu")
