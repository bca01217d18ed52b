"""Calls to initializers with a plain string as the name, which are deprecated in MXNet."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..diagnostics import strictness
from ..ndarray import NDArray

__all__ = ["LegacyCalls", "bilinear_kernel"]


class LegacyCalls:
    """Mixin for Initializer that supports calls with a plain string as the name."""

    def _legacy_init(self, name: Any, arr: Any) -> None:
        if not isinstance(name, str):
            raise TypeError(f"an initializer must be called with a name and an array, found {type(name).__name__} "
                            f"{name!r}")
        if not isinstance(arr, NDArray):
            raise TypeError(f"an initializer fills an NDArray, found {type(arr).__name__}")
        strictness.warn("calling an initializer with a string is deprecated: use init(mx.init.InitDesc(name), array)",
                        DeprecationWarning)
        if name.startswith("upsampling"):
            self._init_bilinear(name, arr)
        elif name.startswith("stn_loc") and name.endswith("weight"):
            self._init_zero(name, arr)
        elif name.startswith("stn_loc") and name.endswith("bias"):
            arr[:] = np.array([1, 0, 0, 0, 1, 0], "float32")        # a spatial transformer starts as the identity
        else:
            self._init_by_name(name, arr)

    def _init_bilinear(self, name: Any, arr: Any) -> None:
        arr[:] = bilinear_kernel(arr.shape)


def bilinear_kernel(shape: Any) -> Any:
    """Return a tent function in both directions, repeated over the leading axes; the last axis sets its width."""
    f = math.ceil(shape[3] / 2)
    c = (2 * f - 1 - f % 2) / (2 * f)
    tent = [1 - np.abs(np.arange(n) / f - c) for n in shape[2:4]]
    return np.broadcast_to(np.outer(*tent), shape).astype("float32")
