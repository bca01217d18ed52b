"""The graph behind symbols: nodes, their topological order, and handles to outputs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count
from typing import Any

import numpy as np

from ..base import ArgumentError, MXNetError, listed
from ..diagnostics.source_lines import SourceLine
from ..diagnostics.told_lines import add_location
from ..ops.op import Op
from ..ops.shapes import PartialShape

__all__ = ["Handle", "Node", "error_location", "position_in_program",
           "require_variables", "run_order", "running", "topological", "variables"]

_numbers = count()


class Node:
    """An operator with its inputs, or a variable (op None).

    inputs: (node, output index) pairs. attrs: the user's attributes, as strings; for variables `__shape__`,
    `__dtype__` ... shape and dtype: from a variable's declaration. number: increases with time and so reflects the
    program's order; for a node of an unrolled loop, a tuple (the loop's number, the step, the number in the body).
    place: the line in the program that created it, or None.
    """

    __slots__ = ("attrs", "dtype", "inputs", "name", "number", "op", "place", "shape")

    def __init__(self, op: Op | None, name: str, inputs: Iterable[Pair] = (), attrs: dict[str, str] | None = None,
                 shape: PartialShape = None, dtype: np.dtype[Any] | None = None, place: SourceLine | None = None):
        self.op: Op | None = op
        self.name: str = name
        self.inputs: tuple[Pair, ...] = tuple(inputs)
        self.attrs: dict[str, str] = attrs or {}
        self.shape: PartialShape = shape
        self.dtype: np.dtype[Any] | None = dtype
        self.place: SourceLine | None = place
        self.number: int | tuple[int, ...] = next(_numbers)

    def with_inputs(self, inputs: Iterable[Pair]) -> Node:
        """Return the same node with other inputs, or the node itself if they are unchanged."""
        inputs = tuple(inputs)
        if inputs == self.inputs:
            return self
        node = Node(self.op, self.name, inputs, self.attrs, self.shape, self.dtype, self.place)
        node.number = self.number
        return node

    @property
    def num_visible_outputs(self) -> int:
        return 1 if self.op is None else self.op.num_visible_outputs

    def output_name(self, index: int) -> str:
        """Return 'fc1_output', or 'split0_output1' if there are several; 'drop1_hidden1'; a variable's own name."""
        if self.op is None:
            return self.name
        if index >= self.num_visible_outputs:
            return f"{self.name}_hidden{index}"
        if self.op.output_names:
            return f"{self.name}_{self.op.output_names[index]}"
        return f"{self.name}_output{index if self.num_visible_outputs > 1 else ''}"

    def __repr__(self) -> str:
        return f"<Node {self.name}>" if self.op is None else f"<Node {self.name}: {self.op!r}>"


Pair = tuple[Node, int]         # an output: its node, and its index


class _RunningNode(threading.local):
    node: Node | None = None


running = _RunningNode()        # the node whose `error_location` block this thread is in


class error_location:
    """A context manager: each MXNetError that leaves it names the node (see `add_location`)."""

    outer: Node | None

    def __init__(self, node: Node):
        self.node = node

    def __enter__(self) -> None:
        self.outer, running.node = running.node, self.node

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        running.node = self.outer
        if isinstance(error, MXNetError):
            add_location(error, self.node)


def topological(heads: Sequence[Pair], enters: Callable[[Node], bool] | None = None) -> list[Node]:
    """Return all nodes that (node, index) pairs depend on, each after its inputs. Iterative, so the depth is unlimited.
    enters(node): whether to include a node and its dependencies; by default all are included."""
    order: dict[Node, None] = {}
    entered: set[Node] = set()
    stack = [node for node, _ in reversed(heads)]
    while stack:
        node = stack[-1]
        if node in entered:             # all its inputs are in the order; another user may have added the node itself
            order[stack.pop()] = None
        elif enters is None or enters(node):
            entered.add(node)
            for parent, _ in reversed(node.inputs):
                if parent not in order:
                    stack.append(parent)
        else:
            stack.pop()
    return list(order)


