"""Images with other numbers of rows and columns, computed as OpenCV does, which MXNet uses.

Pixels lie at the centres of unit squares. Each new pixel is a weighted sum of old ones, along the rows and then along
the columns. For uint8, OpenCV rounds the weights to eleven bits, so that all is done in integers; so does this.
"""

import functools

import numpy as np

from ..base import ArgumentError, ShapeError

__all__ = ["AREA", "AUTO", "CUBIC", "LANCZOS", "LINEAR", "NEAREST", "RANDOM", "as_dtype", "by_size", "resize"]

NEAREST, LINEAR, CUBIC, AREA, LANCZOS, AUTO, RANDOM = 0, 1, 2, 3, 4, 9, 10

BITS = 11                       # of a weight in integer arithmetic
TAPS = {LINEAR: 2, CUBIC: 4, LANCZOS: 8}


def resize(image, width, height, interpolation=LINEAR):
    """image (..., H, W, C) -> (..., height, width, C) of the same dtype.

    interpolation: 0 nearest, 1 linear, 2 cubic, 3 area, 4 Lanczos; 9 chooses area to shrink and cubic to enlarge.
    Raises ShapeError for what is no image and for an empty result, ArgumentError for another interpolation.
    """
    if image.ndim not in (3, 4):
        raise ShapeError(f"resize: needs an image (H, W, C) or a batch (N, H, W, C), found shape {image.shape}")
    rows, columns = image.shape[-3:-1]
    if min(width, height, rows, columns) < 1:
        raise ShapeError(f"resize: cannot make an image of width {width} and height {height} from one of width "
                         f"{columns} and height {rows}; both must have pixels")
    if interpolation == AUTO:
        interpolation = by_size(rows, columns, height, width)
    if interpolation not in (NEAREST, LINEAR, CUBIC, AREA, LANCZOS):
        raise ArgumentError(f"resize: interpolation must be 0 (nearest), 1 (linear), 2 (cubic), 3 (area), 4 (Lanczos), "
                            f"9 (by size) or 10 (random), found {interpolation!r}")
    if (rows, columns) == (height, width):
        return image
    if interpolation == NEAREST:
        return image[..., _nearest(rows, height)[:, None], _nearest(columns, width), :]
    if interpolation == AREA and height <= rows and width <= columns:
        return _mean_of_areas(image, height, width)
    down, across = _taps(rows, height, interpolation), _taps(columns, width, interpolation)
    if image.dtype == np.uint8:
        return _in_integers(image, down, across, interpolation)
    number = _number(image)
    return as_dtype(_along_columns(_along_rows(image, *across, number), *down, number), image.dtype)


def by_size(rows, columns, height, width):
    """What interpolation 9 stands for: cubic to enlarge, area to shrink, linear where only one axis grows."""
    if height > rows and width > columns:
        return CUBIC
    return AREA if height < rows and width < columns else LINEAR


def as_dtype(x, dtype):
    """Round and limit to the range of an integer dtype; otherwise convert."""
    if dtype.kind == "f":
        return x.astype(dtype, copy=False)
    limits = np.iinfo(dtype)
    return np.clip(np.rint(x), limits.min, limits.max).astype(dtype)


def _number(image):
    """The type to compute in."""
    return np.float64 if image.dtype == np.float64 else np.float32


# -- weighted sums ----------------------------------------------------------------------------------------------------


def _along_rows(image, places, weights, dtype):
    """(..., W, C) -> (..., width, C): the sum over taps of image[..., places, :] * weights."""
    total = 0
    for place, weight in zip(places.T, weights.T, strict=True):
        total = total + image[..., place, :].astype(dtype) * weight.astype(dtype)[:, None]
    return total


def _along_columns(image, places, weights, dtype):
    """(..., H, W, C) -> (..., height, W, C), likewise."""
    total = 0
    for place, weight in zip(places.T, weights.T, strict=True):
        total = total + image[..., place, :, :] * weight.astype(dtype)[:, None, None]
    return total


