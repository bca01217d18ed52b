"""Graphs inside a node: converts a loop body's symbols to a graph, and defines the graph's interface to the node.

    with Tracing("foreach") as tracing:             every node created here is marked with the tracing's name
        x, = tracing.variables([data])               the arguments of the body
        heads = tracing.heads([body(x)])
    graph, captured = tracing.cut(heads)            a Subgraph, and its inputs from outside

Parameters and outside symbols that the body uses are detected where an edge leaves the marked nodes. In the subgraph
they are replaced by variables, and they become inputs of the node (`captured`).
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
MARK = "__subgraph_name__"      # the attribute of nodes created inside, and of parameters first used there


class Subgraph(Graph):
    """A graph with its inputs in order, in the form that `ops.graph.control` needs.

    inputs: nodes of variables with distinct names. MXNet orders them as in the graph; unused inputs come last.
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
        self._memo = {}         # results of inference, which nested loops would repeat four times per level

    def __repr__(self) -> str:
        return f"<Subgraph of {self.num_inputs} inputs: {', '.join(self.symbol.list_outputs())}>"

    @property
    def num_inputs(self):
        return len(self.inputs)

    @property
    def num_outputs(self):
        return len(self.symbol)

    def infer_shapes(self, inputs: Sequence[Any], outputs: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """Returns (inputs, outputs): shapes in order, completed from each other."""
        return self._infer(infer.infer_shapes, inputs, outputs)

    def infer_dtypes(self, inputs: Sequence[np.dtype[Any]],
                     outputs: Sequence[np.dtype[Any]]) -> tuple[list[Any], list[Any]]:
        """Returns (inputs, outputs): element types in order, completed from each other."""
        return self._infer(infer.infer_dtypes, inputs, outputs)

    def _infer(self, infer_all, inputs, outputs):
        key = (infer_all, *inputs, None, *outputs)
        if key not in self._memo:
            values = {node.name: value for node, value in zip(self.inputs, inputs, strict=True) if value is not None}
            heads = [(pair, value) for pair, value in zip(self.symbol.heads, outputs, strict=True) if value is not None]
            facts = infer_all([*self.inputs, *[n for n in self.nodes if n.op is not None]], values, heads)
            if len(self._memo) == MAX_TOLD:
                self._memo.clear()
            self._memo[key] = [facts[node, 0] for node in self.inputs], [facts[pair] for pair in self.symbol.heads]
        inner, after = self._memo[key]
        return list(inner), list(after)


class Tracing:
    """The construction of a subgraph, as a context manager around the call to the body."""

    def __init__(self, hint: str):
        self.name: str = attribute.subgraph_name(hint)
        self.given: list[Any] = []         # the nodes of the variables passed to the body
        self.scope: AttrScope = attribute.AttrScope(**{MARK: self.name})

    def __enter__(self) -> Tracing:
        self.scope.__enter__()
        return self

    def __exit__(self, *exc_info: Any) -> None:
        self.scope.__exit__(*exc_info)

    def variables(self, symbols: Sequence[Symbol]) -> list[Any]:
        """Returns variables that replace single-output symbols inside, named '<name>-<output>'."""
        variables = []
        for symbol in symbols:
            node, index = symbol.heads[0]
            names = {n.name for n in self.given}
            variable = Variable(_unique(f"{node.name}-{index}", names))
            self.given.append(variable.heads[0][0])
            variables.append(type(symbol)(variable.heads))
        return variables

    def heads(self, symbols: Sequence[Symbol], apart: int = 0) -> list[Any]:
        """Returns the outputs of the subgraph. Inputs and outside values are copied by an `identity`.

        As in MXNet, each of the last `apart` outputs that also occurs earlier is copied.
        """
        inputs = {node.name for node in topological([s.heads[0] for s in symbols]) if node.op is None}
        first = {s.heads[0][0].name for s in symbols[:len(symbols) - apart]}
        heads = []
        for number, symbol in enumerate(symbols):
            node = symbol.heads[0][0]
            repeated = number >= len(symbols) - apart and node.name in first
            if repeated or node.name in inputs or not self.owns(node):
                symbol = compose(REGISTRY["identity"](), [symbol])
            heads.append(symbol)
        return heads

    def owns(self, node: Node) -> bool:
        """Returns whether the node was created inside."""
        return node.attrs.get(MARK) == self.name

    def cut(self, heads: Sequence[Symbol], keep: bool = True) -> tuple[Subgraph, list[Any]]:
        """Returns (Subgraph, captured): captured[i] is the outside (node, output) of input i, or None if it is given.

        keep: if True, include given variables that the body does not use.
        """
        cut = _Extraction(self, [pair for symbol in heads for pair in symbol.heads])
        used = set(cut.symbol.nodes())
        graph = Subgraph(cut.symbol, [node for node in self.given if keep and node not in used])
        return graph, [cut.outside.get(node) for node in graph.inputs]


class _Extraction:
    """A copy of the nodes created inside, with variables for values from outside."""

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
        """Returns the operators created inside, inputs first, without visiting outside nodes."""
        return topological(heads, lambda node: node.op is not None and self.tracing.owns(node))

    def inner(self, pair):
        """Returns the copy's (node, output) that corresponds to a pair in the program's graph."""
        node, index = pair
        if node in self.copies:
            return self.copies[node], index
        key = node.name if node.op is None else pair        # variables with the same name are the same argument
        if key not in self.stand_ins:
            name = _unique(node.output_name(index), self.names)
            self.names.add(name)
            # A variable created inside, such as a layer's parameter, keeps its attributes, as in MXNet.
            attrs = dict(node.attrs) if node.op is None and self.tracing.owns(node) else {}
            self.stand_ins[key] = stand_in = Node(None, name, (), attrs)
            self.outside[stand_in] = pair
        return self.stand_ins[key], 0


def _unique(name, names):
    """Returns the name, with a number appended if it is taken."""
    number, unique = 0, name
    while unique in names:
        number += 1
        unique = f"{name}-{number}"
    return unique
