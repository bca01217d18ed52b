"""The checks of step 12. Graphs are computed node by node here, because there is no compiler yet."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..... import autograd, gluon
from ..... import ndarray as nd
from ..... import symbol as sym
from .....base import CallError, MXNetError
from .....gluon.hybrid_block import MAX_GRAPHS, HybridBlock
from .....gluon.tracing import BlockGraph, _parameters, input_names, trace_function
from .....hybrid import interpret
from .....symbol.inference import infer_given_shapes
from .....tape import state
from ...checking import check, expect, same, wrong

if TYPE_CHECKING:
    from .....gluon.parameter import Parameter

ONE = nd.ones((2,))


class Layer(gluon.HybridBlock):
    """A block with two weights that are not used in the order in which they are created, and an unused weight."""

    def __init__(self, dtype: str = "float32", **kwargs: Any):
        super().__init__(**kwargs)
        with self.name_scope():
            self.unused: Parameter = self.params.get("unused", shape=(0, 7), allow_deferred_init=True)
            self.bias: Parameter = self.params.get("bias", shape=(0,), dtype=dtype, allow_deferred_init=True)
            self.weight: Parameter = self.params.get("weight", shape=(4, 0), dtype=dtype, allow_deferred_init=True)

    def hybrid_forward(self, F: Any, x: Any, other: Any = None, unused: Any = None, bias: Any = None,
                       weight: Any = None) -> Any:
        return F.FullyConnected(x, weight, bias, num_hidden=4)


class Asks(gluon.HybridBlock):
    """A block whose Python code depends on the mode."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return x * 2 if autograd.is_training() else x


class Plain(gluon.HybridBlock):
    """A block that does not depend on the mode."""

    def hybrid_forward(self, F: Any, x: Any, *others: Any) -> Any:
        return x * 2


