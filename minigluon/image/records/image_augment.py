"""Image augmentation in ImageRecordIter, in the order of MXNet's C++ iterator, on NumPy arrays (H, W, C)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...base import ArgumentError
from ...imaging import color, geometry
from ...imaging.affine import warp_affine
from ...imaging.resize import AUTO, RANDOM, by_size, resize

__all__ = ["Augmentation", "require_range"]

MAX_SIDE = 1 << 16          # the maximum side length of an image, in pixels


@dataclass(frozen=True)
class Augmentation:
    """Parameters with MXNet's names, and `apply`, which draws its random values from a given generator.

    resize: the length to which the shorter side is resized first. Then one affine map combines the following, if given:
        rotate: angle in degrees; max_rotate_angle: limit of a random integer angle;
        max_shear_ratio: limit of the absolute value of a random m in the shear x + m y;
        min_random_scale ... max_random_scale: range of a random scale;
        min_aspect_ratio ... max_aspect_ratio (without random_resized_crop): range of a random factor by which objects
        become taller, in an image of the same size; 1 - max_aspect_ratio ... 1 + max_aspect_ratio if min_aspect_ratio
        is None;
        min_img_size, max_img_size: limits of the resulting width and height.
    pad: the width of a border in pixels. fill_value: the value of the border, and of corners left empty by a rotation.
    rand_crop: if True, crop to data_shape at a random position rather than at the center; min_crop_size ...
    max_crop_size: first crops a square of random size. random_resized_crop: a region of min_random_area ...
    max_random_area of the image, whose width / height or height / width is in the range of aspect ratios. This cannot
    be combined with rand_crop, sizes and scales.
    random_h, random_s, random_l: maximum shifts of hue (out of 180), saturation and lightness (out of 255).
    brightness, contrast, saturation: factors from 1 - x to 1 + x. pca_noise: strength of the lighting noise.
    mirror, rand_mirror: if True, always flip, or flip with probability 1/2. inter_method: the interpolation.
    """

    resize: int = -1
    rand_crop: bool = False
    random_resized_crop: bool = False
    max_rotate_angle: int = 0
    rotate: int = -1
    max_shear_ratio: float = 0.0
    max_random_scale: float = 1.0
    min_random_scale: float = 1.0
    max_img_size: float = 1e10
    min_img_size: float = 0.0
    max_aspect_ratio: float = 0.0
    min_aspect_ratio: float | None = None
    max_crop_size: int = -1
    min_crop_size: int = -1
    max_random_area: float = 1.0
    min_random_area: float = 1.0
    brightness: float = 0.0
    contrast: float = 0.0
    saturation: float = 0.0
    pca_noise: float = 0.0
    random_h: int = 0
    random_s: int = 0
    random_l: int = 0
    fill_value: int = 255
    inter_method: int = 1
    pad: int = 0
    mirror: bool = False
    rand_mirror: bool = False

    def __post_init__(self) -> None:
        others = {"rand_crop": False, "min_random_scale": 1, "max_random_scale": 1, "min_crop_size": -1,
                  "max_crop_size": -1}
        excluded = [name for name, default in others.items() if getattr(self, name) != default]
        if self.random_resized_crop and excluded:
            raise ArgumentError(f"ImageRecordIter: random_resized_crop=True excludes {', '.join(excluded)}; it chooses "
                                "position and size itself, within min_random_area ... max_random_area")

        for name in ("max_rotate_angle", "max_shear_ratio", "random_h", "random_s", "random_l", "brightness",
                     "contrast", "saturation", "pca_noise"):
            require_range("ImageRecordIter", name, 0, getattr(self, name))
        if (self.min_crop_size, self.max_crop_size) != (-1, -1) and max(self.min_crop_size, self.max_crop_size) < 1:
            raise ArgumentError(f"ImageRecordIter: min_crop_size={self.min_crop_size} and max_crop_size="
                                f"{self.max_crop_size}, expected at least one of them to be at least 1 pixel")
        if self.max_img_size != self.max_img_size:
            raise ArgumentError("ImageRecordIter: max_img_size is nan, expected a number of pixels")
        for name, pixels in (("pad", self.pad), ("min_img_size", self.min_img_size)):
            if not pixels <= MAX_SIDE:
                raise ArgumentError(f"ImageRecordIter: {name} is {pixels}, expected at most {MAX_SIDE} pixels")
        require_range("ImageRecordIter", "max_random_scale", self.min_random_scale, self.max_random_scale)
        require_range("ImageRecordIter", "max_random_area", self.min_random_area, self.max_random_area)
        require_range("ImageRecordIter", "max_aspect_ratio", *self._ratios)

    def apply(self, image: np.ndarray[Any, Any], height: int, width: int,
              gen: np.random.Generator) -> tuple[Any, bool]:
        """Return a uint8 image (height, width, C) from an image of any size, and whether it must still be mirrored."""
        if self.resize > 0:
            image = self._to(image, *geometry.short_side(*image.shape[:2], self.resize), gen)
        if self._warps:
            image = self._warped(image, gen)
        if self.pad > 0:
            image = geometry.pad(image, *[self.pad] * 4, values=(self.fill_value,))
        image = self._cropped(image, height, width, gen)
        image = self._recolored(image, gen)
        return image, self.mirror or self.rand_mirror and gen.random() < 0.5

    def _to(self, image, width, height, gen):
        return resize(image, width, height, int(gen.integers(5)) if self.inter_method == RANDOM else self.inter_method)

    @property
    def _ratios(self):
        high = self.max_aspect_ratio
        return (1 - high, 1 + high) if self.min_aspect_ratio is None else (self.min_aspect_ratio, high)

    @property
    def _warps(self):
        return (self.max_rotate_angle > 0 or self.rotate > 0 or self.max_shear_ratio > 0
                or not (self.min_random_scale == self.max_random_scale == 1)
                or not (self.random_resized_crop or self._ratios == (1, 1))
                or self.max_img_size != 1e10 or self.min_img_size != 0)

    def _warped(self, image, gen):
        """Rotate, shear and scale the image about its center."""
        shear = gen.uniform(-self.max_shear_ratio, self.max_shear_ratio)
        angle = int(gen.integers(-self.max_rotate_angle, self.max_rotate_angle + 1))
        if self.rotate > 0:
            angle = self.rotate
        scale, ratio = (1, 1) if self.random_resized_crop else (
            gen.uniform(self.min_random_scale, self.max_random_scale), gen.uniform(*self._ratios))
        middle = np.array(image.shape[1::-1], np.float32)
        size = np.clip(np.float32(scale) * middle, self.min_img_size, self.max_img_size).astype(np.float32)
        matrix = affine_matrix(angle, shear, scale, ratio)
        matrix = np.concatenate([matrix, (size - matrix @ middle)[:, None] / 2], 1)
        width, height = map(int, size)
        interpolation = int(gen.integers(5)) if self.inter_method == RANDOM else self.inter_method
        if interpolation == AUTO:
            interpolation = by_size(*image.shape[:2], height, width)
        return warp_affine(image, matrix, width, height, interpolation, self.fill_value)

    def _cropped(self, image, height, width, gen):
        if self.random_resized_crop:
            region = self._random_region(*image.shape[:2], gen)
            if region is not None:
                return self._to(geometry.crop(image, *region), width, height, gen)
        if self.max_crop_size != -1 or self.min_crop_size != -1:
            low, high = max(self.min_crop_size, 1), max(self.max_crop_size, self.min_crop_size)
            if high > min(image.shape[:2]):
                raise ArgumentError(f"ImageRecordIter: max_crop_size={high} is larger than an image of height "
                                    f"{image.shape[0]} and width {image.shape[1]}")
            side = int(gen.integers(low, high + 1))
            return self._to(self._part(image, side, side, gen), width, height, gen)
        if image.shape[0] < height:                     # enlarged proportionally to the requested size
            image = self._to(image, int(height / image.shape[0] * image.shape[1]), height, gen)
        if image.shape[1] < width:
            image = self._to(image, width, int(width / image.shape[1] * image.shape[0]), gen)
        return self._part(image, height, width, gen)

    def _part(self, image, height, width, gen):
        down, across = image.shape[0] - height, image.shape[1] - width
        y, x = (gen.integers(down + 1), gen.integers(across + 1)) if self.rand_crop else (down // 2, across // 2)
        return image[y:y + height, x:x + width]

    def _random_region(self, rows, columns, gen):
        """Draw (x, y, width, height), or return None if none of ten attempts fits."""
        if (self.min_random_area, self.max_random_area, *self._ratios) == (1, 1, 1, 1):
            return None
        for _ in range(10):
            area = gen.uniform(self.min_random_area, self.max_random_area) * rows * columns
            ratio = gen.uniform(*self._ratios) ** gen.choice((-1, 1))
            width, height = round(math.sqrt(area * ratio)), round(math.sqrt(area / ratio))
            if 0 < width <= columns and 0 < height <= rows:
                return (int(gen.integers(columns - width + 1)), int(gen.integers(rows - height + 1)), width, height)
        return None

    def _recolored(self, image, gen):
        if image.shape[-1] != 3:
            return image
        if self.random_h or self.random_s or self.random_l:
            image = color.shifted(image, *(gen.uniform(-limit, limit) for limit in (
                self.random_h / 180, self.random_l / 255, self.random_s / 255)))
        changes = [(color.brightness, self.brightness), (color.contrast, self.contrast),
                   (color.saturation, self.saturation)]
        changes = [(change, strength) for change, strength in changes if strength > 0]
        for i in gen.permutation(len(changes)):
            change, strength = changes[i]
            image = change(image, gen.uniform(1 - strength, 1 + strength))
        if self.pca_noise > 0:
            image = color.lighting(image, gen.normal(0, self.pca_noise, 3))
        return image


def require_range(who: str, name: str, low: float, high: float) -> None:
    """Raise ArgumentError unless values can be drawn between low and high.

    who, name: the iterator and its option, for the message.
    """
    if not (low <= high and math.isfinite(low) and math.isfinite(high)):
        raise ArgumentError(f"{who}: {name} allows numbers from {low} to {high}, expected a finite range")


def affine_matrix(angle: int, shear: float, scale: float, ratio: float) -> np.ndarray[Any, Any]:
    """Return the float32 matrix (2, 2) that, applied to (x, y), scales, rotates counterclockwise by `angle` and shears.

    ratio: y's scale divided by x's scale; their mean is `scale`.
    """
    cos, sin = np.float32(np.cos(angle / 180 * np.pi)), np.float32(np.sin(angle / 180 * np.pi))
    shear, scale, ratio = np.float32(shear), np.float32(scale), np.float32(ratio)
    across = 2 * scale / (1 + ratio)
    down = ratio * across
    return np.array([[across * cos - shear * sin * down, across * sin + shear * cos * down],
                     [-sin * down, cos * down]], np.float32)
