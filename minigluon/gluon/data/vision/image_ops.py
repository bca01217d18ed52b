"""What the transforms do to images, on NumPy arrays (..., H, W, C)."""

import functools

import numpy as np

from ....base import ArgumentError, ShapeError

__all__ = ["center_crop", "crop", "flip", "normalize", "resize", "short_side", "to_tensor"]

NEAREST, LINEAR, CUBIC, AREA, LANCZOS, AUTO, RANDOM = 0, 1, 2, 3, 4, 9, 10


def to_tensor(image):
    """(..., H, W, C) of 0 ... 255  ->  (..., C, H, W) float32 of 0 ... 1."""
    _require_image(image, "ToTensor")
    planes = np.moveaxis(image, -1, -3)
    # Copied into C order at once: / 255 keeps the order of the axes in memory, and the batch would pay for it.
    scaled = np.empty(planes.shape, np.float32)
    return np.divide(planes, 255, out=scaled, dtype=np.float32, casting="unsafe")


def normalize(tensor, mean, std):
    """(..., C, H, W) float, minus mean (C, 1, 1), by std (C, 1, 1)."""
    if tensor.dtype.kind != "f":
        raise ShapeError(f"Normalize: needs a floating-point tensor (C, H, W), found {tensor.shape} {tensor.dtype}. "
                         "Put ToTensor before it.")
    channels = max(len(mean), len(std))
    if tensor.ndim < 3 or channels > 1 and tensor.shape[-3] != channels:
        raise ShapeError(f"Normalize: a tensor (C, H, W) with C = {channels} is required, found shape {tensor.shape}")
    return (tensor - mean) / std


def crop(image, x, y, width, height):
    """The part of the image whose upper left corner is (x, y). Raises ShapeError when it does not lie inside."""
    _require_image(image, "crop")
    rows, columns = image.shape[-3:-1]
    if x < 0 or y < 0 or width < 1 or height < 1 or x + width > columns or y + height > rows:
        raise ShapeError(f"crop: the region x={x}, y={y}, width={width}, height={height} does not lie inside an image "
                         f"of width {columns}, height {rows}")
    return image[..., y:y + height, x:x + width, :]


def center_crop(image, width, height, interpolation):
    """The middle of the image. Where the image is too small, the largest part of the right proportions, enlarged."""
    _require_image(image, "CenterCrop")
    w, h = fit(width, height, *image.shape[-2:-4:-1])
    x, y = (image.shape[-2] - w) // 2, (image.shape[-3] - h) // 2
    return resize(crop(image, x, y, w, h), width, height, interpolation)


def fit(width, height, most_width, most_height):
    """(width, height) made smaller, in proportion, until it fits."""
    if most_height < height:
        width, height = width * most_height / height, most_height
    if most_width < width:
        width, height = most_width, height * most_width / width
    return int(width), int(height)


