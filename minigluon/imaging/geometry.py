"""Cropping, mirroring and padding of images, and their conversion to tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..base import ArgumentError, ShapeError
from .resize import resize

__all__ = ["center_crop", "crop", "fit", "flip", "normalize", "pad", "short_side", "to_tensor"]


def to_tensor(image: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Convert (..., H, W, C) with values 0 ... 255 to (..., C, H, W) float32 with values 0 ... 1."""
    require_image(image, "ToTensor")
    planes = image.transpose((2, 0, 1) if image.ndim == 3 else (0, 3, 1, 2))
    # Copied into C order first: / 255 keeps the order of the axes in memory, and any other order would slow down
    # batching.
    scaled = np.empty(planes.shape, np.float32)
    return np.divide(planes, 255, out=scaled, dtype=np.float32, casting="unsafe")


def normalize(tensor: Any, mean: Any, std: Any) -> Any:
    """Subtract mean (C, 1, 1) from a float tensor (..., C, H, W), and divide by std (C, 1, 1)."""
    if tensor.dtype.kind != "f":
        raise ShapeError(f"Normalize: needs a floating-point tensor (C, H, W), found {tensor.shape} {tensor.dtype}. "
                         "Put ToTensor before it.")
    channels = max(len(mean), len(std))
    if tensor.ndim < 3 or channels > 1 and tensor.shape[-3] != channels:
        raise ShapeError(f"Normalize: a tensor (C, H, W) with C = {channels} is required, found shape {tensor.shape}")
    return (tensor - mean) / std


def crop(image: np.ndarray[Any, Any], x: int, y: int, width: int, height: int) -> np.ndarray[Any, Any]:
    """Return the part of the image whose upper left corner is (x, y). Raises ShapeError if it is not inside."""
    require_image(image, "crop")
    require_inside(*image.shape[-3:-1], x, y, width, height)
    return image[..., y:y + height, x:x + width, :]


def require_inside(rows: int, columns: int, x: int, y: int, width: int, height: int) -> None:
    """Raise ShapeError if a region is not inside an image with this number of rows and columns."""
    if x < 0 or y < 0 or width < 1 or height < 1 or x + width > columns or y + height > rows:
        raise ShapeError(f"crop: the region x={x}, y={y}, width={width}, height={height} is not inside an image "
                         f"of width {columns}, height {rows}")


def center_crop(image: Any, width: int, height: int, interpolation: Any) -> Any:
    """Return the center of the image; if the image is too small, the largest part with these proportions, enlarged."""
    require_image(image, "CenterCrop")
    w, h = fit(width, height, *image.shape[-2:-4:-1])
    x, y = (image.shape[-2] - w) // 2, (image.shape[-3] - h) // 2
    return resize(crop(image, x, y, w, h), width, height, interpolation)


def fit(width: int, height: int, most_width: int, most_height: int) -> tuple[int, int]:
    """Return (width, height), scaled down proportionally to fit."""
    if most_height < height:
        width, height = width * most_height / height, most_height
    if most_width < width:
        width, height = most_width, height * most_width / width
    return int(width), int(height)


def short_side(height: int, width: int, size: int) -> tuple[int, int]:
    """Return (width, height) of an image scaled so that its shorter side is `size`."""
    return (size * width // height, size) if height < width else (size, size * height // width)


def flip(image: Any, axis: int) -> Any:
    """Mirror an image: axis -2 swaps left and right, and -3 swaps top and bottom."""
    require_image(image, "flip")
    return np.flip(image, axis)


# OpenCV's code for each type of border, and NumPy's name for it.
BORDERS = {0: "constant", 1: "edge", 2: "symmetric", 3: "wrap", 4: "reflect"}


def pad(image: np.ndarray[Any, Any], top: int, bottom: int, left: int, right: int, kind: int = 0,
        values: Sequence[int] = (0,)) -> Any:
    """Return the image (H, W, C) with a border that is this many pixels wide.

    kind: OpenCV's code: 0 constant, with `values` for the channels; 1 the last pixel repeated; 2 mirrored (cba|abc);
    3 wrapped around; 4 mirrored around the last pixel (dcb|abc). 16 (do not look beyond the image) has no effect here.
    Raises ArgumentError.
    """
    require_image(image, "copyMakeBorder")
    if min(top, bottom, left, right) < 0:
        raise ArgumentError(f"copyMakeBorder: margins must not be negative, found top={top}, bot={bottom}, "
                            f"left={left}, right={right}")
    mode = BORDERS.get(kind & ~16)
    if mode is None:
        raise ArgumentError(f"copyMakeBorder: type must be one of {', '.join(map(str, BORDERS))}, found {kind}")
    margins = [(0, 0)] * (image.ndim - 3) + [(top, bottom), (left, right), (0, 0)]
    if mode != "constant":
        return np.pad(image, margins, mode)
    filled = np.empty([n + sum(m) for n, m in zip(image.shape, margins, strict=True)], image.dtype)
    filled[...] = _color(values, image)
    filled[..., top:top + image.shape[-3], left:left + image.shape[-2], :] = image
    return filled


def _color(values, image):
    """Return a value for each channel, in the image's type. A single value applies to all channels; missing ones are 0,
    as in OpenCV."""
    values = np.atleast_1d(np.asarray(values, np.float64))
    if len(values) == 1:
        return values.astype(image.dtype)
    return np.append(values, np.zeros(4))[:image.shape[-1]].astype(image.dtype)


def require_image(image: np.ndarray[Any, Any], who: str) -> None:
    if image.ndim not in (3, 4):
        raise ShapeError(f"{who}: needs an image (H, W, C) or a batch (N, H, W, C), found shape {image.shape}")
