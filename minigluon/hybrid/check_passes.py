"""Translation validation: checks that a pass does not change what a graph computes.

    MINIGLUON_CHECK_PASSES=1 python train.py        # or: minigluon.hybrid.check_passes.enabled = True

`check` draws values for all variables, computes both graphs node by node with the NumPy reference, and raises
WrongPassError if an output, or the final value of a variable that the graph overwrites, differs. Random operators
draw the same numbers in both. Nodes that read prepacked parameters run with the backend's kernel, because only kernels
read these. Parts that a pass adds are compared with results computed in a different way:

    gradients                   the tape's gradients from running the previous graph operator by operator
    steps of an optimizer       one step for each weight, with the gradients of the previous graph
    inputs that follow from     get the results of their prepackers for drawn parameters
    parameters
    Specs                       shape and dtype of each array

A compilation then takes seconds instead of milliseconds. Graphs that cannot be computed, because they have symbolic
dimensions or operators that do not accept the drawn values, are not checked but listed in `skipped`.
"""

import os
import threading
import zlib

import numpy as np

from .. import autograd
from ..backend import Spec, backend_for
from ..backend.numpy import ReferenceKernel
from ..base import MXNetError
from ..common.dtypes import is_narrow
from ..common.generators import generator, rewound
from ..context import cpu
from ..dispatch import infer, prepare
from ..ndarray.creation import array
from ..ops.graph.interpreted_op import InterpretedOp
from ..ops.symbolic_dimensions import has_symbolic_dim
from ..symbol.graph import Node, run_order
from ..symbol.open_shapes import resolve_source_shapes
from ..symbol.symbol import Symbol
from .interpret import interpret
from .parameter_constants import PrepackOp
from .steps import behind_readers

__all__ = ["Run", "WrongPassError", "check", "enabled", "skipped", "tolerance"]

enabled = os.environ.get("MINIGLUON_CHECK_PASSES", "0") not in ("", "0")
skipped = []                    # (name of a pass, the reason it was not checked)

SEED = np.random.Philox(key=7).state

# Arguments that are integers: indices into another array, or lengths.
WHOLE = {"indices", "index", "label", "sequence_length", "data_lengths", "label_lengths", "valid_length", "length"}


class WrongPassError(MXNetError):
    """Raised if a pass has changed what a graph computes."""


class _LastCheck(threading.local):
    """The values computed by the graph after a pass, which is also the graph before the next pass."""

    graph = values = run = None


_last = _LastCheck()


def check(pass_, before, after):
    """Raises WrongPassError, which names the pass and the first difference, if it has changed what the graph computes.

    before, after: the Drafts.
    """
    if after.graph is None or after.graph is before.graph and after.specs is before.specs:
        return
    name = pass_.__name__
    if any(has_symbolic_dim(spec.shape) for spec in (*before.input_specs.values(), *after.specs.values())):
        skipped.append((name, "names for lengths"))
        return
    with autograd.pause(train_mode=before.train), np.errstate(all="ignore"):
        is_last = before.graph is _last.graph
        values = _last.values if is_last else Values()
        values.draw(before, after)
        try:
            expected = _last.run if is_last else Run(before, values)
        except MXNetError as error:         # raised by an operator that does not accept the drawn values
            skipped.append((name, str(error)))
            return
        try:
            actual = Run(after, values)
        except MXNetError as error:
            raise WrongPassError(f"pass {name}: the graph after it cannot be computed: {error}") from error
        _compare(name, before, after, expected, actual, values)
    _last.graph, _last.values, _last.run = (after.graph, values, actual) if after.rest else (None, None, None)


