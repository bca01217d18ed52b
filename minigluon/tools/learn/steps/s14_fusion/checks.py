"""The checks of step 14: programs and their registers, then groups in small graphs."""

from types import SimpleNamespace

import numpy as np

from .....backend import Spec
from .....hybrid import Draft
from .....hybrid.fuse import _fuse_group, _is_elementwise, fuse
from .....hybrid.fused_chain import BLOCK, FusedChain, _in_blocks
from .....hybrid.specs import infer_specs
from .....ops import REGISTRY
from .....symbol.graph import Node
from .....symbol.symbol import Symbol
from ...checking import check, expect, same, wrong

FLOATS = Spec((2, 3), np.dtype("float32"))
EXP, TANH, ADD, SUB = (REGISTRY[name]() for name in ("exp", "tanh", "elemwise_add", "elemwise_sub"))
RELU_GRAD = REGISTRY["_relu_grad"]()
X = np.array([[0.5, -1.0, 0.0], [1.0, 2.0, -0.5]], "float32")
Y = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], "float32")


def _program_text(program):
    return "; ".join(f"{op.name} {operands}" for op, operands in program)


@check("FusedChain.forward", "a program runs line by line")
def programs() -> None:
    for program, inputs, expected, why in [
        (((EXP, (0,)),), [X], np.exp(X), "operand 0 is the first input"),
        (((EXP, (0,)), (TANH, (-1,))), [X], np.tanh(np.exp(X)), "operand -1 is the result of line 0"),
        (((SUB, (1, 0)),), [X, Y], Y - X, "the order of operands matters"),
        (((EXP, (0,)), (SUB, (1, -1)), (SUB, (-2, -1))), [X, Y], Y - 2 * np.exp(X),
         "operand -2 is the result of line 1, and -1 is still that of line 0"),
    ]:
        same(f"the program {_program_text(program)}", FusedChain(program=program).forward(*inputs),
             expected.astype("float32"), why)
    result = FusedChain(program=((ADD, (0, 1)),)).forward(X.astype("float64"), Y.astype("float64"))
    same("elemwise_add (0, 1) on float64", result.dtype, np.dtype("float64"), "forward_for gets the dtypes of the "
         "values")


def _runs_on(program, registers, case):
    """Simulate a program in which each register contains a line's index, and no line may read the wrong one."""
    holds, last = {}, len(program) - 1
    for number, (op, operands) in enumerate(program):
        for k in operands:
            if k < 0:
                expect(holds[registers[-1 - k]] == -1 - k, "{given}: registers {registers}: line {number} reads the "
                       "result of line {wanted} in register {register}, but by then it holds that of line {found}",
                       given=case, registers=registers, number=number, wanted=-1 - k, register=registers[-1 - k],
                       found=holds[registers[-1 - k]])
        if number == last:
            break
        names = zip(operands, op.argument_names(len(operands)), strict=True)
        for k, name in names:
            expect(k >= 0 or registers[-1 - k] != registers[number] or name in op.in_place,
                   "{given}: registers {registers}: line {number} overwrites its operand {name}, which it must not: "
                   "{op}.in_place is {allowed}", given=case, registers=registers, number=number, name=name, op=op.name,
                   allowed=op.in_place)
        holds[registers[number]] = number


