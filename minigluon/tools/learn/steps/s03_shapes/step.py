"""What is cut out of the engine."""

from ...step import Hole, Part, Step

INFER = "minigluon.symbol.infer"

STEP = Step(
    title="Shape inference, in both directions",
    parts=[
        Part("minigluon.ops.shapes", "merge"),
        Part("minigluon.ops.op", "Op.infer_inputs", (Hole(
            "the operator is elementwise here, and the shape of its result is known: require it of each input. "
            "self.argument_names(count) are the names of the inputs.",
            "names =", "return ["),)),
        Part("minigluon.ops.nn.matrix", "FullyConnected.infer_shape", (Hole(
            "complete the shapes of data, weight and bias, and tell that of the result; each may be None, or have None "
            "in it. self.require(name, found, expected) merges two shapes and raises where they clash. Return "
            "([data, weight, bias], [out]), without bias where self.no_bias is set."),)),
        Part(INFER, "_fixed_point", (Hole(
            "rounds, at most MAX_ROUNDS. In each, for each operator: complete(node, inputs, outputs) with what is "
            "found of them gives them completed; _add puts that into found and tells whether it is new. An output that "
            "follows from whole inputs in a round from first to last asks for no other round. Return found when a "
            "round has changed nothing; otherwise turn the order of the operators round.",
            "for number in"),)),
        Part(INFER, "_is_whole"),
        Part(INFER, "_add", (Hole(
            "for each pair and value: skip None, which is nothing new. Merge a shape (a tuple) with what was found "
            "before; other values are taken as they are. A clash, where merge gives False, raises the ShapeError. What "
            "is new goes into found, and then the function returns True.",
            "for pair, value in"),)),
    ],
    hints={
        "FullyConnected.infer_shape": [
            "weight has shape (num_hidden, k). With flatten, k is the product of all dimensions of data but the first; "
            "size_of gives it if all of them are known. Without, it is the last one.",
            "The result has as many rows as data, and num_hidden columns. With flatten=False all dimensions of data "
            "but the last are rows.",
            "Both ways: with flatten=False, weight[1] tells the last dimension of data. With flatten it does not: 12 "
            "may be 3 · 4 or 2 · 6.",
        ],
        "Op.infer_inputs": ["zip the names and the shapes; self.require(name, found, outputs[0]) of each."],
        "_fixed_point": [
            "found[pair] is None where nothing is known. The outputs of a node are the pairs (node, i) for i below "
            "node.op.num_outputs; its inputs are node.inputs.",
            "Rounds 0, 2, 4, ... go forward. There, _is_whole of all given inputs makes the outputs final.",
            "The inputs that are completed always count as a change; the outputs only where they are not final. Both "
            "must be added, whether they count or not.",
        ],
        "_add": [
            "old = found[pair] may be None. merge(None, shape) is shape.",
            "Do not compare a dtype with None by ==: numpy.dtype('float64') equals None.",
        ],
    },
    equivalent={"_add: merge(old, value)  ->  merge(value, old)": "merging has no order"},
)
