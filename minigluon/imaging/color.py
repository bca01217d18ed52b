"""Color operations on NumPy arrays (..., H, W, 3). The dtype is kept; integers are rounded and clipped.

There are two differences from MXNet: MXNet truncates where this module rounds (an integer may differ by one), and its
saturation uses 0.114 times the blue channel as a pixel's gray.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base import ShapeError
from .resize import as_dtype

__all__ = ["EIGENVALUES", "EIGENVECTORS", "brightness", "contrast", "hue", "light_of", "lighting", "mixed",
           "saturation", "shifted"]

GREY = np.array([0.299, 0.587, 0.114])          # the perceived brightness of red, green and blue (ITU-R BT.601)

# Principal components of the colors of ImageNet (Krizhevsky, Sutskever, Hinton 2012).
EIGENVALUES = np.array([55.46, 4.794, 1.148])
EIGENVECTORS = np.array([[-0.5675, 0.7192, 0.4009], [-0.5808, -0.0045, -0.8140], [-0.5836, -0.6948, 0.4203]])


def brightness(image: np.ndarray[Any, Any], factor: float) -> np.ndarray[Any, Any]:
    """Multiply all values by a factor."""
    return as_dtype(image * _number(image)(factor), image.dtype)


def contrast(image: np.ndarray[Any, Any], factor: float) -> np.ndarray[Any, Any]:
    """Multiply the distance from the image's mean gray by a factor."""
    grey = _grey(image).mean(axis=(-3, -2, -1), keepdims=True)
    return _mix(image, grey, factor)


def saturation(image: np.ndarray[Any, Any], factor: float) -> np.ndarray[Any, Any]:
    """Multiply the distance from each pixel's gray by a factor. The factor 0 makes the image gray."""
    if image.shape[-1] == 1:
        return image
    return _mix(image, _grey(image), factor)


def hue(image: Any, factor: Any) -> Any:
    """Rotate the color circle by `factor` full turns."""
    if image.shape[-1] == 1:
        return image
    _require_color(image, "hue")
    h, high, low = _hue_of(_planes(image))
    return as_dtype(_colored(h + _number(image)(6 * factor), high, low), image.dtype)


def shifted(image: np.ndarray[Any, Any], hue: float, lightness: float, saturation: float) -> np.ndarray[Any, Any]:
    """Rotate a uint8 image's hue by a number of full turns, and add values to lightness and saturation (0 ... 1)."""
    _require_color(image, "shifted")
    h, high, low = _hue_of(_planes(image) / np.float32(255))
    light, s = (high + low) / 2, _saturation_of(high, low)
    light, s = np.clip(light + lightness, 0, 1), np.clip(s + saturation, 0, 1)
    high = np.where(light <= 0.5, light * (1 + s), light + s - light * s)
    return as_dtype(_colored(h + 6 * hue, high, 2 * light - high) * np.float32(255), image.dtype)


def lighting(image: np.ndarray[Any, Any], alpha: np.ndarray[Any, Any], eigenvalues: np.ndarray[Any, Any] = EIGENVALUES,
             eigenvectors: np.ndarray[Any, Any] = EIGENVECTORS) -> np.ndarray[Any, Any]:
    """Add alpha_1 λ_1 v_1 + alpha_2 λ_2 v_2 + alpha_3 λ_3 v_3, where the v are the principal components. alpha (3,)."""
    if image.shape[-1] == 1:
        return image
    _require_color(image, "lighting")
    return as_dtype(image + light_of(alpha, eigenvalues, eigenvectors).astype(_number(image)), image.dtype)


def light_of(alpha: np.ndarray[Any, Any], eigenvalues: np.ndarray[Any, Any] = EIGENVALUES,
             eigenvectors: np.ndarray[Any, Any] = EIGENVECTORS) -> np.ndarray[Any, Any]:
    """Return the values (3,) that `lighting` adds to the channels."""
    return np.asarray(eigenvectors) @ (np.asarray(alpha) * np.asarray(eigenvalues))


def mixed(image: np.ndarray[Any, Any], matrix: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Multiply each pixel's three channels by a matrix (3, 3) from the right."""
    _require_color(image, "mixed")
    return as_dtype(image @ np.asarray(matrix, _number(image)), image.dtype)


def _mix(image, grey, factor):
    factor = _number(image)(factor)
    return as_dtype(image * factor + grey * (1 - factor), image.dtype)


def _grey(image):
    """Return the gray values (..., H, W, 1), float32."""
    if image.shape[-1] == 1:
        return image.astype(_number(image))
    _require_color(image, "color")
    return (image @ GREY.astype(_number(image)))[..., np.newaxis]


def _number(image):
    """Return the compute type for an image."""
    return np.float64 if image.dtype == np.float64 else np.float32


def _require_color(image, who):
    if image.ndim < 3 or image.shape[-1] != 3:
        raise ShapeError(f"{who}: needs an image (H, W, 3) or (H, W, 1), found shape {image.shape}")


def _planes(image):
    """Return the colors as separate planes (3, ..., H, W), in the compute type."""
    return np.moveaxis(image, -1, 0).astype(_number(image), order="C")


def _hue_of(planes):
    """Return each pixel's hue -1 ... 5 (0 is red, 2 green, 4 blue; 0 for grays), maximum and minimum: (..., H, W)."""
    red, green, blue = planes
    high, low = planes.max(0), planes.min(0)
    span = high - low
    way = np.where(high == red, green - blue,
                   np.where(high == green, 2 * span + (blue - red), 4 * span + (red - green)))
    return way / np.where(span > 0, span, 1), high, low


def _saturation_of(high, low):
    """Return the saturation 0 ... 1 of values 0 ... 1."""
    span, total = high - low, high + low
    return np.where(span > 0, span / np.where(span > 0, np.minimum(total, 2 - total), 1), 0)


def _colored(hue, high, low):
    """Return colors (..., H, W, 3) from hues, possibly beyond a full turn, and the largest and smallest values."""
    out = np.empty((*hue.shape, 3), hue.dtype)
    for channel in range(3):
        # A channel is high up to a sixth of the circle from its own color, and low beyond two sixths.
        way = hue - 2 * channel
        away = np.abs(way - 6 * np.rint(way / 6))
        out[..., channel] = low + (high - low) * np.clip(2 - away, 0, 1)
    return out
