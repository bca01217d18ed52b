"""The checks of step 16: first individual lines, then plans with a few steps."""

from collections import deque
from types import SimpleNamespace

import numpy as np

from .....backend import Spec
from .....base import MXNetError
from .....context import cpu
from .....hybrid.allocating_kernels import allocating
from .....hybrid.compiler import compile_graph
from .....hybrid.layout import Step
from .....hybrid.plan import Plan
from .....hybrid.program import Program
from .....ops import REGISTRY
from .....symbol.graph import Node
from .....symbol.symbol import Symbol
from ...checking import check, expect, same, wrong

FLOATS = Spec((2, 3), np.dtype("float32"))


def _step(name, op, inputs, outputs, scratch=(), kernel=None, writes=True):
    return Step(Node(REGISTRY[op](), name), "forward", inputs, outputs, scratch, kernel, writes)


def _write(inputs, targets):
    targets[0][...] = inputs[0] * 2


@check("Program.__init__", "each step becomes a line: kernel, operands, targets")
def lines() -> None:
    steps = [_step("a", "exp", (0, 1), (4,), (5, 6), kernel=_write),
             _step("b", "tanh", (4,), (7, 8), kernel=lambda inputs: (inputs[0],), writes=False)]
    layout = SimpleNamespace(steps=steps, last_used_at=lambda position: (), slot_of=dict.fromkeys(range(9)))
    program = Program(layout, "forward", {})
    same("two steps: the number of lines", len(program.lines), 2, "each step is a line")
    same("two steps: program.steps", [s.node.name for s in program.steps], ["a", "b"], "the step that each line "
         "belongs to")
    values = [f"slot {number}" for number in range(9)]
    kernel, operands, targets = program.lines[0]
    expect(kernel is _write, "a step that writes: the kernel in its line is {found}; expected step.kernel itself",
           found=kernel)
    same("a step that reads slots 0 and 1: operands(values)", tuple(operands(values)), ("slot 0", "slot 1"),
         "getter(step.inputs) creates the function")
    same("a step with output 4 and scratch 5 and 6: targets(values)", tuple(targets(values)),
         ("slot 4", "slot 5", "slot 6"), "outputs first, then the scratch buffers")
    kernel, operands, targets = program.lines[1]
    expect(targets(values) is values, "a step that allocates: targets(values) is {found}; expected the whole list: its "
           "wrapper puts results into it", found=targets(values))
    same("a step that allocates and reads slot 4: operands(values)", tuple(operands(values)), ("slot 4",),
         "a single operand is also in a sequence")
    array = np.ones(2)
    values = [None] * 9
    kernel([array], values)
    expect(values[7] is not None, "a step that allocates, with output 7: slot 7 is empty after its line has run; "
           "expected its result: wrap the kernel with allocating(step)")
    actual = [tuple(slots) for _, slots in zip(program.lines, program.slots, strict=True)]
    same("two steps: the slots that are passed to the backend", actual, [(0, 1, 4, 5, 6), (4, 7, 8)],
         "the slots that the line reads, then those that it writes")


def _program(*kernels):
    """Return a program whose line i runs a kernel on slots i and i + 1."""
    program = object.__new__(Program)
    program.steps = [_step(f"node{i}", "relu", (i,), (i + 1,)) for i in range(len(kernels))]
    program.lines = [(kernel, lambda values, i=i: [values[i]], lambda values, i=i: [values[i + 1]])
                     for i, kernel in enumerate(kernels)]
    return program


@check("Program.__call__", "all lines run, in order")
def runs() -> None:
    values = [np.full(2, 1.0), np.zeros(2), np.zeros(2), np.zeros(2)]
    _program(_write, _write, _write)(values)
    same("three lines that double, from slot 0 = [1, 1]", [v.tolist() for v in values],
         [[1.0, 1.0], [2.0, 2.0], [4.0, 4.0], [8.0, 8.0]], "each reads the result of the one before")