def _compare(name, before, after, expected, actual, values):
    adds_steps = after.steps is not None and 0 < before.results != after.results
    count = before.results if adds_steps else len(before.graph)
    if len(after.graph) < count:
        raise WrongPassError(f"pass {name}: the graph had {count} outputs, and has {len(after.graph)} now")
    largest = _largest(expected.outputs)
    for number, (head, a) in enumerate(zip(before.graph.heads[:count], expected.outputs, strict=False)):
        what = f"output {number} ({head[0].output_name(head[1])})"
        _require_close(name, what, a, actual.outputs[number], largest)
    final_values = {**expected.overwritten, **(_steps_one_by_one(before, expected, values) if adds_steps else {})}
    for variable, a in final_values.items():
        _require_close(name, f"variable {variable!r} as it is left", a, actual.overwritten.get(variable), largest)
    if after.indices is not None and before.indices is None:
        _compare_gradients(name, before, after, actual, values)
    _compare_specs(name, after, actual)


# -- values of variables ----------------------------------------------------------------------------------------------

class Values(dict):
    """{variable name: array}, each drawn when its variable first appears in a graph."""

    def draw(self, before, after):
        """Draws missing values for both graphs."""
        new = after.inputs[len(before.inputs):] if before.results else ()
        for draft in (before, after):
            whole, positive = _read_as(draft.graph)
            for node in draft.graph.nodes():
                if node.op is None and node.name not in self and node not in new:
                    spec = draft.specs.get((node, 0)) or draft.input_specs.get(node.name)
                    if spec is not None:
                        self[node.name] = _drawn(node.name, spec, node.name in whole, node.name in positive)
        if after.prepackers is not None and before.prepackers is None:
            self.update(self.constants(before.parameters, new, after))
        for node in new:
            if node.name not in self:           # an optimizer's states and rates
                self[node.name] = _drawn(node.name, after.specs[node, 0], False, True)

    def constants(self, parameters, new, after):
        """Yields the prepackers' results as (input name, array) pairs."""
        for node, prepacker in zip(new, after.prepackers, strict=True):
            inputs = [self[parameters[number].name] for number in prepacker.numbers]
            yield node.name, _computed(prepacker.op, inputs, False, [after.specs[node, 0]])[0]

    def of(self, node):
        """Returns the value of a variable."""
        if node.name not in self:
            raise MXNetError(f"the shape of variable {node.name!r} is not known yet")
        return self[node.name]


def _read_as(graph):
    """Returns (names of integer variables, names of non-negative variables, such as a moving variance)."""
    whole, positive = set(), set()
    for node in graph.nodes():
        if node.op is None:
            continue
        for argument, (parent, _) in zip(node.op.argument_names(len(node.inputs)), node.inputs, strict=True):
            if argument in WHOLE or "Embedding" in node.op.name and argument == "data":
                whole.add(parent.name)
            if argument in node.op.mutates:
                positive.add(parent.name)
    return whole, positive


def _drawn(name, spec, is_whole, is_positive):
    """Returns random numbers seeded by the variable's name, scaled so that layer outputs stay near 1."""
    shape, dtype = spec
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    if is_whole or dtype.kind not in "fV":
        return rng.integers(*((-128, 128) if dtype == np.int8 and not is_whole else (0, 2)), shape).astype(dtype)
    if is_positive:
        return rng.uniform(0.5, 1.5, shape).astype(dtype)
    fan_in = np.prod(shape[1:]) if len(shape) > 1 else 4
    return (rng.normal(size=shape) * 1.5 / max(1, fan_in) ** 0.5).astype(dtype)


# -- computing --------------------------------------------------------------------------------------------------------

