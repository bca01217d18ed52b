"""The simplification pass: what need not be computed is not computed, and nothing is computed twice.

One walk in topological order. Each node is first rewritten by the rules of its operator, then looked up among the
nodes that exist already (common subexpressions). What nothing leads to any more is gone by itself: a graph is only
what its outputs lead back to (dead nodes).
"""

from collections import Counter

from ..ops import REGISTRY
from ..symbol.graph import Node
from ..symbol.rewrite import Rewriter

__all__ = ["STAND_IN", "simplify", "simplify_gradients"]

STAND_IN = "__stand_in__"       # marks a variable of which only shape and dtype matter


def simplify(draft):
    """Leave out what need not be computed. What matters to gradients alone, such as BlockGrad, stays until then."""
    simplification = Simplification(draft)
    simple = simplification.rewritten()
    notes = [f"{what}: {count}" for what, count in simplification.notes.items()]
    before, after = [sum(n.op is not None for n in graph.nodes()) for graph in (draft.graph, simple)]
    return draft.after("simplify", simple, [*notes, f"{before} operators before, {after} after"])


def simplify_gradients(draft):
    """The same once more where there are gradients now: the rules that have written them had no graph in mind."""
    return simplify(draft) if draft.wanted else draft


class Simplification(Rewriter):
    """Each node is made by its rule, or is one that exists already, or is made anew."""

    def __init__(self, draft):
        super().__init__(draft.graph, draft.specs)
        self.train, self.differentiated = draft.train, not draft.awaits_gradients
        self.known = {}             # (operator, inputs) -> node
        self.stand_ins = {}
        self.mutated = {pair[0] for node in self.nodes if node.op is not None and node.op.mutates
                        for pair in node.inputs}
        self.notes = Counter()
        self.uses = Counter(pair for node in self.nodes for pair in node.inputs) + Counter(self.graph.heads)

    def visit(self, node):
        """Rewrite one node, whose inputs are rewritten already."""
        if node.op is None:
            self.where[node, 0] = node, 0
            return
        inputs = [self.where[pair] for pair in node.inputs]
        found = self.replacement(node, inputs)
        if found is not None:
            self.where[node, 0] = found
            return
        made = self.node(node.op, node.name, self.with_stand_ins(node, inputs), node)
        self.where.update(((node, i), (made, i)) for i in range(node.op.num_outputs))

    def replacement(self, node, inputs):
        """The output that stands in for the only output of a node, or None."""
        if node.op.num_visible_outputs != 1 or not inputs:
            return None
        for rule in RULES:
            found = rule(self, node, inputs)
            if found is not None:
                self.notes[(rule.__doc__ or rule.__name__).partition(".")[0]] += 1      # python -OO drops the first
                return found
        return None

    def node(self, op, name, inputs, like):
        """A node with these inputs, an existing one where that computes the same. `like`: has the same specs."""
        pure = not op.random and not op.mutates
        key = op, tuple(inputs)
        if pure and key in self.known:
            self.notes["computed once instead of twice"] += 1
            return self.known[key]
        made = like.with_inputs(inputs) if like.op is op else Node(op, name, inputs, place=like.place)
        for index in range(op.num_outputs):
            self.specs[made, index] = self.specs[like, index]
        if pure:
            self.known[key] = made
        return made

    def with_stand_ins(self, node, inputs):
        """Inputs of which an operator looks at the shape alone are replaced, so that they need not live on."""
        shape_only = node.op.shape_only
        if not shape_only:
            return inputs
        names = node.op.argument_names(len(inputs))
        return [self.stand_in(pair) if name in shape_only else pair for name, pair in zip(names, inputs, strict=True)]

    def stand_in(self, pair):
        spec = self.specs[pair]
        if spec not in self.stand_ins:
            label = f"_like_{spec.dtype}_{'x'.join(map(str, spec.shape))}"
            variable = Node(None, label, (), {STAND_IN: "1"}, spec.shape, spec.dtype)
            self.stand_ins[spec] = variable
            self.specs[variable, 0] = spec
        return self.stand_ins[spec], 0


# -- rules: (walk, node, inputs) -> the output that replaces the node's, or None ------------------------------------

_IDENTITY_AFTER_GRADIENTS = {"BlockGrad", "make_loss", "MakeLoss", "_identity_with_attr_like_rhs"}
_RESHAPES = {"Reshape", "Flatten", "expand_dims", "squeeze", "reshape_like", "identity"}    # for gradients, too
_UNLESS_SHAPES_DIFFER = {"_sum_like", "_spread_like", "broadcast_like", "broadcast_to", "broadcast_axis", "Reshape",
                         "reshape_like", "Flatten", "Cast", "_cast_like", "amp_cast"}


def is_identity(walk, node, inputs):
    """the input itself. Copies, casts to the same dtype, sums and reshapes to the same shape."""
    if inputs[0][0] in walk.mutated:
        return None             # a copy of a value that will be overwritten is a value of its own
    name = node.op.name
    unchanged = walk.specs[inputs[0]] == walk.specs[node, 0]
    if name == "identity" or (unchanged and name in _UNLESS_SHAPES_DIFFER):
        return inputs[0]
    if name in _IDENTITY_AFTER_GRADIENTS and walk.differentiated:
        return inputs[0]
    if name == "Dropout" and not walk.uses[node, 1]:            # whose mask nobody reads
        return inputs[0] if node.op.p == 0 or (not walk.train and node.op.mode != "always") else None
    return None


