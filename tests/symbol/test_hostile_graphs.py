"""Graphs that load and yet are wrong: bound, run and differentiated they give results or MXNetError, nothing else."""

import contextlib
import gzip
import json
import re
import warnings

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from records import DATA

import minigluon as mx
from minigluon import autograd, gluon, nd, sym
from minigluon.base import MXNetError

RECORDED = json.loads(gzip.decompress((DATA / "mxnet_symbols.json.gz").read_bytes()))
CPU = mx.cpu()
X = ("null", "x", {}, [])
W = ("null", "w", {}, [])


def graph(*rows):
    """JSON of a graph: (operator or 'null', name, attributes, inputs) for each node; the last one is its head."""
    nodes = [{"op": op, "name": name, "attrs": attrs, "inputs": [[n, 0, 0] for n in inputs]}
             for op, name, attrs, inputs in rows]
    return json.dumps({"nodes": nodes, "heads": [[len(rows) - 1, 0, 0]]})


def run_executor(text, **shapes):
    """Bind, run and differentiate what a text describes."""
    executor = sym.load_json(text).simple_bind(CPU, **shapes)
    for array in executor.arg_arrays:
        array[:] = 1
    executor.forward(is_train=True)
    executor.backward([nd.ones(y.shape, dtype=y.dtype) for y in executor.outputs])


def run_watched(text, **shapes):
    """An executor that runs node by node, first for prediction."""
    executor = sym.load_json(text).simple_bind(CPU, **shapes)
    for array in executor.arg_arrays:
        array[:] = 1
    executor.set_monitor_callback(lambda name, array: array.asnumpy(), monitor_all=True)
    executor.forward()
    executor.backward([nd.ones(y.shape, dtype=y.dtype) for y in executor.outputs])


def run_gradient(text, **shapes):
    """The graph of the gradients, as a graph of its own."""
    symbol = sym.load_json(text)
    executor = symbol.gradient(symbol.list_arguments()).simple_bind(CPU, grad_req="null", **shapes)
    for array in executor.arg_arrays:
        array[:] = 1
    executor.forward()
    executor.set_monitor_callback(lambda name, array: array.asnumpy())
    executor.forward(is_train=True)


def run_block(text, **shapes):
    """The same as a SymbolBlock, whose parameters are the variables that no shape is given for."""
    block = gluon.SymbolBlock(sym.load_json(text), [sym.var(name) for name in shapes])
    block.initialize(mx.init.One())
    arrays = [nd.ones(shape) for shape in shapes.values()]
    for array in arrays:
        array.attach_grad()
    with autograd.record():
        out = block(*arrays)
    autograd.backward(out)


FC = {"num_hidden": "3", "no_bias": "True"}
RUNNERS = {"executor": run_executor, "watched": run_watched, "gradient": run_gradient, "block": run_block}
MESSAGES = [
    ([X, W, ("FullyConnected", "fc", FC, [0, 1])], {"x": (2, 5), "w": (3, 4)},
     "FullyConnected: weight has shape (3, 4), expected (3, 5)\n  node: 'fc'\n"
     "  inputs: data = 'x' (2, 5), weight = 'w' (3, 4)"),
    ([X, ("null", "y", {"__shape__": "(4, 5)"}, []), ("elemwise_add", "sum", {}, [0, 1])], {"x": (2, 3)},
     "elemwise_add: rhs has shape (4, 5), expected (2, 3)\n  node: 'sum'\n"
     "  inputs: lhs = 'x' (2, 3), rhs = 'y' (4, 5)"),
    ([X, ("transpose", "t", {"axes": "(0, 5)"}, [0])], {"x": (2, 3)},
     "transpose: axes=(0, 5) is not an order of the 2 axes of data\n  node: 't'\n  inputs: data = 'x' (2, 3)"),
    ([X, ("exp", "e", {}, [0]), ("FullyConnected", "fc", FC, [1, 1])], {"x": (2, 3)},
     "FullyConnected: weight has shape (2, 3), expected (3, 3)\n  node: 'fc'\n"
     "  inputs: data = 'e' (2, 3), weight = 'e' (2, 3)"),
    ([X, ("Convolution", "c", {"kernel": "(9, 9)", "num_filter": "2", "no_bias": "True"}, [0, 0])],
     {"x": (2, 3, 4, 4)},
     "Convolution: weight has shape (2, 3, 4, 4), expected (2, 3, 9, 9)\n  node: 'c'\n"
     "  inputs: data = 'x' (2, 3, 4, 4), weight = 'x' (2, 3, 4, 4)"),
    ([X, ("Cast", "c", {"dtype": "bool"}, [0]), ("exp", "e", {}, [1])], {"x": (2,)},
     "exp: there is no arithmetic with inputs of dtype bool. Convert them with .astype('float32'), or use "
     "nd.logical_and, nd.logical_or, nd.logical_xor, nd.logical_not.\n  node: 'e'"),
]


