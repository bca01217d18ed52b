"""The backend that serves a device, found once."""

from __future__ import annotations

from typing import Any

from ..context import Context
from .contract import Backend
from .discovery import find

__all__ = ["backend_for", "serving"]

serving: dict[Context, Backend] = {}           # device -> the backend that `backend_for` has chosen


def backend_for(ctx: Any) -> Backend:
    """Return the backend that serves a device.

    Raises ContextError if there is none, and MXNetError if MINIGLUON_BACKEND names an unknown one.
    """
    backend = serving.get(ctx)
    if backend is None:
        backend = serving[ctx] = find(ctx)
    return backend
