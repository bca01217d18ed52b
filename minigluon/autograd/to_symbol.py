"""`autograd.get_symbol`: the recorded computation as a graph."""

from __future__ import annotations

from itertools import count
from typing import Any

from .. import tape
from ..base import AutogradError, NotRecordedError
from ..ndarray import NDArray
from ..ops import Op
from ..symbol import Symbol
from ..symbol.composition import substitute
from ..symbol.graph import Node
from ..symbol.text import attribute_texts
from ..tape.constants import Constant
from ..tape.head_gradients import unrecorded

__all__ = ["get_symbol"]


def get_symbol(x: Any) -> Any:
    """Returns the recorded computation of an array as a Symbol.

    Arrays with `attach_grad` become variables 'var0', 'var1', ..., other inputs 'null2', 'null3', ..., and operators
    'node_0', 'node_1', ..., in the order recorded; a hybridized block appears as its own graph. An array that is not on
    the tape becomes one variable if the operators' gradients need it, otherwise one per use.

    x: the array.

    Raises NotRecordedError, GraphFreedError, WrittenInPlaceError, and AutogradError for an autograd.Function, because
    that is not an operator.

    >>> x = nd.array([3])
    >>> x.attach_grad()
    >>> with autograd.record():
    ...     y = nd.exp(x) * 2
    >>> autograd.get_symbol(y).get_internals().list_outputs()
    ['var0', 'node_0_output', 'node_1_output']
    """
    if not isinstance(x, NDArray):
        raise AutogradError(f"get_symbol takes an NDArray, found {type(x).__name__} {x!r}")
    if x.entry is None:
        raise unrecorded(x)
    if isinstance(x.entry, Constant):
        raise NotRecordedError(
            f"get_symbol: the array of shape {x.shape} is the result of an operator without a gradient, of which the "
            "tape keeps no record")
    writer = _Writer()
    for entry in tape.history(x.entry):
        writer.write(entry)
    return Symbol([writer.found[x.entry, x.output_index]])


class _Writer:
    """The graph built so far, and the positions of each entry's outputs in it."""

    def __init__(self):
        self.found = {}             # (entry, output) -> (node, output)
        self.constants = {}         # id of an array on the tape -> its variable
        self.variable_numbers, self.node_numbers = count(), count()

    def write(self, entry):
        """Adds one entry whose parents have already been added."""
        if isinstance(entry, Constant):
            return                              # a constant
        if isinstance(entry, tape.Variable):
            self.found[entry, 0] = self.variable("var"), 0
            return
        entry.check()
        inputs = [self.found[parent] if parent in self.found else (self.constant(entry, position), 0)
                  for position, parent in enumerate(entry.parents)]
        for index, pair in enumerate(self.outputs(entry, inputs)):
            self.found[entry, index] = pair

    def outputs(self, entry, inputs):
        if entry.graph is not None:             # one entry stands for several operators
            symbol, names = entry.graph
            by_name = dict(zip(names, inputs, strict=True))
            variables = [node for node in symbol.nodes() if node.op is None]
            return substitute(symbol.heads, {node: by_name[node.name] for node in variables})
        op = entry.op
        if not isinstance(op, Op):
            raise AutogradError(f"get_symbol: {op.name} is an autograd.Function, which has no operator that a graph "
                                "could hold.")
        attrs = {name: value for name, value in op.attributes.items() if value != op.fields[name].default}
        node = Node(op, f"node_{next(self.node_numbers)}", inputs, attribute_texts(op, attrs))
        return [(node, index) for index in range(op.num_outputs)]

    def constant(self, entry, position):
        """Returns the variable for an input that is not on the tape."""
        if "inputs" not in entry.op.keeps:
            return self.variable("null")
        key = id(entry.inputs[position])        # the tape keeps the array, so no other array can have this id
        if key not in self.constants:
            self.constants[key] = self.variable("null")
        return self.constants[key]

    def variable(self, kind):
        return Node(None, f"{kind}{next(self.variable_numbers)}")
