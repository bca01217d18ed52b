"""The checks of step 11."""

import json
import sys

from ..... import symbol as sym
from .....base import FileFormatError, MXNetError
from .....ops import REGISTRY
from .....symbol.composition import substitute
from .....symbol.graph import Node, topological, variables
from .....symbol.symbol import compose
from ...checking import check, expect, same, wrong


class _Counted:
    """A node with inputs. It counts how often its inputs are read."""

    def __init__(self, name, *parents):
        self.name, self._inputs, self.asked = name, [(parent, 0) for parent in parents], 0

    @property
    def inputs(self):
        self.asked += 1
        return self._inputs

    def __repr__(self):
        return self.name


def _heads(*nodes):
    return [(node, 0) for node in nodes]


@check("topological", "each node comes once, after its inputs")
def orders() -> None:
    a, b = _Counted("a"), _Counted("b")
    c = _Counted("c", a, b)
    d = _Counted("d", c, a)
    e = _Counted("e", b)
    same("c = f(a, b): the order", topological(_heads(c)), [a, b, c], "first everything that the first input needs, "
         "then the second, then the node")
    same("c = f(a, b), d = f(c, a), e = f(b): the order of the heads e and d", topological(_heads(e, d)),
         [b, e, a, c, d], "everything that the first head needs, then the head, then the second; each node once")
    same("the same with d twice and its other outputs", topological([(d, 1), (d, 0)]), [a, b, c, d], "each node once")
    f = _Counted("f", b, d, b)
    same("f = f(b, d, b): the order", topological(_heads(f)), [b, a, c, d, f], "b is needed first")
    g = _Counted("g", d, c)
    same("g = f(d, c), where d needs c: the order", topological(_heads(g)), [a, b, c, d, g], "c comes once, before d")


@check("topological", "a graph may be deep and wide")
def goes_deep() -> None:
    chain = [_Counted("0")]
    for number in range(1, sys.getrecursionlimit() * 2):
        chain.append(_Counted(str(number), chain[-1]))
    expect(topological(_heads(chain[-1])) == chain, "a long chain is not in order; expected the first node first")
    ladder = [_Counted("0")]
    for number in range(1, 12):
        ladder.append(_Counted(str(number), ladder[-1], ladder[-1]))
    topological(_heads(ladder[-1]))
    same("a chain of 12 in which each uses the one before it twice: how often the inputs of the oldest were asked for",
         ladder[0].asked, 1, "a finished node is not visited again; here that would be 2048 times")


@check("topological", "a search can be stopped at nodes")
def stops() -> None:
    a, b = _Counted("a"), _Counted("b")
    c = _Counted("c", a)
    d = _Counted("d", c, b)
    same("d = f(c, b), c = f(a), enters is false for c", topological(_heads(d), lambda node: node is not c), [b, d],
         "c is left out, and so is what only c needs")
    e = _Counted("e", d, a)
    same("e = f(d, a) with the same enters", topological(_heads(e), lambda node: node is not c), [b, d, a, e],
         "a is also needed by e")


@check("Node.output_name", "outputs have names")
def names() -> None:
    for node, index, expected, why in [
        (Node(None, "x"), 0, "x", "a variable's output has its name"),
        (Node(REGISTRY["relu"](), "act"), 0, "act_output", "the only output of an operator"),
        (Node(REGISTRY["SliceChannel"](num_outputs=2), "cut"), 1, "cut_output1", "one of several, so it has a number"),
        (Node(REGISTRY["SliceChannel"](num_outputs=2), "cut"), 0, "cut_output0", "the first has number 0"),
        (Node(REGISTRY["SliceChannel"](num_outputs=2), "cut"), 2, "cut_hidden2", "after the visible ones"),
        (Node(REGISTRY["BatchNorm"](output_mean_var=True), "bn"), 1, "bn_mean", "the operator names it itself"),
        (Node(REGISTRY["BatchNorm"](), "bn"), 1, "bn_hidden1", "hidden outputs have a number, whatever their name"),
    ]:
        same(f"output_name({index}) of {node!r}", node.output_name(index), expected, why)


@check("variables", "overwritten variables are auxiliary")
def sorts_variables() -> None:
    x = Node(None, "x")
    gamma, beta, mean, var = (Node(None, name) for name in ("gamma", "beta", "mean", "var"))
    norm = Node(REGISTRY["BatchNorm"](), "norm", _heads(x, gamma, beta, mean, var))
    read, auxiliary = variables(iter([x, gamma, beta, mean, var, norm]))
    same("BatchNorm of x, gamma, beta, mean, var: the variables that are only read", [n.name for n in read],
         ["x", "gamma", "beta"], "the variables in the order of the nodes; norm is not a variable")
    same("the overwritten variables", [n.name for n in auxiliary], ["mean", "var"],
         "BatchNorm updates its moving mean and variance")


