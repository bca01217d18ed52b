"""Source positions for the elements along a resized axis, and their interpolation weights."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["matrix_of", "places_of"]


def _coordinates(length, size, scale, mode):
    """Returns the fractional position of each element of the result along the axis of `length`."""
    out = np.arange(size, dtype=np.float64)
    if mode == "asymmetric":
        return out / scale
    if mode == "align_corners":
        last = scale * length - 1       # the length of the axis, which may be fractional
        return out * (length - 1) / last if last > 0 and size > 1 else np.zeros(size)
    if mode == "pytorch_half_pixel" and size == 1:
        return np.zeros(1)
    positions = (out + 0.5) / scale - 0.5
    if mode == "half_pixel_symmetric":
        # if a scale does not result in an integer length, the result is centered
        positions += length / 2 * (1 - size / (scale * length))
    return positions


def places_of(length: int, size: Any, scale: Any, coordinates: Any, nearest_mode: Any) -> Any:
    """Returns the index of the nearest source element for each element of the result."""
    x = _coordinates(length, size, scale, coordinates)
    rounded = {"floor": np.floor, "ceil": np.ceil, "round_prefer_ceil": lambda x: np.floor(x + 0.5),
               "round_prefer_floor": lambda x: np.ceil(x - 0.5)}[nearest_mode](x)
    return rounded.clip(0, length - 1).astype(np.int64)


def matrix_of(length: int, size: Any, scale: Any, mode: Any, coordinates: Any, a: Any, exclude_outside: Any,
              antialias: Any) -> np.ndarray[Any, Any]:
    """Returns the interpolation weights (size, length). At the ends, the outermost element is repeated."""
    x = _coordinates(length, size, scale, coordinates)
    wide = min(scale, 1.0) if antialias else 1.0
    reach = (1 if mode == "linear" else 2) / wide
    matrix = np.zeros((size, length))
    for row, at in enumerate(x):
        places = np.arange(int(np.floor(at - reach)), int(np.ceil(at + reach)) + 1)
        weights = (_triangle if mode == "linear" else lambda d: _cubic(d, a))(np.abs(places - at) * wide)
        if exclude_outside:
            weights = weights * ((places >= 0) & (places < length))
        if exclude_outside or antialias:
            weights = weights / weights.sum()
        np.add.at(matrix[row], places.clip(0, length - 1), weights)
    return matrix


def _triangle(distance):
    return np.maximum(0, 1 - distance)


def _cubic(d, a):
    near = (a + 2) * d ** 3 - (a + 3) * d ** 2 + 1
    far = a * d ** 3 - 5 * a * d ** 2 + 8 * a * d - 4 * a
    return np.where(d < 1, near, np.where(d < 2, far, 0))
