"""The checks of step 13: small graphs, shown as formulas before and after."""

from types import SimpleNamespace

import numpy as np

from .....backend import Spec
from .....hybrid import Draft
from .....hybrid.simplify import simplify
from .....hybrid.simplify_rules import by_one, constant_by_shape
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
    """'tanh(exp(x))'; attributes that matter here in brackets, the number of an output behind a dot."""
    node, index = pair
    if node.op is None:
        return node.name
    told = [str(getattr(node.op, name)) for name in ("scalar", "axes", "shape", "dtype")
            if getattr(node.op, name, None)]
    dot = f".{index}" if node.op.num_visible_outputs > 1 or index else ""
    return (f"{node.op.name}{'[' + ', '.join(told) + ']' if told else ''}"
            f"({', '.join(_formula(p) for p in node.inputs)}){dot}")


def _simplified(*heads, notes=None, **options):
    """(the new graph, its specs) of nodes or pairs. notes: a list for what the pass tells. options: of the Draft."""
    graph = Symbol([head if isinstance(head, tuple) else (head, 0) for head in heads])
    draft = simplify(Draft(graph, infer_specs(graph, KNOWN), **options))
    if notes is not None:
        notes += draft.told[1]
    return draft.graph, draft.specs


def _becomes(head, expected, why, **options):
    pair = head if isinstance(head, tuple) else (head, 0)
    graph, _ = _simplified(pair, **options)
    told = f" with {', '.join(f'{k}={v}' for k, v in options.items())}" if options else ""
    same(f"{_formula(pair)}{told}, simplified,", _formula(graph.heads[0]), expected, why)


@check("Simplification.visit", "what cannot be simplified stays as it is")
def unchanged():
    x = _var()
    head = _node("tanh", _node("exp", x))
    graph, specs = _simplified(head)
    same("tanh(exp(x)), simplified,", _formula(graph.heads[0]), "tanh(exp(x))", "there is nothing to do")
    expect(graph.heads[0][0] is head, "tanh(exp(x)), simplified: its last node is another object; expected the same "
           "one: a node whose operator and inputs stay is left as it is")
    split = _node("SliceChannel", x, num_outputs=3)
    graph, _ = _simplified(_node("elemwise_sub", (split, 2), (split, 0)), (split, 1))
    same("x in three parts: third - first, simplified,", _formula(graph.heads[0]),
         "elemwise_sub(SliceChannel(x).2, SliceChannel(x).0)", "each output is the same output of the new node")
    same("the second part, simplified,", _formula(graph.heads[1]), "SliceChannel(x).1", "it is a result as well")


@check("Simplification.visit", "what was replaced is replaced wherever it is read")
def replaced():
    x = _var()
    one = _node("_mul_scalar", x, scalar=1.0)
    _becomes(_node("tanh", _node("exp", one)), "tanh(exp(x))", "x * 1 is x, and those behind it read x")
    _becomes(one, "x", "a result may be replaced as well")
    _becomes(_node("elemwise_add", _node("exp", one), _node("exp", x)), "elemwise_add(exp(x), exp(x))",
             "inputs are looked up in self.where")
    graph, _ = _simplified(_node("elemwise_add", _node("exp", one), _node("exp", x)))
    left, right = graph.heads[0][0].inputs
    expect(left == right, "exp(x * 1) + exp(x): the two exp have stayed two; expected one: after x * 1 has become x, "
           "they are equal")


@check("Simplification.node", "what is equal is computed once")
def common_subexpressions():
    x, y = _var(), _var("y")
    one, two = _node("tanh", _node("exp", x)), _node("tanh", _node("exp", x))
    notes = []
    graph, specs = _simplified(_node("elemwise_add", one, two), notes=notes)
    (left, right) = (node for node, _ in graph.heads[0][0].inputs)
    expect(left is right, "tanh(exp(x)) + tanh(exp(x)), each written twice: the sum has two different inputs; expected "
           "one node twice: (op, inputs) is in self.known already when the second one comes")
    expect("computed once instead of twice: 2" in notes, "tanh(exp(x)) + tanh(exp(x)): the notes of the "
           "pass are {notes}; expected 'computed once instead of twice: 2' among them", notes=notes)
    for first, second, why in [
        (_node("exp", x), _node("exp", y), "the inputs differ"),
        (_node("_mul_scalar", x, scalar=2.0), _node("_mul_scalar", x, scalar=3.0), "the attributes differ"),
        (_node("elemwise_sub", x, y), _node("elemwise_sub", y, x), "inputs have an order"),
        (_node("Dropout", x), _node("Dropout", x), "it is random: one draw is not two"),
        (_node("BatchNorm", y, _var("mean"), _var("mean"), _var("mean"), _var("var")),
         _node("BatchNorm", y, _var("mean"), _var("mean"), _var("mean"), _var("var")), "it mutates its moving "
         "averages, and twice is twice"),
    ]:
        graph, _ = _simplified(first, second, train=True)
        expect(graph.heads[0] != graph.heads[1], "{first} and {second}, both results: they have become one; expected "
               "two: {why}", first=_formula((first, 0)), second=_formula((second, 0)), why=why)