class Fails(gluon.HybridBlock):
    """A block that raises an error in the middle of a trace."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        raise ValueError("mine")


@check("input_names", "each array has a name")
def names() -> None:
    for leaves, expected, why in [
        ([ONE], ["data"], "a single array"), ([ONE, ONE], ["data0", "data1"], "several are numbered"),
        ([ONE, None, ONE, 3], ["data0", None, "data1", None], "only arrays are numbered"),
        ([None, sym.var("x")], [None, "data"], "a symbol counts as an array, and it is the only one"),
    ]:
        texts = [leaf if leaf is None or isinstance(leaf, int) else "array" for leaf in leaves]
        same(f"input_names of {texts}", input_names(leaves), expected, why)
    try:
        input_names([None, 3])
    except MXNetError:
        return
    wrong("input_names of [None, 3]: nothing is raised; expected an MXNetError, because there is no array")


@check("trace_function", "a function is called with variables, and the result is a graph")
def traces() -> None:
    calls = []

    def function(args):
        calls.append(args)
        x, (y, factor) = args
        return [x + y * factor, [x]]

    trace = trace_function(function, (ONE, [ONE, 3]), "it gave")
    x, (y, factor) = calls[0]
    expect(isinstance(x, sym.Symbol) and isinstance(y, sym.Symbol), "arguments (array, [array, 3]): the function was "
           "called with {found}; expected variables instead of arrays", found=calls[0])
    same("the names of its variables", [x.name, y.name], ["data0", "data1"], "the names from input_names")
    same("the argument 3", factor, 3, "an argument that is not an array is unchanged")
    same("trace.inputs", trace.inputs, ["data0", "data1", None], "a name for each leaf, None for 3")
    same("trace.in_structure", trace.in_structure, (None, (None, None)), "the nesting of the arguments")
    same("trace.out_structure", trace.out_structure, (None, (None,)), "the nesting of the results")
    results = interpret(trace.outputs, {"data0": nd.array([1, 2]), "data1": nd.array([10, 20])})
    same("the results [x + 3 y, [x]] for x = [1, 2] and y = [10, 20]: the number of outputs", len(results), 2,
         "one symbol with all outputs, symbol.Group")
    same("the first one", results[0], np.array([31, 62], "float32"), "the graph computes what the function does")


@check("HybridBlock._trace", "a block is called with F = sym")
def calls() -> None:
    layer = Layer(prefix="layer_")
    out = layer._trace((sym.var("x"),))
    expect(isinstance(out, sym.Symbol), "_trace returns {found}; expected the result of hybrid_forward, a Symbol",
           found=out)
    same("Layer with prefix layer_: the inputs of its graph", out.list_inputs(), ["x", "layer_weight", "layer_bias"],
         "each parameter is passed as its var()")
    same("the name of its node", out.name, "layer_fullyconnected0", "inside name_scope() names get the prefix")
    try:
        Asks()._trace((sym.var("x"), sym.var("y")))
    except CallError:
        pass
    except TypeError as error:
        wrong("a hybrid_forward that does not take two inputs: {error}; expected the CallError of self._check_call",
              error=error)
    else:
        wrong("a hybrid_forward that does not take two inputs: nothing is raised")

    class Mistaken(gluon.HybridBlock):
        def hybrid_forward(self, F, x):
            return x + len(3)

    try:
        Mistaken()._trace((sym.var("x"),))
    except TypeError:
        return
    wrong("a TypeError inside hybrid_forward is swallowed: raise it again if _check_call finds nothing")


@check("HybridInference._infer", "a trace determines the shapes and types of parameters")
def infers() -> None:
    layer = Layer()
    layer.infer_shape(nd.ones((5, 3)), ONE)
    same("Layer with a weight (4, 0) on data (5, 3): the weight's shape", layer.weight.shape, (4, 3),
         "FullyConnected's rule completes it")
    same("the bias's shape", layer.bias.shape, (4,), "for all parameters of the graph")
    same("the shape of a parameter that the graph does not use", layer.unused.shape, (0, 7),
         "nothing is inferred for it")
    calls = []
    Layer()._infer(lambda nodes, shapes: calls.append(shapes) or infer_given_shapes(nodes, shapes), "shape",
                   (nd.ones((5, 3)), ONE))
    same("Layer called with x and with an array that its graph does not use: `values`", calls[0], {"data0": (5, 3)},
         "only names that the graph uses")
    layer = Layer(dtype="float64")
    layer.infer_type(nd.ones((5, 3), dtype="float64"))
    same("Layer of float64, infer_type on float64: the weight's dtype", np.dtype(layer.weight.dtype).name, "float64",
         "`attribute` is now 'dtype'")


@check("_parameters", "the parameters of a graph are found by their names")
def finds() -> None:
    layer = Layer(prefix="layer_")
    x = sym.var("x")
    weight, bias = layer.weight.var(), layer.bias.var()
    graph = sym.FullyConnected(sym.FullyConnected(x, weight, bias, num_hidden=4), weight, bias, num_hidden=4)
    params = _parameters(layer, graph, ["x"])
    same("two FullyConnected with one weight and bias: the parameters", [p.name for p in params],
         ["layer_weight", "layer_bias"], "in the order of the graph, and without the data")
    expect(params[0] is layer.weight, "the results of _parameters are not parameters of the block")
    twice = sym.Group([sym.exp(sym.var("layer_weight")), sym.exp(sym.var("layer_weight"))])
    same("a graph with two variables of one name", [p.name for p in _parameters(layer, twice, [])], ["layer_weight"],
         "each once")
    scale = layer.params.get("scale", shape=(4,))
    same("a parameter that is no attribute of the block", _parameters(layer, scale.var(), []), [scale],
         "collect_params() has it")
    outer = HybridBlock(prefix="outer_")
    outer.register_child(Layer(prefix="layer_"))
    outer.register_child(Layer(prefix="layer_"))
    try:
        _parameters(outer, graph, ["x"])
    except MXNetError:
        pass
    else:
        wrong("two parameters with one name are not an error, which collect_params() raises")


@check("BlockGraph.__init__", "one graph for both modes, if nobody asks for the mode")
def watches() -> None:
    before = state.mode_queried
    try:
        for block, mode, modes, after in [(Plain(), False, (False, True), False), (Plain(), True, (False, True), True),
                                           (Asks(), False, (False,), True), (Asks(), True, (False,), True)]:
            state.mode_queried = mode
            graph = BlockGraph(block, (ONE,))
            case = f"{type(block).__name__}, with state.mode_queried {mode} before"
            same(f"{case}: the modes", graph.modes, modes, "(state.training,) if is_training() was called in this "
                 "trace, else both")
            same(f"{case}: state.mode_queried afterwards", state.mode_queried, after,
                 "True if it was True before or became True")
        with autograd.train_mode():
            same("Asks in train mode: the modes", BlockGraph(Asks(), (ONE,)).modes, (True,), "the mode of the trace")
        state.mode_queried = True
        try:
            BlockGraph(Fails(), (ONE,))
        except ValueError:
            same("after an error in a trace: state.mode_queried", state.mode_queried, True, "as before: use `finally`")
        else:
            wrong("an error in hybrid_forward is swallowed")
    finally:
        state.mode_queried = before


def _pretended():
    """Return a block that only records the keys it traces for."""
    keys = []

    def make(args, key):
        keys.append(key)
        block._graphs[key] = SimpleNamespace(run=lambda data, args: list(data))
        return block._graphs[key]

    block = SimpleNamespace(_graphs={}, _op_hook=None, _make_graph=make)
    return block, keys


@check("HybridBlock._run_graph", "a graph's key has everything that Python may have used for decisions")
def looks_up() -> None:
    block, keys = _pretended()
    for x in (ONE, ONE, nd.ones((3, 4))):
        HybridBlock._run_graph(block, x, ())
    same("three calls with one array, of two shapes: the keys of the traces", keys, [False],
         "_state.training; a graph is valid for all shapes")
    with autograd.train_mode():
        HybridBlock._run_graph(block, ONE, ())
    same("another one in train mode", keys, [False, True], "Python code may depend on the mode")
    a, b, c = (nd.array([n]) for n in (1, 2, 3))
    for case, x, args, data, traced in [
        ("(a, b)", a, (b,), [a, b], True), ("(a, b) again", a, (b,), [a, b], False),
        ("(b, c)", b, (c,), [b, c], False), ("(a, [b])", a, ([b],), [a, b], True), ("[a, b]", [a, b], (), [a, b], True),
        ("(a, 1)", a, (1,), [a], True), ("(a, 1) again", a, (1,), [a], False), ("(a, 2)", a, (2,), [a], True),
        ("(a, 1.0)", a, (1.0,), [a], True), ("(a, None, b)", a, (None, b), [a, b], True),
        ("(a, sparse)", a, (nd.ones((1,)).tostype("row_sparse"),), None, True),
    ]:
        before = len(keys)
        results = HybridBlock._run_graph(block, x, args)
        same(f"arguments {case}: traced", len(keys) > before, traced, "for each nesting, and each value of an "
             "argument that is not an array")
        if data is not None:
            expect(len(results) == len(data) and all(map(lambda one, other: one is other, results, data)),
                   "arguments {given}: the graph got {found}; expected the arrays among them, flattened and in order",
                   given=case, found=results)
        if traced:
            same(f"arguments {case}: the first item of the key", keys[-1][0], False,
                 "(training, structure, constants)")


@check("HybridBlock._make_graph", "graphs are stored for each mode that they are valid for")
def keeps() -> None:
    for block, key, expected in [
        (Plain(), False, [False, True]), (Asks(), False, [False]),
        (Plain(), (False, (None, None), (False, 7)), [(False, (None, None), (False, 7)),
                                                      (True, (None, None), (False, 7))]),
    ]:
        block.activate()
        graph = block._make_graph((ONE, ONE) if isinstance(key, tuple) else (ONE,), key)
        expect(isinstance(graph, BlockGraph), "_make_graph returns {found}; expected the graph", found=graph)
        same(f"{type(block).__name__}, key {key}: the keys in the cache", list(block._graphs), expected,
             "one for each mode in graph.modes")
        expect(all(entry is graph for entry in block._graphs.values()), "the cache contains something else than the "
               "graph")
    for count, remaining in ((MAX_GRAPHS, 2), (MAX_GRAPHS - 1, MAX_GRAPHS + 1)):
        block = Plain()
        block.activate()
        block._graphs.update({f"key {number}": None for number in range(count)})
        block._make_graph((ONE,), False)
        same(f"{count} graphs in the cache, and one more, for two modes: the number of graphs", len(block._graphs),
             remaining, f"all are removed when there are {MAX_GRAPHS}, or a program with always new numbers would fill "
             "the memory")
