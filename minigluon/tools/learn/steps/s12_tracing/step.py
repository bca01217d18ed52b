"""What is cut out of the engine."""

from ...step import Hole, Part, Step

TRACING = "minigluon.gluon.tracing"
BLOCK = "minigluon.gluon.hybrid_block"
GRAPH = "minigluon.gluon.block_graph"
INFERENCE = "minigluon.gluon.hybrid_inference"

STEP = Step(
    title="Tracing: from a block to a graph, and the cache of graphs",
    parts=[
        Part("minigluon.common.nest", "flatten"),
        Part("minigluon.common.nest", "regroup"),
        Part(TRACING, "input_names", (Hole(
            "a list with a name or None for each leaf, as the docstring says; leaves that are symbols count as arrays. "
            "Raise an MXNetError where there is no array at all.",),)),
        Part(TRACING, "trace_function", (Hole(
            "make the arguments flat, put symbol.var(name) in the place of each leaf that has a name, and call "
            "function with the nested arguments again, inside the context subgraphs_counted_anew(). What "
            "it gives flatten_symbols(outputs, what) makes flat. Return a Trace of the names, a symbol.Group of all "
            "outputs and the two structures.",),)),
        Part(GRAPH, "_parameters", (Hole(
            "names: the names of the graph's variables in their order, each once, without those in data. known: a dict "
            "from names to all parameters of the block.", "names =", "if len(known)"),)),
        Part(GRAPH, "BlockGraph.__init__", (Hole(
            "block._trace_for(args) gives the trace. state.asked is set to True by whoever asks "
            "autograd.is_training(): find out whether that happens in this trace. self.modes is (state.training,) if "
            "it does, else (False, True). Afterwards, and also after an error, state.asked is True if it was before or "
            "became so in this trace: it may be part of a larger one.", "asked, state.asked", "try"),)),
        Part(INFERENCE, "HybridInference._infer", (Hole(
            "self._trace_for(args) gives the Trace. infer_all(nodes, known) gives what follows, {pair: shape or "
            "dtype}, from known, {name: shape or dtype} of the arguments; only names that the graph uses may be in it. "
            "attribute is 'shape' or 'dtype', and what to ask of an array. Set it on each parameter for which "
            "something was found.",),)),
        Part(BLOCK, "HybridBlock._trace", (Hole(
            "inside the block's name_scope() call hybrid_forward with F=symbol, the arguments, and for each Parameter "
            "in the dict self._reg_params its var() as a keyword. On a TypeError call self._check_call(args), which "
            "raises a better error where it knows one, and raise it again where it does not.",),)),
        Part(BLOCK, "HybridBlock._run_graph", (Hole(
            "data: the arrays among the arguments, flat. key: what a graph is looked up by. For a single NDArray it "
            "is _state.training alone. Otherwise it is (training, structure, constants), where constants is a tuple "
            "with _constant(leaf) for each leaf that is no plain NDArray, and False for one that is. `leaves` must be "
            "the flat arguments then.", "if args or x", None),)),
        Part(BLOCK, "HybridBlock._make_graph", (Hole(
            "keep the graph in self._graphs, under the key for each mode that it holds for: the mode stands first in "
            "the key, or is the key. Are there MAX_GRAPHS already, forget them all before. Return the graph.",
            "if len(self._graphs)", "return graph"),)),
    ],
    hints={
        "input_names": ["sum counts the True in a list.", "Numbers go to arrays alone: data0, None, data1."],
        "trace_function": [
            "flatten gives leaves and structure, regroup turns a flat list and a structure back.",
            "input_names(leaves) has None where the leaf itself stays.",
        ],
        "HybridBlock._trace": ["with, and in it try and except; parameters go as **{attribute: parameter.var()}."],
        "HybridInference._infer": [
            "traced.inputs has a name for each leaf of the arguments, flatten(args)[0].",
            "The variables are the nodes of traced.outputs whose op is None; (node, 0) is the pair of one.",
            "getattr and setattr take the attribute's name as a text.",
        ],
        "_parameters": ["block.collect_params().values(), graph.list_inputs(), and dict.fromkeys, which keeps order."],
        "BlockGraph.__init__": [
            "Remember state.asked, set it to False, trace, and look at it.",
            "What must happen after an error as well stands behind `finally`.",
        ],
        "HybridBlock._run_graph": [
            "The test is whether there are more arguments, or x is something else than an NDArray.",
            "isinstance(leaf, NDArray) is true for sparse arrays, too: they are data, and their kind is in the key.",
        ],
        "HybridBlock._make_graph": ["A key is a tuple or a mode. (mode, *key[1:]) is the tuple with another mode."],
    },
    equivalent={
        "input_names: (NDArray, symbol.Symbol)  ->  (symbol.Symbol, NDArray)": "it is only asked what is in it",
        "HybridBlock._trace: with self.name_scope(): params = {key: p.var() for key, p in self._reg_params.items()} "
        "try: return s  ->  with self.name_scope(): params = {key: p.var() for key, p in self._reg_params.items()} "
        "try: return s":
            "nothing behind a return runs",
        "HybridInference._infer: for node in nodes if node.op is None  ->  for node in nodes":
            "what is found for operators is asked for by no parameter",
    },
)