@check("Simplification.node", "a new node has a name, and specs for all of its outputs")
def new_nodes():
    x = _var()
    split = _node("SliceChannel", _node("_mul_scalar", x, scalar=1.0), name="parts", num_outputs=3)
    graph, specs = _simplified((split, 2))
    made, _ = graph.heads[0]
    same("three parts of x * 1, simplified: the name of the node", made.name, "parts", "with_inputs keeps it")
    expect(made is not split and all((made, i) in specs for i in range(3)), "three parts of x * 1, simplified: the new "
           "node lacks specs; expected one for each of its three outputs, as the old node has them")
    same("three parts of x * 1, simplified: the spec of the third", specs[made, 2], specs[split, 2], "that of the old "
         "one")
    twice = _node("transpose", _node("transpose", _var("cube"), axes=(1, 2, 0)), name="second", axes=(1, 2, 0))
    graph, specs = _simplified(twice)
    made, _ = graph.heads[0]
    same("two transposes, simplified: the name of the one", made.name, "second", "it was given to self.node")
    same("two transposes, simplified: the spec of the one", specs.get((made, 0)), specs[twice, 0], "that of the node "
         "whose place it takes")
    same("two transposes, simplified: the operator", made.op, REGISTRY["transpose"](axes=(2, 0, 1)), "the operator "
         "that was given, and not that of `like`")


@check("Simplification.with_stand_ins", "where only a shape is wanted, nothing is computed")
def stand_ins():
    x, turned = _var(), _var("turned")
    head = _node("reshape_like", _node("exp", x), _node("exp", turned))
    _becomes(head, "reshape_like(exp(x), _like_float32_3x2)", "of the second input only the shape matters; of the "
             "first, the numbers")
    _becomes(_node("elemwise_add", x, _node("exp", x)), "elemwise_add(x, exp(x))", "this operator looks at the numbers "
             "of both")


@check("is_identity", "an operator that changes nothing is left out")
def identities() -> None:
    x, cube = _var(), _var("cube")
    for head, expected, why in [
        (_node("identity", x), "x", "it is a copy"),
        (_node("Cast", x, dtype="float32"), "x", "it is float32 already"),
        (_node("Flatten", x), "x", "it has two dimensions already"),
        (_node("broadcast_to", x, shape=(2, 3)), "x", "it has that shape already"),
        (_node("Cast", x, dtype="float64"), "Cast[float64](x)", "another dtype is another array"),
        (_node("Flatten", cube), "Flatten(cube)", "another shape is another array"),
        (_node("exp", x), "exp(x)", "the spec is the same, but the numbers are not"),
        (_node("BlockGrad", x), "x", "gradients are written down already: only its numbers count"),
    ]:
        _becomes(head, expected, why)
    _becomes(_node("BlockGrad", x), "BlockGrad(x)", "gradients are still to be written down, and BlockGrad matters to "
             "them", wanted=("x",))
    _becomes(_node("identity", x), "x", "a copy matters to nobody", wanted=("x",))


def _asked(rule, op, inputs, result, **attributes):
    """What a rule says to a node whose first input and result have these specs."""
    nodes = [_var(f"input{number}") for number in range(inputs)]
    node = _node(op, *nodes, **attributes)
    specs = {(nodes[0], 0): FLOATS, (node, 0): result}
    return rule(SimpleNamespace(specs=specs), node, list(node.inputs))


