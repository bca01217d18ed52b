"""The checks of step 4."""

import sys
import weakref

import numpy as np

from ..... import autograd, tape
from ..... import ndarray as nd
from .....base import GraphFreedError, WrittenInPlaceError
from .....tape import Entry, Variable, _add, _newest_first
from ...checking import check, expect, same, wrong


def _variable(values, req="write"):
    x = nd.array(values)
    x.attach_grad(req)
    return x


def _recorded(function, *arrays):
    with autograd.record():
        return function(*arrays)


class _Node:
    """A node with parents, for the walk. It counts how often its parents are read."""

    def __init__(self, name, number, *parents):
        self.name, self.number, self._parents, self.asked = name, number, [p and (p, 0) for p in parents], 0

    @property
    def parents(self):
        self.asked += 1
        return self._parents

    def __repr__(self):
        return self.name


@check("_newest_first", "all entries that lead to the heads are found, each once, the newest first")
def walks() -> None:
    a, b = _Node("a", 1), _Node("b", 2)
    c = _Node("c", 3, a, None, b)
    d = _Node("d", 5, c, a)
    e = _Node("e", 4, c)
    same("c = f(a, constant, b), e = f(c), d = f(c, a): the order from the heads e and d", list(_newest_first([e, d])),
         [d, e, c, b, a], "each entry once, the largest number first; None is a constant, which leads nowhere")
    same("the order from only c", list(_newest_first([c])), [c, b, a], "d and e do not lead to c")
    chain = [_Node("0", 0)]
    for number in range(1, sys.getrecursionlimit() * 2):
        chain.append(_Node(str(number), number, chain[-1]))
    same("the number of entries in a long chain", len(_newest_first(chain[-1:])), len(chain),
         "a program may record a hundred thousand operators; Python calls no deeper than a thousand")
    ladder = [_Node("0", 0)]
    for number in range(1, 12):
        ladder.append(_Node(str(number), number, ladder[-1], ladder[-1]))
    _newest_first(ladder[-1:])
    same("a chain of 12 in which each uses the one before it twice: how often the oldest was visited", ladder[0].asked,
         1, "an entry that was seen is not visited again; here it would be 2048 visits, and twice as many with each "
         "additional operator")


@check("_add", "gradients for one output are added up")
def accumulates() -> None:
    variable = Variable(nd.zeros((2,)), "write")
    several = type("Several", (), {"specs": [1, 2, 3]})()
    grads = {}
    first = nd.array([1, 2])
    _add(nd, grads, (variable, 0), first)
    same("_add of [1, 2] to a variable: what is in grads", grads.get(variable) and [g.asnumpy().tolist() for g in
         grads[variable]], [[1.0, 2.0]], "a variable has one slot")
    _add(nd, grads, (variable, 0), nd.array([10, 20]))
    same("_add of [1, 2] and of [10, 20] to a variable", grads[variable][0], np.array([11, 22], "float32"),
         "an array that is used twice gets both gradients, added")
    same("the first of the two gradients afterwards", first, np.array([1, 2], "float32"),
         "it belongs to someone else: do not add in place, but with F.elemwise_add, which returns a new array")
    _add(nd, grads, (several, 2), nd.array([5]))
    same("_add to output 2 of an entry with three: the slots that are filled", [g is not None for g in grads[several]],
         [False, False, True], "one slot for each of entry.specs")
    _add(nd, grads, (several, 0), nd.array([7]))
    same("and then to output 0: the slots that are filled", [g is not None for g in grads[several]],
         [True, False, True], "the existing list is used again")
    same("output 2 afterwards", grads[several][2], np.array([5], "float32"), "each output has its own slot")


@check("record_op", "an operator remembers where its inputs came from")
def records() -> None:
    x, constant = _variable([1.0, 2.0]), nd.array([3.0, 4.0])
    y = _recorded(lambda: x * constant)
    expect(isinstance(y.entry, Entry), "y = x * constant inside record(): y.entry is {found}; expected an Entry",
           found=y.entry)
    same("y = x * constant, with x a variable: the parents of its entry", list(y.entry.parents), [(x.entry, 0), None],
         "(entry, output index) of x, and None for an input that is not on the tape")
    parts = _recorded(lambda: nd.split(x, 2, axis=0))
    same("the two outputs of split: their output_index", [p.output_index for p in parts], [0, 1],
         "each output stores its index")
    expect(parts[0].entry is parts[1].entry, "the two outputs of split have two entries; expected one, of which both "
           "are outputs")
    last = _recorded(lambda: parts[1] * 2)
    same("the parents of a product with the second of them", list(last.entry.parents), [(parts[1].entry, 1)],
         "x.output_index is part of the pair")