def _compose(op, inputs, name="made", attrs=None):
    return compose(op, inputs, name, attrs)


@check("compose", "an operator and symbols make a node")
def composes() -> None:
    x, y = sym.var("x"), sym.var("y")
    both = _compose(REGISTRY["elemwise_add"](), [x, y])
    expect(isinstance(both, sym.Symbol), "compose returns {found}; expected a Symbol", found=both)
    node, index = both.heads[0]
    same("compose(elemwise_add, [x, y], 'made'): operator and name of the node", (node.op.name, node.name, index),
         ("elemwise_add", "made", 0), "op and node_name")
    expect(list(node.inputs) == [*x.heads, *y.heads], "its inputs are {found}; expected the heads of x, then of y",
           found=node.inputs)
    parts = _compose(REGISTRY["SliceChannel"](num_outputs=2), [x])
    same("compose(SliceChannel into two): its outputs", [i for _, i in parts.heads], [0, 1], "a pair for each of them")
    same("compose(BatchNorm): its outputs", len(_compose(REGISTRY["BatchNorm"](), [x])), 1,
         "mean and variance of the batch are hidden outputs")
    second = _compose(REGISTRY["relu"](), [parts[1]])
    expect(second.heads[0][0].inputs == tuple(parts[1].heads), "relu of the second part of a split has the inputs "
           "{found}; expected the pair with output 1", found=second.heads[0][0].inputs)
    for count, operand in (("two", parts), ("no", sym.Symbol([]))):
        try:
            _compose(REGISTRY["relu"](), [operand])
        except MXNetError:
            continue
        wrong("relu of a symbol with {given} outputs: nothing is raised; expected an MXNetError", given=count)


@check("compose", "omitted inputs become variables")
def fills_in() -> None:
    x, bias = sym.var("x"), sym.var("mine")
    dense = _compose(REGISTRY["FullyConnected"](num_hidden=4), [x], "fc", {"num_hidden": "4"})
    same("compose(FullyConnected, [x], 'fc'): the inputs", dense.list_inputs(), ["x", "fc_weight", "fc_bias"],
         "<name>_<argument>")
    node = dense.heads[0][0]
    weight = node.inputs[1][0]
    same("the attributes of the node", node.attrs, {"num_hidden": "4"}, "those of the operator, as text")
    same("the attributes of fc_weight", weight.attrs, {"num_hidden": "4"}, "MXNet gives a variable the attributes of "
         "the node")
    expect(weight.attrs is not node.attrs, "fc_weight and the node share one dict of attributes; expected a copy")
    same("compose(FullyConnected, [x, None, mine], 'fc'): the inputs",
         _compose(REGISTRY["FullyConnected"](num_hidden=4), [x, None, bias], "fc").list_inputs(),
         ["x", "fc_weight", "mine"], "None means an omitted input")


@check("compose", "an operator can set a variable's initializer")
def initializes() -> None:
    norm = _compose(REGISTRY["BatchNorm"](), [sym.var("x")], "bn")
    attrs = {n.name: n.attrs.get("__init__") for n in norm.nodes() if n.op is None}
    same("compose(BatchNorm): the initializers of its variables", attrs,
         {"x": None, "bn_gamma": None, "bn_beta": None, "bn_moving_mean": '["zero", {}]',
          "bn_moving_var": '["one", {}]'},
         "initial(op, argument) sets it for some")
    own = sym.var("own", init="mine")
    leaky = REGISTRY["LeakyReLU"](act_type="prelu")
    _compose(leaky, [sym.var("x"), own])
    same("LeakyReLU with your own variable that has __init__ 'mine'", own.heads[0][0].attrs["__init__"], "mine",
         "a variable's own attributes are kept")
    symbol = sym.exp(own)
    _compose(leaky, [sym.var("x"), symbol])
    expect("__init__" not in symbol.heads[0][0].attrs, "LeakyReLU with gamma = exp(...): the exp has an initializer; "
           "expected none, because it is not a variable")
    try:
        _compose(REGISTRY["BatchNorm"](), [symbol, None, None, symbol])
    except MXNetError:
        return
    wrong("BatchNorm whose moving mean is the output of exp: nothing is raised; expected the MXNetError of "
          "require_variables")


