"""The parts of the engine that the learner writes, with tasks and hints."""

from ...step import Hole, Part, Step

INFER = "minigluon.symbol.infer"

STEP = Step(
    title="Shape inference, in both directions",
    parts=[
        Part("minigluon.ops.shapes", "merge"),
        Part("minigluon.ops.op", "Op.infer_inputs", (Hole(
            "here the operator is elementwise and the shape of its result is known: require it of each input. "
            "self.argument_names(count) are the names of the inputs.",
            "names =", "return ["),)),
        Part("minigluon.ops.nn.matrix", "FullyConnected.infer_shape", (Hole(
            "complete the shapes of data, weight and bias, and infer the shape of the result; each may be None or "
            "contain None. self.require(name, actual, expected) merges two shapes and raises if they conflict. Return "
            "([data, weight, bias], [out]), without bias if self.no_bias is set."),)),
        Part(INFER, "_fixed_point", (Hole(
            "run at most MAX_ROUNDS rounds. In each round, for each operator, complete(node, inputs, outputs) "
            "completes the values found so far; _add puts them into values and returns whether anything is new. An "
            "output inferred from complete inputs in a forward round does not require another round. Return values "
            "when a round has changed nothing; otherwise reverse the order of the operators.",
            "for number in"),)),
        Part(INFER, "_is_whole"),
        Part(INFER, "_add", (Hole(
            "for each pair and value: skip None, which adds nothing. Merge a shape (a tuple) with the value found "
            "before; use other values unchanged. If merge returns False, raise the ShapeError. Put new values into "
            "state; if there are any, the function returns True.",
            "for pair, value in"),)),
    ],
    hints={
        "FullyConnected.infer_shape": [
            "weight has shape (num_hidden, k). With flatten, k is the product of all dimensions of data except the "
            "first; size_of computes it if all of them are known. Without flatten, it is the last one.",
            "The result has as many rows as data, and num_hidden columns. With flatten=False, all dimensions of data "
            "except the last are rows.",
            "In the other direction: with flatten=False, weight[1] determines the last dimension of data. With flatten "
            "it does not: 12 may be 3 · 4 or 2 · 6.",
        ],
        "Op.infer_inputs": ["zip the names and the shapes; call self.require(name, actual, outputs[0]) for each."],
        "_fixed_point": [
            "values[pair] is None if nothing is known. The outputs of a node are the pairs (node, i) for i below "
            "node.op.num_outputs; its inputs are node.inputs.",
            "Rounds 0, 2, 4, ... go forward. In these, the outputs are final if _is_whole is true for all given "
            "inputs.",
            "Completed inputs always count as a change; outputs only if they are not final. Both must be added, "
            "whether they count or not.",
        ],
        "_add": [
            "old = state[pair] may be None. merge(None, shape) is shape.",
            "Do not compare a dtype with None using ==: numpy.dtype('float64') equals None.",
        ],
    },
    equivalent={"_add: merge(old, value)  ->  merge(value, old)": "the order of merging does not matter"},
)
