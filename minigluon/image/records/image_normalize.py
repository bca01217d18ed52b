"""Image normalization by mean and standard deviation, and MXNet's mean image files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...base import FileFormatError
from ...ndarray import array
from ...ndarray.saving import load, save

__all__ = ["Normalization", "mean_image", "save_mean_image"]


class Normalization:
    """Computes (x - mean) · factor + offset and writes the result to its destination without temporary arrays.

    mean, std: one value for each channel; mean may also be an image (C, H, W).
    """

    contrast: float
    illumination: float

    def __init__(self, mean: list[float] | np.ndarray[Any, Any], std: list[float] | np.ndarray[Any, Any], scale: float,
                 contrast: float = 0.0, illumination: float = 0.0):
        self.mean, self.std = (np.reshape(np.float32(x), (-1, 1, 1)) if np.ndim(x) == 1 else x for x in (mean, std))
        self.scale, self.contrast, self.illumination = np.float32(scale), contrast, illumination
        self._whole_mean = np.rint(self.mean).astype(np.int32)

    def with_mean(self, mean: np.ndarray[Any, Any]) -> Normalization:
        return Normalization(mean, self.std, self.scale, self.contrast, self.illumination)

    def write(self, image: np.ndarray[Any, Any], mirrored: bool, gen: np.random.Generator,
              out: np.ndarray[Any, Any]) -> None:
        """Write a uint8 image (H, W, C) to out (C, H, W): float32 normalized, uint8 unchanged, int8 minus the mean and
        clipped."""
        side = slice(None, None, -1 if mirrored else 1)
        # The image is split into planes before conversion, because arithmetic on interleaved channels is ten times
        # slower.
        planes = np.ascontiguousarray(image[:, side].transpose(2, 0, 1))
        if out.dtype == np.uint8:
            out[...] = planes
        elif out.dtype == np.int8:
            out[...] = np.clip(planes - self._whole_mean[..., side], -128, 127)
        else:
            self._write_float(planes, self.mean[..., side], gen, out)

    def _write_float(self, planes, mean, gen, out):
        factor, offset = self.scale / self.std, None
        if self.contrast:
            factor = factor * np.float32(gen.uniform(1 - self.contrast, 1 + self.contrast))
        if self.illumination:
            offset = self.scale / self.std * np.float32(gen.uniform(-self.illumination, self.illumination))
        np.subtract(planes, mean, out=out) if mean.any() else np.copyto(out, planes)
        if (factor != 1).any():
            out *= factor
        if offset is not None:
            out += offset


def mean_image(path: str, shape: Sequence[int], who: str) -> Any:
    """Return the mean image (C, H, W) in a file, or None if the file is missing. Raises FileFormatError for a wrong
    shape."""
    if not os.path.exists(path):
        return None
    arrays = load(path)
    arrays = list(arrays.values()) if isinstance(arrays, dict) else arrays
    if len(arrays) != 1 or arrays[0].shape != shape:
        raise FileFormatError(f"{who}: mean_img={path!r} holds arrays of shapes {[x.shape for x in arrays]}, expected "
                              f"one of {shape}. Remove the file to have it recomputed.")
    return arrays[0].asnumpy()


def save_mean_image(path: str, image: np.ndarray[Any, Any]) -> None:
    """Write a mean image in MXNet's format."""
    save(path, {"mean_img": array(image)})
