"""What ImageRecordIter does to an image, in the order of MXNet's C++ iterator. Images are NumPy arrays (H, W, C)."""

import math
from dataclasses import dataclass

import numpy as np

from ..base import ArgumentError
from ..pixels import color, geometry
from ..pixels.resize import RANDOM, resize
from ..pixels.rotate import rotate

__all__ = ["Augmentation"]


@dataclass(frozen=True)
class Augmentation:
    """The parameters, under MXNet's names, and `apply`, which draws from the generator that it is given.

    resize: the shorter side first becomes this long. pad: a border of so many pixels of fill_value.
    rand_crop: a region of the size of data_shape anywhere, else the middle; min_crop_size ... max_crop_size: first a
    square of random size. random_resized_crop: a region of min_random_area ... max_random_area of the image, with
    width / height of min_aspect_ratio ... max_aspect_ratio (3/4 ... 4/3 around 1 unless given).
    rotate: by so many degrees; max_rotate_angle: by a random angle up to this.
    random_h, random_s, random_l: hue (of 180), saturation and lightness (of 255) shifted by up to so much.
    brightness, contrast, saturation: factors from 1 - x ... 1 + x. pca_noise: of the lighting.
    mirror, rand_mirror: always, or half the time. inter_method: the interpolation.
    """

    resize: int = -1
    rand_crop: bool = False
    random_resized_crop: bool = False
    max_rotate_angle: int = 0
    rotate: int = -1
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

    def apply(self, image, height, width, gen):
        """An image (height, width, C) uint8 from one of any size."""
        if self.resize > 0:
            image = self._to(image, *geometry.short_side(*image.shape[:2], self.resize), gen)
        image = self._rotated(image, gen)
        if self.pad > 0:
            image = geometry.pad(image, *[self.pad] * 4, values=(self.fill_value,))
        image = self._cropped(image, height, width, gen)
        image = self._recoloured(image, gen)
        if self.mirror != (self.rand_mirror and gen.random() < 0.5):
            image = image[:, ::-1]
        return image

    def _to(self, image, width, height, gen):
        return resize(image, width, height, int(gen.integers(5)) if self.inter_method == RANDOM else self.inter_method)

    def _rotated(self, image, gen):
        angle = self.rotate if self.rotate > 0 else \
            gen.integers(-self.max_rotate_angle, self.max_rotate_angle + 1) if self.max_rotate_angle > 0 else 0
        if not angle:
            return image
        # A plane of ones is turned with the image; where it is not one, the fill shows.
        planes = np.concatenate([image, np.ones_like(image[..., :1])], -1).transpose(2, 0, 1).astype(np.float32)
        turned = rotate(planes[np.newaxis], [angle])[0]
        filled = turned[:-1] + (1 - turned[-1]) * self.fill_value
        return np.clip(np.rint(filled), 0, 255).astype(np.uint8).transpose(1, 2, 0)

    def _cropped(self, image, height, width, gen):
        if self.random_resized_crop:
            region = self._random_region(*image.shape[:2], gen)
            if region is not None:
                return self._to(geometry.crop(image, *region), width, height, gen)
        if self.max_crop_size != -1 or self.min_crop_size != -1:
            least, most = max(self.min_crop_size, 1), max(self.max_crop_size, self.min_crop_size)
            if most > min(image.shape[:2]):
                raise ArgumentError(f"ImageRecordIter: max_crop_size={most} is larger than an image of height "
                                    f"{image.shape[0]} and width {image.shape[1]}")
            side = int(gen.integers(least, most + 1))
            return self._to(self._part(image, side, side, gen), width, height, gen)
        if image.shape[0] < height:                     # enlarged in proportion until it covers what is wanted
            image = self._to(image, int(height / image.shape[0] * image.shape[1]), height, gen)
        if image.shape[1] < width:
            image = self._to(image, width, int(width / image.shape[1] * image.shape[0]), gen)
        return self._part(image, height, width, gen)

    def _part(self, image, height, width, gen):
        down, across = image.shape[0] - height, image.shape[1] - width
        y, x = (gen.integers(down + 1), gen.integers(across + 1)) if self.rand_crop else (down // 2, across // 2)
        return image[y:y + height, x:x + width]

    def _random_region(self, rows, columns, gen):
        """(x, y, width, height), or None where ten attempts do not fit."""
        most = self.max_aspect_ratio
        ratios = (1 - most, 1 + most) if self.min_aspect_ratio is None else (self.min_aspect_ratio, most)
        for _ in range(10):
            area = gen.uniform(self.min_random_area, self.max_random_area) * rows * columns
            ratio = gen.uniform(*ratios)
            width, height = round(math.sqrt(area * ratio)), round(math.sqrt(area / ratio))
            if 0 < width <= columns and 0 < height <= rows:
                return (int(gen.integers(columns - width + 1)), int(gen.integers(rows - height + 1)), width, height)
        return None

    def _recoloured(self, image, gen):
        if image.shape[-1] != 3:
            return image
        if self.random_h or self.random_s or self.random_l:
            image = color.shifted(image, *(gen.uniform(-most, most) for most in (
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
