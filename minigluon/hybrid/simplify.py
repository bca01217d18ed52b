"""The simplification pass, which removes unneeded work and computes nothing twice.

It walks the graph once in topological order. Each node is first rewritten by its operator's rules, then looked up among
the existing nodes (common subexpressions). Dead nodes disappear, because a graph contains only what its outputs need.
"""

from collections import Counter

from ..ops import REGISTRY
from ..symbol.graph import Node, topological
from ..symbol.rewrite import Rewriter
from .simplify_operators import constant_by_shape, inverse_transposes, rows_joined_before_a_layer
from .simplify_pooling import relu_after_max_pooling, relu_in_max_pooling_gradient

__all__ = ["STAND_IN", "by_one", "is_identity", "reshape_of_reshape", "simplify", "simplify_gradients"]

STAND_IN = "__stand_in__"       # a variable whose shape and dtype are read, but not its elements
_IDENTITY_AFTER_GRADIENTS = {"BlockGrad", "make_loss", "MakeLoss", "_identity_with_attr_like_rhs"}
_RESHAPES = {"Reshape", "Flatten", "expand_dims", "squeeze", "reshape_like", "identity"}    # also for gradients
_UNLESS_SHAPES_DIFFER = {"_sum_like", "_spread_like", "broadcast_like", "broadcast_to", "broadcast_axis", "Reshape",
                         "reshape_like", "Flatten", "Cast", "_cast_like", "amp_cast"}


def simplify(draft):
    """Remove unneeded nodes. Nodes that only gradients need, such as BlockGrad, stay until gradients are derived.

    Nothing is removed if that would lose an effect: in `zeros_like(BatchNorm(x))`, only the shape of the result is
    read, but in training its statistics are updated.
    """
    simplification = Simplification(draft)
    simple = simplification.rewritten()
    notes = [f"{what}: {count}" for what, count in simplification.notes.items()]
    before, after = [sum(n.op is not None for n in graph.nodes()) for graph in (draft.graph, simple)]
    simplified = draft.after("simplify", simple, [*notes, f"{before} operators before, {after} after"])
    return draft if _effects(draft) > _effects(simplified) else simplified


def _effects(draft):
    """Return the number of nodes in the forward part that overwrite an input when they run."""
    return sum(node.op is not None and bool(node.op.mutates) and (draft.train or not node.op.takes_train)
               for node in topological(draft.graph.heads[:draft.results]))


def simplify_gradients(draft):
    """Simplify again after gradients are derived, because the rules that create them do not see the whole graph."""
    return simplify(draft) if draft.wanted else draft


class Simplification(Rewriter):
    """The walk that replaces each node with a rule's result, an equal existing node, or a new node."""

    def __init__(self, draft):
        super().__init__(draft.graph, draft.specs)
        self.train, self.differentiated = draft.train, not draft.awaits_gradients
        self.known = {}             # (operator, inputs) -> node
        self.stand_ins = {}
        self.mutated = {parent for node in self.nodes if node.op and node.op.mutates for parent, _ in node.inputs}
        self.notes = Counter()
        self.uses = Counter(pair for node in self.nodes for pair in node.inputs) + Counter(self.graph.heads)

    def visit(self, node):
        """Rewrite one node, whose inputs have already been rewritten."""
        if node.op is None:
            self.where[node, 0] = node, 0
            return
        inputs = [self.where[pair] for pair in node.inputs]
        replacement = self.replacement(node, inputs)
        if replacement is not None:
            self.where[node, 0] = replacement
            return
        rewritten = self.node(node.op, node.name, self.with_stand_ins(node, inputs), node)
        self.where.update(((node, i), (rewritten, i)) for i in range(node.op.num_outputs))

    def replacement(self, node, inputs):
        """Return the output that replaces a node's only output, or None."""
        if node.op.num_visible_outputs != 1 or not inputs:
            return None
        for rule in RULES:
            if node.op.name not in OPERATORS.get(rule.__name__, (node.op.name,)):
                continue
            pair = rule(self, node, inputs)
            if pair is not None:
                self.notes[(rule.__doc__ or rule.__name__).partition(".")[0]] += 1      # python -OO drops docstrings
                return pair
        return None

    def node(self, op, name, inputs, like):
        """Return a node with these inputs, reusing an equal one if it exists. like: a node with the same specs."""
        pure = not op.random and not op.mutates
        key = op, tuple(inputs)
        if pure and key in self.known:
            self.notes["computed once instead of twice"] += 1
            return self.known[key]
        node = like.with_inputs(inputs) if like.op is op else Node(op, name, inputs, place=like.place)
        for index in range(op.num_outputs):
            self.specs[node, index] = self.specs[like, index]
        if pure:
            self.known[key] = node
        return node

    def with_stand_ins(self, node, inputs):
        """Replace inputs that are read only for their shape, so that they need not stay alive."""
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


def is_identity(walk, node, inputs):
    """the input itself. Applies to copies, casts to the same dtype, sums, and reshapes to the same shape."""
    if inputs[0][0] in walk.mutated:
        return None             # a copy is needed if the value will be overwritten
    name = node.op.name
    unchanged = walk.specs[inputs[0]] == walk.specs[node, 0]
    if name == "identity" or (unchanged and name in _UNLESS_SHAPES_DIFFER):
        return inputs[0]
    if name in _IDENTITY_AFTER_GRADIENTS and walk.differentiated:
        return inputs[0]
    if name == "Dropout" and not walk.uses[node, 1]:            # only if no node reads the mask
        return inputs[0] if node.op.p == 0 or (not walk.train and node.op.mode != "always") else None
    return None


def by_one(walk, node, inputs):
    """times or divided by 1. This includes x to the power of 1, and is exact for every number."""
    if node.op.name in ("_mul_scalar", "_div_scalar", "_power_scalar") and node.op.scalar == 1:
        return inputs[0] if walk.specs[inputs[0]] == walk.specs[node, 0] else None
    return None


def reshape_of_reshape(walk, node, inputs):
    """two reshapes in one. None remains if the second restores the original shape."""
    inner, index = inputs[0]
    if not node.op.is_view or inner.op is None or not inner.op.is_view:
        return None
    if not (walk.differentiated or {node.op.name, inner.op.name} <= _RESHAPES):
        return None             # a view of the values but not of the gradients: a loss, BlockGrad
    source, spec = inner.inputs[0], walk.specs[node, 0]
    if walk.specs[source] == spec:
        return source
    if 0 in spec.shape:
        return None             # in a reshape, 0 would mean 'as in the input'
    return walk.node(REGISTRY["Reshape"](shape=spec.shape), node.name, [source], node), 0


# A rule is a function (walk, node, inputs) that returns a replacement for the node's output, or None.
RULES = [is_identity, by_one, inverse_transposes, reshape_of_reshape, constant_by_shape, relu_after_max_pooling,
         relu_in_max_pooling_gradient, rows_joined_before_a_layer]

# {rule: names of its operators}; a rule that is not listed here applies to all operators.
OPERATORS = {
    "is_identity": {"identity", "Dropout", *_IDENTITY_AFTER_GRADIENTS, *_UNLESS_SHAPES_DIFFER},
    "by_one": {"_mul_scalar", "_div_scalar", "_power_scalar"},
    "inverse_transposes": {"transpose"},
    "constant_by_shape": {"zeros_like", "ones_like"},
    "relu_after_max_pooling": {"Pooling"},
    "relu_in_max_pooling_gradient": {"_max_pooling_grad"},
    "rows_joined_before_a_layer": {"Reshape"},
}
