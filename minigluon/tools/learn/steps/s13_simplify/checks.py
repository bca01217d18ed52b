"""The checks of step 13: small graphs, shown as formulas before and after."""

from types import SimpleNamespace

import numpy as np

from .....backend import Spec
from .....hybrid import Draft
from .....hybrid.simplify import by_one, simplify
from .....hybrid.simplify_operators import constant_by_shape
from .....hybrid.specs import infer_specs
from .....ops import REGISTRY
from .....symbol.graph import Node
from .....symbol.symbol import Symbol
from ...checking import check, expect, same

FLOATS = Spec((2, 3), np.dtype("float32"))
KNOWN = {"x": FLOATS, "y": FLOATS, "cube": Spec((2, 3, 4), np.dtype("float32")),
         "turned": Spec((3, 2), np.dtype("float32")), "empty": Spec((0, 3), np.dtype("float32")),
         "mean": Spec((3,), np.dtype("float32")), "var": Spec((3,), np.dtype("float32")),
         "doubles": Spec((2, 3), np.dtype("float64"))}


def _var(name="x"):
    return Node(None, name)


def _node(op, *parents, name=None, **attributes):
    pairs = [parent if isinstance(parent, tuple) else (parent, 0) for parent in parents]
    return Node(REGISTRY[op](**attributes), name or op, pairs)


def _formula(pair):
    """Return a formula such as 'tanh(exp(x))', with relevant attributes in brackets and an output index after a dot."""
    node, index = pair
    if node.op is None:
        return node.name
    texts = [str(getattr(node.op, name)) for name in ("scalar", "axes", "shape", "dtype")
             if getattr(node.op, name, None)]
    dot = f".{index}" if node.op.num_visible_outputs > 1 or index else ""
    return (f"{node.op.name}{'[' + ', '.join(texts) + ']' if texts else ''}"
            f"({', '.join(_formula(p) for p in node.inputs)}){dot}")


def _simplified(*heads, notes=None, **options):
    """Return (the new graph, its specs) for nodes or pairs. notes: a list for the pass's notes. options: fields of the
    Draft."""
    graph = Symbol([head if isinstance(head, tuple) else (head, 0) for head in heads])
    draft = simplify(Draft(graph, infer_specs(graph, KNOWN), **options))
    if notes is not None:
        notes += draft.summary[1]
    return draft.graph, draft.specs


def _becomes(head, expected, why, **options):
    pair = head if isinstance(head, tuple) else (head, 0)
    graph, _ = _simplified(pair, **options)
    options_text = f" with {', '.join(f'{k}={v}' for k, v in options.items())}" if options else ""
    same(f"{_formula(pair)}{options_text}, simplified,", _formula(graph.heads[0]), expected, why)


@check("Simplification.visit", "a graph that cannot be simplified does not change")
def unchanged():
    x = _var()
    head = _node("tanh", _node("exp", x))
    graph, specs = _simplified(head)
    same("tanh(exp(x)), simplified,", _formula(graph.heads[0]), "tanh(exp(x))", "there is nothing to simplify")
    expect(graph.heads[0][0] is head, "tanh(exp(x)), simplified: its last node is another object; expected the same "
           "one: a node whose operator and inputs do not change is not copied")
    split = _node("SliceChannel", x, num_outputs=3)
    graph, _ = _simplified(_node("elemwise_sub", (split, 2), (split, 0)), (split, 1))
    same("x in three parts: third - first, simplified,", _formula(graph.heads[0]),
         "elemwise_sub(SliceChannel(x).2, SliceChannel(x).0)", "each output is the same output of the new node")
    same("the second part, simplified,", _formula(graph.heads[1]), "SliceChannel(x).1", "it is also a result")


@check("Simplification.visit", "a replaced node is replaced wherever it is read")
def replaced():
    x = _var()
    one = _node("_mul_scalar", x, scalar=1.0)
    _becomes(_node("tanh", _node("exp", one)), "tanh(exp(x))", "x * 1 is x, so its readers read x")
    _becomes(one, "x", "a result may also be replaced")
    _becomes(_node("elemwise_add", _node("exp", one), _node("exp", x)), "elemwise_add(exp(x), exp(x))",
             "inputs are looked up in self.where")
    graph, _ = _simplified(_node("elemwise_add", _node("exp", one), _node("exp", x)))
    left, right = graph.heads[0][0].inputs
    expect(left == right, "exp(x * 1) + exp(x): there are still two exp; expected one: after x * 1 has become x, they "
           "are equal")