def variables(nodes: Iterable[Node]) -> tuple[list[Node], list[Node]]:
    """Return (variables that operators only read, variables that they overwrite), each in the order of the nodes."""
    nodes = list(nodes)
    auxiliary = {parent for node in nodes for _, _, parent in _overwritten(node)}
    leaves = [n for n in nodes if n.op is None]
    return [n for n in leaves if n not in auxiliary], [n for n in leaves if n in auxiliary]


def run_order(heads: Sequence[Pair]) -> list[Node]:
    """Return `topological`, but with operators that draw random numbers or overwrite inputs in the program's order.

    The graph's edges do not determine this order: a second dropout must draw after the first, and a second BatchNorm
    with the same moving mean must read the value that the first has written.
    """
    nodes = topological(heads)
    ordered = sorted((n for n in nodes if n.op is not None and (n.op.random or n.op.mutates)), key=position_in_program)
    return topological([*((node, 0) for node in ordered), *heads]) if len(ordered) > 1 else nodes


def position_in_program(node: Node) -> tuple[int, ...]:
    """Return the node's number as a tuple, so that a loop's steps sort between the nodes before and after the loop."""
    return node.number if isinstance(node.number, tuple) else (node.number,)


def require_variables(node: Node) -> None:
    """Raise MXNetError if an operator would overwrite another operator's result, or a missing input."""
    for op, argument, parent in _overwritten(node):
        if parent.op is not None:
            raise MXNetError(f"{op.name} {node.name!r}: input {argument} is overwritten by the operator, so it "
                             f"must be a variable, but it is an output of {parent.name!r}.")


def _overwritten(node: Node) -> Iterator[tuple[Op, str, Node]]:
    """Yield (operator, argument, the argument's node) for each input that the node overwrites."""
    op = node.op
    if op is not None and op.mutates:
        names = op.argument_names(len(node.inputs))
        for argument in op.mutates:
            if argument not in names:
                raise ArgumentError(f"{op.name} {node.name!r}: it overwrites its input {argument}, but there are "
                                    f"{len(names)} inputs: {listed(names)}")
            yield op, argument, node.inputs[names.index(argument)][0]


class Handle:
    """Outputs of a graph, and the nodes that they depend on. heads: (node, output index) pairs."""

    def __init__(self, outputs: Iterable[Pair]):
        self.heads: list[Pair] = list(outputs)
        self._nodes: list[Node] | None = None

    def nodes(self) -> list[Node]:
        """All nodes, inputs first.

        >>> [node.name for node in sym.relu(sym.var("x"), name="act").nodes()]
        ['x', 'act']
        """
        if self._nodes is None:         # heads and inputs never change
            self._nodes = topological(self.heads)
        return list(self._nodes)

    def list_arguments(self) -> list[str]:
        """Return the names of the variables that are not auxiliary states, in the order of the graph.

        >>> sym.FullyConnected(sym.var("x"), num_hidden=4, name="fc").list_arguments()
        ['x', 'fc_weight', 'fc_bias']
        """
        return [n.name for n in variables(self.nodes())[0]]

    def list_auxiliary_states(self) -> list[str]:
        """Return the names of the variables that operators overwrite, such as BatchNorm's moving mean.

        >>> sym.BatchNorm(sym.var("x"), name="bn").list_auxiliary_states()
        ['bn_moving_mean', 'bn_moving_var']
        """
        return [n.name for n in variables(self.nodes())[1]]

    def list_inputs(self) -> list[str]:
        """Return the names of all variables, including auxiliary states.

        >>> sym.BatchNorm(sym.var("x"), name="bn").list_inputs()
        ['x', 'bn_gamma', 'bn_beta', 'bn_moving_mean', 'bn_moving_var']
        """
        return [n.name for n in self.nodes() if n.op is None]

    def __len__(self) -> int:
        return len(self.heads)
