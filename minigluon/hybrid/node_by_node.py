"""Runs a call of a CachedOp node by node, without a plan."""

from .interpret import interpret

__all__ = ["NodeByNode"]


class NodeByNode:
    """The graph node by node: where shapes, loops or branches depend on values, and for gradients of gradients."""

    def __init__(self, symbol, inputs):
        self.symbol, self.inputs = symbol, inputs

    def interpret(self, arrays):
        """The outputs computed node by node: each on the tape by itself, and in memory of its own, as a plan has it."""
        outputs = interpret(self.symbol, dict(zip(self.inputs, arrays, strict=True)))
        taken = {x._root() for x in arrays}
        for i, y in enumerate(outputs):
            if y._root() in taken:
                outputs[i] = y = y.copy()
            taken.add(y._root())
        return outputs

    def run(self, data, params):
        """The outputs, without a record."""
        return self.interpret([*data, *params.fixed()])

    def record(self, data, params, parents):
        """The outputs, with what is on the tape behind them."""
        return self.interpret([*data, *params.fixed()])

    def record_constants(self, data, params, parents):
        """The same where no gradient goes through any input; constants remember what they were computed from."""
        return self.record(data, params, parents)
