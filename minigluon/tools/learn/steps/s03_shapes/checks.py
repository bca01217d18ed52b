"""The checks of step 3: first rules of individual operators, then graphs whose nodes are connected by hand."""

import numpy as np

from .....base import MXNetError, ShapeError
from .....ops import REGISTRY
from .....symbol.graph import Node
from .....symbol.infer import _add, _fixed_point, _FoundValues, infer_dtypes, infer_shapes
from ...checking import check, expect, filled, same, wrong


def _layer(**attributes):
    return REGISTRY["FullyConnected"](num_hidden=4, **attributes)


def _compare(op, shapes, inputs, output, why):
    actual = op.infer_shape(*shapes)
    expect(isinstance(actual, (tuple, list)) and len(actual) == 2, "{op}: infer_shape returns {found}; expected two "
           "lists, the shapes of the inputs and those of the outputs", op=op, found=actual)
    facts = {"layer": f"{op.name}(num_hidden=4, no_bias={op.no_bias}, flatten={op.flatten})",
             "shapes": ", ".join(map(str, shapes))}
    same("{layer} on {shapes}: the shapes of the inputs", list(actual[0]), inputs, why, **facts)
    same("{layer} on {shapes}: the shape of the output", list(actual[1]), [output], why, **facts)


def _refuses(action, argument, case, **values):
    case = filled(case, **values)
    try:
        actual = action()
    except ShapeError as error:
        expect(argument in str(error), "{given} raises: {error}. Expected the message to name {argument}", given=case,
               error=error, argument=argument)
        return
    wrong("{given} returns {found}; expected a ShapeError that names {argument}", given=case, found=actual,
          argument=argument)


@check("FullyConnected.infer_shape", "data determines the shapes of weight, bias and the result")
def forward_rules() -> None:
    _compare(_layer(), [(2, 3), None, None], [(2, 3), (4, 3), (4,)], (2, 4), "weight is (num_hidden, columns of data)")
    _compare(_layer(no_bias=True), [(2, 3), None], [(2, 3), (4, 3)], (2, 4), "with no_bias there are two inputs")
    _compare(_layer(), [(2, 3, 5), None, None], [(2, 3, 5), (4, 15), (4,)], (2, 4),
             "with flatten, all dimensions of data except the first become one: 3 · 5")
    _compare(_layer(flatten=False), [(2, 3, 5), None, None], [(2, 3, 5), (4, 5), (4,)], (2, 3, 4),
             "without flatten, only the last dimension of data is replaced")


@check("FullyConnected.infer_shape", "unknown dimensions stay unknown, and only these")
def unknown_rules() -> None:
    _compare(_layer(), [None, None, None], [None, (4, None), (4,)], (None, 4),
             "num_hidden determines only one dimension of weight and of the result")
    _compare(_layer(flatten=False), [None, None, None], [None, (4, None), (4,)], None,
             "without flatten, not even the number of dimensions of the result is known")
    _compare(_layer(), [(None, 3), None, None], [(None, 3), (4, 3), (4,)], (None, 4), "the number of rows is not known")
    _compare(_layer(), [(2, None, 5), None, None], [(2, None, 5), (4, None), (4,)], (2, 4),
             "a product with an unknown factor is unknown")
    _compare(_layer(flatten=False), [(2, None, 5), None, None], [(2, None, 5), (4, 5), (4,)], (2, None, 4),
             "only the last dimension goes into weight")


@check("FullyConnected.infer_shape", "a known weight determines a dimension of data")
def backward_rules() -> None:
    _compare(_layer(flatten=False), [(2, 3, None), (4, 5), None], [(2, 3, 5), (4, 5), (4,)], (2, 3, 4),
             "weight[1] is the last dimension of data")
    _compare(_layer(flatten=False), [None, (4, 5), None], [None, (4, 5), (4,)], None,
             "not even the number of dimensions of data is known")
    _compare(_layer(), [(2, None), (4, 5), None], [(2, None), (4, 5), (4,)], (2, 4),
             "with flatten, the rule leaves data unchanged: 6 columns may come from 2 · 3 or from 6")