def short_side(image, size):
    """(width, height) in the image's proportions whose shorter side is `size`."""
    height, width = image.shape[-3:-1]
    return (size * width // height, size) if height < width else (size, size * height // width)


def flip(image, axis):
    """Mirror: axis -2 swaps left and right, -3 top and bottom."""
    _require_image(image, "flip")
    return np.flip(image, axis)


def resize(image, width, height, interpolation=LINEAR):
    """The image with other numbers of rows and columns, in the same dtype.

    Rows and columns are resampled one after the other, each by a matrix: out = R · image · Cᵀ. Pixels lie at the
    centres of unit squares, as in OpenCV, which MXNet uses.
    interpolation: 0 nearest, 1 linear, 2 cubic, 3 area, 4 Lanczos; 9 chooses area to shrink and cubic to enlarge.
    """
    _require_image(image, "resize")
    rows, columns = image.shape[-3:-1]
    if (rows, columns) == (height, width):
        return image
    if interpolation == AUTO:
        interpolation = AREA if height < rows and width < columns else \
            CUBIC if height > rows and width > columns else LINEAR
    if interpolation == NEAREST:
        return image[..., _nearest(rows, height)[:, None], _nearest(columns, width), :]
    if interpolation == AREA and (height > rows or width > columns):
        interpolation = "enlarged area"
    if interpolation not in _KERNELS:
        raise ArgumentError(f"resize: interpolation must be 0 (nearest), 1 (linear), 2 (cubic), 3 (area), 4 (Lanczos), "
                            f"9 (by size) or 10 (random), found {interpolation!r}")
    down, across = _matrix(rows, height, interpolation), _matrix(columns, width, interpolation)
    x = image.astype(np.float32)
    channels = image.shape[-1]
    x = down @ x.reshape(*x.shape[:-2], columns * channels)             # (..., height, columns * C)
    x = across @ x.reshape(*x.shape[:-1], columns, channels)            # (..., height, width, C)
    return as_dtype(x, image.dtype)


def as_dtype(x, dtype):
    """Round and limit to the range of an integer dtype; otherwise convert."""
    if dtype.kind == "f":
        return x.astype(dtype, copy=False)
    limits = np.iinfo(dtype)
    return np.clip(np.rint(x), limits.min, limits.max).astype(dtype)


def _require_image(image, who):
    if image.ndim not in (3, 4):
        raise ShapeError(f"{who}: needs an image (H, W, C) or a batch (N, H, W, C), found shape {image.shape}")


# -- resampling matrices --------------------------------------------------------------------------------------------


def _nearest(size, new_size):
    return np.minimum(np.arange(new_size) * size // new_size, size - 1)


@functools.lru_cache(256)
def _matrix(size, new_size, kind):
    """The matrix (new_size, size) whose rows hold the weights of the old pixels in each new one."""
    matrix = np.zeros((new_size, size), np.float32)
    for row, (first, weights) in zip(matrix, _KERNELS[kind](size, new_size), strict=True):
        for i, weight in enumerate(weights, first):
            row[min(max(i, 0), size - 1)] += weight         # beyond the border, its last pixel goes on
    return matrix


def _positions(size, new_size):
    """For each new pixel, the old pixel left of its centre and the way from there."""
    for i in range(new_size):
        centre = (i + 0.5) * size / new_size - 0.5
        left = int(np.floor(centre))
        yield left, centre - left


def _linear(size, new_size):
    for left, t in _positions(size, new_size):
        yield left, (1 - t, t)


def _cubic(size, new_size, a=-0.75):
    def weight(d):
        d = abs(d)
        return ((a + 2) * d - (a + 3)) * d * d + 1 if d <= 1 else (((d - 5) * d + 8) * d - 4) * a
    for left, t in _positions(size, new_size):
        yield left - 1, [weight(t - k) for k in range(-1, 3)]


def _lanczos(size, new_size):
    for left, t in _positions(size, new_size):
        d = t - np.arange(-3, 5)
        weights = np.sinc(d) * np.sinc(d / 4)
        yield left - 3, weights / weights.sum()


def _area(size, new_size):
    """Each new pixel is the mean of what it covers."""
    scale = size / new_size
    for i in range(new_size):
        begin, end = i * scale, (i + 1) * scale
        pixels = np.arange(int(begin), int(np.ceil(end - 1e-9)))
        yield int(begin), (np.minimum(pixels + 1, end) - np.maximum(pixels, begin)) / scale


def _enlarged_area(size, new_size):
    """Old pixels as squares; a new one on a border between two mixes them by what it covers of each."""
    scale = size / new_size
    for i in range(new_size):
        left = int(i * scale)
        t = (i + 1) - (left + 1) / scale
        t = 0.0 if t <= 0 else t - np.floor(t)
        yield left, (1 - t, t)


_KERNELS = {LINEAR: _linear, CUBIC: _cubic, AREA: _area, LANCZOS: _lanczos, "enlarged area": _enlarged_area}