@check("FusedChain.registers", "each result stays in its register as long as it is read, and few registers are used")
def registers() -> None:
    for program, needed, why in [
        (((EXP, (0,)),), 0, "the only line writes the output"),
        (((EXP, (0,)), (TANH, (-1,))), 1, "one result is in between"),
        (((EXP, (0,)), (TANH, (-1,)), (EXP, (-2,)), (TANH, (-3,))), 1, "each line overwrites its operand"),
        (((EXP, (0,)), (TANH, (0,)), (ADD, (-1, -2)), (EXP, (-3,))), 2, "two results are added"),
        (((EXP, (0,)), (TANH, (-1,)), (EXP, (-2,)), (ADD, (-3, -1))), 2, "the first result is read at the end"),
        (((EXP, (0,)), (ADD, (-1, -1)), (TANH, (-2,))), 1, "an operand that is read twice dies once"),
        (((EXP, (0,)), (ADD, (-1, -1)), (TANH, (-2,)), (EXP, (-2,)), (ADD, (-3, -4)), (TANH, (-5,))), 2,
         "an operand that is read twice frees one register, not two"),
        (((EXP, (0,)), (RELU_GRAD, (-1, 0)), (TANH, (-2,))), 2, "_relu_grad may not overwrite grad"),
        (((EXP, (0,)), (RELU_GRAD, (0, -1)), (TANH, (-2,))), 1, "_relu_grad may overwrite y"),
        (((EXP, (0,)), (RELU_GRAD, (-1, -1)), (TANH, (-2,))), 2, "y may be overwritten, but it is also grad"),
        (((EXP, (0,)), (RELU_GRAD, (-1, 0)), (TANH, (-2,)), (ADD, (-3, 0)), (EXP, (0,)), (ADD, (-4, -5)), (EXP, (-6,))),
         2, "the register that _relu_grad could not overwrite is free for later lines"),
        (((EXP, (0,)), (EXP, (0,)), (RELU_GRAD, (-2, 0)), (EXP, (0,)), (ADD, (-1, -3)), (ADD, (-4, -5)), (EXP, (-6,))),
         3, "after _relu_grad only its operand's register is free"),
    ]:
        case = f"the program {_program_text(program)}"
        actual = FusedChain(program=program).registers()
        same(f"{case}: the number of items", len(actual), len(program), "one for each line")
        expect(actual[-1] is None, "{given}: the register of the last line is {found}; expected None: it writes the "
               "output", given=case, found=actual[-1])
        expect(all(isinstance(r, int) and r >= 0 for r in actual[:-1]), "{given}: registers {found}; expected numbers "
               "from 0, then None", given=case, found=actual)
        _runs_on(program, actual, case)
        same(f"{case}: the largest number of a register, plus 1", max(actual[:-1], default=-1) + 1, needed, why)


