"""Gradient compression: two bits, as in MXNet, where each element becomes -t, 0 or t, and the residual is carried
over; and float16 and bfloat16, which MXNet does not have.

Strom, "Scalable distributed DNN training using commodity GPU cloud computing", Interspeech 2015.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base import ArgumentError, DTypeError
from ..ndarray import NDArray

__all__ = ["Narrow", "TwoBit", "from_params"]

PART = 1 << 15      # the number of elements that are rounded at once


def from_params(params: Any) -> TwoBit | Narrow:
    """Return the compression for {'type': '2bit', 'threshold': 0.5} or {'type': 'float16'}, or
    'bfloat16'.

    params: the dict.

    Raises DTypeError and ArgumentError.
    """
    if not isinstance(params, dict):
        raise DTypeError("compression_params must be a dict such as {'type': '2bit', 'threshold': 0.5}, found "
                         f"{type(params).__name__}")
    unknown = [name for name in params if name not in ("type", "threshold")]
    if unknown:
        raise ArgumentError(f"compression_params: unknown {unknown[0]!r}; there are 'type' and 'threshold'")
    kind = params.get("type")
    if kind not in ("2bit", "float16", "bfloat16"):
        raise ArgumentError(f"compression_params: type is {kind!r}, expected '2bit', 'float16' or 'bfloat16'")
    if kind != "2bit":
        if "threshold" in params:
            raise ArgumentError(f"compression_params: 'threshold' is for '2bit', not for {kind!r}")
        return Narrow(kind)
    threshold = float(params.get("threshold", 0.5))
    if not threshold > 0:
        raise ArgumentError(f"compression_params: threshold is {threshold:g}, expected a number above 0")
    return TwoBit(threshold)


class Narrow:
    """Gradients travel between processes in a narrow dtype; sums are computed in float32. One process rounds nothing.

    dtype: 'float16' or 'bfloat16'.
    """

    def __init__(self, dtype: str) -> None:
        self.dtype = dtype

    def described(self) -> str:
        """Return words for messages."""
        return self.dtype

    def __call__(self, key: Any, number: Any, grad: Any) -> Any:
        """Return the gradient of a device, which is exact."""
        return grad


class TwoBit:
    """Compression for each key and device: residual += gradient; elements that reach the threshold t are sent as ±t,
    which is subtracted from the residual.
    """

    def __init__(self, threshold: float = 0.5):
        self.threshold: float = threshold
        self._residuals = {}            # (key, index of the device) -> NDArray, or an array of NumPy for a CPU

    def described(self) -> str:
        """Return words for messages."""
        return f"two bits with threshold {self.threshold:g}"

    def __call__(self, key: Any, number: Any, grad: Any) -> Any:
        """Return the rounded gradient, with the same shape. number: the index of its device in this process."""
        if grad.stype == "default" and isinstance(grad.buffer, np.ndarray):
            return NDArray(self._rounded(key, number, grad), grad.context)
        residual = self._residuals.get((key, number))
        residual = grad if residual is None else residual + grad
        limit = self.threshold
        sent = ((residual >= limit) - (residual <= -limit)) * limit
        self._residuals[key, number] = residual - sent
        return sent

    def _rounded(self, key, number, grad):
        """Return the rounded gradient of a CPU, computed in parts that fit into its cache."""
        if (key, number) not in self._residuals:
            self._residuals[key, number] = np.zeros(grad.shape, grad.dtype)
        sent = np.empty(grad.shape, grad.dtype)
        whole = [x.reshape(-1) for x in (self._residuals[key, number], np.ascontiguousarray(grad.buffer), sent)]
        for begin in range(0, sent.size, PART):
            residual, part, out = (x[begin:begin + PART] for x in whole)
            residual += part
            signs = (residual >= self.threshold).view(np.int8) - (residual <= -self.threshold).view(np.int8)
            np.multiply(signs, grad.dtype(self.threshold), out=out)
            residual -= out
        return sent
