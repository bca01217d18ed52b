"""What is cut out of the engine."""

from ...step import Hole, Part, Step

GRAPH = "minigluon.symbol.graph"
FILE = "minigluon.symbol.json_file"
LOAD = "minigluon.symbol.json_load"

STEP = Step(
    title="Symbol and JSON: graphs, their order and their files",
    parts=[
        Part(GRAPH, "topological", (Hole(
            "a list of the nodes behind the heads, each once and behind all nodes of its .inputs, which are pairs. "
            "Inputs come in their order, so do heads, each with all that it needs. Without recursion. Where enters is "
            "given, and enters(node) is false, the node is left out, and nothing behind it is looked at on its "
            "account.",),)),
        Part(GRAPH, "Node.num_visible_outputs"),
        Part(GRAPH, "Node.output_name", (Hole(
            "the docstring shows it. Which outputs are hidden: those from self.num_visible_outputs on. An operator may "
            "name its outputs itself, in self.op.output_names; then the node's name goes before.",),),
             in_lenet=False),
        Part(GRAPH, "_overwritten"),
        Part(GRAPH, "variables", (Hole(
            "two lists, as the docstring says. nodes may be an iterator, which can be gone through once. "
            "_overwritten(node) gives triples, whose last part is a node that this one overwrites.",),)),
        Part(GRAPH, "substitute", (Hole(
            "go through the nodes in order, and make a new one of each operator that has a changed input: of the same "
            "op, name, shape and dtype, with a copy of the attrs. Remember for each changed pair what is in its place; "
            "at first these are the variables' pairs, (variable, 0). require_variables(node) looks at a new node. "
            "Return the new heads.",),), in_lenet=False),
        Part("minigluon.symbol.symbol", "compose", (
            Hole("op.argument_names(number of inputs) are the names of all arguments. For each one add a pair to "
                 "pairs: the head of the symbol that is given at its position. Is there none, or None, make a variable "
                 "'<name of the node>_<argument>', with a copy of attrs. Raise an MXNetError where a symbol has more "
                 "or less than one output. initial(op, argument) is a dict of attributes for the input if that is a "
                 "variable; what it has already stays.", "for position"),
            Hole("make the node, look at it with require_variables, and return a Symbol of its visible outputs.",
                 "node = ", "return"))),
        Part(FILE, "_node", (Hole(
            "for each input that the operator overwrites (node.op.mutates has the names of these arguments), count one "
            "version more in the dict versions, if it is a variable. A variable itself overwrites nothing.",
            "for argument in"),), in_lenet=False),
        Part(FILE, "_graph", (Hole(
            "return the dict with 'nodes', 'arg_nodes', 'node_row_ptr' and 'heads', in this order, as the docstring at "
            "the top of the module tells: nodes are objects that _node(node, entry, versions, remove_amp_cast) makes, "
            "entry(pair) being a function of yours that gives [number, output, version]. What it refers to is "
            "_behind(pair, skipped). arg_nodes are the numbers of the variables. node_row_ptr is 0, and then for each "
            "node the number of outputs of it and all before it, where _count_outputs(node) counts one. A head is "
            "[number, output, 0].",
            "numbers =", "return"),), in_lenet=False),
        Part(LOAD, "_Reader.read", (Hole(
            "make the nodes one after another, self.node(raw) of each, and add them to self.nodes; self.where says "
            "what is being read, 'node 0' and so on, then 'the heads'. Return a Symbol of the pairs that self.entry "
            "makes of the heads; it calls them 'head 0' and so on. Where there are no heads raise self.error(...).",
            "for number", "return"),), in_lenet=False),
        Part(LOAD, "_Reader.entry", (Hole(
            "return the pair that raw means, or raise self.error(...). It must be a list of two or three integers, and "
            "True is none; name a node that is in self.nodes already; and an output that this node has. A variable has "
            "one output, an operator op.num_outputs.",),), in_lenet=False),
    ],
    hints={
        "topological": [
            "A stack of nodes. Look at the top one: if it was looked at before, all its inputs are done by now, and so "
            "is it. If not, put its inputs on top, and leave it where it is.",
            "What was put on top last comes first: push inputs and heads from the last to the first.",
            "A dict keeps the order in which keys came, and knows at once whether a key is there. A set of those that "
            "were looked at is needed besides.",
        ],
        "Node.output_name": [
            "The order of the questions: is it a variable? Is the output hidden? Does the operator name its outputs? "
            "Is there more than one?",
        ],
        "variables": ["A set of all that is overwritten, then the variables among the nodes, in or not in it."],
        "substitute": [
            "new = {(variable, 0): pair, ...} to begin with, and new.get(pair, pair) looks up.",
            "A new node stands for each of node.op.num_outputs outputs of the old one.",
            "A head may be a variable itself.",
        ],
        "compose": [
            "Symbol([(node, 0)]) is a symbol of one output, symbol.heads its pairs.",
            "attrs.setdefault(key, text) leaves what is there.",
            "node.num_visible_outputs says how many outputs the symbol has.",
        ],
        "_node": [
            "op.argument_names(len(node.inputs)).index(argument) is the position of an argument.",
        ],
        "_graph": [
            "numbers = {node: its position in nodes}.",
            "Versions grow while nodes are written: entry looks them up at that moment, versions.get(node, 0).",
        ],
        "_Reader.read": ["self.where must be set before what it is about is read."],
        "_Reader.entry": [
            "isinstance(True, int) is true; type(True) is int is not.",
            "Three questions one after another, each with an error of its own. Numbers below 0 are wrong, too.",
        ],
    },
    equivalent={"_Reader.entry: (2, 3)  ->  (3, 2)": "it is only asked what is in it"},
)
