"""Operators composed of other operators, written like gradients: with F, on symbols.

    @composed("SoftmaxActivation")
    def softmax_activation(op, F, data):
        return F.softmax(data, axis=1)

The small graph is built for the requested shapes, its elementwise chains are fused, and the launches of its nodes
become one Work. Intermediate results are scratch memory.
"""

import inspect

from minigluon import symbol as sym
from minigluon.backend import Spec
from minigluon.hybrid import Draft
from minigluon.hybrid.specs import infer_specs
from minigluon.name import NameManager
from minigluon.ops import REGISTRY
from minigluon.symbol.graph import run_order
from minigluon.symbol.symbol import Symbol

from ..launch import Enqueue, In, Out, Scratch, Work
from ..passes.fuse_elementwise import fuse_elementwise
from ..passes.fuse_relu import fuse_relu
from .registry import find, kernel_for

__all__ = ["composed", "work_of_graph"]


def composed(*names):
    """Decorator: `function(op, F, *inputs)` defines what the operators with these names compute.

    inputs: a Symbol for each input. It returns a Symbol, or a list with one Symbol for each output, including hidden
    outputs. If the function has a parameter `specs`, it also receives the Specs of the inputs.
    """
    def enter(function):
        wants_specs = "specs" in inspect.signature(function).parameters

        def prepare(op, inputs, outputs, train, rng, device):
            variables = [sym.var(f"in{number}") for number in range(len(inputs))]
            with NameManager():             # these names do not affect the user's name counters
                results = function(op, sym, *variables, **({"specs": inputs} if wants_specs else {}))
            results = list(results) if isinstance(results, (list, tuple)) else [results]
            return work_of_graph(op, variables, results, inputs, outputs, (train, rng, device))
        prepare.__module__, prepare.__name__ = function.__module__, function.__name__
        kernel_for(*names)(prepare)
        return function
    return enter


def work_of_graph(op, variables, results, inputs, outputs, how):
    """Returns the Work of a graph. variables: Symbols, one for each of `inputs`; results: one for each of `outputs`.

    how: train, rng and device, for the nodes' own functions. If a node has no kernel, returns a string with the reason.
    """
    graph = Symbol([pair for result in results for pair in result.heads])
    input_specs = {f"in{number}": Spec(*spec) for number, spec in enumerate(inputs)}
    specs = infer_specs(graph, input_specs)
    result_specs = [specs[pair] for pair in graph.heads]
    if result_specs != [Spec(*spec) for spec in outputs]:
        raise ValueError(f"{op!r}: composed of operators that give {result_specs}, and not {outputs}")
    draft = fuse_elementwise(fuse_relu(Draft(graph, specs, results=len(graph))))
    return _CompositeWork(op, draft.graph, specs, how).work()


class _CompositeWork:
    """places: {(node, output): In, Out or Scratch}."""

    def __init__(self, op, graph, specs, how):
        self.op, self.graph, self.specs, self.how = op, graph, specs, how
        self.nodes = run_order(graph.heads)
        self.places, self.scratch, self.launches = {}, [], []
        self.roots = [_root(pair) for pair in graph.heads]

    def work(self):
        computing = [node for node in self.nodes if node.op is not None and not _is_view(node)]
        # An output that may alias an input must not be written before all readers of the input have run.
        direct = len(computing) == 1 or not self.op.in_place
        for node in self.nodes:
            reason = self.enter(node, direct)
            if reason:
                return reason
        for number, pair in enumerate(self.graph.heads):
            place, spec = self.places[pair], self.specs[pair]
            if not (isinstance(place, Out) and place.number == number):  # In(0) == Out(0) because both are tuples
                self.add(find(REGISTRY["identity"](), [spec], [spec], *self.how), [place], [Out(number)])
        return Work(*self.launches, scratch=self.scratch)

    def enter(self, node, direct):
        """Adds a node's launches; if there are none, returns the reason."""
        if node.op is None:
            self.places[node, 0] = In(int(node.name.removeprefix("in")))
            return None
        inputs = [self.places[pair] for pair in node.inputs]
        if _is_view(node):
            self.places[node, 0] = inputs[0]
            return None
        pairs = [(node, index) for index in range(node.op.num_outputs)]
        work = find(node.op, [self.specs[pair] for pair in node.inputs], [self.specs[pair] for pair in pairs],
                    *self.how)
        if isinstance(work, str):
            return f"{node.op.name}: {work}"
        if not isinstance(work, Work):
            return f"{node.op.name}: the shape of its result depends on values"
        for pair in pairs:
            straight = direct and pair in self.roots
            self.places[pair] = Out(self.roots.index(pair)) if straight else self.between(self.specs[pair])
        self.add(work, inputs, [self.places[pair] for pair in pairs])
        return None

    def between(self, spec):
        self.scratch.append(spec)
        return Scratch(len(self.scratch) - 1)

    def add(self, work, inputs, outputs):
        """Adds the launches of a Work, translating the places of its operands to those in the whole graph."""
        operands = {In: inputs, Out: outputs, Scratch: [self.between(spec) for spec in work.scratch]}
        for launch in work.launches:
            field = "operands" if isinstance(launch, Enqueue) else "arguments"
            moved = [operands[type(a)][a.number] if isinstance(a, (In, Out, Scratch)) else a
                     for a in getattr(launch, field)]
            self.launches.append(launch._replace(**{field: moved}))


def _is_view(node):
    """Returns whether a node's elements are its input's elements in the same order, so that both can share memory."""
    return node.op is not None and node.op.is_view and node.op.num_outputs == 1


def _root(pair):
    """Returns the (node, output) pair whose memory a view shares."""
    while _is_view(pair[0]):
        pair = pair[0].inputs[0]
    return pair
