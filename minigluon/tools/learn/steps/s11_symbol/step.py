"""The parts of the engine that the learner writes, with tasks and hints."""

from ...step import Hole, Part, Step

GRAPH = "minigluon.symbol.graph"
FILE = "minigluon.symbol.json_file"
LOAD = "minigluon.symbol.json_load"

STEP = Step(
    title="Symbol and JSON: graphs, their order and their files",
    parts=[
        Part(GRAPH, "topological", (Hole(
            "return a list of the nodes that the heads need, each once and after all nodes of its .inputs, which are "
            "pairs. Process inputs and heads in order, each with everything that it needs. Do not use recursion. If "
            "enters is given and enters(node) is false, leave out the node, and do not follow its inputs.",),)),
        Part(GRAPH, "Node.num_visible_outputs"),
        Part(GRAPH, "Node.output_name", (Hole(
            "see the docstring. The outputs from index self.num_visible_outputs on are hidden. An operator may name "
            "its outputs itself, in self.op.output_names; then the node's name comes first.",),),
             in_lenet=False),
        Part(GRAPH, "_overwritten"),
        Part(GRAPH, "variables", (Hole(
            "return two lists, as in the docstring. nodes may be an iterator, which can be used only once. "
            "_overwritten(node) yields triples whose last item is a node that this one overwrites.",),)),
        Part("minigluon.symbol.composition", "substitute", (Hole(
            "go through the nodes in order, and create a new node for each operator that has a changed input: with the "
            "same op, name, shape and dtype, and a copy of the attrs. Store the replacement of each changed pair; at "
            "first, the changed pairs are those of the variables, (variable, 0). Check each new node with "
            "require_variables(node). Return the new heads.",),), in_lenet=False),
        Part("minigluon.symbol.symbol", "compose", (
            Hole("op.argument_names(number of inputs) are the names of all arguments. For each one, add a pair to "
                 "pairs: the head of the symbol given at its position. If there is none, or None, create a variable "
                 "'<name of the node>_<argument>', with a copy of attrs. Raise an MXNetError if a symbol does not have "
                 "exactly one output. initial(op, argument) is a dict of attributes for the input if that is a "
                 "variable; attributes that it already has are kept.", "for position"),
            Hole("create the node, check it with require_variables, and return a Symbol of its visible outputs.",
                 "node = ", "return"))),
        Part(FILE, "_node", (Hole(
            "for each input that the operator overwrites (node.op.mutates has the names of these arguments), increase "
            "its version in the dict versions by one, if it is a variable. A variable itself overwrites nothing.",
            "for argument in"),), in_lenet=False),
        Part(FILE, "_graph", (Hole(
            "return the dict with 'nodes', 'arg_nodes', 'node_row_ptr' and 'heads', in this order, as described in the "
            "docstring of the module: nodes are the objects that _node(node, entry, versions, remove_amp_cast) "
            "returns; entry(pair) is your own function, which returns [index, output, version] for the pair "
            "_behind(pair, skipped). arg_nodes are the indices of the variables. node_row_ptr is 0, and then for each "
            "node the number of outputs of this node and all before it, where _count_outputs(node) counts those of "
            "one. A head is [index, output, 0].",
            "numbers =", "return"),), in_lenet=False),
        Part(LOAD, "_Reader.read", (Hole(
            "create the nodes in order, with self.node(raw) for each, and add them to self.nodes; self.where says what "
            "is being read, 'node 0' and so on, then 'the heads'. Return a Symbol of the pairs that self.entry returns "
            "for the heads; name them 'head 0' and so on. If there are no heads, raise self.error(...).",
            "for number", "return"),), in_lenet=False),
        Part(LOAD, "_Reader.entry", (Hole(
            "return the pair that raw means, or raise self.error(...). raw must be a list of two or three integers "
            "(True is not one), and name a node that is already in self.nodes and an output of this node. A variable "
            "has one output, an operator has op.num_outputs.",),), in_lenet=False),
    ],
    hints={
        "topological": [
            "Use a stack of nodes. Look at the top one: if it was seen before, all its inputs are done by now, so it "
            "is done. If not, put its inputs on top, and leave it where it is.",
            "The node pushed last comes first: push inputs and heads from the last to the first.",
            "A dict keeps the order of its keys, and finds a key quickly. You also need a set of the nodes that were "
            "seen.",
        ],
        "Node.output_name": [
            "Ask in this order: is it a variable? Is the output hidden? Does the operator name its outputs? Is there "
            "more than one?",
        ],
        "variables": ["First a set of all overwritten nodes, then the variables among the nodes that are in it, or not "
                      "in it."],
        "substitute": [
            "Start with new = {(variable, 0): pair, ...}, and look up with new.get(pair, pair).",
            "A new node replaces each of the node.op.num_outputs outputs of the old one.",
            "A head may be a variable itself.",
        ],
        "compose": [
            "Symbol([(node, 0)]) is a symbol of one output, symbol.heads its pairs.",
            "attrs.setdefault(key, text) keeps existing values.",
            "node.num_visible_outputs says how many outputs the symbol has.",
        ],
        "_node": [
            "op.argument_names(len(node.inputs)).index(argument) is the position of an argument.",
        ],
        "_graph": [
            "numbers = {node: its position in nodes}.",
            "Versions grow while nodes are written, so entry must look them up at that moment, versions.get(node, 0).",
        ],
        "_Reader.read": ["Set self.where before you read the part that it names."],
        "_Reader.entry": [
            "isinstance(True, int) is true; type(True) is int is not.",
            "Three checks in sequence, each with its own error. Negative numbers are also wrong.",
        ],
    },
    equivalent={"_Reader.entry: (2, 3)  ->  (3, 2)": "it is only tested for membership"},
)
