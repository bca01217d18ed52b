"""Arrays without elements, for gradients that read only shapes."""

from __future__ import annotations

from typing import Any

from ..backend import backend_for
from .ndarray import NDArray

MAX_STAND_INS = 4096        # the stand-ins of a device


def _stand_in(spec: Any) -> Any:
    """Return an array with shape, dtype and device, but no elements: it stands for an input whose elements are gone."""
    shape, dtype, ctx = spec
    found = ctx.stand_ins.get(spec)
    if found is None:
        if len(ctx.stand_ins) >= MAX_STAND_INS:
            ctx.stand_ins.clear()
        found = ctx.stand_ins[spec] = NDArray(backend_for(ctx).view(None, 0, shape, dtype), ctx)
    return found
