"""Affine transforms of images (rotating, shearing, scaling), computed like OpenCV's warpAffine, which MXNet uses.

For each new pixel, the position in the old image is computed in fixed point, with a resolution of 1/32 pixel; the old
pixels around it are combined with weights that are rounded to fifteen bits. The result therefore equals OpenCV's to the
last bit.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ..base import ShapeError
from .resize import CUBIC, LANCZOS, NEAREST, cubic_weights, lanczos_weights, linear_weights

__all__ = ["warp_affine"]

PLACE_BITS = 10                 # fractional bits of a position while it is computed
PARTS_BITS = 5                  # fractional bits of a position when weights are looked up
WEIGHT_BITS = 15


def warp_affine(image: np.ndarray[Any, Any], matrix: np.ndarray[Any, Any], width: int, height: int, interpolation: int,
                fill: int) -> Any:
    """Transform a uint8 image (H, W, C) to (height, width, C), with `fill` outside the image.

    matrix: (2, 3), maps positions (x, y, 1) in the old image to positions in the new image. interpolation: 0 nearest,
    2 cubic, 4 Lanczos; all other codes are linear. Raises ShapeError for an empty result.
    """
    if width < 1 or height < 1:
        raise ShapeError(f"an image of width {image.shape[1]} and height {image.shape[0]} would be scaled to width "
                         f"{width} and height {height}; both must have pixels")
    bits = 0 if interpolation == NEAREST else PARTS_BITS
    x, y = _places(_inverse(matrix), width, height, bits)
    if interpolation == NEAREST:
        return _pixels(image, y, x, fill).astype(np.uint8)
    table = _table(interpolation if interpolation in (CUBIC, LANCZOS) else None)
    taps = table.shape[1]
    weights = table[(y & 31) * 32 + (x & 31)]                            # (height, width, taps, taps)
    x, y = (x >> PARTS_BITS) - (taps // 2 - 1), (y >> PARTS_BITS) - (taps // 2 - 1)
    total = np.full((height, width, image.shape[-1]), 1 << WEIGHT_BITS - 1, np.int32)
    for i in range(taps):
        for j in range(taps):
            total += _pixels(image, y + i, x + j, fill) * weights[..., i, j, None]
    return np.clip(total >> WEIGHT_BITS, 0, 255).astype(np.uint8)


def _inverse(matrix):
    """Return the inverse transform, as float64: [[a, b, c], [d, e, f]]."""
    (a, b, c), (d, e, f) = np.asarray(matrix, np.float64)
    determinant = a * e - b * d
    scale = 1 / determinant if determinant else 0.0
    a, b, d, e = e * scale, -b * scale, -d * scale, a * scale
    return (a, b, -a * c - b * f), (d, e, -d * c - e * f)


def _places(inverse, width, height, bits):
    """Return x, y (height, width) in the old image, as multiples of 1 / 2^bits."""
    one = 1 << PLACE_BITS
    half = one >> bits + 1
    columns, rows = np.arange(width), np.arange(height)[:, None]
    return [(np.rint((b * rows + c) * one).astype(np.int64) + half + np.rint(a * columns * one).astype(np.int64))
            >> PLACE_BITS - bits for a, b, c in inverse]


def _pixels(image, y, x, fill):
    """Return image[y, x] as int32, with `fill` outside the image."""
    inside = (y >= 0) & (y < image.shape[0]) & (x >= 0) & (x < image.shape[1])
    pixels = image[np.where(inside, y, 0), np.where(inside, x, 0)].astype(np.int32)
    return np.where(inside[..., None], pixels, fill)


@functools.lru_cache(3)
def _table(interpolation):
    """Return weights (32 · 32, taps, taps) int32 for each fraction of y and x; each set sums to 2^15."""
    t = np.arange(32, dtype=np.float32) / 32
    rule = {CUBIC: cubic_weights, LANCZOS: lanczos_weights}.get(interpolation, linear_weights)
    along = rule(t).astype(np.float32)
    taps = along.shape[1]
    products = (along[:, None, :, None] * along[None, :, None, :]).reshape(-1, taps * taps)
    weights = np.rint(products * np.float32(1 << WEIGHT_BITS)).astype(np.int32)
    # The rounding error goes to the largest or smallest of the four central weights, so that each row sums to 2 ** 15.
    middle = np.array([(taps // 2 + i) % taps * taps + (taps // 2 + j) % taps for i in (0, 1) for j in (0, 1)])
    excess, each = weights.sum(1) - (1 << WEIGHT_BITS), np.arange(len(weights))
    chosen = np.where(excess < 0, weights[:, middle].argmax(1), weights[:, middle].argmin(1))
    weights[each, middle[chosen]] -= excess
    return weights.reshape(-1, taps, taps)