class Run:
    """A graph's evaluation. found: {(node, output): array}. outputs: its heads. overwritten: {variable: new value}."""

    def __init__(self, draft, values):
        self.train, self.ctx, self.specs, self.found, self.overwritten = draft.train, draft.ctx, draft.specs, {}, {}
        self.packed = draft.inputs[len(draft.inputs) - len(draft.prepackers or ()):]
        graph = draft.graph
        if not draft.results:           # before `resolve_sources`
            graph = resolve_source_shapes(graph, {name: spec.shape for name, spec in draft.input_specs.items()})
        with rewound(cpu(), SEED):
            for node in behind_readers(run_order(graph.heads)):
                results = [values.of(node)] if node.op is None else self.results(node)
                self.found.update(((node, index), result) for index, result in enumerate(results))
        self.outputs = [self.found[pair] for pair in graph.heads]

    def results(self, node):
        """Returns the outputs of a node, and stores the values that it overwrites for later nodes."""
        inputs = [self.overwritten.get(pair[0].name, self.found[pair]) if pair[0].op is None else self.found[pair]
                  for pair in node.inputs]
        if isinstance(node.op, InterpretedOp):
            return _interpreted(node, inputs)
        if any(isinstance(parent.op, PrepackOp) or parent in self.packed for parent, _ in node.inputs):
            return self.results_of_kernel(node, inputs)
        names, count = node.op.argument_names(len(inputs)), node.op.num_outputs
        results = _computed(node.op, inputs, self.train, [self.specs.get((node, index)) for index in range(count)])
        for argument, new in zip(node.op.mutates, results[count:], strict=True):
            if new is not None:
                self.overwritten[node.inputs[names.index(argument)][0].name] = np.array(new)
        return [np.asarray(result) for result in results[:count]]

    def results_of_kernel(self, node, inputs):
        """Returns the outputs of a node as the backend's kernel computes them: `forward` ignores packed parameters."""
        backend, specs = backend_for(self.ctx), [Spec(x.shape, x.dtype) for x in inputs]
        outputs = [self.specs[node, index] for index in range(node.op.num_outputs)]
        run = prepare(node.op, self.ctx, specs, outputs, self.train)
        results = run([backend.from_numpy(np.ascontiguousarray(x), self.ctx) for x in inputs])
        return [backend.to_numpy(result) for result in results]


def _computed(op, inputs, train, outputs):
    """Computes an operator's results, then the new values of overwritten inputs, with the reference backend.

    outputs: their Specs, inferred if missing. Operators that passes create may have no inference rules.
    """
    specs = [Spec(x.shape, x.dtype) for x in inputs]
    outputs = infer(op, specs) if None in outputs else outputs
    return ReferenceKernel(op, specs, outputs, train, generator(cpu())).run([np.array(x) for x in inputs])


def _interpreted(node, inputs):
    """Computes the outputs of a loop, a branch, or an operator written in Python."""
    variables = [Node(None, f"input{number}") for number in range(len(inputs))]
    whole = Node(node.op, node.name, [(variable, 0) for variable in variables], node.attrs)
    outputs = interpret(Symbol([(whole, index) for index in range(node.op.num_outputs)]),
                        {variable.name: _on_cpu(x) for variable, x in zip(variables, inputs, strict=True)})
    return [y.asnumpy() for y in outputs]


def _on_cpu(x):
    return array(x, ctx=cpu(), dtype=x.dtype)


# -- comparing --------------------------------------------------------------------------------------------------------

def tolerance(dtype, own, largest):
    """Returns the largest difference that rounding can explain.

    own: the largest value in an array. largest: the largest value across all results. A pass may sum in a different
    order, or fold a normalization into the preceding weights. Both change the last digits, which later layers amplify,
    so only half of a type's digits must agree. A wrong translation is off by as much as the values themselves. If large
    terms cancel (the gradient of a bias before a normalization is 0), rounding is relative to these terms, and the
    tolerance is 1000 times their precision.
    """
    eps = 2.0 ** -8 if is_narrow(dtype) else float(np.finfo(dtype).eps)
    return max(4 * eps ** 0.5 * own, min(1000 * eps, 0.5) * largest)


