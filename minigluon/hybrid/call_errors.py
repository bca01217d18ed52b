"""Errors in calls of a hybridized block: inputs on several devices, or a gradient that does not match its result."""

from typing import Any

import numpy as np

from ..base import AutogradError, ContextError

__all__ = ["on_several_devices", "other_gradient"]


def on_several_devices(op, arrays, ctx):
    """Return the error for a CachedOp's arrays if not all are on `ctx`, the device of the first array."""
    listed = ", ".join(f"{name} {x.shape} on {x.context}" for name, x in zip(op.inputs, arrays, strict=True))
    return ContextError(f"hybridized block: inputs are on different devices: {listed}. Move them with "
                        f".as_in_context({ctx}).")


def other_gradient(grad: Any, spec: Any) -> AutogradError:
    """Return the error for a gradient whose shape, dtype or device differs from that of its result, `spec`."""
    actual, expected = (f"{shape} {np.dtype(dtype).name} on {ctx}" for shape, dtype, ctx in (
        (grad.shape, grad.dtype, grad.context), spec))
    return AutogradError(f"a result of a hybridized block, {expected}, has a gradient {actual}. The gradient of an "
                         "operator that uses the result must have the shape, dtype and device of its input.")
