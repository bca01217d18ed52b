"""Rotation of tensors (N, C, H, W) about their center."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base import ArgumentError, DTypeError, ShapeError

__all__ = ["rotate", "rotated"]


def rotated(tensor: np.ndarray[Any, Any], degrees: int | np.ndarray[Any, Any], zoom_in: bool, zoom_out: bool) -> Any:
    """Call `rotate` for a tensor (C, H, W) and a number, or (N, C, H, W) and a number or an array (N,)."""
    if zoom_in and zoom_out:
        raise ArgumentError("rotate: zoom_in and zoom_out cannot both be True")
    if tensor.dtype != np.float32:
        raise DTypeError(f"rotate: only float32 is supported, found {tensor.dtype}. Put ToTensor before it.")
    if tensor.ndim not in (3, 4):
        raise ShapeError(f"rotate: needs a tensor (C, H, W) or a batch (N, C, H, W), found shape {tensor.shape}")
    if np.ndim(degrees) and (tensor.ndim == 3 or len(degrees) != len(tensor)):
        raise ArgumentError(f"rotate: {len(degrees)} angles for a tensor of shape {tensor.shape}. A batch "
                            "needs one angle per image, or one number for all; a single image needs a number.")
    batch = tensor if tensor.ndim == 4 else tensor[np.newaxis]
    turned = rotate(batch, np.broadcast_to(degrees, len(batch)), zoom_in, zoom_out)
    return turned if tensor.ndim == 4 else turned[0]


def rotate(tensors: Any, degrees: Any, zoom_in: bool = False, zoom_out: bool = False) -> np.ndarray[Any, Any]:
    """Rotate each float32 tensor in (N, C, H, W) counterclockwise by its angle in degrees (N,), keeping the size.

    zoom_in: if True, enlarge the image until no corner is empty. zoom_out: if True, shrink it until all of it fits.
    Outside the image, values are 0; between pixels, they are interpolated linearly.
    """
    height, width = tensors.shape[-2:]
    angles = np.deg2rad(np.asarray(degrees, np.float32))[:, None, None]
    cos, sin = np.cos(angles), np.sin(angles)
    y = np.arange(height, dtype=np.float32)[:, None] - np.float32((height - 1) / 2)
    x = np.arange(width, dtype=np.float32) - np.float32((width - 1) / 2)
    factor = _factor(height, width, np.abs(cos), np.abs(sin), zoom_in, zoom_out)
    columns = (x * cos - y * sin) * factor + np.float32((width - 1) / 2)        # (N, H, W): the source of each pixel
    rows = (x * sin + y * cos) * factor + np.float32((height - 1) / 2)
    return np.stack([_sample(*one) for one in zip(tensors, rows, columns, strict=True)])


def _factor(height, width, cos, sin, zoom_in, zoom_out):
    """Return the distance between the sampled pixels; a distance below 1 enlarges the image."""
    if not (zoom_in or zoom_out):
        return np.float32(1)
    across, down = width * cos + height * sin, width * sin + height * cos       # the rotated image's bounding box
    if zoom_out:
        return np.maximum(across / width, down / height)
    return np.minimum(width / across, height / down)


def _sample(planes, rows, columns):
    """Sample planes (C, H, W) at fractional positions (h, w), by bilinear interpolation of the four nearest pixels."""
    height, width = planes.shape[-2:]
    top, left = np.floor(rows), np.floor(columns)
    total = np.zeros((len(planes), *rows.shape), planes.dtype)
    for row, along_y in ((top, top + 1 - rows), (top + 1, rows - top)):
        for column, along_x in ((left, left + 1 - columns), (left + 1, columns - left)):
            inside = (row >= 0) & (row < height) & (column >= 0) & (column < width)
            y, x = np.where(inside, row, 0).astype(np.intp), np.where(inside, column, 0).astype(np.intp)
            total += planes[:, y, x] * (inside * along_y * along_x).astype(planes.dtype)
    return total
