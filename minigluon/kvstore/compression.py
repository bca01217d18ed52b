"""Two-bit gradient compression, as in MXNet: each element becomes -t, 0 or t, and the residual is carried over.

Strom, "Scalable distributed DNN training using commodity GPU cloud computing", Interspeech 2015.
"""

from __future__ import annotations

from typing import Any

from ..base import ArgumentError, DTypeError

__all__ = ["TwoBit"]


class TwoBit:
    """Compression for each key and device: residual += gradient; elements that reach the threshold t are sent as ±t,
    which is subtracted from the residual.

    Only the rounding, which affects training, is implemented; values are still sent as floats.
    """

    def __init__(self, threshold: float = 0.5):
        self.threshold: float = threshold
        self._residuals = {}            # (key, index of the device) -> NDArray

    @classmethod
    def from_params(cls, params: Any) -> TwoBit:
        """Create it from {'type': '2bit', 'threshold': 0.5}. Raises DTypeError and ArgumentError."""
        if not isinstance(params, dict):
            raise DTypeError("compression_params must be a dict such as {'type': '2bit', 'threshold': 0.5}, found "
                             f"{type(params).__name__}")
        unknown = [name for name in params if name not in ("type", "threshold")]
        if unknown:
            raise ArgumentError(f"compression_params: unknown {unknown[0]!r}; there are 'type' and 'threshold'")
        if params.get("type") != "2bit":
            raise ArgumentError(f"compression_params: type is {params.get('type')!r}, expected '2bit'")
        threshold = float(params.get("threshold", 0.5))
        if not threshold > 0:
            raise ArgumentError(f"compression_params: threshold is {threshold:g}, expected a number above 0")
        return cls(threshold)

    def __call__(self, key: Any, number: Any, grad: Any) -> Any:
        """Return the rounded gradient, with the same shape. number: the index of its device in this process."""
        residual = self._residuals.get((key, number))
        residual = grad if residual is None else residual + grad
        limit = self.threshold
        sent = ((residual >= limit) - (residual <= -limit)) * limit
        self._residuals[key, number] = residual - sent
        return sent
