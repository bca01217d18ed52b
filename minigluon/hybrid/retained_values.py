"""Copies of a run's values for a backward pass that is not the last one."""

from __future__ import annotations

from typing import Any

__all__ = ["copied_values"]


def copied_values(copied: list[Any], values: list[Any], layout: Any) -> list[Any]:
    """Return a copy of `values` in which the planned memory that backward reads is copied and everything else is
    shared.
    """
    for slot, storage in layout.storage_of.items():
        if storage.kind not in ("value", "scratch"):
            copied[slot] = values[slot]
        elif storage.first < layout.split <= storage.last:
            copied[slot][...] = values[slot]
    copied[:layout.inputs] = values[:layout.inputs]
    return copied