@check("Simplification.node", "equal nodes are computed once")
def common_subexpressions():
    x, y = _var(), _var("y")
    one, two = _node("tanh", _node("exp", x)), _node("tanh", _node("exp", x))
    notes = []
    graph, specs = _simplified(_node("elemwise_add", one, two), notes=notes)
    (left, right) = (node for node, _ in graph.heads[0][0].inputs)
    expect(left is right, "tanh(exp(x)) + tanh(exp(x)), each written twice: the sum has two different inputs; expected "
           "one node twice: (op, inputs) is already in self.known when the second one comes")
    expect("computed once instead of twice: 2" in notes, "tanh(exp(x)) + tanh(exp(x)): the notes of the "
           "pass are {notes}; expected 'computed once instead of twice: 2' among them", notes=notes)
    for first, second, why in [
        (_node("exp", x), _node("exp", y), "the inputs differ"),
        (_node("_mul_scalar", x, scalar=2.0), _node("_mul_scalar", x, scalar=3.0), "the attributes differ"),
        (_node("elemwise_sub", x, y), _node("elemwise_sub", y, x), "the order of inputs matters"),
        (_node("Dropout", x), _node("Dropout", x), "it is random: two draws differ"),
        (_node("BatchNorm", y, _var("mean"), _var("mean"), _var("mean"), _var("var")),
         _node("BatchNorm", y, _var("mean"), _var("mean"), _var("mean"), _var("var")), "it mutates its moving "
         "averages, so both must run"),
    ]:
        graph, _ = _simplified(first, second, train=True)
        expect(graph.heads[0] != graph.heads[1], "{first} and {second}, both results: they have become one node; "
               "expected two: {why}", first=_formula((first, 0)), second=_formula((second, 0)), why=why)


@check("Simplification.node", "a new node has a name, and specs for all of its outputs")
def new_nodes():
    x = _var()
    split = _node("SliceChannel", _node("_mul_scalar", x, scalar=1.0), name="parts", num_outputs=3)
    graph, specs = _simplified((split, 2))
    node, _ = graph.heads[0]
    same("three parts of x * 1, simplified: the name of the node", node.name, "parts", "with_inputs keeps it")
    expect(node is not split and all((node, i) in specs for i in range(3)), "three parts of x * 1, simplified: the new "
           "node lacks specs; expected one for each of its three outputs, as the old node has them")
    same("three parts of x * 1, simplified: the spec of the third", specs[node, 2], specs[split, 2], "that of the old "
         "one")
    twice = _node("transpose", _node("transpose", _var("cube"), axes=(1, 2, 0)), name="second", axes=(1, 2, 0))
    graph, specs = _simplified(twice)
    node, _ = graph.heads[0]
    same("two transposes, simplified: the name of the one", node.name, "second", "it was given to self.node")
    same("two transposes, simplified: the spec of the one", specs.get((node, 0)), specs[twice, 0],
         "the spec of the node that it replaces")
    same("two transposes, simplified: the operator", node.op, REGISTRY["transpose"](axes=(2, 0, 1)),
         "the given operator, not that of `like`")


@check("Simplification.with_stand_ins", "where only a shape is needed, nothing is computed")
def stand_ins():
    x, turned = _var(), _var("turned")
    head = _node("reshape_like", _node("exp", x), _node("exp", turned))
    _becomes(head, "reshape_like(exp(x), _like_float32_3x2)", "for the second input only the shape matters; for the "
             "first, the values")
    _becomes(_node("elemwise_add", x, _node("exp", x)), "elemwise_add(x, exp(x))", "this operator uses the values of "
             "both")


@check("is_identity", "an operator that changes nothing is left out")
def identities() -> None:
    x, cube = _var(), _var("cube")
    for head, expected, why in [
        (_node("identity", x), "x", "it is a copy"),
        (_node("Cast", x, dtype="float32"), "x", "it is already float32"),
        (_node("Flatten", x), "x", "it already has two dimensions"),
        (_node("broadcast_to", x, shape=(2, 3)), "x", "it already has that shape"),
        (_node("Cast", x, dtype="float64"), "Cast[float64](x)", "another dtype is another array"),
        (_node("Flatten", cube), "Flatten(cube)", "another shape is another array"),
        (_node("exp", x), "exp(x)", "the spec is the same, but the values are not"),
        (_node("BlockGrad", x), "x", "the gradient graph is already built: only its values count"),
    ]:
        _becomes(head, expected, why)
    _becomes(_node("BlockGrad", x), "BlockGrad(x)", "the gradient graph is not built yet, and BlockGrad matters to "
             "them", wanted=("x",))
    _becomes(_node("identity", x), "x", "a copy does not matter", wanted=("x",))