def _in_integers(image, down, across, interpolation):
    """uint8 in OpenCV's fixed point: weights times 2¹¹, rounded; the sum of products, divided by 2²² at the end."""
    places, weights = down
    needed, places = np.unique(places, return_inverse=True)         # shrinking leaves most rows out
    x = _along_rows(image[..., needed, :, :], across[0], _scaled(across[1]), np.int32)
    places, weights = places.reshape(weights.shape), _scaled(weights)
    if TAPS.get(interpolation, 2) == 2:
        # For two taps OpenCV drops bits on the way, so that products fit into a register's halves.
        upper, lower = (((x[..., p, :, :] >> 4) * w[:, None, None]) >> 16
                        for p, w in zip(places.T, weights.T, strict=True))
        total = (upper + lower + 2) >> 2
    else:
        total = (_along_columns(x, places, weights, np.int32) + (1 << 2 * BITS - 1)) >> 2 * BITS
    return np.clip(total, 0, 255).astype(np.uint8)


def _scaled(weights):
    return np.rint(weights * np.float32(1 << BITS)).astype(np.int32)


def _mean_of_areas(image, height, width):
    """Each new pixel is the mean of the old ones that it covers, those at its edge in part."""
    rows, columns, channels = image.shape[-3:]
    if image.dtype == np.uint8 and (rows, columns) == (2 * height, 2 * width):
        blocks = image.reshape(*image.shape[:-3], height, 2, width, 2, channels)
        return ((blocks.sum((-4, -2), dtype=np.int32) + 2) >> 2).astype(np.uint8)     # OpenCV rounds halves up here
    number = _number(image)
    x = image.astype(number)
    x = _shares(rows, height, number) @ x.reshape(*x.shape[:-2], columns * channels)        # (..., height, columns * C)
    x = _shares(columns, width, number) @ x.reshape(*x.shape[:-1], columns, channels)       # (..., height, width, C)
    return as_dtype(x, image.dtype)


@functools.lru_cache(64)
def _shares(size, new_size, number):
    """The matrix (new_size, size) of the share that each old pixel has in a new one. Its rows sum to 1."""
    scale = size / new_size
    matrix = np.zeros((new_size, size), number)
    for i, row in enumerate(matrix):
        begin, end = i * scale, (i + 1) * scale
        pixels = np.arange(int(begin), min(int(np.ceil(end - 1e-9)), size))
        row[pixels] = (np.minimum(pixels + 1, end) - np.maximum(pixels, begin)) / scale
    return matrix


# -- where the taps are, and what they weigh --------------------------------------------------------------------------


def _nearest(size, new_size):
    step = 1 / (new_size / size)            # as OpenCV rounds it: it decides where the quotient is a whole number
    return np.minimum(np.floor(np.arange(new_size) * step).astype(np.intp), size - 1)


@functools.lru_cache(256)
def _taps(size, new_size, interpolation):
    """(places (new_size, taps) of old pixels, weights (new_size, taps) float32)."""
    left, t = _enlarged(size, new_size) if interpolation == AREA else _positions(size, new_size)
    count = TAPS.get(interpolation, 2)
    weights = {CUBIC: _cubic, LANCZOS: _lanczos}.get(interpolation, _linear)(t)
    places = left[:, None] + np.arange(1 - count // 2, 1 + count // 2)
    return np.clip(places, 0, size - 1), weights.astype(np.float32)      # beyond the border, its last pixel goes on


def _positions(size, new_size):
    """For each new pixel, the old pixel left of its centre and the way from there, 0 ... 1."""
    centre = ((np.arange(new_size) + 0.5) * (1 / (new_size / size)) - 0.5).astype(np.float32)
    left = np.floor(centre)
    return left.astype(np.intp), centre - left


def _enlarged(size, new_size):
    """Area, to enlarge: old pixels are squares; a new one on a border between two mixes them by what it covers."""
    i, factor = np.arange(new_size), new_size / size
    left = np.floor(i * (1 / factor)).astype(np.intp)
    t = ((i + 1) - (left + 1) * factor).astype(np.float32)
    return left, np.where(t <= 0, 0, t - np.floor(t)).astype(np.float32)


def _linear(t):
    return np.stack([1 - t, t], 1)


def _cubic(t):
    """Keys, "Cubic convolution interpolation for digital image processing" (1981)."""
    a = np.float32(-0.75)

    def near(d):
        return ((a + 2) * d - (a + 3)) * d * d + 1
    far = ((a * (t + 1) - 5 * a) * (t + 1) + 8 * a) * (t + 1) - 4 * a
    first = [far, near(t), near(1 - t)]
    return np.stack([*first, 1 - sum(first)], 1)


def _lanczos(t):
    d = t[:, None].astype(np.float64) - np.arange(-3, 5)
    weights = np.sinc(d) * np.sinc(d / 4)
    return weights / weights.sum(1, keepdims=True)
