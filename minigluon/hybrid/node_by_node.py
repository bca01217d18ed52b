"""Execution of a CachedOp call node by node, without a plan."""

from ..symbol.graph import Node
from ..symbol.symbol import Symbol
from ..tape import Entry
from ..tape.constants import Constant, record_constant, with_constants
from .interpret import interpret
from .plan import CALL
from .specs import has_control_flow

__all__ = ["NodeByNode", "runs_imperatively"]


class NodeByNode:
    """Runs node by node, for shapes, loops or branches that depend on values, and for gradients of gradients."""

    def __init__(self, symbol, inputs):
        self.symbol, self.inputs = symbol, inputs
        names = {node.name for node in symbol.nodes() if node.op is None}
        self.used = [i for i, name in enumerate(inputs) if name in names]
        self.is_one_entry = not runs_imperatively(symbol) and (len(symbol.heads) > 1 or has_control_flow(symbol))

    def interpret(self, arrays):
        """Computes the outputs node by node. Each is recorded separately and has its own memory, as in a plan."""
        outputs = interpret(self.symbol, dict(zip(self.inputs, arrays, strict=True)))
        roots = {x._root() for x in arrays}
        for i, y in enumerate(outputs):
            if y._root() in roots:
                outputs[i] = y = y.copy()
            roots.add(y._root())
        return outputs

    def run(self, data, params):
        """Returns the outputs, without recording."""
        return self.interpret([*data, *params.fixed()])

    def record(self, data, params, parents):
        """Returns the outputs, recorded on the tape."""
        outputs = self.interpret([*data, *params.fixed()])
        if self.is_one_entry:
            inputs = [*data, *params.arrays]
            behind = with_constants(parents, inputs) if Constant.made else parents
            _join(outputs, [behind[i] for i in self.used])
        return outputs

    def record_constants(self, data, params, parents):
        """Returns what `record` returns if no gradient passes through any input; constants keep their parents."""
        return self.record(data, params, parents)


def runs_imperatively(symbol: Symbol) -> bool:
    """Returns whether a call is recorded as separate operators, so that no gradient flows through unused results.

    MXNet runs graphs of at most two operators this way.
    """
    return sum(node.op is not None for node in symbol.nodes()) <= 2


class _JoinedEntry(Entry):
    """An entry after a call's operators that gives every input a gradient, zero if no used result depends on it."""

    __slots__ = ()

    @property
    def graph(self):
        """Returns the results as variables, because this entry computes nothing, and the names of results and inputs.
        """
        results = [Node(None, f"result{i}", [], {}) for i in range(len(self.specs))]
        others = [f"input{i}" for i in range(len(self.parents) - len(results))]
        return Symbol([(node, 0) for node in results]), [*[node.name for node in results], *others]

    def gradients(self, F, out_grads, retain, walk=None):
        whole = [F.zeros(shape, dtype=dtype, ctx=ctx) if grad is None else grad
                 for grad, (shape, dtype, ctx) in zip(out_grads, self.specs, strict=True)]
        return whole + [None] * (len(self.parents) - len(whole))


def _join(outputs, parents):
    """Adds one entry after all recorded outputs. parents: the parents of the call's inputs."""
    pairs = [None if y.entry is None else (y.entry, y.output_index) for y in outputs]
    entry = _JoinedEntry(CALL, [*pairs, *parents], (), outputs, [(y.shape, y.dtype, y.context) for y in outputs])
    for index, y in enumerate(outputs):
        if y.entry is None or isinstance(y.entry, Constant):
            record_constant(parents, [y], [None])
        else:
            y.entry, y.output_index = entry, index