@check("record_op", "an array whose graph was freed is a constant")
def forgets() -> None:
    x = _variable([1.0, 2.0])
    y = _recorded(lambda: x * 2)
    y.backward()
    z = _recorded(lambda: y * x)
    same("y was differentiated, and its graph freed; the parents of y * x",
         [p and type(p[0]).__name__ for p in z.entry.parents], [None, "Variable"],
         "entry.versions is None if the graph was freed")


@check("Entry.__init__", "an entry keeps what the gradient needs, and no more")
def keeps() -> None:
    x, w = _variable([0.5, 1.0]), _variable([3.0, 4.0])
    product = _recorded(lambda: x * w)
    expect(len(product.entry.inputs) == 2 and product.entry.inputs[0] is x, "x * w keeps 'inputs': entry.inputs is "
           "{found}; expected [x, w], the arrays themselves", found=product.entry.inputs)
    same("x * w keeps ('inputs',): entry.outputs", len(product.entry.outputs), 0,
         "its gradient does not use the output")
    same("x * w: entry.input_specs", len(product.entry.input_specs), 0, "the inputs are kept, so their shapes are "
         "known")
    bent = _recorded(lambda: nd.tanh(x))
    same("tanh keeps ('outputs',): entry.inputs", len(bent.entry.inputs), 0, "its gradient is written with the output")
    expect(len(bent.entry.outputs) == 1, "tanh keeps ('outputs',): entry.outputs is {found}; expected a list with its "
           "output", found=bent.entry.outputs)
    same("what tanh has kept", bent.entry.outputs[0], bent.asnumpy(), "the output's values")
    added = _recorded(lambda: x + w)
    same("broadcast_add keeps ('shapes',): entry.input_specs", [tuple(s) for s in added.entry.input_specs],
         [((2,), np.dtype("float32"), x.context)] * 2, "(shape, dtype, device) of each input")
    same("broadcast_add: entry.inputs", len(added.entry.inputs), 0, "their elements do not matter")


@check("Entry.__init__", "a result that nobody holds any longer is freed")
def frees_memory() -> None:
    x = _variable([0.5, 1.0])
    y = _recorded(lambda: nd.tanh(x))
    alive = weakref.ref(y)
    expect(y.entry.outputs[0] is not y, "the entry of y = tanh(x) holds y, and y holds its entry: neither can be "
           "freed. Keep y._twin()")
    del y
    expect(alive() is None, "y = tanh(x); del y: the array still exists. Something holds it: the entry should hold a "
           "twin of it")


@check("gradients", "gradients flow back, along every path")
def differentiates() -> None:
    x, w = _variable([1.0, 2.0]), _variable([3.0, -1.0])
    z = _recorded(lambda: nd.tanh(x * w) * 2)
    z.backward()
    slope = 2 * (1 - np.tanh(np.array([3.0, -2.0])) ** 2)
    same("z = tanh(x * w) * 2 with x = [1, 2], w = [3, -1]: the gradient of x", x.grad,
         (slope * [3, -1]).astype("float32"), "the chain rule: each operator multiplies by its own derivative")
    same("the gradient of w", w.grad, (slope * [1, 2]).astype("float32"), "each input has its own gradient")
    z = _recorded(lambda: x * x + x * w)
    z.backward()
    same("z = x * x + x * w: the gradient of x", x.grad, np.array([5.0, 3.0], "float32"),
         "x is used three times, and all three gradients are added")
    parts = _recorded(lambda: nd.split(x, 2, axis=0)[1] * 5)
    parts.backward()
    same("z = 5 · the second half of x: the gradient of x", x.grad, np.array([0.0, 5.0], "float32"),
         "the first half got no gradient, which counts as zeros")
    y = _recorded(lambda: x * 3)
    y.backward(nd.array([10.0, 100.0]))
    same("y = 3 x with head gradient [10, 100]: the gradient of x", x.grad, np.array([30.0, 300.0], "float32"),
         "the walk begins with the head gradient")


@check("gradients", "unnecessary gradients are not computed")
def is_lazy() -> None:
    calls = []

    class Lazy:
        name, keeps, mutates, differentiable = "lazy", (), (), True

        def list_arguments(self):
            return ["a", "b"]

        def gradient(self, F, out_grads, inputs, outputs):
            return [lambda: calls.append("a") or out_grads[0] * 2, lambda: calls.append("b") or out_grads[0] * 3]

    x, constant, y = _variable([1.0]), nd.array([1.0]), nd.array([1.0])
    tape.record_op(Lazy(), [x, constant], [y])
    (grad,), = tape.gradients(nd, [y], [None], False).values()
    expect(isinstance(grad, nd.NDArray), "an operator returns functions for its gradients; the variable receives "
           "{found}; expected an array: call the function, and pass on its result", found=grad)
    same("an operator whose gradients are functions, on a variable and a constant: the functions called", calls, ["a"],
         "a constant has no gradient, so that function is not called")
    same("the gradient of the variable", grad, np.array([2.0], "float32"), "the result of its function")