@check("Program.__call__", "a failing line is named")
def names_the_line() -> None:
    def fails(error):
        def run(inputs, targets):
            raise error
        return run

    values = [np.zeros(2), np.zeros(2), np.zeros(2), np.zeros(2)]
    for error in (ValueError("a number is odd"), MXNetError("a number is odd"), ZeroDivisionError("a number is odd"),
                  IndexError("a number is odd")):
        kind = type(error).__name__
        try:
            _program(_write, fails(error), _write)(values)
        except MXNetError as exc:
            expect("a number is odd" in str(exc) and "node: 'node1'" in str(exc), "line 1 of three raises {kind}: "
                   "the message is {found}; expected the kernel's own message and the node of line 1, node1", kind=kind,
                   found=str(exc))
            expect(error in (exc, exc.__cause__), "line 1 of three raises {kind}: the MXNetError does not have its "
                   "cause; expected `raise ... from error`", kind=kind)
        except Exception as exc:
            wrong("line 1 of three raises {kind}, and {found} is raised; expected an MXNetError that names its node: "
                  "see fail_at", kind=kind, found=repr(exc))
        else:
            wrong("line 1 of three raises {kind}, but the error is lost", kind=kind)
    try:
        _program(fails(RuntimeError("no")))(values)
    except RuntimeError:
        return
    except Exception as exc:
        wrong("a line raises RuntimeError, and {found} is raised; expected the error itself: it is not among FAILURES",
              found=repr(exc))
    wrong("a line raises RuntimeError, but the error is lost")


def _wrapped(results, inputs, op="relu", outputs=(1,)):
    """Return `values` after the wrapper has run a kernel with these results."""
    values = [None] * 4
    step = _step("node", op, tuple(range(len(inputs))), outputs, writes=False, kernel=lambda arrays: results)
    allocating(step)(inputs, values)
    return values


@check("allocating", "results go into their slots, copied if necessary")
def allocates() -> None:
    array, result = np.ones((2, 3), "float32"), np.zeros((2, 3), "float32")
    values = _wrapped([result], [array])
    expect(values[1] is result, "a kernel that allocates creates its own array: slot 1 has {found}; expected that "
           "array itself, without a copy", found=values[1])
    values = _wrapped([array], [array])
    same("a kernel returns its input: slot 1", values[1], array, "its result")
    expect(values[1] is not array, "a kernel returns its input: slot 1 has the same object; expected a copy: "
           "overwriting one must not change the other")
    values = _wrapped([result.T], [array])
    same("a kernel returns a transposed array: slot 1", values[1], result.T, "its result")
    expect(values[1].flags.c_contiguous, "a kernel returns a transposed array: the array in slot 1 is not contiguous; "
           "expected a copy: later kernels go through memory from end to end")
    first, second = np.zeros(2), np.ones(2)
    values = _wrapped([first, second], [array], outputs=(2, 1))
    expect(values[2] is first and values[1] is second, "two results for slots 2 and 1: the slots have {found}; "
           "expected the first in slot 2 and the second in slot 1", found=values[1:3])


@check("allocating", "mutated inputs are written back")
def mutates() -> None:
    inputs = [np.full(2, float(number)) for number in range(5)]
    mean, variance = inputs[3], inputs[4]
    out = np.full(2, 7.0)
    values = _wrapped([out, np.full(2, 30.0), np.full(2, 40.0)], inputs, "BatchNorm")
    same("BatchNorm with new moving_mean 30: the input moving_mean", mean, np.full(2, 30.0),
         "the results after the outputs are new values of the inputs that the operator mutates, written into the "
         "arrays themselves")
    same("BatchNorm with new moving_var 40: the input moving_var", variance, np.full(2, 40.0), "in the order of "
         "op.mutates")
    same("BatchNorm: slot 1", values[1], out, "the output is the first result")
    expect(values[2] is None and values[3] is None, "BatchNorm with one output: slots 2 and 3 were also filled; "
           "expected None: new values of inputs are not outputs")
    _wrapped([out, None, np.full(2, 50.0)], inputs, "BatchNorm")
    same("BatchNorm with None for moving_mean: the input moving_mean", mean, np.full(2, 30.0), "None means unchanged")
    same("BatchNorm with None for moving_mean and 50 for moving_var: moving_var", variance, np.full(2, 50.0),
         "each has its own value")


