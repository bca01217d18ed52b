"""Image resizing, computed as in OpenCV, which MXNet uses.

Pixels are at the centers of unit squares. Each new pixel is a weighted sum of old pixels, first along rows and then
along columns. For uint8, this module rounds the weights to eleven bits and computes in integers, as OpenCV does.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ..base import ArgumentError, ShapeError
from ..common.memory import enough_memory

__all__ = ["AREA", "AUTO", "CUBIC", "LANCZOS", "LINEAR", "NEAREST", "RANDOM", "as_dtype", "by_size", "cubic_weights",
           "halves", "lanczos_weights", "linear_weights", "method", "resize", "scaled", "taps"]

NEAREST, LINEAR, CUBIC, AREA, LANCZOS, AUTO, RANDOM = 0, 1, 2, 3, 4, 9, 10

ENLARGED_AREA = "area, to enlarge"
BITS = 11                       # bits of a weight in integer arithmetic


@enough_memory("resizing an image")
def resize(image: np.ndarray[Any, Any], width: int, height: int, interpolation: int = LINEAR) -> Any:
    """Resize an image (..., H, W, C) to (..., height, width, C), with the same dtype.

    interpolation: 0 nearest, 1 linear, 2 cubic, 3 area, 4 Lanczos; 9 selects area to shrink and cubic to enlarge.
    Raises ShapeError if the array is not an image or the result is empty, and ArgumentError for any other
    interpolation.
    """
    if image.ndim not in (3, 4):
        raise ShapeError(f"resize: needs an image (H, W, C) or a batch (N, H, W, C), found shape {image.shape}")
    rows, columns = image.shape[-3:-1]
    interpolation = method(rows, columns, height, width, interpolation)
    if (rows, columns) == (height, width):
        return image
    if interpolation == NEAREST:
        return image.take(_nearest(rows, height), -3).take(_nearest(columns, width), -2)
    if halves(image.dtype, rows, columns, height, width, interpolation):
        return _mean_of_four(image)
    return _weighted(image, taps(rows, height, interpolation), taps(columns, width, interpolation), interpolation)


def method(rows: int, columns: int, height: int, width: int, interpolation: int) -> str:
    """Return the method for the new pixels: 9 is resolved by size, and area becomes ENLARGED_AREA if an axis grows."""
    if min(width, height, rows, columns) < 1:
        raise ShapeError(f"resize: cannot make an image of width {width} and height {height} from one of width "
                         f"{columns} and height {rows}; both must have pixels")
    if interpolation == AUTO:
        interpolation = by_size(rows, columns, height, width)
    if interpolation not in (NEAREST, LINEAR, CUBIC, AREA, LANCZOS):
        raise ArgumentError(f"resize: interpolation must be 0 (nearest), 1 (linear), 2 (cubic), 3 (area), 4 (Lanczos), "
                            f"9 (by size) or 10 (random), found {interpolation!r}")
    return ENLARGED_AREA if interpolation == AREA and (height > rows or width > columns) else interpolation


def halves(dtype: np.dtype[Any], rows: int, columns: int, height: int, width: int, interpolation: int) -> bool:
    """Return whether each new pixel is the mean of four old pixels, which OpenCV rounds differently."""
    return interpolation == AREA and dtype == np.uint8 and (rows, columns) == (2 * height, 2 * width)


def by_size(rows: Any, columns: Any, height: int, width: int) -> int:
    """Return the interpolation that 9 means: cubic to enlarge, area to shrink, linear if only one axis grows."""
    if height > rows and width > columns:
        return CUBIC
    return AREA if height < rows and width < columns else LINEAR


def as_dtype(x: np.ndarray[Any, Any], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """Round and clip to the range of an integer dtype; otherwise convert."""
    if dtype.kind == "f":
        return x.astype(dtype, copy=False)
    limits = np.iinfo(dtype)
    return np.clip(np.rint(x), limits.min, limits.max).astype(dtype)


# -- weighted sums ----------------------------------------------------------------------------------------------------


def _weighted(image, down, across, interpolation):
    """Compute the weighted sums. down, across: (positions, weights) of the old rows and columns for each new one."""
    *lead, rows, columns, channels = image.shape
    needed, places = np.unique(down[0], return_inverse=True)            # shrinking skips many rows
    flat = image.reshape(*lead, rows, columns * channels)
    flat = flat if len(needed) == rows else flat[..., needed, :]
    down = places.reshape(down[0].shape), down[1]
    width = len(across[0])
    across = _each_channel(*across, channels)
    if image.dtype == np.uint8 and interpolation != AREA:
        out = _in_integers(flat, down, across)
    else:
        number = np.float64 if image.dtype == np.float64 else np.float32
        out = as_dtype(_along_columns(_along_rows(flat, *across, number), *down), image.dtype)
    return out.reshape(*lead, len(down[1]), width, channels)


def _each_channel(places, weights, channels):
    """Return positions and weights for rows of interleaved channels, (columns * channels)."""
    flat = places[:, None, :] * channels + np.arange(channels)[:, None]
    return flat.reshape(-1, places.shape[1]), weights.repeat(channels, 0)


def _along_rows(flat, places, weights, dtype):
    """Convert (..., columns) to (..., new columns): weighted sums of the elements at these positions."""
    total = None
    for place, weight in zip(places.T, weights.T, strict=True):
        part = np.take(flat, place, -1, mode="clip").astype(dtype, copy=False)
        part *= weight.astype(dtype)
        total = part if total is None else np.add(total, part, out=total)
    return total


def _along_columns(flat, places, weights):
    """Convert (..., rows, n) to (..., new rows, n) as in `_along_rows`."""
    total = None
    for place, weight in zip(places.T, weights.T, strict=True):
        part = np.take(flat, place, -2, mode="clip")
        part *= weight.astype(flat.dtype)[:, None]
        total = part if total is None else np.add(total, part, out=total)
    return total


def _in_integers(flat, down, across):
    """Compute uint8 in OpenCV's fixed point: weights are multiplied by 2¹¹ and rounded, and sums are divided by 2²²."""
    x = _along_rows(flat, across[0], scaled(across[1]), np.int32)
    places, weights = down[0], scaled(down[1])
    if weights.shape[1] > 2:
        total = _along_columns(x, places, weights)
        total += 1 << 2 * BITS - 1
        return np.clip(total >> 2 * BITS, 0, 255).astype(np.uint8)
    # With two taps, OpenCV drops bits of intermediate results, so that products fit in half a register.
    x >>= 4
    total = 2
    for place, weight in zip(places.T, weights.T, strict=True):
        part = np.take(x, place, -2, mode="clip")
        part *= weight[:, None]
        part >>= 16
        total = np.add(part, total, out=part)
    return (total >> 2).astype(np.uint8)


