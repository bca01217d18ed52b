"""Devices of a graph's nodes: `AttrScope(ctx_group="a")` sets a node's group, and group2ctx maps groups to devices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...base import ArgumentError, listed
from ...context import Context

if TYPE_CHECKING:
    from ...symbol.graph import Node

__all__ = ["Placement", "devices_of_variables", "place"]


def place(symbol: Any, ctx: Context, group2ctx: Any) -> Placement | None:
    """Return the Placement for group2ctx, {group: device} or None; return None if everything is on `ctx`.

    Raises ArgumentError for a group without a device, and for a device that is not a Context.
    """
    if not group2ctx:
        return None
    for group, device in group2ctx.items():
        if not isinstance(device, Context):
            raise ArgumentError(f"group2ctx: the device of group {group!r} must be a Context such as mx.cpu(1), found "
                                f"{type(device).__name__} {device!r}")
    placement = Placement(symbol, ctx, group2ctx)
    return placement if placement.devices != {ctx} else None


def devices_of_variables(symbol: Any, ctx: Context, placement: Any) -> Any:
    """Return {name: device} for the graph's variables. placement: None if all are on ctx."""
    return dict.fromkeys(symbol.list_inputs(), ctx) if placement is None else placement.variables


class Placement:
    """The devices of a graph's nodes. Nodes without a group are on `ctx`.

    variables: {name: device}. devices: the set of all devices.
    """

    ctx: Context
    groups: dict[str, Context]
    variables: dict[Any, Context]

    def __init__(self, symbol: Any, ctx: Context, groups: dict[str, Context]):
        self.ctx, self.groups = ctx, dict(groups)
        nodes = symbol.nodes()
        for node in nodes:
            group = _group_of(node)
            if group is not None and group not in groups:
                raise ArgumentError(f"group2ctx has no device for group {group!r} of {node.name!r}; it has "
                                    f"{listed(groups)}")
        # A state is on the device of the operator that writes it, because otherwise the operator would write to a copy.
        writers = {node.inputs[node.op.argument_names(len(node.inputs)).index(argument)][0]: node
                   for node in nodes if node.op is not None for argument in node.op.mutates}
        self.variables = {node.name: self.of(writers.get(node, node)) for node in nodes if node.op is None}
        self.devices: set[Any] = {self.of(node) for node in nodes if node.op is not None} | set(self.variables.values())

    def of(self, node: Node) -> Context:
        """Return the device of a node."""
        group = _group_of(node)
        return self.ctx if group is None else self.groups[group]

    def of_output(self, node: Node) -> Context:
        """Return the device of a node's output."""
        return self.variables[node.name] if node.op is None else self.of(node)


def _group_of(node):
    return node.attrs.get("__ctx_group__")
