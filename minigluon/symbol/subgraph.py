"""Graphs inside a node: how the symbols that a loop's body makes become one, and what the node asks of it.

    with Tracing("foreach") as tracing:             every node made here is marked with the tracing's name
        x, = tracing.variables([data])              what the body gets
        heads = tracing.heads([body(x)])
    graph, captured = tracing.cut(heads)            a Subgraph, and what it takes from outside

Parameters and symbols from outside that the body uses are found where an edge leads out of the marked nodes. In the
subgraph a variable takes their place, and they become inputs of the node (`captured`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import attribute
from ..ops import REGISTRY
from ..ops.fields import Graph
from . import infer
from .graph import Node, topological
from .symbol import Symbol, Variable, compose

if TYPE_CHECKING:
    from ..attribute import AttrScope

__all__ = ["MARK", "Subgraph", "Tracing"]

MAX_TOLD = 32
MARK = "__subgraph_name__"      # the attribute of nodes made inside; a parameter that was first used there has it, too


class Subgraph(Graph):
    """A graph with its inputs in order, in the form that `ops.control` asks for.

    inputs: nodes of variables with different names. MXNet orders them as in the graph; one that the graph does not
    use comes last.
    """

    def __init__(self, symbol: Symbol, unused: Sequence[Any] = ()):
        self.symbol = symbol
        self.nodes: list[Node] = symbol.nodes()
        self.unused: list[Any] = list(unused)
        self.inputs: list[Any] = [*[n for n in self.nodes if n.op is None], *unused]
        overwritten = set(symbol.list_auxiliary_states())
        self.mutated: list[int] = [i for i, node in enumerate(self.inputs) if node.name in overwritten]
        operators = [n.op for n in self.nodes if n.op is not None]
        self.is_random: bool = any(op.random for op in operators)
        self.takes_train: bool = any(op.takes_train for op in operators)
        self.is_dynamic: bool = any(op.dynamic for op in operators)
        self._told = {}         # what inference has answered: a loop in loops would ask 4 times as often at each depth

    def __repr__(self) -> str:
        return f"<Subgraph of {self.num_inputs} inputs: {', '.join(self.symbol.list_outputs())}>"

    @property
    def num_inputs(self):
        return len(self.inputs)

    @property
    def num_outputs(self):
        return len(self.symbol)

    def infer_shapes(self, inputs: Sequence[Any], outputs: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """(inputs, outputs): shapes in order, completed from what is known of both."""
        return self._infer(infer.infer_shapes, inputs, outputs)

    def infer_dtypes(self, inputs: Sequence[np.dtype[Any]],
                     outputs: Sequence[np.dtype[Any]]) -> tuple[list[Any], list[Any]]:
        """(inputs, outputs): element types in order, completed from what is known of both."""
        return self._infer(infer.infer_dtypes, inputs, outputs)

    def _infer(self, infer_all, inputs, outputs):
        asked = (infer_all, *inputs, None, *outputs)
        if asked not in self._told:
            known = {node.name: value for node, value in zip(self.inputs, inputs, strict=True) if value is not None}
            heads = [(pair, value) for pair, value in zip(self.symbol.heads, outputs, strict=True) if value is not None]
            found = infer_all([*self.inputs, *[n for n in self.nodes if n.op is not None]], known, heads)
            if len(self._told) == MAX_TOLD:
                self._told.clear()
            self._told[asked] = [found[node, 0] for node in self.inputs], [found[pair] for pair in self.symbol.heads]
        inner, after = self._told[asked]
        return list(inner), list(after)


class Tracing:
    """The making of one subgraph, as a `with` block around the call of the body."""

    def __init__(self, hint: str):
        self.name: str = attribute.subgraph_name(hint)
        self.given: list[Any] = []         # the nodes of the variables handed to the body
        self.scope: AttrScope = attribute.AttrScope(**{MARK: self.name})

    def __enter__(self) -> Tracing:
        self.scope.__enter__()
        return self

    def __exit__(self, *exc_info: Any) -> None:
        self.scope.__exit__(*exc_info)

    def variables(self, symbols: Sequence[Symbol]) -> list[Any]:
        """Variables that stand for symbols of one output inside, called '<name>-<output>'."""
        made = []
        for symbol in symbols:
            node, index = symbol.heads[0]
            names = {n.name for n in self.given}
            variable = Variable(_unique(f"{node.name}-{index}", names))
            self.given.append(variable.heads[0][0])
            made.append(variable)
        return made

    def heads(self, symbols: Sequence[Symbol], apart: int = 0) -> list[Any]:
        """The outputs of the subgraph: an input, or what was made outside, is copied by an `identity`.

        As in MXNet, so is one of the last `apart` outputs that is among the first, too.
        """
        inputs = {node.name for node in topological([s.heads[0] for s in symbols]) if node.op is None}
        first = {s.heads[0][0].name for s in symbols[:len(symbols) - apart]}
        heads = []
        for number, symbol in enumerate(symbols):
            node = symbol.heads[0][0]
            again = number >= len(symbols) - apart and node.name in first
            if again or node.name in inputs or not self.made(node):
                symbol = compose(REGISTRY["identity"](), [symbol])
            heads.append(symbol)
        return heads

    def made(self, node: Node) -> bool:
        """Was the node made inside?"""
        return node.attrs.get(MARK) == self.name

    def cut(self, heads: Sequence[Symbol], keep: bool = True) -> tuple[Subgraph, list[Any]]:
        """(Subgraph, captured): captured[i] is the (node, output) outside that input i stands for, None if given.

        keep: a given variable that the body does not use is an input all the same.
        """
        cut = _Extraction(self, [pair for symbol in heads for pair in symbol.heads])
        used = set(cut.symbol.nodes())
        graph = Subgraph(cut.symbol, [node for node in self.given if keep and node not in used])
        return graph, [cut.outside.get(node) for node in graph.inputs]


class _Extraction:
    """A copy of the nodes made inside, in which variables stand for what comes from outside."""

    def __init__(self, tracing, heads):
        self.tracing = tracing
        self.copies = {node: node for node in tracing.given}
        self.names = {node.name for node in tracing.given}
        self.outside = {}       # variable of the copy -> (node, output) outside
        self.stand_ins = {}     # (node, output) outside, or the name of a variable -> variable of the copy
        for node in self.inside(heads):
            self.copies[node] = node.with_inputs([self.inner(pair) for pair in node.inputs])
        self.symbol = Symbol([self.inner(pair) for pair in heads])

    def inside(self, heads):
        """The operators made inside, inputs first. What is outside is not entered."""
        return topological(heads, lambda node: node.op is not None and self.tracing.made(node))

    def inner(self, pair):
        """The (node, output) of the copy that stands for one of the program's graph."""
        node, index = pair
        if node in self.copies:
            return self.copies[node], index
        key = node.name if node.op is None else pair        # variables of one name are one argument
        if key not in self.stand_ins:
            name = _unique(node.output_name(index), self.names)
            self.names.add(name)
            # A variable made inside, the parameter of a layer, keeps its attributes as in MXNet.
            attrs = dict(node.attrs) if node.op is None and self.tracing.made(node) else {}
            self.stand_ins[key] = stand_in = Node(None, name, (), attrs)
            self.outside[stand_in] = pair
        return self.stand_ins[key], 0


def _unique(name, taken):
    """The name itself, or with a number after it."""
    number, found = 0, name
    while found in taken:
        number += 1
        found = f"{name}-{number}"
    return found