@check("substitute", "another graph replaces a variable")
def substitutes() -> None:
    x, w = Node(None, "x"), Node(None, "w")
    left = Node(REGISTRY["SliceChannel"](num_outputs=2), "left", _heads(x), {"num_outputs": "2"})
    right = Node(REGISTRY["exp"](), "right", _heads(w))
    top = Node(REGISTRY["elemwise_add"](), "top", [(left, 1), (right, 0)])
    other = Node(REGISTRY["SliceChannel"](num_outputs=3), "other", _heads(w))
    case = "left = split(x), right = exp(w), top = left[1] + right, with (other, 2) for x"
    heads = substitute([(top, 0), (right, 0), (x, 0)], {x: (other, 2)})
    expect(isinstance(heads, list) and len(heads) == 3, "{given}: substitute returns {found}; expected three heads",
           given=case, found=heads)
    expect(heads[2] == (other, 2), "{given}: the head x has become {found}; expected (other, 2)", given=case,
           found=heads[2])
    expect(heads[1] == (right, 0), "{given}: right is another node; expected the same one, because the change does not "
           "reach it", given=case)
    new = heads[0][0]
    expect(new is not top and new.name == "top" and new.op is top.op, "{given}: the first head is {found}; expected a "
           "new node with the name and operator of top", given=case, found=new)
    fresh, index = new.inputs[0]
    same(f"{case}: which output of left top takes", index, 1, "as before")
    expect(fresh is not left and fresh.inputs == ((other, 2),), "{given}: the inputs of left are {found}; expected "
           "(other, 2)", given=case, found=fresh.inputs)
    expect(new.inputs[1] == (right, 0), "{given}: the second input of top is {found}; expected (right, 0)",
           given=case, found=new.inputs[1])
    expect(left.inputs == ((x, 0),) and top.inputs == ((left, 1), (right, 0)), "{given}: the old graph has changed",
           given=case)
    same(f"{case}: the attributes of the new left", fresh.attrs, {"num_outputs": "2"}, "those of the old one")
    expect(fresh.attrs is not left.attrs, "{given}: the old and the new left share a dict of attributes", given=case)
    norm = sym.BatchNorm(sym.var("data"), name="bn")
    mean = next(n for n in norm.nodes() if n.name == "bn_moving_mean")
    try:
        substitute(norm.heads, {mean: (right, 0)})
    except MXNetError:
        return
    wrong("an operator in place of BatchNorm's moving mean: nothing is raised; expected the MXNetError of "
          "require_variables")


def _file(symbol, **how):
    return json.loads(symbol.tojson(**how))


@check("_graph", "a graph is written in MXNet's format")
def writes() -> None:
    dense = sym.FullyConnected(sym.var("x"), num_hidden=4, name="fc")
    file = _file(sym.relu(dense, name="act"))
    case = "relu of FullyConnected of x"
    same(f"{case}: the members of the file", list(file), ["nodes", "arg_nodes", "node_row_ptr", "heads", "attrs"],
         "in MXNet's order; attrs comes from the caller")
    same(f"{case}: the operators", [n["op"] for n in file["nodes"]], ["null", "null", "null", "FullyConnected",
         "relu"], "in topological order, 'null' for variables")
    same(f"{case}: the inputs of fc", file["nodes"][3]["inputs"], [[0, 0, 0], [1, 0, 0], [2, 0, 0]],
         "[index, output, version] of each")
    same(f"{case}: arg_nodes", file["arg_nodes"], [0, 1, 2], "the indices of the variables")
    same(f"{case}: node_row_ptr", file["node_row_ptr"], [0, 1, 2, 3, 4, 5], "one more output with each node")
    same(f"{case}: heads", file["heads"], [[4, 0, 0]], "[number, output, 0]")
    parts = sym.split(sym.var("x"), num_outputs=3, name="cut")
    file = _file(sym.Group([parts[2], sym.exp(parts[1], name="e")]))
    case = "x split in three, exp of part 1; heads are part 2 and the exp"
    same(f"{case}: heads", file["heads"], [[1, 2, 0], [2, 0, 0]], "which output of which node")
    same(f"{case}: the input of exp", file["nodes"][2]["inputs"], [[1, 1, 0]], "output 1 of node 1")
    same(f"{case}: node_row_ptr", file["node_row_ptr"], [0, 1, 4, 5], "the sums of _count_outputs of each node")
    cast = sym.exp(sym.amp_cast(sym.var("x"), dtype="float16", name="c"), name="e")
    same("exp of amp_cast of x: the names in the file", [n["name"] for n in _file(cast)["nodes"]], ["x", "e"],
         "the cast is left out")
    same("the input of exp", _file(cast)["nodes"][1]["inputs"], [[0, 0, 0]], "_behind(pair, skipped)")
    same("with remove_amp_cast=False", [n["name"] for n in _file(cast, remove_amp_cast=False)["nodes"]],
         ["x", "c", "e"], "it stays")