def _plan(grad_names=()):
    """Return a plan for y = tanh(exp(x) @ wᵀ). grad_names: variables whose gradients it also computes."""
    x, w = Node(None, "x"), Node(None, "w")
    grown = Node(REGISTRY["exp"](), "grown", [(x, 0)])
    layer = Node(REGISTRY["FullyConnected"](num_hidden=2, no_bias=True), "layer", [(grown, 0), (w, 0)])
    graph = Symbol([(Node(REGISTRY["tanh"](), "bent", [(layer, 0)]), 0)])
    input_specs = {"x": FLOATS, "w": Spec((2, 3), np.dtype("float32"))}
    return compile_graph(graph, input_specs, ["x", "w"], cpu(), grad_names=grad_names)


X = np.array([[0.0, 0.1, 0.2], [0.3, -0.1, 0.0]], "float32")
W = np.array([[0.2, -0.1, 0.3], [0.0, 0.5, -0.4]], "float32")
Y = np.tanh(np.exp(X) @ W.T)
HEAD = np.array([[1.0, 2.0], [3.0, 4.0]], "float32")
GRADIENT_W = (HEAD * (1 - Y * Y)).T @ np.exp(X)
GRADIENT_X = (HEAD * (1 - Y * Y)) @ W * np.exp(X)


@check("Plan.take", "a run gets a list, from the pool if there is one")
def takes() -> None:
    values, fresh = [1], [2]
    pool = deque([values])
    plan = SimpleNamespace(_take=pool.pop, _backend="the backend", _layout=SimpleNamespace(
        new_values=lambda backend: fresh if backend == "the backend" else None))
    expect(Plan.take(plan) is values, "one list is in the pool: take returns another one; expected that list")
    expect(Plan.take(plan) is fresh, "the pool is empty: expected the list of self._layout.new_values(self._backend)")


@check("Plan.give_back", "a list in the pool holds no foreign arrays")
def gives_back() -> None:
    pool = []
    plan = SimpleNamespace(_put=pool.append, _layout=SimpleNamespace(inputs=2), _no_inputs=[None, None],
                           _outside=[3, 5])
    values = ["x", "w", "planned", "result", "planned", "own"]
    Plan.give_back(plan, values)
    same("two inputs, and results in slots 3 and 5: values after give_back", values,
         [None, None, "planned", None, "planned", None], "the plan's own memory stays, everything else is cleared")
    expect(len(pool) == 1 and pool[0] is values, "give_back: the pool has {found}; expected the given list", found=pool)


@check("Plan.forward", "the forward part of a plan")
def forward() -> None:
    plan, _ = _plan()
    values = plan.take()
    result, = plan.forward(values, [X, W])
    same("y = tanh(exp(x) @ wᵀ): the result", result, Y, "the program has run on the inputs")
    output, = plan.forward(values, [X * 0, W])
    same("the same plan with x = 0", output, np.tanh(np.ones_like(X) @ W.T), "each run has its own inputs")
    same("the first result, after a second run", result, Y, "each run allocates its results: the caller keeps them")
    expect(not np.shares_memory(result, values[plan._layout.slot_of[plan.graph.heads[0]]]), "two runs in the same "
           "values: the first result is still in its slot")


