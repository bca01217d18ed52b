"""`symbol(data=other)`: a graph whose variables are replaced with other symbols."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from ..base import ArgumentError, MXNetError, listed, nearest
from .graph import Handle, Node, Pair, require_variables, topological

__all__ = ["Composable", "compose_with", "merge_namesakes", "substitute"]

_Symbol = TypeVar("_Symbol", bound="Composable")


class Composable(Handle):
    """Mixin for Symbol that composes it with other symbols."""

    def __call__(self: _Symbol, *args: Any, name: str | None = None, **kwargs: Any) -> _Symbol:
        """Return the graph with variables replaced by symbols: `net(data=features)`. name: a new name for the first
        output.

        Every variable with the given name is replaced; the symbol itself is unchanged. Raises ArgumentError for a name
        that no input has.
        """
        if args:
            raise ArgumentError("compose a symbol by the names of its inputs, symbol(data=other): by position it is "
                                f"not clear which of {listed(self.list_inputs())} is meant.")
        for key, value in kwargs.items():
            if not isinstance(value, Composable):
                raise ArgumentError(f"cannot compose: {key} must be a Symbol, found {type(value).__name__} {value!r}")
        return type(self)(compose_with(self.heads, kwargs, name))


def compose_with(heads: Sequence[Pair], symbols: Mapping[str, Any], name: str | None = None) -> list[Pair]:
    """Returns the heads of the graph with variables replaced by `symbols`, {name: symbol}.

    name: a new name for the first head's node. The graph itself is unchanged.
    """
    variables = _variables(heads)
    replacements: dict[Node, Pair] = {}
    for key, symbol in symbols.items():
        if key not in variables:
            raise ArgumentError(f"cannot compose: the symbol has no input {key!r}; its inputs are "
                                f"{listed(variables)}.{nearest(key, variables)}")
        if len(symbol) != 1:
            raise MXNetError(f"cannot compose: the replacement of {key!r} has {len(symbol)} outputs, expected "
                             "one. Choose one with symbol[i].")
        for variable in variables[key]:
            replacements[variable] = symbol.heads[0]
    heads = substitute(heads, replacements)
    return _renamed(heads, name) if name else heads


def merge_namesakes(heads: Sequence[Pair]) -> Sequence[Pair]:
    """Returns the heads of the graph, with all variables of the same name merged into the first of them."""
    replacements = {other: (first, 0) for first, *others in _variables(heads).values() for other in others}
    return substitute(heads, replacements) if replacements else heads


def substitute(heads: Sequence[Pair], replacements: Mapping[Node, Pair]) -> list[Pair]:
    """Return the heads of the same graph with some variables replaced with other outputs.

    replacements: {variable: (node, output index)}. Unaffected nodes are shared by both graphs.
    """
    new = {(variable, 0): pair for variable, pair in replacements.items()}
    for node in topological(heads):
        inputs = [new.get(pair, pair) for pair in node.inputs]
        if node.op is not None and any(pair in new for pair in node.inputs):
            changed = Node(node.op, node.name, inputs, dict(node.attrs), node.shape, node.dtype, node.place)
            require_variables(changed)
            new.update({(node, i): (changed, i) for i in range(node.op.num_outputs)})
    return [new.get(pair, pair) for pair in heads]


def _variables(heads: Sequence[Pair]) -> dict[str, list[Node]]:
    """Returns {name: all variables with that name}, in the order of the graph."""
    variables: dict[str, list[Node]] = {}
    for node in topological(heads):
        if node.op is None:
            variables.setdefault(node.name, []).append(node)
    return variables


def _renamed(heads: Sequence[Pair], name: str) -> list[Pair]:
    """Returns the heads, with a new name for the first one's node."""
    node = heads[0][0]
    renamed = Node(node.op, name, node.inputs, dict(node.attrs), node.shape, node.dtype, node.place)
    return [(renamed if head is node else head, index) for head, index in heads]