def _require_close(name, what, a, b, largest=0.0):
    """Raises WrongPassError if two arrays differ by more than rounding can explain."""
    if b is None or a.shape != b.shape or a.dtype != b.dtype:
        now = "is not there" if b is None else f"is {b.shape} {b.dtype}"
        raise WrongPassError(f"pass {name}: {what} was {a.shape} {a.dtype}, and {now} after it")
    if a.dtype.kind in "biu":
        difference, limit = (a != b).astype(float), 0.0
    else:
        x, y = a.astype(np.float64), b.astype(np.float64)
        alike = (x == y) | (np.isnan(x) & np.isnan(y))
        difference = np.where(alike, 0, np.nan_to_num(np.abs(x - y), nan=np.inf))
        limit = tolerance(a.dtype, _largest([a]), largest)
    if difference.size and difference.max() > limit:
        place = np.unravel_index(difference.argmax(), difference.shape)
        raise WrongPassError(f"pass {name}: {what} differs most at {tuple(map(int, place))}: {a[place]} before, "
                             f"{b[place]} after it")


def _largest(arrays):
    """Returns the largest finite absolute value in the arrays."""
    return max([float(np.abs(x[np.isfinite(x)]).max(initial=0)) for x in
                [a.astype(np.float64) for a in arrays if a.dtype.kind in "fV"]], default=0.0)


def _compare_specs(name, after, actual):
    for pair, result in actual.found.items():
        spec = after.specs.get(pair)
        if after.results and spec != Spec(result.shape, result.dtype):
            claimed = "no Spec" if spec is None else f"the Spec {spec.shape} {spec.dtype}"
            raise WrongPassError(f"pass {name}: {pair[0].output_name(pair[1])} has {claimed}, and is {result.shape} "
                                 f"{result.dtype}")


def _compare_gradients(name, before, after, actual, values):
    """Compares the gradients that a pass has added with the tape's gradients.

    Both use the tape's kernels, because a normalization over few items amplifies rounding differences.
    """
    arrays = {node.name: _on_cpu(values.of(node)) for node in before.graph.nodes() if node.op is None}
    grad_names = [variable for variable in before.wanted if variable in arrays]
    for variable in grad_names:
        arrays[variable].attach_grad()
    with rewound(cpu(), SEED), autograd.record(train_mode=before.train):
        outputs = interpret(before.graph, arrays)
    heads = [_on_cpu(values.of(head)) for head in after.heads] or [y.ones_like() for y in outputs]
    pairs = [(y, g) for y, g in zip(outputs, heads, strict=True) if y.entry is not None]
    if pairs:
        autograd.backward([y for y, _ in pairs], [g for _, g in pairs], train_mode=before.train)
    largest = _largest(actual.outputs)
    with rewound(cpu(), SEED):
        variables = [node for node in after.graph.nodes() if node.op is None]
        added = interpret(after.graph, {node.name: _on_cpu(values.of(node)) for node in variables})[len(before.graph):]
    for variable, index in zip(before.wanted, after.indices, strict=True):
        if variable in grad_names:
            a = arrays[variable].grad.asnumpy()
            b = np.zeros_like(a) if index is None else added[index].asnumpy()
            _require_close(name, f"the gradient of {variable!r}, compared with that of the tape,", a, b, largest)


def _steps_one_by_one(before, expected, values):
    """Returns {variable: its new value} from an optimizer that takes the steps one at a time."""
    steps, final_values = before.steps, {}
    specs = {node.name: before.specs[node, 0] for node in before.inputs if node.name in steps.weights}
    for group in steps.groups(specs):
        rates = values[f"_rates{group[0]}"]
        for position, i in enumerate(group):
            states = [f"_state{i}_{k}" for k in range(len(steps.states[i]))]
            op, names = steps.op_for([i]), [steps.weights[i], *states]
            own = rates[[0, 1 + position, 1 + len(group) + position]]
            gradient = expected.outputs[before.results + i]
            _, *new = _computed(op, [values[names[0]], gradient, *[values[state] for state in states], own], True,
                                [None])
            final_values.update(zip(names, new, strict=True))
    return final_values
