"""`group2ctxs`: the devices of a graph's groups (`AttrScope(ctx_group="a")`), for each context of a Module."""

from __future__ import annotations

from typing import Any

from ...base import ArgumentError
from ...context import Context

__all__ = ["groups_of_contexts"]


def groups_of_contexts(group2ctxs: dict[str, Any] | list[Any] | str | None,
                       count: int) -> list[Any]:
    """Return a dict {group: device}, or None, for each of `count` contexts.

    group2ctxs: None, one such dict for all contexts, a list with one dict per context, or a dict whose values are lists
    with one device per context or a single device for all contexts. Raises ArgumentError for any other form or length.
    """
    if not group2ctxs:
        return [None] * count
    if isinstance(group2ctxs, list):
        if len(group2ctxs) != count:
            raise ArgumentError(f"group2ctxs has {len(group2ctxs)} dicts for {count} contexts")
        return group2ctxs
    if not isinstance(group2ctxs, dict):
        raise ArgumentError("group2ctxs must be a dict from groups to devices, or a list with one for each context, "
                            f"found {type(group2ctxs).__name__}")
    devices = {group: _for_each(group, ctxs, count) for group, ctxs in group2ctxs.items()}
    return [{group: of_group[number] for group, of_group in devices.items()} for number in range(count)]


def _for_each(group, devices, count):
    if isinstance(devices, (list, tuple)):
        if len(devices) not in (1, count):
            raise ArgumentError(f"group2ctxs: group {group!r} has {len(devices)} devices for {count} contexts")
        return list(devices) * (count if len(devices) == 1 else 1)
    if not isinstance(devices, Context):
        raise ArgumentError(f"group2ctxs: group {group!r} must have a device such as mx.cpu(1), or a list of them, "
                            f"found {devices!r}")
    return [devices] * count
