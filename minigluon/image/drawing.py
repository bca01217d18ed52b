"""Drawing boxes on images with Pillow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..common import optional_packages as extras
from ..common.generators import numpy_compatible_rng
from .create import MEAN, STD

__all__ = ["draw_boxes", "undo"]


def undo(mean: bool, std: bool, clip: bool) -> Callable[..., Any]:
    """Return a function that converts a normalized image back to a viewable uint8 image."""
    mean, std = (np.array(default) if value is True else value for value, default in ((mean, MEAN), (std, STD)))

    def plain(image):
        image = image * std if std is not None else image
        image = image + mean if mean is not None else image
        return (np.clip(image, 0, 255) if clip else image).astype(np.uint8)
    return plain


def draw_boxes(image: np.ndarray[Any, Any], boxes: np.ndarray[Any, Any], color: Sequence[int], thickness: int,
               names: dict[int, str]) -> np.ndarray[Any, Any]:
    """Return image (H, W, 3) uint8 RGB with boxes (objects, 5 or more): class, left, top, right, bottom in 0 ... 1."""
    extras.require("PIL", extra="image", user="drawing boxes")
    from PIL import Image, ImageDraw
    canvas = Image.fromarray(np.ascontiguousarray(image))
    pen = ImageDraw.Draw(canvas)
    height, width = image.shape[:2]
    for box in boxes:
        if box[1] < 0:
            continue
        left, top, right, bottom = (box[1:5] * (width, height, width, height)).astype(int)
        ink = tuple(int(c) for c in (numpy_compatible_rng().uniform(0, 256, 3) if color is None else color))
        pen.rectangle((left, top, right, bottom), outline=ink, width=thickness)
        if int(box[0]) in names:
            pen.text((left + 5, top + 5), str(names[int(box[0])]), fill=(255, 255, 255))
    return np.asarray(canvas)