def _apply(rule, op, inputs, result, **attributes):
    """Return a rule's result for a node whose first input and result have these specs."""
    nodes = [_var(f"input{number}") for number in range(inputs)]
    node = _node(op, *nodes, **attributes)
    specs = {(nodes[0], 0): FLOATS, (node, 0): result}
    return rule(SimpleNamespace(specs=specs), node, list(node.inputs))


@check("by_one", "times one, divided by one, to the power of one")
def ones() -> None:
    x = _var()
    for op in ("_mul_scalar", "_div_scalar", "_power_scalar"):
        _becomes(_node(op, x, scalar=1.0), "x", "nothing changes")
        _becomes(_node(op, x, scalar=2.0), f"{op}[2.0](x)", "2 is another number")
    _becomes(_node("_plus_scalar", x, scalar=1.0), "_plus_scalar[1.0](x)", "x + 1 is not x")
    same("x * 1 with another dtype of the result than x: what by_one returns",
         _apply(by_one, "_mul_scalar", 1, Spec((2, 3), np.dtype("float64")), scalar=1.0), None,
         "the result would have the wrong dtype")


@check("inverse_transposes", "two transposes are one, or none")
def transposes() -> None:
    cube = _var("cube")
    for first, second, expected, why in [
        ((), (), "cube", "reversing the axes twice does nothing"),
        ((1, 2, 0), (2, 0, 1), "cube", "the second cancels the first"),
        ((1, 2, 0), (0, 2, 1), "transpose[(1, 0, 2)](cube)", "axis i of the result is axis first[second[i]] of cube"),
        ((), (0, 2, 1), "transpose[(2, 0, 1)](cube)", "without axes, a transpose reverses them"),
        ((1, 0, 2), (), "transpose[(2, 0, 1)](cube)", "without axes, a transpose reverses them"),
    ]:
        _becomes(_node("transpose", _node("transpose", cube, axes=first), axes=second), expected, why)
    _becomes(_node("transpose", _node("exp", cube)), "transpose(exp(cube))", "there is only one")


@check("reshape_of_reshape", "two reshapes are one, or none")
def reshapes() -> None:
    x, cube, empty = _var(), _var("cube"), _var("empty")
    for head, expected, why in [
        (_node("Reshape", _node("Reshape", x, shape=(6,)), shape=(3, 2)), "Reshape[(3, 2)](x)",
         "the shape in between does not matter"),
        (_node("Reshape", _node("Reshape", x, shape=(6,)), shape=(2, 3)), "x", "the shape is the original one"),
        (_node("Flatten", _node("expand_dims", cube, axis=1)), "Reshape[(2, 12)](cube)",
         "any operator that only changes the shape is a reshape"),
        (_node("Reshape", _node("Reshape", x, shape=(6,)), shape=(1, 6)), "Reshape[(1, 6)](x)",
         "a dimension of 1 is like any other"),
        (_node("Reshape", _node("exp", x), shape=(6,)), "Reshape[(6,)](exp(x))", "there is only one"),
        (_node("expand_dims", _node("expand_dims", empty, axis=0), axis=0), "expand_dims(expand_dims(empty))",
         "a dimension is 0, which a Reshape would read as 'as in the input'"),
    ]:
        _becomes(head, expected, why)
    _becomes(_node("Reshape", _node("BlockGrad", x), shape=(6,)), "Reshape[(6,)](BlockGrad(x))",
             "the gradient graph is not built yet", wanted=("x",))


@check("constant_by_shape", "zeros and ones do not use values")
def constants() -> None:
    x, doubles = _var(), _var("doubles")
    _becomes(_node("zeros_like", _node("exp", x)), "_zeros[(2, 3), float32]()", "no value of exp(x) is used, so exp(x) "
             "is dead")
    _becomes(_node("ones_like", doubles), "_ones[(2, 3), float64]()", "it has the dtype of its input")
    same("exp: what constant_by_shape returns", _apply(constant_by_shape, "exp", 1, FLOATS), None, "exp uses values")
    graph, specs = _simplified(_node("elemwise_add", _node("zeros_like", x), _node("zeros_like", _var("y"))))
    left, right = graph.heads[0][0].inputs
    expect(left == right, "zeros_like(x) + zeros_like(y) of the same shape: two nodes of zeros; expected one: create "
           "it with walk.node, which finds an existing one")


@check("Simplification.visit", "dead nodes are removed")
def dead():
    x, y = _var(), _var("y")
    head = _node("elemwise_mul", _node("exp", x), _node("ones_like", _node("tanh", _node("exp", y))))
    graph, _ = _simplified(head)
    names = sorted(node.op.name for node in graph.nodes() if node.op is not None)
    same("exp(x) · ones_like(tanh(exp(y))), simplified: the operators", names, ["_ones", "elemwise_mul", "exp"],
         "nothing reads tanh(exp(y)) any more")
