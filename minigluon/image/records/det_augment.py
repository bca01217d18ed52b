"""Image and box augmentation in ImageDetRecordIter, in the order of MXNet's C++ iterator.

Images are uint8 NumPy arrays (H, W, C). Boxes are arrays (objects, 5 or more) float32: class, left, top, right, bottom
relative to the image's width and height, and additional columns.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from ...base import ArgumentError, numeric_types
from ...imaging import color, geometry
from ...imaging.resize import RANDOM, resize

__all__ = ["DetAugmentation"]

# Parameters with one value for each crop sampler.
MOST_SAMPLERS = 1 << 16         # of crops
EACH_SAMPLER = ("crop_scales", "crop_aspect_ratios", "crop_overlaps", "crop_sample_coverages", "crop_object_coverages")
RESIZE_MODES, EMIT_MODES = ("force", "shrink", "fit"), ("center", "overlap")
MIN_PAD = 1.05                  # a canvas enlarged by less than this factor is skipped


@dataclass(frozen=True)
class DetAugmentation:
    """Parameters with MXNet's names, and `apply`, which draws its random values from a given generator. The order is:

    resize: the length to which the shorter side is resized.
    max_random_hue (out of 180), max_random_saturation, max_random_illumination (both out of 255): maximum shifts, each
    applied with the corresponding probability random_hue_prob, random_saturation_prob, random_illumination_prob.
    max_random_contrast x, random_contrast_prob: all values are multiplied by a factor from 1 - x to 1 + x.
    rand_mirror_prob: the probability of a horizontal flip.
    rand_pad_prob: the probability of placing the image at random on a canvas of fill_value with sides up to
    max_pad_scale times as long.
    rand_crop_prob: the probability of cropping a region. num_crop_sampler samplers are tried in random order, each
    max_crop_trials times, until a region is accepted; otherwise the image is not cropped. Each of their parameters is
    one value for all samplers or a tuple: min_crop_scales ... max_crop_scales: the square root of the region's relative
    area; min_crop_aspect_ratios ... max_crop_aspect_ratios: its width / height. At least one object must satisfy all
    limits min_... and max_... on the intersection's area divided by the union's (crop_overlaps), the region's
    (crop_sample_coverages) and the object's (crop_object_coverages).
    crop_emit_mode: drops objects whose center is outside ('center'), or whose covered fraction is at most
    emit_overlap_thresh ('overlap'); a region without objects is rejected.
    resize_mode: 'force' resizes to data_shape regardless of the aspect ratio; 'fit' resizes proportionally, to the
    largest size that fits; 'shrink' is like 'fit' but only for larger images. inter_method: the interpolation.

    (Liu et al. 2016, "SSD: single shot multibox detector", section 2.2)
    """

    resize: int = -1
    rand_crop_prob: float = 0.0
    min_crop_scales: tuple[float, ...] = (0.0,)
    max_crop_scales: tuple[float, ...] = (1.0,)
    min_crop_aspect_ratios: tuple[float, ...] = (1.0,)
    max_crop_aspect_ratios: tuple[float, ...] = (1.0,)
    min_crop_overlaps: tuple[float, ...] = (0.0,)
    max_crop_overlaps: tuple[float, ...] = (1.0,)
    min_crop_sample_coverages: tuple[float, ...] = (0.0,)
    max_crop_sample_coverages: tuple[float, ...] = (1.0,)
    min_crop_object_coverages: tuple[float, ...] = (0.0,)
    max_crop_object_coverages: tuple[float, ...] = (1.0,)
    num_crop_sampler: int = 1
    crop_emit_mode: str = "center"
    emit_overlap_thresh: float = 0.3
    max_crop_trials: tuple[int, ...] = (25,)
    rand_pad_prob: float = 0.0
    max_pad_scale: float = 1.0
    max_random_hue: int = 0
    random_hue_prob: float = 0.0
    max_random_saturation: int = 0
    random_saturation_prob: float = 0.0
    max_random_illumination: int = 0
    random_illumination_prob: float = 0.0
    max_random_contrast: float = 0.0
    random_contrast_prob: float = 0.0
    rand_mirror_prob: float = 0.0
    fill_value: int = 127
    inter_method: int = 1
    resize_mode: str = "force"

    def __post_init__(self) -> None:
        for name, choices in (("resize_mode", RESIZE_MODES), ("crop_emit_mode", EMIT_MODES)):
            if getattr(self, name) not in choices:
                raise ArgumentError(f"ImageDetRecordIter: {name} must be one of {', '.join(map(repr, choices))}, found "
                                    f"{getattr(self, name)!r}")
        if self.num_crop_sampler > MOST_SAMPLERS:
            raise ArgumentError(f"ImageDetRecordIter: num_crop_sampler is {self.num_crop_sampler}, expected at most "
                                f"{MOST_SAMPLERS}")
        for field in fields(self):
            if isinstance(field.default, tuple):
                object.__setattr__(self, field.name, self._for_each_sampler(field.name))
        for what in EACH_SAMPLER:
            self._check_range(what, *self._range(what))

    def _for_each_sampler(self, name):
        value, count = getattr(self, name), max(self.num_crop_sampler, 1)
        values = (value,) if isinstance(value, numeric_types) else tuple(value)
        if len(values) not in (1, count):
            raise ArgumentError(f"ImageDetRecordIter: {name} must be one number, or num_crop_sampler={count} of them, "
                                f"found {value}")
        return values * count if len(values) == 1 else values

    def _range(self, what):
        return getattr(self, f"min_{what}"), getattr(self, f"max_{what}")

    def _check_range(self, what, low, high):
        scales = what == "crop_scales"
        if any(a < 0 or a > b or scales and (b > 1 or a == b) for a, b in zip(low, high, strict=True)):
            raise ArgumentError(f"ImageDetRecordIter: min_{what}={low} and max_{what}={high} must have 0 <= "
                                + ("minimum < maximum <= 1" if scales else "minimum <= maximum"))

    def apply(self, image: np.ndarray[Any, Any], boxes: np.ndarray[Any, Any], height: int, width: int,
              gen: np.random.Generator):
        """Return (image, boxes) after augmentation. Without resize_mode='force', images may be smaller than height and
        width."""
        if self.resize > 0:
            image = self._to(image, *geometry.short_side(*image.shape[:2], self.resize), gen)
        image = self._recolored(image, gen)
        if gen.random() < self.rand_mirror_prob:
            image, boxes = image[:, ::-1], boxes.copy()
            boxes[:, [1, 3]] = 1 - boxes[:, [3, 1]]
        if gen.random() < self.rand_pad_prob and self.max_pad_scale > 1:
            image, boxes = self._padded(image, boxes, gen)
        if gen.random() < self.rand_crop_prob and self.num_crop_sampler > 0:
            image, boxes = self._cropped(image, boxes, gen)
        return self._sized(image, height, width, gen), boxes

    def _to(self, image, width, height, gen):
        return resize(image, width, height, int(gen.integers(5)) if self.inter_method == RANDOM else self.inter_method)

    def _sized(self, image, height, width, gen):
        if self.resize_mode == "force":
            return self._to(image, width, height, gen)
        ratio = min(height / image.shape[0], width / image.shape[1])
        if self.resize_mode == "shrink" and ratio >= 1:
            return image
        rows, columns = (max(1, int(np.float32(ratio) * np.float32(n))) for n in image.shape[:2])
        return self._to(image, columns, rows, gen)

    def _recolored(self, image, gen):
        """Change the colors, drawing numbers in MXNet's order: first all amounts, then whether to apply each."""
        shifts = gen.uniform(-1, 1, 4)
        shifts *= self.max_random_hue / 180, self.max_random_illumination / 255, self.max_random_saturation / 255, \
            self.max_random_contrast
        shifts[gen.random(4) >= (self.random_hue_prob, self.random_illumination_prob, self.random_saturation_prob,
                                 self.random_contrast_prob)] = 0
        if shifts[:3].any() and image.shape[-1] == 3:
            image = color.shifted(image, *shifts[:3])
        return color.brightness(image, 1 + shifts[3]) if shifts[3] else image

    def _padded(self, image, boxes, gen):
        scale = gen.uniform(1, self.max_pad_scale)
        if scale < MIN_PAD:
            return image, boxes
        rows, columns = image.shape[:2]
        left, top = gen.uniform(0, scale - 1, 2)
        top, bottom = int(top * rows), int((scale - 1 - top) * rows)
        left, right = int(left * columns), int((scale - 1 - left) * columns)
        image = geometry.pad(image, top, bottom, left, right, values=(self.fill_value,))
        return image, _moved(boxes, rows, columns, -left, -top, *image.shape[1::-1])

    def _cropped(self, image, boxes, gen):
        rows, columns = image.shape[:2]
        for sampler in gen.permutation(self.num_crop_sampler):
            for _ in range(self.max_crop_trials[sampler]):
                x, y, width, height = self._region(sampler, rows, columns, gen)
                kept_boxes = self._boxes_in(boxes, (x / columns, y / rows, (x + width) / columns, (y + height) / rows),
                                            sampler)
                if kept_boxes is not None:
                    return (geometry.crop(image, x, y, width, height),
                            _moved(kept_boxes, rows, columns, x, y, width, height))
        return image, boxes

    def _region(self, sampler, rows, columns, gen):
        """Draw (x, y, width, height) in pixels. MXNet draws fractions, and crops to whole pixels."""
        low, high = (values[sampler] for values in self._range("crop_scales"))
        scale = gen.uniform(low, high) + 1e-12
        low, high = (values[sampler] * rows / columns for values in self._range("crop_aspect_ratios"))
        low, high = max(low, scale * scale), min(high, 1 / scale ** 2)      # limited so that the region fits
        ratio = math.sqrt(low + (high - low) * gen.random())
        width = max(1, int(min(1, scale * ratio) * columns))
        height = max(1, int(min(1, scale / ratio) * rows))
        return int(gen.integers(columns - width + 1)), int(gen.integers(rows - height + 1)), width, height

    def _boxes_in(self, boxes, region, sampler):
        """Return the boxes that a region keeps, or None if the sampler rejects the region."""
        if not len(boxes):
            return boxes
        places, region = boxes[:, 1:5], np.asarray(region, np.float32)
        common = _areas(np.concatenate([np.maximum(places[:, :2], region[:2]),
                                        np.minimum(places[:, 2:], region[2:])], 1))
        own, whole = _areas(places), _areas(region[np.newaxis])
        accepted = np.ones(len(boxes), bool)
        for what, share in zip(EACH_SAMPLER[2:], (common / (own + whole - common), common / whole, common / own),
                               strict=True):
            low, high = (values[sampler] for values in self._range(what))
            accepted &= ((low <= 0) | (share >= low)) & ((high >= 1) | (share <= high))
        if self.crop_emit_mode == "overlap":
            mask = common / own > self.emit_overlap_thresh
        else:
            centres = (places[:, :2] + places[:, 2:]) / 2
            mask = ((centres >= region[:2]) & (centres < region[2:])).all(1)
        return boxes[mask] if accepted.any() and mask.any() else None


def _areas(places):
    """Return the areas of boxes (N, 4): left, top, right, bottom."""
    return np.maximum(0, places[:, 2] - places[:, 0]) * np.maximum(0, places[:, 3] - places[:, 1])


def _moved(boxes, rows, columns, x, y, width, height):
    """Convert boxes relative to an image to boxes relative to a region, which may extend beyond the image."""
    boxes = boxes.copy()
    places = boxes[:, 1:5] * np.float32([columns, rows] * 2) - np.float32([x, y] * 2)
    boxes[:, 1:5] = np.clip(places / np.float32([width, height] * 2), 0, 1)
    return boxes