def scaled(weights: np.ndarray[Any, Any]) -> Any:
    """Return weights in fixed point, int32."""
    return np.rint(weights * np.float32(1 << BITS)).astype(np.int32)


def _mean_of_four(image):
    """Halve width and height. OpenCV rounds halves up here, but to even elsewhere."""
    *lead, rows, columns, channels = image.shape
    blocks = image.reshape(*lead, rows // 2, 2, columns // 2, 2, channels)
    corners = (blocks[..., i, :, j, :].astype(np.uint16) for i in (0, 1) for j in (0, 1))
    return ((sum(corners) + 2) >> 2).astype(np.uint8)


# -- positions and weights of the taps --------------------------------------------------------------------------------


def _nearest(size, new_size):
    step = 1 / (new_size / size)            # rounded as in OpenCV, which matters if the quotient is an integer
    return np.minimum(np.floor(np.arange(new_size) * step).astype(np.intp), size - 1)


@functools.lru_cache(256)
def taps(size, new_size, interpolation):
    """Return (positions (new_size, taps) of old pixels, weights (new_size, taps) float32). Beyond the border, the last
    pixel repeats."""
    if interpolation == AREA:
        places, weights = _covered(size, new_size)
    else:
        left, t = _enlarged(size, new_size) if interpolation == ENLARGED_AREA else _positions(size, new_size)
        weights = {CUBIC: cubic_weights, LANCZOS: lanczos_weights}.get(interpolation, linear_weights)(t)
        half = weights.shape[1] // 2
        places = left[:, None] + np.arange(1 - half, 1 + half)
    return np.clip(places, 0, size - 1), weights.astype(np.float32)


def _covered(size, new_size):
    """Return area weights for shrinking: a new pixel is the mean of the old pixels that it covers, partially at its
    edges. """
    scale = size / new_size
    begin = np.arange(new_size)[:, None] * scale
    places = begin.astype(np.intp) + np.arange(int(np.ceil(scale)) + 1)
    shares = np.minimum(places + 1, begin + scale) - np.maximum(places, begin)
    return places, np.maximum(shares, 0) / scale


def _positions(size, new_size):
    """For each new pixel, return the old pixel to the left of its center and the distance from it, 0 ... 1."""
    centre = ((np.arange(new_size) + 0.5) * (1 / (new_size / size)) - 0.5).astype(np.float32)
    left = np.floor(centre)
    return left.astype(np.intp), centre - left


def _enlarged(size, new_size):
    """Return area weights for enlarging: a new pixel that spans two old pixels mixes them by the areas it covers."""
    i, factor = np.arange(new_size), new_size / size
    left = np.floor(i * (1 / factor)).astype(np.intp)
    t = ((i + 1) - (left + 1) * factor).astype(np.float32)
    return left, np.where(t <= 0, 0, t - np.floor(t)).astype(np.float32)


def linear_weights(t: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return np.stack([1 - t, t], 1)


def cubic_weights(t: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return Keys's weights, "Cubic convolution interpolation for digital image processing" (1981)."""
    a = np.float32(-0.75)

    def near(d):
        return ((a + 2) * d - (a + 3)) * d * d + 1
    far = ((a * (t + 1) - 5 * a) * (t + 1) + 8 * a) * (t + 1) - 4 * a
    first = [far, near(t), near(1 - t)]
    return np.stack([*first, 1 - sum(first)], 1)


def lanczos_weights(t: np.ndarray[Any, Any]) -> Any:
    d = t[:, None].astype(np.float64) - np.arange(-3, 5)
    weights = np.sinc(d) * np.sinc(d / 4)
    return weights / weights.sum(1, keepdims=True)