def by_one(walk, node, inputs):
    """times or divided by 1. Also to the power of 1; exact for every number."""
    if node.op.name in ("_mul_scalar", "_div_scalar", "_power_scalar") and node.op.scalar == 1:
        return inputs[0] if walk.specs[inputs[0]] == walk.specs[node, 0] else None
    return None


def inverse_transposes(walk, node, inputs):
    """two transposes in one. None at all where the second undoes the first."""
    (inner, _), = inputs[:1]
    if node.op.name != "transpose" or inner.op is None or inner.op.name != "transpose":
        return None
    first, second = _axes(walk, inner), _axes(walk, node)
    axes = tuple(first[a] for a in second)
    if axes == tuple(range(len(axes))):
        return inner.inputs[0]
    return walk.node(REGISTRY["transpose"](axes=axes), node.name, inner.inputs, node), 0


def _axes(walk, node):
    return node.op.axes or tuple(reversed(range(len(walk.specs[node, 0].shape))))


def reshape_of_reshape(walk, node, inputs):
    """two reshapes in one. None at all where the second gives back the first one's shape."""
    inner, index = inputs[0]
    if not node.op.is_view or inner.op is None or not inner.op.is_view:
        return None
    if not (walk.differentiated or {node.op.name, inner.op.name} <= _RESHAPES):
        return None             # a view for the values, but something else for the gradients: a loss, BlockGrad
    source, spec = inner.inputs[0], walk.specs[node, 0]
    if walk.specs[source] == spec:
        return source
    if 0 in spec.shape:
        return None             # in a reshape 0 would mean 'as in the input'
    return walk.node(REGISTRY["Reshape"](shape=spec.shape), node.name, [source], node), 0


def constant_by_shape(walk, node, inputs):
    """zeros and ones like another array. Their values follow from its shape alone."""
    source = {"zeros_like": "_zeros", "ones_like": "_ones"}.get(node.op.name)
    if source is None:
        return None
    spec = walk.specs[node, 0]
    return walk.node(REGISTRY[source](shape=spec.shape, dtype=spec.dtype.name), node.name, [], node), 0


def relu_after_max_pooling(walk, node, inputs):
    """relu after max pooling instead of before. The same numbers, and a relu of a quarter of them or fewer."""
    relu, _ = inputs[0]
    if node.op.name != "Pooling" or node.op.pool_type != "max" or not _is_relu(relu):
        return None
    if walk.uses[node.inputs[0]] != 1 or node.op.pooling_convention == "full":    # there, a window may see padding only
        return None
    pooled = walk.node(node.op, node.name, relu.inputs, node)
    return walk.node(relu.op, relu.name, [(pooled, 0)], node), 0


def relu_in_max_pooling_gradient(walk, node, inputs):
    """max pooling's gradient reads relu's result instead of what relu read. That one need not be kept any longer.

    Where the largest element of a window is below 0, relu has made the gradient 0: no matter who gets it.
    """
    if node.op.name != "_max_pooling_grad":
        return None
    grad, data, pooled = inputs
    (relu_grad, _), (pooling, _) = grad, pooled
    if relu_grad.op is None or relu_grad.op.name != "_relu_grad" or pooling.op is None:
        return None
    relu, _ = relu_grad.inputs[1]
    if not _is_relu(relu) or relu.inputs[0] != pooled:
        return None
    return walk.node(node.op, node.name, [grad, data, (relu, 0)], node), 0


def rows_joined_before_a_layer(walk, node, inputs):
    """rows joined before a layer instead of after. As a result, the layer's own would have to be copied."""
    (layer, index), = inputs[:1]
    if node.op.name != "Reshape" or (node, 0) not in walk.heads or walk.uses[node.inputs[0]] != 1:
        return None
    if layer.op is None or layer.op.name != "FullyConnected" or layer.op.flatten:
        return None
    shape, (data, *parameters) = walk.specs[node, 0].shape, layer.inputs
    columns, depth = walk.specs[layer, index].shape[-1], walk.specs[data].shape[-1]
    if 0 in shape or 0 in walk.specs[data].shape or len(shape) < 2 or shape[-1] != columns:
        return None
    shape = *shape[:-1], depth
    rows = walk.node(REGISTRY["Reshape"](shape=shape), node.name, [data], node)
    walk.specs[rows, 0] = walk.specs[data]._replace(shape=shape)
    return walk.node(layer.op, layer.name, [(rows, 0), *parameters], node), 0


def _is_relu(node):
    return node.op is not None and (node.op.name == "relu" or
                                    (node.op.name == "Activation" and node.op.act_type == "relu"))


RULES = [is_identity, by_one, inverse_transposes, reshape_of_reshape, constant_by_shape, relu_after_max_pooling,
         relu_in_max_pooling_gradient, rows_joined_before_a_layer]