@check("_in_blocks", "arrays of any size, block by block")
def blocks() -> None:
    rng = np.random.RandomState(0)
    for shape in [(2 * BLOCK + 5,), (3, BLOCK // 3 + 7), (BLOCK,), (2, BLOCK)]:
        x, y = (rng.uniform(-1, 1, shape).astype("float32") for _ in range(2))
        out, scratch = np.full(shape, 7.0, "float32"), np.full(BLOCK, 7.0, "float32")
        longest = []

        def first(operands, targets, longest=longest):
            longest.append(operands[0].size)
            np.exp(operands[0], targets[0])

        lines = [(first, lambda values: [values[0]], lambda values: [values[3]]),
                 (lambda operands, targets: np.subtract(*operands, targets[0]), lambda values: [values[1], values[3]],
                  lambda values: [values[2]])]
        size = int(np.prod(shape))
        _in_blocks(lines, size)([x, y], [out, scratch])
        same(f"y - exp(x) on arrays of shape {shape}", out, y - np.exp(x), "each block goes through all lines; the "
             "last block may be shorter")
        expect(max(longest) <= BLOCK, "arrays of shape {shape}: a line got {found} elements at a time; expected at "
               "most BLOCK = {block}: a block must fit into the cache", shape=shape, found=max(longest), block=BLOCK)
        same(f"arrays of shape {shape}: the number of blocks", len(longest), -(-size // BLOCK), "as few as possible")


class _Candidate:
    """A node for `_is_elementwise`, which is elementwise except for `changes`, with inputs of the same spec."""

    def __init__(self, count=2, **changes):
        self.op = SimpleNamespace(**{"elementwise": True, "num_outputs": 1, "takes_train": False, "random": False,
                                     "mutates": (), **changes})
        self.inputs = tuple((Node(None, f"input{number}"), 0) for number in range(count))

    def joins(self, specs=()):
        """Return whether the node may join.

        specs: {index of an input: its Spec}, for inputs whose Spec differs from the output's.
        """
        all_specs = {(self, 0): FLOATS, **dict.fromkeys(self.inputs, FLOATS)}
        all_specs.update({self.inputs[number]: spec for number, spec in dict(specs).items()})
        return bool(_is_elementwise(self, all_specs))


@check("_is_elementwise", "the nodes that may be part of a group")
def candidates() -> None:
    same("an elementwise operator on inputs of its own spec: _is_elementwise", _Candidate().joins(), True,
         "nothing prevents it")
    same("an operator with one input: _is_elementwise", _Candidate(1).joins(), True, "one is enough")
    for spec, why in [(Spec((3,), FLOATS.dtype), "an input has another shape, so it is broadcast"),
                      (Spec((2, 3), np.dtype("int32")), "an input has another dtype")]:
        for number in (0, 1):
            same(f"input {number} has the spec {tuple(spec)}: _is_elementwise", _Candidate().joins({number: spec}),
                 False, why)
    for change, why in [({"elementwise": False}, "it is not elementwise"), ({"num_outputs": 2}, "it has two outputs"),
                        ({"takes_train": True}, "it depends on the training "
                                                "mode"), ({"random": True}, "it draws numbers"),
                        ({"mutates": ("x",)}, "it writes to an input")]:
        same(f"an operator with {change}: _is_elementwise", _Candidate(**change).joins(), False, why)
    same("an operator without inputs: _is_elementwise", _Candidate(0).joins(), False,
         "there is nothing to process block by block")
    variable = Node(None, "x")
    same("a variable: _is_elementwise", bool(_is_elementwise(variable, {(variable, 0): FLOATS})), False,
         "it has no operator")


@check("_fuse_group", "a group as one program")
def one_node() -> None:
    x, w = Node(None, "x"), Node(None, "w")
    a = Node(EXP, "a", [(x, 0)])
    b = Node(SUB, "b", [(w, 0), (a, 0)])
    c = Node(ADD, "c", [(b, 0), (x, 0)])
    d = Node(SUB, "d", [(a, 0), (c, 0)])
    new_x = Node(None, "new x")
    chain = _fuse_group([a, b, c, d], {(x, 0): (new_x, 0), (w, 0): (w, 0)})
    case = "a = exp(x), b = w - a, c = b + x, d = a - c, as one node"
    same(f"{case}: its program", _program_text(chain.op.program), "exp (0,); elemwise_sub (1, -1); elemwise_add (-2, "
         "0); elemwise_sub (-1, -3)", "x is input 0, and is listed once; w is input 1; -1 is a, -2 is b, -3 is c")
    same(f"{case}: its inputs", [node.name for node, _ in chain.inputs], ["new x", "w"], "where[pair] is the input in "
         "the new graph")
    split = Node(REGISTRY["SliceChannel"](num_outputs=2), "split", [(x, 0)])
    a = Node(SUB, "a", [(split, 1), (split, 0)])
    b = Node(EXP, "b", [(a, 0)])
    chain = _fuse_group([a, b], {(split, 0): (split, 0), (split, 1): (split, 1)})
    same("a = second half of x - first half, b = exp(a), as one node: its inputs", [i for _, i in chain.inputs], [1, 0],
         "two outputs of a node are two inputs")


def _fused(heads, boundary=None, **input_specs):
    """Fuse a graph, and return {name of a fused node: names of its operators}."""
    graph = Symbol([(head, 0) for head in heads])
    specs = infer_specs(graph, {"x": FLOATS, **input_specs})
    try:
        results = len(graph) if boundary is None else boundary
        nodes = fuse(Draft(graph, specs, results=results)).graph.nodes()
    except KeyError as error:
        node, _ = error.args[0]
        wrong("operators {names} with results {heads}: the node {node} was made part of a group, but it is also needed "
              "outside it, where only the root's result is available",
              names=", ".join(n.name for n in graph.nodes() if n.op), heads=", ".join(h.name for h in heads),
              node=node.name)
    return {node.name: [op.name for op, _ in node.op.program] for node in nodes if isinstance(node.op, FusedChain)}


def _node(name, op, *parents):
    return Node(op, name, [(parent, 0) for parent in parents])


@check("_groups", "chains are joined completely")
def chains() -> None:
    x = Node(None, "x")
    a = _node("a", EXP, x)
    b = _node("b", TANH, a)
    c = _node("c", EXP, b)
    same("c = exp(tanh(exp(x))): the fused nodes", _fused([c]), {"c": ["exp", "tanh", "exp"]},
         "each is used only by the next one; the last one is the root")
    same("a = exp(x): the fused nodes", _fused([a]), {}, "one operator is not a group")
    left, right = _node("left", TANH, a), _node("right", EXP, a)
    same("left = tanh(a) and right = exp(a) of a = exp(x), then left + right: the fused nodes",
         _fused([_node("sum", ADD, left, right)]), {"sum": ["exp", "tanh", "exp", "elemwise_add"]},
         "a has two users, but both are in one group")
    layer = Node(REGISTRY["FullyConnected"](num_hidden=3, no_bias=True), "layer", [(b, 0), (Node(None, "w"), 0)])
    ends = _node("ends", EXP, _node("starts", TANH, layer))
    same("two operators, then a layer of the same shape, then two operators: the fused nodes", _fused([ends]),
         {"b": ["exp", "tanh"], "ends": ["tanh", "exp"]}, "the layer is not elementwise, so a group ends there and "
         "another one begins")


@check("_groups", "values that others need stay outside")
def outsiders() -> None:
    x = Node(None, "x")
    a = _node("a", EXP, x)
    b = _node("b", TANH, a)
    c = _node("c", EXP, b)
    same("c = exp(b), b = tanh(a), a = exp(x), with results b and c: the fused nodes", _fused([b, c]),
         {"b": ["exp", "tanh"]}, "b is a result: it must be written to memory")
    same("the same with results a and c", _fused([a, c]), {"c": ["tanh", "exp"]}, "a is a result; b and c still join")
    total = Node(REGISTRY["sum"](), "total", [(a, 0)])
    same("c = exp(tanh(a)) of a = exp(x), and the sum of a: the fused nodes", _fused([c, total]),
         {"c": ["tanh", "exp"]}, "a is also used by a sum, which is in no group")
    d, e = _node("d", EXP, _node("left", TANH, a)), _node("e", TANH, _node("right", EXP, a))
    same("two chains from a = exp(x), of two operators each: the fused nodes", _fused([d, e]),
         {"d": ["tanh", "exp"], "e": ["exp", "tanh"]}, "a would have to join two groups")
    widened = _node("widened", REGISTRY["Cast"](dtype="float64"), c)
    last = _node("last", EXP, _node("again", TANH, widened))
    same("three operators in float32, a cast to float64, two operators in float64: the fused nodes", _fused([last]),
         {"c": ["exp", "tanh", "exp"], "last": ["tanh", "exp"]}, "all nodes of a group have the same dtype")
    small = Node(None, "small", shape=(1, 3), dtype=FLOATS.dtype)
    stretched = _node("stretched", REGISTRY["broadcast_add"](), b, _node("d", TANH, _node("e", EXP, small)))
    same("two operators on (2, 3) and two on (1, 3), then broadcast_add: the fused nodes",
         _fused([stretched], small=Spec((1, 3), FLOATS.dtype)), {"b": ["exp", "tanh"], "d": ["exp", "tanh"]},
         "broadcast_add has an input of another shape")


@check("_groups", "the forward and backward parts stay separate")
def boundaries() -> None:
    x = Node(None, "x")
    a = _node("a", EXP, x)
    b = _node("b", TANH, a)
    late = _node("last", EXP, _node("middle", TANH, _node("first", EXP, b)))
    same("results: b = tanh(exp(x)); gradients: three operators after b: the fused nodes", _fused([b, late], 1),
         {"b": ["exp", "tanh"], "last": ["exp", "tanh", "exp"]}, "each part has its own groups")
    total = Node(REGISTRY["sum"](), "total", [(b, 0)])
    same("results: the sum of b = tanh(exp(x)); gradients: three operators after x: the fused nodes",
         _fused([total, _node("last", EXP, _node("middle", TANH, _node("first", EXP, x)))], 1),
         {"b": ["exp", "tanh"], "last": ["exp", "tanh", "exp"]}, "each part has its own groups")