@check("gradients", "a graph is freed, unless it is retained")
def frees() -> None:
    x = _variable([1.0, 2.0])
    y = _recorded(lambda: x * x)
    y.backward(retain_graph=True)
    try:
        y.backward()
    except GraphFreedError:
        wrong("y.backward(retain_graph=True), then y.backward(): the graph was freed by the first call; it must stay "
              "with retain_graph=True")
    same("the gradient of x after calling backward twice", x.grad, np.array([2.0, 4.0], "float32"),
         "'write' overwrites")
    try:
        y.backward()
    except GraphFreedError:
        pass
    except (TypeError, ValueError, LookupError) as error:
        wrong("y.backward() twice: the second one raises {error!r}; expected a GraphFreedError: check() each entry "
              "before you get its gradients", error=error)
    else:
        wrong("y.backward() twice: the second one succeeded; expected a GraphFreedError: free() each entry after its "
              "gradient, so that memory is released as early as possible, and check() each one before")
    x = _variable([1.0, 2.0])
    y = _recorded(lambda: x * x)
    x[:] = 5
    try:
        y.backward()
    except WrittenInPlaceError:
        return
    wrong("y = x * x, then x[:] = 5, then y.backward(): a wrong gradient; expected a WrittenInPlaceError: check() the "
          "entry before you get its gradients")


@check("gradients", "wanted entries, and variables that no gradient reaches")
def asks_for_entries() -> None:
    x = _variable([1.0, 2.0])
    y = _recorded(lambda: x * 3)
    z = _recorded(lambda: y * y)
    grads = tape.gradients(nd, [z], [None], True, entries={y.entry, x.entry})
    expect(y.entry in grads, "gradients(..., entries={{y.entry}}) has no gradient of y: those of `entries` stay in "
           "grads")
    same("z = y * y with y = 3 x = [3, 6]: the gradient of y", grads[y.entry][0], np.array([6.0, 12.0], "float32"),
         "it is left in grads for the caller")
    same("the gradient of x", grads[x.entry][0], np.array([18.0, 36.0], "float32"),
         "and the pass continues to its inputs")
    grads = tape.gradients(nd, [z], [None], False, entries={x.entry})
    same("gradients(..., entries={x.entry}): the entries in it", [type(e).__name__ for e in grads], ["Variable"],
         "gradients of other entries are removed: they would fill the memory")
    x = _variable([1.0, 2.0])
    x.grad[:] = 7
    _recorded(lambda: nd.BlockGrad(x) * 2 + nd.BlockGrad(x)).backward()
    same("z = 2 · BlockGrad(x) + BlockGrad(x): the gradient of x", x.grad, np.array([0.0, 0.0], "float32"),
         "x leads to z, but no gradient gets through: it is zero, not the old value")

    class Half:
        name, keeps, mutates, differentiable = "half", (), (), True

        def list_arguments(self):
            return ["a", "b"]

        def gradient(self, F, out_grads, inputs, outputs):
            return [out_grads[0], None]

    a, b, c = _variable([1.0]), _variable([1.0]), nd.array([1.0])
    b.grad[:] = 7
    tape.record_op(Half(), [a, b], [c])
    c.backward()
    same("an operator that returns no gradient for its second input: that input's gradient", b.grad,
         np.array([0.0], "float32"), "a parent that gets None is added to `reached`, and gets zeros")


@check("backward", "a gradient is stored according to grad_req")
def stores() -> None:
    x = _variable([1.0, 2.0])
    x.grad[:] = 7
    grad = x.grad
    _recorded(lambda: x * 3).backward()
    same("grad_req='write', 7 in x.grad, y = 3 x: x.grad", x.grad, np.array([3.0, 3.0], "float32"),
         "'write' replaces the old value")
    expect(x.grad is grad, "x.grad is another array than before backward; write into it with entry.grad[...] = ...")
    x = _variable([1.0, 2.0], "add")
    x.grad[:] = 7
    _recorded(lambda: x * 3).backward()
    same("grad_req='add', 7 in x.grad, y = 3 x: x.grad", x.grad, np.array([10.0, 10.0], "float32"),
         "'add' adds to the old value")
    x = _variable([1.0, 2.0], "null")
    entry = x.entry
    if entry is not None:
        before = None if entry.grad is None else entry.grad.asnumpy()
        w = _variable([1.0, 1.0])
        _recorded(lambda: x * w).backward()
        if before is not None:
            same("grad_req='null': the gradient", entry.grad, before, "'null' stores nothing")


@check("backward", "a variable that has a new gradient is fresh")
def freshens() -> None:
    x = _variable([1.0, 2.0])
    x.entry.fresh = False
    _recorded(lambda: x * 3).backward()
    same("after backward: x.entry.fresh", x.entry.fresh, True, "a Trainer checks whether a gradient is new")
