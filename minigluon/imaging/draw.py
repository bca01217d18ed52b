"""Random choices for augmentation. As in MXNet, they come from Python's `random` until `mx.random.seed` is called."""

from __future__ import annotations

import math
from typing import Any

from ..common import generators as rng
from .resize import RANDOM

__all__ = ["chosen", "place", "proportions"]


def chosen(interpolation: int) -> Any:
    """Return the interpolation code, or a randomly chosen one for 10 (random)."""
    return rng.python_compatible_rng().randint(0, 4) if interpolation == RANDOM else interpolation


def place(rows: Any, columns: Any, width: int, height: int) -> tuple[int, int]:
    """Return (x, y) of a random region of this size in an image."""
    gen = rng.python_compatible_rng()
    x = gen.randint(0, columns - width)
    return x, gen.randint(0, rows - height)


def proportions(rows: Any, columns: Any, area: Any, ratio: Any) -> tuple[int, int] | None:
    """Return (width, height) of a random share of an image's area, or None if none of ten attempts fits.

    area: the smallest and largest share. ratio: the smallest and largest width / height.
    """
    gen = rng.python_compatible_rng()
    for _ in range(10):
        pixels = gen.uniform(*area) * rows * columns
        proportion = math.exp(gen.uniform(math.log(ratio[0]), math.log(ratio[1])))
        width, height = round(math.sqrt(pixels * proportion)), round(math.sqrt(pixels / proportion))
        if 0 < width <= columns and 0 < height <= rows:
            return width, height
    return None