@check("by_one", "times one, divided by one, to the power of one")
def ones() -> None:
    x = _var()
    for op in ("_mul_scalar", "_div_scalar", "_power_scalar"):
        _becomes(_node(op, x, scalar=1.0), "x", "nothing changes")
        _becomes(_node(op, x, scalar=2.0), f"{op}[2.0](x)", "that is another number")
    _becomes(_node("_plus_scalar", x, scalar=1.0), "_plus_scalar[1.0](x)", "x + 1 is not x")
    same("x * 1 where the result has another dtype than x: what by_one gives",
         _asked(by_one, "_mul_scalar", 1, Spec((2, 3), np.dtype("float64")), scalar=1.0), None,
         "the result would have the wrong dtype")


@check("inverse_transposes", "two transposes are one, or none")
def transposes() -> None:
    cube = _var("cube")
    for first, second, expected, why in [
        ((), (), "cube", "to turn round twice is to do nothing"),
        ((1, 2, 0), (2, 0, 1), "cube", "the second undoes the first"),
        ((1, 2, 0), (0, 2, 1), "transpose[(1, 0, 2)](cube)", "axis i of the result is axis first[second[i]] of cube"),
        ((), (0, 2, 1), "transpose[(2, 0, 1)](cube)", "without axes a transpose turns them round"),
        ((1, 0, 2), (), "transpose[(2, 0, 1)](cube)", "without axes a transpose turns them round"),
    ]:
        _becomes(_node("transpose", _node("transpose", cube, axes=first), axes=second), expected, why)
    _becomes(_node("transpose", _node("exp", cube)), "transpose(exp(cube))", "there is only one")


@check("reshape_of_reshape", "two reshapes are one, or none")
def reshapes() -> None:
    x, cube, empty = _var(), _var("cube"), _var("empty")
    for head, expected, why in [
        (_node("Reshape", _node("Reshape", x, shape=(6,)), shape=(3, 2)), "Reshape[(3, 2)](x)",
         "the shape in between does not matter"),
        (_node("Reshape", _node("Reshape", x, shape=(6,)), shape=(2, 3)), "x", "the shape is what it was"),
        (_node("Flatten", _node("expand_dims", cube, axis=1)), "Reshape[(2, 12)](cube)",
         "whatever only gives another shape is a reshape"),
        (_node("Reshape", _node("Reshape", x, shape=(6,)), shape=(1, 6)), "Reshape[(1, 6)](x)",
         "a dimension of 1 is one like others"),
        (_node("Reshape", _node("exp", x), shape=(6,)), "Reshape[(6,)](exp(x))", "there is only one"),
        (_node("expand_dims", _node("expand_dims", empty, axis=0), axis=0), "expand_dims(expand_dims(empty))",
         "a dimension is 0, which a Reshape would read as 'as in the input'"),
    ]:
        _becomes(head, expected, why)
    _becomes(_node("Reshape", _node("BlockGrad", x), shape=(6,)), "Reshape[(6,)](BlockGrad(x))",
             "gradients are still to be written down", wanted=("x",))


@check("constant_by_shape", "zeros and ones do not look at numbers")
def constants() -> None:
    x, doubles = _var(), _var("doubles")
    _becomes(_node("zeros_like", _node("exp", x)), "_zeros[(2, 3), float32]()", "no number of exp(x) is looked at, so "
             "exp(x) is dead")
    _becomes(_node("ones_like", doubles), "_ones[(2, 3), float64]()", "it has the dtype of its input")
    same("exp: what constant_by_shape gives", _asked(constant_by_shape, "exp", 1, FLOATS), None, "exp looks at numbers")
    graph, specs = _simplified(_node("elemwise_add", _node("zeros_like", x), _node("zeros_like", _var("y"))))
    left, right = graph.heads[0][0].inputs
    expect(left == right, "zeros_like(x) + zeros_like(y) of the same shape: two nodes of zeros; expected one: make it "
           "by walk.node, which finds what is there already")


@check("Simplification.visit", "dead nodes are gone")
def dead():
    x, y = _var(), _var("y")
    head = _node("elemwise_mul", _node("exp", x), _node("ones_like", _node("tanh", _node("exp", y))))
    graph, _ = _simplified(head)
    found = sorted(node.op.name for node in graph.nodes() if node.op is not None)
    same("exp(x) · ones_like(tanh(exp(y))), simplified: the operators", found, ["_ones", "elemwise_mul", "exp"],
         "nothing leads to tanh(exp(y)) any more")