def _fake_plan(**more):
    """Return a partial plan that runs without kernels; `arrays` collects the arrays that it allocates."""
    arrays = []

    def empty(shape, dtype, ctx):
        arrays.append(np.zeros(shape, dtype))
        return arrays[-1]
    return SimpleNamespace(_empty=empty, ctx=cpu(), made=arrays, **more)


@check("Plan.forward", "a result in two shapes is one array")
def in_two_shapes() -> None:
    def program(values):
        values[2][...] = values[0]

    plan = _fake_plan(_inputs=2, _fresh_results=[((2, 3), np.dtype("float32"), [(2, (2, 3)), (4, (6,))])],
                      _forward=program, _get_results=lambda values: (values[4], values[2]))
    values = [None] * 5
    flat, whole = Plan.forward(plan, values, [X, W])
    same("a result in slot 2 of shape (2, 3), and in slot 4 as (6,): slot 4", flat, X.reshape(6),
         "it is a view of the same array: slot 4 shows what is written to slot 2")
    same("the array in slot 2", whole, X, "the program's result")
    same("the number of allocated arrays", len(plan.made), 1, "both shapes are of one array")
    expect(values[1] is W, "two inputs: slot 1 does not have the second one")


@check("Plan._allocate", "a gradient is written to its target")
def gradients_have_places() -> None:
    target = np.zeros((2, 3), "float32")
    fresh = [((2, 3), np.dtype("float32"), [(1, (2, 3)), (2, (6,))]), ((4,), np.dtype("float64"), [(3, (4,))])]
    for targets, why in [({2: target.reshape(6)}, "the second member has a target"),
                         ({1: target}, "the first member has a target"),
                         ({1: None, 2: target.reshape(6), 3: None}, "the first member's target is None")]:
        plan, values = _fake_plan(), [None] * 4
        Plan._allocate(plan, fresh, values, targets)
        expect(values[1] is not None and values[2] is not None, "one gradient in slots 1 and 2 ({why}): slots 1 and 2 "
               "have {found}; expected an array in both", why=why, found=values[1:3])
        same(f"one gradient in slots 1 and 2, of shapes (2, 3) and (6,) ({why}): their shapes",
             [values[1].shape, values[2].shape], [(2, 3), (6,)], "each slot has its own shape")
        expect(np.shares_memory(values[1], target) and np.shares_memory(values[2], target),
               "one gradient in slots 1 and 2 ({why}): it is elsewhere; expected both in the memory of the target",
               why=why)
        same(f"another gradient without a target ({why}): its shape and dtype", (values[3].shape, str(values[3].dtype)),
             ((4,), "float64"), "it is allocated")
        same(f"the number of allocated arrays ({why})", len(plan.made), 1, "only the gradient without a target")


@check("Plan.backward", "the backward part of a plan")
def backward() -> None:
    plan, indices = _plan(("x", "w"))
    values = plan.take()
    plan.forward(values, [X, W])
    expected = [None, None]
    expected[indices[0]], expected[indices[1]] = GRADIENT_X, GRADIENT_W
    grads = plan.backward(values, [HEAD], keep=True)
    for actual, correct in zip(grads, expected, strict=True):
        same("y = tanh(exp(x) @ wᵀ), keep=True: a gradient", actual, correct, "the gradient by the chain rule")
    expect(values[plan._heads][0] is None, "keep=True: the head gradient was put into the given values; expected them "
           "unchanged, and a copy used")
    target = np.full((2, 3), 9.0, "float32")
    targets = [None, None]
    targets[indices[1]] = target
    actual = plan.backward(values, [HEAD], targets)
    for one, correct in zip(actual, expected, strict=True):
        same("the same again, without keep: a gradient", one, correct, "keep=True has changed nothing")
    expect(actual[indices[1]] is target, "a target for the gradient of w: the gradient is another array; expected the "
           "target itself")
    expect(actual[indices[0]] is not target, "no target for the gradient of x: expected a new array")
    expect(values[plan._heads][0] is HEAD, "without keep: expected the plan to work in the given values")
