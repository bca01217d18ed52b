"""The parts of the engine that the learner writes, with tasks and hints."""

from ...step import Hole, Part, Step

SIMPLIFY = "minigluon.hybrid.simplify"
OPERATORS = "minigluon.hybrid.simplify_operators"

STEP = Step(
    title="Simplify: rules, common subexpressions, constants, dead nodes",
    parts=[
        Part(SIMPLIFY, "Simplification.__init__"),
        Part(SIMPLIFY, "Simplification.visit", (Hole(
            "the node has an operator. Look up its inputs in the new graph. If self.replacement(node, inputs) returns "
            "a pair, this replaces output 0 of the node. Otherwise self.node creates or finds a node with "
            "self.with_stand_ins(node, inputs) as its inputs, and each output of the old node becomes the same output "
            "of that one.",
            "inputs =", "self.where.update"),)),
        Part(SIMPLIFY, "Simplification.replacement"),
        Part(SIMPLIFY, "Simplification.node", (Hole(
            "an operator is pure if it is not random and mutates nothing. If a pure one with these inputs already "
            "exists, return that node, and count it in self.notes['computed once instead of twice']. Otherwise create "
            "a node: `like` on the new inputs if its operator is the same, else a new Node. It gets the specs of "
            "`like`, output by output; a pure one goes into self.known. Return it.",),)),
        Part(SIMPLIFY, "Simplification.with_stand_ins", (Hole(
            "node.op.shape_only has the names of the arguments of which only the shape matters. Return the inputs, "
            "with these replaced by self.stand_in(pair).",),)),
        Part(SIMPLIFY, "Simplification.stand_in"),
        Part(SIMPLIFY, "is_identity", (Hole(
            "`identity` always returns its input. The operators named in _UNLESS_SHAPES_DIFFER do so if the input has "
            "the spec of the result. Those in _IDENTITY_AFTER_GRADIENTS return the same values as their input; that is "
            "enough if the gradient graph is already built or not needed, walk.differentiated.",
            "name =", "if name in _IDENTITY_AFTER_GRADIENTS"),)),
        Part(SIMPLIFY, "by_one", (Hole(
            "_mul_scalar, _div_scalar and _power_scalar with op.scalar 1 return their input, if it has the spec of the "
            "result.",
            "if node.op.name in"),), in_lenet=False),
        Part(OPERATORS, "inverse_transposes", (Hole(
            "`node` transposes the result of the transpose `inner`. _axes(walk, node) are the axes of a transpose: "
            "axis i of its result is axis axes[i] of its input. Return the input of inner if the two cancel each "
            "other; otherwise one transpose of it, as (node, 0).",
            "first, second", "return walk.node"),), in_lenet=False),
        Part(OPERATORS, "_axes"),
        Part(SIMPLIFY, "reshape_of_reshape", (Hole(
            "`node` is a view of `inner`, which is itself a view. Return the input of inner if it has the spec of the "
            "result; otherwise one Reshape of it to that shape, as (node, 0). But return None if a dimension is 0, "
            "because 0 has another meaning in Reshape's attribute.",
            "source, spec", "return walk.node"),)),
        Part(OPERATORS, "constant_by_shape", (Hole(
            "zeros_like becomes _zeros, ones_like becomes _ones, as (node, 0). Both take the attributes shape and "
            "dtype, the latter by name, such as 'float32', and no inputs. Return None for other "
            "operators.",),), in_lenet=False),
    ],
    hints={
        "Simplification.visit": [
            "self.where[pair] for each pair in node.inputs.",
            "self.node(op, name, inputs, like) takes the operator, its name, the new inputs and the old node.",
            "node.op.num_outputs is the number of pairs to store.",
        ],
        "Simplification.node": [
            "The key is (op, tuple(inputs)). A list cannot be a key.",
            "like.with_inputs(inputs) is the same node on other inputs, with its name and attributes.",
        ],
        "Simplification.with_stand_ins": [
            "node.op.argument_names(len(inputs)) has a name for each input: zip them.",
        ],
        "is_identity": ["Specs can be compared: walk.specs[inputs[0]] and walk.specs[node, 0]. Two conditions, each of "
                        "which returns inputs[0]."],
        "by_one": ["Three names in a tuple; node.op.scalar; then compare the specs as in is_identity."],
        "inverse_transposes": [
            "Axis i of the result is axis second[i] of the middle, and that is axis first[second[i]] of the source.",
            "They cancel each other if the axes are 0, 1, 2, ... in this order.",
            "REGISTRY['transpose'](axes=...) is the operator; walk.node(...) creates or finds its node.",
        ],
        "reshape_of_reshape": [
            "inner.inputs[0] is the source; walk.specs has its spec and that of the result, (node, 0).",
            "REGISTRY['Reshape'](shape=...) on [source].",
        ],
        "constant_by_shape": [
            "Use a dict from one name to the other; .get returns None for all others.",
            "spec.dtype.name is the dtype's name.",
        ],
    },
    equivalent={
        "Simplification.node: (op, tuple(inputs))  ->  (tuple(inputs), op)": "still a valid key",
        "Simplification.with_stand_ins: if not shape_only: return inputs  ->  pass": "only a shortcut",
        "by_one: ('_mul_scalar', '_div_scalar', '_power_scalar')  ->  ('_div_scalar', '_mul_scalar', '_power_scalar')":
            "it is only tested for membership",
    },
)
