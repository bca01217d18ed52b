"""Augmenters for detection: callables that map an image and its boxes to a new image and boxes.

Boxes are a numpy.ndarray (objects, 5 or more): class, left, top, right, bottom, and additional columns; coordinates
range from 0 to 1, relative to the image's width and height. Random choices use the same generators as in `augmenters`.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base import ArgumentError, CallError, numeric_types
from ..common.generators import python_compatible_rng
from ..diagnostics import strictness
from ..diagnostics.argument_kinds import worded
from ..diagnostics.keywords import ChecksKeywords
from ..io.options import parses_texts
from .augmenters import Augmenter, plain
from .image import as_image, copyMakeBorder, fixed_crop, pixels_of, shape_of

if TYPE_CHECKING:
    from ..ndarray import NDArray

__all__ = ["DetAugmenter", "DetBorrowAug", "DetHorizontalFlipAug", "DetRandomCropAug", "DetRandomPadAug",
           "DetRandomSelectAug"]


class DetAugmenter(ChecksKeywords):
    """Base class of augmenters for detection. kwargs: the parameters that `dumps` returns.

    >>> class Nothing(mx.image.DetAugmenter):
    ...     def __call__(self, src, label):
    ...         return src, label
    >>> Nothing().dumps()
    '["nothing", {}]'
    """

    def __init__(self, **kwargs: Any) -> None:
        self._kwargs = {name: plain(value) for name, value in kwargs.items()}

    def dumps(self) -> str:
        """Return the class and its parameters as JSON."""
        return json.dumps([type(self).__name__.lower(), self._kwargs])

    def __call__(self, src: NDArray, label: Any) -> Any:
        """Return (image, boxes)."""
        raise NotImplementedError(f"{type(self).__name__} must define __call__")


class DetBorrowAug(DetAugmenter):
    """Wraps an augmenter that does not move image content relative to the frame, so that boxes do not change.

    >>> image, boxes = nd.zeros((4, 4, 3)), np.array([[0, 0, 0, 0.5, 1]])
    >>> augment = mx.image.DetBorrowAug(mx.image.CastAug("float64"))
    >>> augment(image, boxes)[0].dtype, augment(image, boxes)[1].tolist()
    (<class 'numpy.float64'>, [[0.0, 0.0, 0.0, 0.5, 1.0]])
    """

    def __init__(self, augmenter: Any) -> None:
        if not isinstance(augmenter, Augmenter):
            raise CallError(f"DetBorrowAug needs an Augmenter, found {type(augmenter).__name__}")
        super().__init__(augmenter=augmenter.dumps())
        self.augmenter = augmenter

    def dumps(self) -> str:
        return [type(self).__name__.lower(), self.augmenter.dumps()]

    def __call__(self, src: NDArray, label: Any) -> Any:
        return self.augmenter(src), label


class DetRandomSelectAug(DetAugmenter):
    """Applies one of the augmenters, chosen at random, or none of them with probability skip_prob.

    aug_list: the augmenters.

    >>> image, boxes = nd.zeros((8, 8, 3)), np.array([[0, 0, 0, 0.25, 1]])
    >>> augment = mx.image.DetRandomSelectAug([mx.image.DetHorizontalFlipAug(p=1)])
    >>> augment(image, boxes)[1].tolist()
    [[0.0, 0.75, 0.0, 1.0, 1.0]]
    """

    @parses_texts
    def __init__(self, aug_list: Any, skip_prob: float = 0) -> None:
        super().__init__(skip_prob=skip_prob)
        aug_list = list(aug_list) if isinstance(aug_list, (list, tuple)) else [aug_list]
        for augmenter in aug_list:
            if not isinstance(augmenter, DetAugmenter):
                raise ArgumentError(f"DetRandomSelectAug: a list of DetAugmenters is needed, found "
                                    f"{type(augmenter).__name__}")
        self.aug_list = aug_list
        self.skip_prob = skip_prob if aug_list else 1

    def dumps(self) -> str:
        return [type(self).__name__.lower(), [augmenter.dumps() for augmenter in self.aug_list]]

    def __call__(self, src: NDArray, label: Any) -> Any:
        gen = python_compatible_rng()
        if gen.random() < self.skip_prob:
            return src, label
        gen.shuffle(self.aug_list)
        return self.aug_list[0](src, label)


class DetHorizontalFlipAug(DetAugmenter):
    """Flips image and boxes horizontally with probability p.

    >>> image, boxes = nd.zeros((4, 4, 3)), np.array([[0, 0, 0, 0.25, 1]])
    >>> mx.image.DetHorizontalFlipAug(p=1)(image, boxes)[1].tolist()        # from the left border to the right one
    [[0.0, 0.75, 0.0, 1.0, 1.0]]
    """

    @parses_texts
    def __init__(self, p: float) -> None:
        super().__init__(p=p)
        self.p = p

    @worded
    def __call__(self, src: NDArray, label: Any) -> Any:
        if python_compatible_rng().random() >= self.p:
            return src, label
        flipped = label.copy()
        flipped[:, 1], flipped[:, 3] = 1 - label[:, 3], 1 - label[:, 1]
        return as_image(pixels_of(src)[:, ::-1]), flipped


def _areas(boxes):
    """Return the areas of boxes (N, 4): left, top, right, bottom."""
    return np.maximum(0, boxes[:, 2] - boxes[:, 0]) * np.maximum(0, boxes[:, 3] - boxes[:, 1])


class _RandomRegion(DetAugmenter):
    """A region of random area and aspect ratio. If the ranges are empty, `enabled` is False and a warning is issued."""

    least_area: float = 0
    aspect_ratio_range: tuple[float, float]
    area_range: tuple[float, float]
    max_attempts: int
    enabled: bool

    def __init__(self, **parameters: Any) -> None:
        for name in ("aspect_ratio_range", "area_range"):
            if isinstance(parameters[name], numeric_types):
                parameters[name] = parameters[name], parameters[name]
        super().__init__(**parameters)
        self.aspect_ratio_range = ratios = parameters["aspect_ratio_range"]
        self.area_range = areas = parameters["area_range"]
        self.max_attempts = parameters["max_attempts"]
        self.enabled = areas[1] > self.least_area and areas[0] <= areas[1] and 0 < ratios[0] <= ratios[1]
        if not self.enabled:
            strictness.warn(f"{type(self).__name__} does nothing: area_range {areas} or aspect_ratio_range {ratios} is "
                            "empty")


class DetRandomCropAug(_RandomRegion):
    """Crops a region that covers more than min_object_covered of each object it touches; clips objects to the region.

    aspect_ratio_range: smallest and largest width / height.
    area_range: smallest and largest fraction of the image's area.
    min_object_covered: the fraction of each object that the region must exceed.
    min_eject_coverage: objects with less than this fraction remaining are dropped.
    max_attempts: the number of regions to try before leaving the image unchanged.

    Source: Liu et al. 2016, SSD: single shot multibox detector.

    >>> image, boxes = nd.zeros((8, 8, 3)), np.array([[0.0, 0, 0, 1, 1]])
    >>> cut, boxes = mx.image.DetRandomCropAug(area_range=(0.5, 0.9))(image, boxes)
    >>> boxes.tolist()                                                      # the object still fills the image
    [[0.0, 0.0, 0.0, 1.0, 1.0]]
    """

    @worded
    @parses_texts
    def __init__(self, min_object_covered: float = 0.1,
                 aspect_ratio_range: float | tuple[float, float] = (0.75, 1.33),
                 area_range: float | tuple[float, float] = (0.05, 1.0), min_eject_coverage: float = 0.3,
                 max_attempts: int = 50) -> None:
        super().__init__(min_object_covered=min_object_covered, aspect_ratio_range=aspect_ratio_range,
                         area_range=area_range, min_eject_coverage=min_eject_coverage, max_attempts=max_attempts)
        self.min_object_covered = min_object_covered
        self.min_eject_coverage = min_eject_coverage

    @worded
    def __call__(self, src: NDArray, label: Any) -> Any:
        height, width = shape_of(src)
        for _ in range(self.max_attempts if self.enabled and height and width else 0):
            size = self._draw_size(height, width)
            if size is None:
                continue
            gen, (w, h) = python_compatible_rng(), size
            y, x = gen.randint(0, max(0, height - h)), gen.randint(0, max(0, width - w))
            if self._covers(label, x, y, w, h, width, height):
                cut = self._cut(label, x / width, y / height, w / width, h / height)
                if len(cut):
                    return fixed_crop(src, x, y, w, h), cut
        return src, label

    def _draw_size(self, height, width):
        """Draw (width, height) for a region that fits in the image, or return None if the drawn values do not allow
        one.
        """
        low, high = (share * height * width for share in self.area_range)
        gen = python_compatible_rng()
        ratio = gen.uniform(*self.aspect_ratio_range)
        h, tallest = round(math.sqrt(low / ratio)), round(math.sqrt(high / ratio))
        if round(tallest * ratio) > width:
            tallest = int((width + 0.4999999) / ratio)      # the largest height whose rounded width still fits
        tallest = min(tallest, height)
        h = gen.randint(h, tallest) if h < tallest else tallest
        h += round(h * ratio) * h < low                   # after rounding, the height may be one row out of range
        h -= round(h * ratio) * h > high
        w = round(h * ratio)
        return (w, h) if low <= w * h <= high and 0 < w <= width and 0 < h <= height else None

    def _covers(self, label, x, y, w, h, width, height):
        """Return whether the region, in pixels, touches an object and covers enough of each object that it touches."""
        if w * h < 2:
            return False
        boxes = label[:, 1:5]
        areas = _areas(boxes)
        boxes, areas = boxes[areas * width * height > 2], areas[areas * width * height > 2]
        inside = np.concatenate([np.maximum(boxes[:, :2], (x / width, y / height)),
                                 np.minimum(boxes[:, 2:], ((x + w) / width, (y + h) / height))], 1)
        shares = _areas(inside) / areas
        shares = shares[shares > 0]
        return shares.size > 0 and shares.min() > self.min_object_covered

    def _cut(self, label, x, y, w, h):
        """Convert boxes relative to the image to boxes relative to a region of it."""
        out = label.copy()
        out[:, 1:5] = np.clip((out[:, 1:5] - (x, y, x, y)) / (w, h, w, h), 0, 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            coverage = _areas(out[:, 1:5]) * w * h / _areas(label[:, 1:5])
        return out[(out[:, 3] > out[:, 1]) & (out[:, 4] > out[:, 2]) & (coverage > self.min_eject_coverage)]


class DetRandomPadAug(_RandomRegion):
    """Pads by placing the image at random on a larger canvas.

    aspect_ratio_range: the range of the canvas's width / height.
    area_range: the area of the canvas relative to the image.
    pad_val: the color of the canvas.
    max_attempts: the number of canvases to try before leaving the image unchanged.

    >>> image, boxes = nd.zeros((8, 8, 3)), np.array([[0.0, 0, 0, 1, 1]])
    >>> padded, boxes = mx.image.DetRandomPadAug(area_range=(2, 3))(image, boxes)
    >>> bool(padded.size > image.size)
    True
    """

    pad_val: list[Any] | tuple[Any, ...]

    least_area: float = 1.0

    @worded
    @parses_texts
    def __init__(self, aspect_ratio_range: float | tuple[float, float] = (0.75, 1.33),
                 area_range: float | tuple[float, float] = (1.0, 3.0), max_attempts: int = 50,
                 pad_val: Any = (128, 128, 128)) -> None:
        super().__init__(aspect_ratio_range=aspect_ratio_range, area_range=area_range, max_attempts=max_attempts,
                         pad_val=pad_val)
        self.pad_val = pad_val if isinstance(pad_val, (list, tuple)) else (pad_val,)

    @worded
    def __call__(self, src: NDArray, label: Any) -> Any:
        height, width = shape_of(src)
        for _ in range(self.max_attempts if self.enabled and height and width else 0):
            w, h = self._draw_size(height, width)
            if h - height < 2 or w - width < 2:
                continue                    # the canvas is hardly larger than the image
            gen = python_compatible_rng()
            y, x = gen.randint(0, h - height), gen.randint(0, w - width)
            out = label.copy()
            out[:, 1:5] = (out[:, 1:5] * (width, height, width, height) + (x, y, x, y)) / (w, h, w, h)
            return copyMakeBorder(src, y, h - y - height, x, w - x - width, values=self.pad_val), out
        return src, label

    def _draw_size(self, height, width):
        low, high = (share * height * width for share in self.area_range)
        gen = python_compatible_rng()
        ratio = gen.uniform(*self.aspect_ratio_range)
        h, tallest = round(math.sqrt(low / ratio)), round(math.sqrt(high / ratio))
        if round(h * ratio) < width:
            h = int((width + 0.499999) / ratio)
        h = min(max(h, height), tallest)
        if h < tallest:
            h = gen.randint(h, tallest)
        return round(h * ratio), h
