"""The parts of the engine that the learner writes, with tasks and hints."""

from ...step import Hole, Part, Step

TRACING = "minigluon.gluon.tracing"
BLOCK = "minigluon.gluon.hybrid_block"
INFERENCE = "minigluon.gluon.hybrid_inference"

STEP = Step(
    title="Tracing: from a block to a graph, and the cache of graphs",
    parts=[
        Part("minigluon.common.nest", "flatten"),
        Part("minigluon.common.nest", "regroup"),
        Part(TRACING, "input_names", (Hole(
            "return a list with a name or None for each leaf, as in the docstring; leaves that are symbols count as "
            "arrays. Raise an MXNetError if there is no array at all.",),)),
        Part(TRACING, "trace_function", (Hole(
            "flatten the arguments, replace each leaf that has a name by symbol.var(name), and call function with the "
            "nested arguments again, inside the context fresh_subgraph_names(). Flatten the result with "
            "flatten_symbols(outputs, what). Return a Trace of the names, a symbol.Group of all outputs and the two "
            "structures.",),)),
        Part(TRACING, "_parameters", (Hole(
            "names: the names of the graph's variables in their order, each once, without those in data. by_name: a "
            "dict from names to all parameters of the block.", "names =", "if len(by_name)"),)),
        Part(TRACING, "BlockGraph.__init__", (Hole(
            "block._trace_for(args) returns the trace. A call of autograd.is_training() sets state.mode_queried to "
            "True: find out whether that happens in this trace. self.modes is (state.training,) if it does, else "
            "(False, True). Afterwards, even after an error, state.mode_queried must be True if it was True before or "
            "became True in this trace, which may be part of a larger one.", "queried, state.mode_queried", "try"),)),
        Part(INFERENCE, "HybridInference._infer", (Hole(
            "self._trace_for(args) returns the Trace. infer_all(nodes, values) infers {pair: shape or dtype} from "
            "values, {name: shape or dtype} of the arguments, which may contain only names that the graph uses. "
            "attribute is 'shape' or 'dtype', also the name of the array's attribute. Set it on each parameter for "
            "which a value was inferred.",),)),
        Part(BLOCK, "HybridBlock._trace", (Hole(
            "inside the block's name_scope() call hybrid_forward with F=symbol, the arguments, and for each Parameter "
            "in the dict self._reg_params its var() as a keyword. On a TypeError, call self._check_call(args), which "
            "raises a better error if it knows one; if it does not, raise the TypeError again.",),)),
        Part(BLOCK, "HybridBlock._run_graph", (Hole(
            "data: the arrays among the arguments, flattened. key: the key to look up the graph. For a single NDArray "
            "it is only _state.training. Otherwise it is (training, structure, constants), where constants is a tuple "
            "with _constant(leaf) for each leaf that is not a plain NDArray, and False for each that is. Then `leaves` "
            "must be the flattened arguments.", "if args or x", None),)),
        Part(BLOCK, "HybridBlock._make_graph", (Hole(
            "store the graph in self._graphs, under the key for each mode that it is valid for: the mode is the first "
            "item of the key, or the key itself. If there are already MAX_GRAPHS, remove all of them first. Return the "
            "graph.",
            "if len(self._graphs)", "return graph"),)),
    ],
    hints={
        "input_names": ["sum counts the True values in a list.", "Only arrays are numbered: data0, None, data1."],
        "trace_function": [
            "flatten returns leaves and structure; regroup reverses it.",
            "input_names(leaves) has None for a leaf that stays.",
        ],
        "HybridBlock._trace": ["with, and inside it try and except; pass the parameters as **{attribute: "
                               "parameter.var()}."],
        "HybridInference._infer": [
            "traced.inputs has a name for each leaf of the arguments, flatten(args)[0].",
            "The variables are the nodes of traced.outputs whose op is None; (node, 0) is the pair of one.",
            "getattr and setattr take the attribute's name as a text.",
        ],
        "_parameters": ["block.collect_params().values(), graph.list_inputs(), and dict.fromkeys, which keeps order."],
        "BlockGraph.__init__": [
            "Save state.mode_queried, set it to False, trace, and look at it again.",
            "Code that must also run after an error belongs in `finally`.",
        ],
        "HybridBlock._run_graph": [
            "The condition is that there are more arguments, or that x is not an NDArray.",
            "isinstance(leaf, NDArray) is also true for sparse arrays: they are data, and their type is in the key.",
        ],
        "HybridBlock._make_graph": ["A key is a tuple or a mode. (mode, *key[1:]) is the tuple with another mode."],
    },
    equivalent={
        "input_names: (NDArray, symbol.Symbol)  ->  (symbol.Symbol, NDArray)": "it is only tested for membership",
        "HybridBlock._trace: with self.name_scope(): params = variables_like(args, {key: p.var() for key, p in "
        "self._reg_params.i  ->  with self.name_scope(): params = variables_like(args, {key: p.var() for key, p in "
        "self._reg_params.i":
            "nothing after a return runs",
        "HybridBlock._run_graph: leaf.as_nd_ndarray() if leaf._to_np else leaf  ->  leaf.as_nd_ndarray() if not "
        "leaf._to_np else leaf":
            "the course does not use arrays of mx.np",
        "trace_function: variables = [x._to_np(v) if getattr(x, '_to_np', None) else v for x, v in zip(leaves, "
        "variables, str  ->  pass":
            "the course does not use arrays of mx.np",
        "_parameters: len(by_name) < len(set(params))  ->  len(by_name) <= len(set(params))":
            "collect_params() finds the same parameters in more time",
        "_parameters: by_name.keys() >= set(names)  ->  by_name.keys() > set(names)":
            "collect_params() finds the same parameters in more time",
        "HybridInference._infer: for node in nodes if node.op is None  ->  for node in nodes":
            "no parameter uses the values found for operators",
    },
)