@check("FullyConnected.infer_shape", "shapes that do not match are refused, and the input is named")
def refusals() -> None:
    for shapes, argument in [([(2, 3), (4, 5), None], "weight"), ([(2, 3), (7, 3), None], "weight"),
                             ([(2, 3), None, (5,)], "bias"), ([(2, 3, 5), (4, 5), None], "weight")]:
        _refuses(lambda shapes=shapes: _layer().infer_shape(*shapes), argument,
                 "FullyConnected(num_hidden=4) on {shapes}", shapes=", ".join(map(str, shapes)))


@check("Op.infer_inputs", "the result of an elementwise operator determines its inputs")
def inputs_from_outputs() -> None:
    relu, add = REGISTRY["relu"](), REGISTRY["elemwise_add"]()
    for op, shapes, output, expected, why in [
        (relu, [None], (2, 3), [(2, 3)], "an elementwise operator has one shape for all"),
        (relu, [(None, 3)], (2, None), [(2, 3)], "each fills the other's gaps"),
        (add, [None, (2, None)], (2, 3), [(2, 3), (2, 3)], "all inputs have the shape of the result"),
        (add, [None, (2, None)], None, [None, (2, None)], "nothing is known about the result"),
    ]:
        same("{op}: inputs {shapes} with result {output}", list(op.infer_inputs(shapes, [output])), expected, why,
             op=op.name, shapes=shapes, output=output)
    _refuses(lambda: relu.infer_inputs([(3, 3)], [(2, 3)]), "data", "relu: input (3, 3) with result (2, 3)")
    _refuses(lambda: add.infer_inputs([None, (3, 3)], [(2, 3)]), "rhs",
             "elemwise_add: inputs unknown and (3, 3) with result (2, 3)")


def _chain(length):
    """Return (nodes, operators) of x -> relu -> relu -> ..."""
    nodes = [Node(None, "x")]
    for i in range(length):
        nodes.append(Node(REGISTRY["relu"](), f"relu{i}", [(nodes[-1], 0)]))
    return nodes


@check("_add", "new values are stored, and only these count")
def additions() -> None:
    relu = _chain(1)[1]
    pair, other = (relu, 0), (relu, 1)
    for before, value, after, changed, why in [
        (None, (2, None), (2, None), True, "it was unknown"),
        ((2, None), (None, 3), (2, 3), True, "the two shapes are merged"),
        ((2, None), (2, None), (2, None), False, "it was known"),
        ((2, 3), (None, 3), (2, 3), False, "the new shape says less than the old one"),
        ((2, 3), None, (2, 3), False, "None adds nothing"),
        (None, np.dtype("float64"), np.dtype("float64"), True, "a dtype also counts as new; only shapes are merged"),
    ]:
        state = _FoundValues({} if before is None else {pair: before})
        result = _add(state, relu, [pair], [value])
        same("_add of {value} to {before}: the stored value", state[pair], after, why, value=value, before=before)
        same("_add of {value} to {before}: the result", result, changed, why, value=value, before=before)
    state = _FoundValues({pair: (2, 3)})
    same("_add of (2, 3) to (2, 3), and of (4,) to nothing: the result",
         _add(state, relu, [pair, other], [(2, 3), (4,)]), True, "one of the two is new")
    same("_add of (2, 3) to (2, 3), and of (4,) to nothing: the second", state[other], (4,), "each pair has its value")
    state = _FoundValues({pair: (2, None)})
    same("_add of (2, 3) to (2, None), and of None to nothing: the result",
         _add(state, relu, [pair, other], [(2, 3), None]), True, "a None at the end does not undo that the first is "
         "new")


@check("_add", "a contradiction is refused, and the node is named")
def contradictions() -> None:
    relu = _chain(1)[1]
    _refuses(lambda: _add(_FoundValues({(relu, 0): (2, 3)}), relu, [(relu, 0)], [(2, 4)]), "relu0",
             "_add of (2, 4) to (2, 3) at the node relu0")