@pytest.mark.parametrize("runner", ["executor", "watched", "block"])
@pytest.mark.parametrize(("rows", "shapes", "text"), MESSAGES, ids=[rows[-1][1] for rows, _, _ in MESSAGES])
def test_contradictions_name_the_node(runner, rows, shapes, text):
    with pytest.raises(MXNetError) as error:
        RUNNERS[runner](graph(*rows), **shapes)
    assert re.split("\n  (given|parameter): ", str(error.value))[0] == text


@pytest.mark.parametrize(("rows", "shapes", "text"), [
    ([X, W, ("FullyConnected", "fc", {**FC, "num_hidden": "-3"}, [0, 1])], {"x": (2, 3)},
     "variable 'w' cannot have an array of shape (-3, 3) and dtype float32: a length is negative, or the memory "
     "does not suffice"),
    ([X, W, ("FullyConnected", "fc", {**FC, "num_hidden": "999999999999"}, [0, 1])], {"x": (2, 3000)},
     "variable 'w' cannot have an array of shape (999999999999, 3000) and dtype float32: a length is negative, or "
     "the memory does not suffice"),
    ([("_zeros", "z", {"shape": "(99999999999999,)"}, [])], {},
     "output 'z_output' cannot have an array of shape (99999999999999,) and dtype float32: a length is negative, or "
     "the memory does not suffice"),
    ([X, ("tile", "t", {"reps": "(1000000000, 100000000, 100000)"}, [0]), ("sum", "s", {}, [1])], {"x": (2, 3)},
     "tile: the output would have shape (1000000000, 200000000, 300000), more elements than memory can have\n"
     "  node: 't'"),
    ([X, W, ("dot", "d", {}, [0, 1])], {"x": (2, 3)},
     "simple_bind: the shapes of w ? do not follow from the given ones: x (2, 3). Give them by name, as in "
     "simple_bind(data=(2, 3))."),
    ([X, X, ("elemwise_add", "sum", {}, [0, 1])], {"x": (2, 3)},
     "the graph has two variables called 'x'. Use one sym.var for both, or two names."),
    ([X, ("_linalg_potrf", "p", {}, [0])], {"x": (2, 2)},
     "_linalg_potrf: Matrix is not positive definite\n  node: 'p'"),
])
def test_what_cannot_be_bound_or_run(rows, shapes, text):
    with pytest.raises(MXNetError) as error:
        run_executor(graph(*rows), **shapes)
    assert str(error.value) == text


def test_variables_of_the_same_name_are_one_in_a_block():
    """MXNet writes such files for blocks that it has composed twice."""
    text = graph(X, W, ("FullyConnected", "a", FC, [0, 1]), ("null", "w", {}, []), ("FullyConnected", "b", FC, [2, 3]))
    block = gluon.SymbolBlock(sym.load_json(text), sym.var("x"))
    block.initialize(mx.init.One())
    with autograd.record():
        out = block(nd.ones((1, 3)))
    out.backward()
    assert out.asnumpy().tolist() == [[9, 9, 9]]
    assert list(block.collect_params()) == ["w"]
    assert block.collect_params()["w"].grad().asnumpy().tolist() == [[6, 6, 6]] * 3


