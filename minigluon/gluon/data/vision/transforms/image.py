"""Geometric transforms: resizing, cropping, flipping and rotation; also conversion from images to tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from .....base import ArgumentError, integer_types, numeric_types
from .....common import generators as rng
from .....common.docstrings import share_sentences
from .....diagnostics.argument_kinds import worded
from .....imaging import draw, geometry
from .....imaging.resize import resize
from .....imaging.rotate import rotated
from .base import HybridTransform, PixelTransform, pair

__all__ = ["CenterCrop", "CropResize", "Normalize", "RandomCrop", "RandomFlipLeftRight", "RandomFlipTopBottom",
           "RandomResizedCrop", "RandomRotation", "Resize", "Rotate", "ToTensor"]


class ToTensor(HybridTransform):
    """Converts an image (H, W, C) with values 0 ... 255, or a batch, to a float32 tensor (C, H, W) with values 0 ... 1,
    or a batch.

    >>> image = nd.array([[[0, 51, 255]]], dtype="uint8")
    >>> gluon.data.vision.transforms.ToTensor()(image).asnumpy().ravel()
    array([0. , 0.2, 1. ], dtype=float32)
    """

    rank_of_batches = 4

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.image.to_tensor(x)


class Normalize(HybridTransform):
    """Computes (tensor - mean) / std for a tensor (C, H, W) or a batch. mean, std: one number, or one per channel.

    >>> transform = gluon.data.vision.transforms.Normalize(mean=(1, 2, 3), std=2)
    >>> transform(nd.full((3, 1, 1), 5)).asnumpy().ravel().tolist()
    [2.0, 1.5, 1.0]
    """

    rank_of_batches = 4

    @worded
    def __init__(self, mean: Any = 0.0, std: Any = 1.0) -> None:
        super().__init__()
        self._mean, self._std = (tuple(np.ravel(v).astype(float).tolist()) for v in (mean, std))

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.image.normalize(x, mean=self._mean, std=self._std)


class Resize(HybridTransform):
    """Resizes an image (H, W, C) to (h, w, C). size: (w, h), or one number for both.

    keep_ratio: if True, keep the aspect ratio; one number is then the length of the shorter side.
    interpolation: 0 nearest, 1 linear, 2 cubic, 3 area, 4 Lanczos, 9 depends on the size.

    An invalid size is detected only when the transform is called.

    >>> transform = gluon.data.vision.transforms.Resize(4, keep_ratio=True)
    >>> transform(nd.zeros((8, 12, 3), dtype="uint8")).shape
    (4, 6, 3)
    """

    def __init__(self, size: Any, keep_ratio: bool = False, interpolation: int = 1) -> None:
        super().__init__()
        self._size = (size,) if isinstance(size, (int, np.integer)) else size
        self._keep = keep_ratio
        self._interpolation = interpolation

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.image.resize(x, size=self._size, keep_ratio=self._keep, interp=self._interpolation)


class CropResize(HybridTransform):
    """Crops the region (x, y, width, height) of an image, and resizes it if `size` is given.

    >>> image = nd.arange(16).reshape((4, 4, 1)).astype("uint8")
    >>> gluon.data.vision.transforms.CropResize(x=2, y=0, width=2, height=3)(image).asnumpy().ravel().tolist()
    [2, 3, 6, 7, 10, 11]
    """

    def __init__(self, x: int, y: int, width: int, height: int, size: Any = None,
                 interpolation: int | None = None) -> None:
        super().__init__()
        self._region = {"x": x, "y": y, "width": width, "height": height}
        self._size = None if size is None else pair(size)
        self._interpolation = 1 if interpolation is None else interpolation

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        part = F.image.crop(x, **self._region)
        return part if self._size is None else F.image.resize(part, size=self._size, interp=self._interpolation)


class CenterCrop(PixelTransform):
    """Crops the center (h, w, C) of an image. size: (w, h), or one number for both. Enlarges smaller images.

    interpolation: as for Resize; 10 draws a method at random each time.

    >>> image = nd.arange(16).reshape((4, 4, 1)).astype("uint8")
    >>> gluon.data.vision.transforms.CenterCrop(2)(image).asnumpy().ravel().tolist()
    [5, 6, 9, 10]
    """

    def __init__(self, size: Any, interpolation: int = 1) -> None:
        super().__init__()
        self._size = pair(size)
        self._interpolation = interpolation

    def apply_to(self, image: Any) -> Any:
        return geometry.center_crop(image, *self._size, draw.chosen(self._interpolation))


class RandomCrop(PixelTransform):
    """Crops a random region (h, w, C) of the image. size: (w, h), or one number for both.

    pad: zero padding applied first: a number, or pairs for rows and columns. Enlarges smaller images.
    """

    @worded
    def __init__(self, size: Any, pad: Any = None, pad_value: Any = 0, interpolation: int = 1) -> None:
        super().__init__()
        self._size = pair(size)
        self._pad = None if pad is None else ((pad, pad), (pad, pad)) if isinstance(pad, integer_types) else tuple(pad)
        self._pad_value = pad_value
        self._interpolation = interpolation

    def apply_to(self, image: Any) -> Any:
        if self._pad is not None:
            around = [(0, 0)] * (image.ndim - 3) + [*self._pad, (0, 0)]
            image = np.pad(image, around, constant_values=self._pad_value)
        w, h = geometry.fit(*self._size, *image.shape[-2:-4:-1])
        return resize(_anywhere(image, w, h), *self._size, draw.chosen(self._interpolation))


class RandomResizedCrop(PixelTransform):
    """Crops a region of random position, area and aspect ratio, and resizes it to `size`: (w, h), or one number.

    scale: the smallest and largest fraction of the image's area.
    ratio: the smallest and largest width / height. If none of ten attempts fits in the image, a center crop is used.
        (Szegedy et al. 2015, "Going deeper with convolutions")

    >>> gluon.data.vision.transforms.RandomResizedCrop(4)(nd.zeros((8, 12, 3), dtype="uint8")).shape
    (4, 4, 3)
    """

    def __init__(self, size: Any, scale: float | tuple[float, float] = (0.08, 1.0),
                 ratio: tuple[float, float] = (3 / 4, 4 / 3), interpolation: int = 1) -> None:
        super().__init__()
        self._size = pair(size)
        self._scale = (scale, 1.0) if isinstance(scale, numeric_types) else scale
        self._ratio = ratio
        self._interpolation = interpolation

    def apply_to(self, image: Any) -> Any:
        region = draw.proportions(*image.shape[-3:-1], self._scale, self._ratio)
        if region is None:
            return geometry.center_crop(image, *self._size, draw.chosen(self._interpolation))
        return resize(_anywhere(image, *region), *self._size, draw.chosen(self._interpolation))


class RandomFlipLeftRight(HybridTransform):
    """Flips the image horizontally with probability 1/2.

    >>> image = nd.array([[[1], [2]]])
    >>> gluon.data.vision.transforms.RandomFlipLeftRight()(image).asnumpy().ravel().tolist() in ([1, 2], [2, 1])
    True
    """

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.image.random_flip_left_right(x)


class RandomFlipTopBottom(HybridTransform):
    """Flips the image vertically with probability 1/2.

    >>> image = nd.array([[[1]], [[2]]])
    >>> gluon.data.vision.transforms.RandomFlipTopBottom()(image).asnumpy().ravel().tolist() in ([1, 2], [2, 1])
    True
    """

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.image.random_flip_top_bottom(x)


class Rotate(PixelTransform):
    """Rotates a tensor (C, H, W) float32, or a batch, about its center, keeping its size.

    rotation_degrees: the counterclockwise angle; for a batch, one angle for all or an array (N,).
    zoom_in: if True, enlarge the image until no corner is empty.
    zoom_out: if True, shrink the image until all of it is visible.

    >>> image = nd.array([[[1, 2], [3, 4]]])
    >>> gluon.data.vision.transforms.Rotate(90)(image).asnumpy().round(3).tolist()
    [[[2.0, 4.0], [1.0, 3.0]]]
    """

    def __init__(self, rotation_degrees: Any, zoom_in: bool = False, zoom_out: bool = False) -> None:
        super().__init__()
        self._degrees = rotation_degrees
        self._zoom = zoom_in, zoom_out

    def apply_to(self, tensor: Any) -> Any:
        return rotated(tensor, self._degrees, *self._zoom)


class RandomRotation(PixelTransform):
    """Rotates by a random angle (see `Rotate`), drawn separately for each image in a batch.

    angle_limits: the smallest and the largest angle, in degrees.
    rotate_with_proba: the probability of rotating an image.

    >>> gluon.data.vision.transforms.RandomRotation((-10, 10))(nd.ones((3, 4, 4))).shape
    (3, 4, 4)
    """

    def __init__(self, angle_limits: tuple[float, float], zoom_in: bool = False, zoom_out: bool = False,
                 rotate_with_proba: float = 1.0) -> None:
        super().__init__()
        lower, upper = angle_limits
        if lower >= upper:
            raise ArgumentError(f"RandomRotation: angle_limits must be (lower, upper), found {angle_limits}")
        if not 0 <= rotate_with_proba <= 1:
            raise ArgumentError("RandomRotation: rotate_with_proba must be a probability, 0 to 1, found "
                                f"{rotate_with_proba}")
        self._limits = lower, upper
        self._zoom = zoom_in, zoom_out
        self._probability = rotate_with_proba

    def apply_to(self, tensor: Any) -> Any:
        gen = rng.numpy_compatible_rng()
        if gen.random() > self._probability:
            return tensor
        return rotated(tensor, gen.uniform(*self._limits, None if tensor.ndim == 3 else len(tensor)), *self._zoom)


share_sentences(Resize, CropResize)
share_sentences(CenterCrop, RandomCrop, RandomResizedCrop)
share_sentences(Rotate, RandomRotation)


def _anywhere(image, width, height):
    return geometry.crop(image, *draw.place(*image.shape[-3:-1], width, height), width, height)