@check("_fixed_point", "shapes go through a graph")
def through_a_graph() -> None:
    x, weight, bias = Node(None, "x"), Node(None, "weight"), Node(None, "bias")
    layer = Node(_layer(), "layer", [(x, 0), (weight, 0), (bias, 0)])
    relu = Node(REGISTRY["relu"](), "relu", [(layer, 0)])
    nodes = [x, weight, bias, layer, relu]
    actual = infer_shapes(nodes, {"x": (2, 3)})
    for node, expected in [(weight, (4, 3)), (bias, (4,)), (layer, (2, 4)), (relu, (2, 4))]:
        same("x (2, 3) -> FullyConnected of 4 units -> relu: the shape of {node}", actual[node, 0], expected,
             "rules complete inputs as well as outputs", node=node.name)
    actual = infer_dtypes(nodes, {"bias": np.dtype("float64")})
    same("the same graph with a bias of float64: the dtype of x", actual[x, 0], np.dtype("float64"),
         "dtypes propagate in the same way as shapes")
    try:
        actual = infer_shapes(nodes, {"x": (2, 3), "weight": (4, 5)})
    except ShapeError:
        return
    wrong("x (2, 3) with a weight of (4, 5) returns {found}; expected a ShapeError", found=dict(actual))


@check("_fixed_point", "shapes go backwards, along a chain of any length")
def backwards() -> None:
    nodes = _chain(300)
    try:
        actual = infer_shapes(nodes, {}, [((nodes[-1], 0), (2, 3))])
    except MXNetError as error:
        wrong("a chain of 300 relus, of which only the last is known: {error}. Every second round must go from the "
              "last operator to the first", error=error)
    same("a chain of 300 relus, of which the last is (2, 3): the shape of x", actual[nodes[0], 0], (2, 3),
         "the shape of a result determines that of its inputs, round after round")
    split = Node(REGISTRY["SliceChannel"](num_outputs=2), "split", [(nodes[0], 0)])
    nodes = [nodes[0], split, Node(REGISTRY["relu"](), "last", [(split, 1)])]
    actual = infer_shapes(nodes, {"x": (2, 6)})
    same("x (2, 6), split into two, and relu of the second: its shape", actual[nodes[2], 0], (2, 3),
         "an operator may have several outputs: (node, 0), (node, 1), ...")


@check("_fixed_point", "no more rounds than necessary, and they end")
def rounds() -> None:
    calls = []

    def complete(node, inputs, outputs):
        calls.append(node.name)
        shape = inputs[0] or outputs[0]
        return [shape], [shape]

    nodes = _chain(5)
    _fixed_point(nodes, {(nodes[0], 0): (2,)}, complete)
    same("x (2,) -> five relus: the number of calls of an operator's rule", len(calls), 5,
         "each result follows from complete inputs, so it is final: one round is enough")
    calls.clear()
    _fixed_point(nodes, {(nodes[0], 0): (2, None)}, complete)
    same("x (2, None) -> five relus: the number of calls of an operator's rule", len(calls), 10,
         "results that follow from shapes with gaps are not final: a second round looks for more")
    calls.clear()
    _fixed_point(nodes, {(nodes[-1], 0): (2,)}, complete)
    same("five relus, of which the last is (2,): the number of calls of an operator's rule", len(calls), 15,
         "one forward round, which determines one input; one backward, which determines all; one that changes nothing")
    same("the order of the second of these rounds", calls[5:10], ["relu4", "relu3", "relu2", "relu1", "relu0"],
         "every second round goes from the last operator to the first")
    calls.clear()
    x = nodes[0]
    a, b = Node(REGISTRY["relu"](), "a", [(x, 0)]), Node(REGISTRY["relu"](), "b", [(x, 0)])
    c = Node(REGISTRY["relu"](), "c", [(b, 0)])
    actual = _fixed_point([x, b, c, a], {(a, 0): (2,)}, complete)
    same("x -> b -> c and x -> a, of which a is (2,): the shape of c", actual[c, 0], (2,),
         "a determines x, x determines b, and b determines c")
    same("x -> b -> c and x -> a, of which a is (2,): the number of calls of an operator's rule", len(calls), 9,
         "the third round goes forward again, so what follows from complete inputs is final there")
    backward = []

    def hesitates(node, inputs, outputs):
        """Infer the output only in the second round."""
        backward.append(node.name)
        return inputs, [(3,) if len(backward) > 1 else None]

    pair = nodes[:2]
    actual = _fixed_point(pair, {(pair[0], 0): (2,), (pair[1], 1): (1,)}, hesitates)
    same("an operator whose rule infers nothing in the first round: the number of calls", len(backward), 1,
         "nothing was new in the first round, so there is no second")
    same("the same: the shape of its result", actual[pair[1], 0], None, "nothing was inferred")