@check("_node", "versions count how often a variable is overwritten")
def counts_versions() -> None:
    mean, var = sym.var("mean"), sym.var("var")
    norm = sym.var("x")
    for number in (1, 2):
        norm = sym.BatchNorm(norm, moving_mean=mean, moving_var=var, name=f"bn{number}")
    nodes = _file(norm)["nodes"]
    names = [n["name"] for n in nodes]
    for name, version in (("bn1", 1), ("bn2", 2)):
        inputs = {names[number]: v for number, _, v in nodes[names.index(name)]["inputs"]}
        same(f"two BatchNorms on one moving mean and variance: the versions of the inputs of {name}",
             [inputs["mean"], inputs["var"], inputs[f"{name}_gamma"]], [version, version, 0],
             "a BatchNorm also counts its own update")


def _old(nodes, heads):
    return json.dumps({"nodes": nodes, "arg_nodes": [], "heads": heads, "attrs": {"mxnet_version": ["int", 10901]}})


X = {"op": "null", "name": "x", "inputs": []}


def _refused(case, text, *says):
    try:
        sym.load_json(text)
    except FileFormatError as error:
        for part in says:
            expect(part in str(error), "{given}: the error says {error}; expected {part!r} in it", given=case,
                   error=error, part=part)
        return
    wrong("{given}: nothing is raised; expected a FileFormatError", given=case)


@check("_Reader.read", "a written file can be read")
def reads() -> None:
    parts = sym.split(sym.FullyConnected(sym.var("x"), num_hidden=4, name="fc"), num_outputs=2, name="cut")
    symbol = sym.Group([parts[1], sym.BatchNorm(parts[0], name="bn")])
    text = symbol.tojson()
    copy = sym.load_json(text)
    expect(isinstance(copy, sym.Symbol), "load_json returns {found}; expected a Symbol", found=copy)
    same("a graph that was written and read: its inputs", copy.list_inputs(), symbol.list_inputs(), "the same")
    same("its outputs", copy.list_outputs(), symbol.list_outputs(), "the same, in the same order")
    expect(copy.tojson() == text, "a graph that was written, read and written again: the two texts differ")
    _refused("a file without heads", _old([X], []), "the heads")
    _refused("a second node without a name", _old([X, {"op": "null", "inputs": []}], [[0, 0, 0]]), "node 1", "'name'")
    _refused("a head that names node 3 of 1", _old([X], [[0, 0, 0], [3, 0, 0]]), "at the heads", "head 1")


@check("_Reader.entry", "a reader checks everything")
def believes_nothing() -> None:
    cut = {"op": "SliceChannel", "name": "cut", "attrs": {"num_outputs": "2"}, "inputs": [[0, 0, 0]]}
    same("heads [[0, 0]], with two numbers as before MXNet 0.9", sym.load_json(_old([X], [[0, 0]])).list_outputs(),
         ["x"], "two or three numbers")
    same("a head that is output 1 of a split", sym.load_json(_old([X, cut], [[1, 1, 0]])).list_outputs(),
         ["cut_output1"], "the second number is the output")
    for entry, why in [
        ([0], "one number"), ([0, 0, 0, 0], "four numbers"), (0, "not a list"), ("00", "a text"),
        ([False, 0, 0], "False is not a number"), ([0, "0", 0], "it contains a text"),
        ([0, 0, 0.0], "0.0 is not an integer"),
        ([-1, 0, 0], "there is no node -1"), ([2, 0, 0], "there are two nodes, 0 and 1"),
        ([0, 1, 0], "a variable has one output"), ([1, 2, 0], "the split has two outputs"),
        ([1, -1, 0], "there is no output -1"),
    ]:
        _refused(f"a head {entry}: {why}", _old([X, cut], [entry]), "head 0")
    itself = {"op": "exp", "name": "e", "inputs": [[1, 0, 0]]}
    _refused("a node that is its own input", _old([X, itself], [[1, 0, 0]]), "node 1", "input 0")