def test_no_memory_for_intermediate_values():
    """A sum of a huge array is a small one."""
    text = graph(X, ("broadcast_to", "big", {"shape": "(100000, 100000, 10000)"}, [0]), ("exp", "e", {}, [1]),
                 ("sin", "s", {}, [2]), ("sum", "all", {}, [3]))
    with pytest.raises(MXNetError, match=r"memory.*\d+"):
        run_executor(text, x=(1, 1, 1))


# -- whatever stands in a file ----------------------------------------------------------------------------------------

SEEDS = [json.loads(RECORDED[name][0]) for name in (
    "convolutions", "pieces", "joined", "layer batch_norm", "layer dense", "layer conv2d_transpose", "losses",
    "left_out_inputs", "symbols_and_numbers", "layer layer_norm", "methods")]
SHAPES = st.lists(st.integers(0, 6), max_size=4).map(tuple)
JUNK = st.one_of(st.integers(-3, 9).map(str), st.tuples(st.integers(-2, 5), st.integers(-2, 5)).map(str),
                 st.sampled_from(["None", "True", "False", "()", "(0,)", "float16", "int32", "float64", "bool", "1e999",
                                  "nan", "max", "full", "valid", "(1, 2, 3, 4, 5, 6)"]))


def damage(data, graph):
    """Change one thing of a graph so that it still looks like one."""
    nodes = graph["nodes"]
    node = data.draw(st.sampled_from(nodes))
    what = data.draw(st.sampled_from(["attribute", "input", "operator", "head", "declared"]))
    if what == "attribute" and node.get("attrs"):
        node["attrs"][data.draw(st.sampled_from(sorted(node["attrs"])))] = data.draw(JUNK)
    elif what == "input" and node["inputs"]:
        place = data.draw(st.integers(0, len(node["inputs"]) - 1))
        node["inputs"][place] = [data.draw(st.integers(0, nodes.index(node))), data.draw(st.integers(0, 1)), 0]
    elif what == "operator" and node["op"] != "null":
        node["op"] = data.draw(st.sampled_from(
            ["exp", "dot", "sum", "BatchNorm", "Concat", "transpose", "Reshape", "Embedding", "SoftmaxOutput", "topk",
             "slice_axis", "Pooling", "LayerNorm", "_contrib_boolean_mask", "where", "batch_dot", "SliceChannel"]))
    elif what == "head":
        graph["heads"] = [[data.draw(st.integers(0, len(nodes) - 1)), data.draw(st.integers(0, 2)), 0]]
    elif what == "declared" and node["op"] == "null":
        node.setdefault("attrs", {})["__shape__"] = str(data.draw(SHAPES))
        node["attrs"]["__dtype__"] = str(data.draw(st.integers(0, 7)))


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_damaged_graphs_run_or_are_refused(data):
    graph = json.loads(json.dumps(data.draw(st.sampled_from(SEEDS))))
    for _ in range(data.draw(st.integers(1, 3))):
        damage(data, graph)
    shape = data.draw(st.sampled_from([(2, 6, 8, 8), (2, 3), (4, 2), (5,), (), (0, 3)]))
    names = [node["name"] for node in graph["nodes"] if node["op"] == "null"]
    runner = data.draw(st.sampled_from(list(RUNNERS.values())))
    with warnings.catch_warnings(), contextlib.suppress(MXNetError):
        warnings.filterwarnings("ignore", message="SymbolBlock: the input")
        runner(json.dumps(graph), **{name: shape for name in ("x", "y", "data") if name in names})
