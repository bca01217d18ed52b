"""Augmenters: callables that map an image, an NDArray (H, W, C), to another image.

Random choices are drawn from Python's `random` and from `np.random`, in MXNet's order, so a program that seeds them
gets MXNet's results. Once `mx.random.seed` has been called, its generator is used instead.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from ..base import ArgumentError, MXNetError
from ..common.docstrings import share_sentences
from ..common.generators import numpy_compatible_rng, python_compatible_rng
from ..diagnostics.argument_kinds import worded
from ..diagnostics.keywords import ChecksKeywords
from ..imaging import color
from ..io.options import parses_texts
from ..ndarray import NDArray, array
from .image import (
    area_of,
    as_image,
    center_crop,
    color_normalize,
    imresize,
    pixels_of,
    random_crop,
    random_size_crop,
    resize_short,
)

__all__ = ["Augmenter", "BrightnessJitterAug", "CastAug", "CenterCropAug", "ColorJitterAug", "ColorNormalizeAug",
           "ContrastJitterAug", "ForceResizeAug", "HorizontalFlipAug", "HueJitterAug", "LightingAug", "RandomCropAug",
           "RandomGrayAug", "RandomOrderAug", "RandomSizedCropAug", "ResizeAug", "SaturationJitterAug",
           "SequentialAug"]


class Augmenter(ChecksKeywords):
    """Base class of augmenters. kwargs: the parameters that `dumps` returns.

    >>> class Halve(mx.image.Augmenter):
    ...     def __call__(self, src):
    ...         return src / 2
    >>> Halve(by=2).dumps(), Halve()(nd.array([4])).item()
    ('["halve", {"by": 2}]', 2.0)
    """

    def __init__(self, **kwargs: Any) -> None:
        self._kwargs = {name: plain(value) for name, value in kwargs.items()}

    def dumps(self) -> str:
        """Return the class and its parameters as JSON."""
        return json.dumps([type(self).__name__.lower(), self._kwargs])

    def __call__(self, src: NDArray) -> Any:
        """Return the augmented image."""
        raise NotImplementedError(f"{type(self).__name__} must define __call__")


def plain(value: Any) -> Any:
    """Return an array as nested lists, for JSON."""
    if isinstance(value, NDArray):
        value = value.asnumpy()
    return value.tolist() if isinstance(value, np.ndarray) else value


class _AugmenterList(Augmenter):
    """Base class of augmenters that combine a list of other augmenters, `ts`."""

    def __init__(self, ts: Any) -> None:
        super().__init__()
        if not np.iterable(ts) or not all(map(callable, ts)):
            raise ArgumentError(f"{type(self).__name__}: ts is {ts!r}, expected a list of augmenters")
        self.ts = ts if isinstance(ts, list) else list(ts)

    def dumps(self) -> str:
        return [type(self).__name__.lower(), [t.dumps() for t in self.ts]]

    def __call__(self, src: NDArray) -> Any:
        for t in self.ts:
            src = t(src)
        return src


class SequentialAug(_AugmenterList):
    """Applies augmenters in sequence.

    ts: the augmenters.

    >>> augment = mx.image.SequentialAug([mx.image.ResizeAug(2), mx.image.CastAug()])
    >>> augment(nd.zeros((4, 8, 3), dtype="uint8")).dtype
    <class 'numpy.float32'>
    """


class RandomOrderAug(_AugmenterList):
    """Applies augmenters in random order.

    ts: the augmenters.

    >>> augment = mx.image.RandomOrderAug([mx.image.CastAug("float64"), mx.image.HorizontalFlipAug(p=1)])
    >>> augment(nd.array([[[1], [2]]])).asnumpy().ravel().tolist()
    [2.0, 1.0]
    """

    def __call__(self, src: NDArray) -> Any:
        python_compatible_rng().shuffle(self.ts)
        return super().__call__(src)


# -- sizes and positions ----------------------------------------------------------------------------------------------


class _SizedAug(Augmenter):
    @parses_texts
    def __init__(self, size: Any, interp: int = 2) -> None:
        super().__init__(size=size, interp=interp)
        self.size = size
        self.interp = interp


class ResizeAug(_SizedAug):
    """Resizes so that the shorter side has length `size`.

    >>> mx.image.ResizeAug(2)(nd.zeros((4, 8, 3), dtype="uint8")).shape
    (2, 4, 3)
    """

    def __call__(self, src: NDArray) -> Any:
        return resize_short(src, self.size, self.interp)


class ForceResizeAug(_SizedAug):
    """Resizes to size (width, height) regardless of the aspect ratio.

    >>> mx.image.ForceResizeAug((6, 2))(nd.zeros((4, 4, 3), dtype="uint8")).shape
    (2, 6, 3)
    """

    @worded
    def __call__(self, src: NDArray) -> Any:
        return imresize(src, *self.size, self.interp)


class RandomCropAug(_SizedAug):
    """Crops a random region of size (width, height).

    >>> mx.image.RandomCropAug((2, 3))(nd.zeros((4, 4, 3), dtype="uint8")).shape
    (3, 2, 3)
    """

    def __call__(self, src: NDArray) -> Any:
        return random_crop(src, self.size, self.interp)[0]


class CenterCropAug(_SizedAug):
    """Crops the center to size (width, height).

    >>> mx.image.CenterCropAug((2, 2))(nd.arange(16).reshape((4, 4, 1))).asnumpy().ravel().tolist()
    [5.0, 6.0, 9.0, 10.0]
    """

    def __call__(self, src: NDArray) -> Any:
        return center_crop(src, self.size, self.interp)[0]


class RandomSizedCropAug(Augmenter):
    """Crops a region of random area and aspect ratio, and resizes it to size (width, height). See `random_size_crop`.

    area, ratio, kwargs: as in `random_size_crop`.

    >>> mx.image.RandomSizedCropAug((2, 3), area=0.5, ratio=(0.5, 2))(nd.zeros((8, 8, 3), dtype="uint8")).shape
    (3, 2, 3)
    """

    _keeps_keywords = True      # the keyword arguments are for the augmentation

    @parses_texts
    def __init__(self, size: tuple[int, int], area: float | tuple[float, float], ratio: tuple[float, float],
                 interp: int = 2, **kwargs: Any) -> None:
        super().__init__(size=size, area=area, ratio=ratio, interp=interp)
        self.size = size
        self.area: tuple[Any, ...] = area_of(area, kwargs, "RandomSizedCropAug")
        self.ratio = ratio
        self.interp = interp

    def __call__(self, src: NDArray) -> Any:
        return random_size_crop(src, self.size, self.area, self.ratio, self.interp)[0]


class HorizontalFlipAug(Augmenter):
    """Flips the image horizontally with probability p.

    >>> mx.image.HorizontalFlipAug(p=1)(nd.array([[[1], [2]]])).asnumpy().ravel().tolist()
    [2.0, 1.0]
    """

    @parses_texts
    def __init__(self, p: float) -> None:
        super().__init__(p=p)
        self.p = p

    @worded
    def __call__(self, src: NDArray) -> Any:
        return as_image(pixels_of(src)[:, ::-1]) if python_compatible_rng().random() < self.p else src


# -- colors ----------------------------------------------------------------------------------------------------------


class BrightnessJitterAug(Augmenter):
    """Multiplies the image by a random factor from 1 - brightness to 1 + brightness.

    >>> out = mx.image.BrightnessJitterAug(0.5)(nd.full((1, 1, 3), 100))
    >>> bool((out >= 50).asnumpy().all() and (out <= 150).asnumpy().all())
    True
    """

    @parses_texts
    def __init__(self, brightness: float) -> None:
        super().__init__(brightness=brightness)
        self.brightness = brightness

    @worded
    def __call__(self, src: NDArray) -> Any:
        return as_image(color.brightness(pixels_of(src), _around_one(self.brightness)))


class ContrastJitterAug(Augmenter):
    """Multiplies each value's distance from the mean gray by a random factor from 1 - contrast to 1 + contrast.

    >>> mx.image.ContrastJitterAug(0.5)(nd.full((1, 1, 3), 100)).asnumpy().round(3).ravel().tolist()     # grey has none
    [100.0, 100.0, 100.0]
    """

    @parses_texts
    def __init__(self, contrast: float) -> None:
        super().__init__(contrast=contrast)
        self.contrast = contrast

    @worded
    def __call__(self, src: NDArray) -> Any:
        return as_image(color.contrast(pixels_of(src), _around_one(self.contrast)))


class SaturationJitterAug(Augmenter):
    """Multiplies each value's distance from its pixel's gray by a random factor from 1 - saturation to 1 + saturation.

    >>> mx.image.SaturationJitterAug(0.5)(nd.full((1, 1, 3), 100)).asnumpy().round(3).ravel().tolist()   # grey has none
    [100.0, 100.0, 100.0]
    """

    @parses_texts
    def __init__(self, saturation: float) -> None:
        super().__init__(saturation=saturation)
        self.saturation = saturation

    @worded
    def __call__(self, src: NDArray) -> Any:
        return as_image(color.saturation(pixels_of(src), _around_one(self.saturation)))


def _around_one(strength):
    return 1.0 + python_compatible_rng().uniform(-strength, strength)


class HueJitterAug(Augmenter):
    """Rotates the colors about the gray axis by up to `hue` half turns, which is a linear map in the YIQ color space.

    >>> mx.image.HueJitterAug(0.1)(nd.ones((2, 2, 3))).shape
    (2, 2, 3)
    """

    TO_YIQ = np.array([[0.299, 0.587, 0.114], [0.596, -0.274, -0.321], [0.211, -0.523, 0.311]])
    FROM_YIQ = np.array([[1.0, 0.956, 0.621], [1.0, -0.272, -0.647], [1.0, -1.107, 1.705]])

    @parses_texts
    def __init__(self, hue: float) -> None:
        super().__init__(hue=hue)
        self.hue = hue

    @worded
    def __call__(self, src: NDArray) -> Any:
        angle = python_compatible_rng().uniform(-self.hue, self.hue) * np.pi
        cos, sin = np.cos(angle), np.sin(angle)
        turn = np.array([[1, 0, 0], [0, cos, -sin], [0, sin, cos]])
        return as_image(color.mixed(pixels_of(src), (self.FROM_YIQ @ turn @ self.TO_YIQ).T))


class ColorJitterAug(RandomOrderAug):
    """Jitters brightness, contrast and saturation in random order; a strength of 0 skips that change.

    brightness, contrast, saturation: the strengths of the jitter.

    >>> mx.image.ColorJitterAug(0.1, 0.1, 0.1)(nd.ones((2, 2, 3))).shape
    (2, 2, 3)
    """

    @parses_texts
    def __init__(self, brightness: float, contrast: float, saturation: float) -> None:
        kinds = (BrightnessJitterAug, brightness), (ContrastJitterAug, contrast), (SaturationJitterAug, saturation)
        super().__init__([kind(strength) for kind, strength in kinds if strength > 0])


class LightingAug(Augmenter):
    """Adds noise along the principal colors. alphastd: the standard deviation of the noise. eigval (3,), eigvec (3, 3):
    the principal colors.

    >>> augment = mx.image.LightingAug(0, np.ones(3), np.eye(3))
    >>> augment(nd.full((1, 1, 3), 100)).asnumpy().ravel().tolist()
    [100.0, 100.0, 100.0]
    """

    @parses_texts
    def __init__(self, alphastd: float, eigval: Any, eigvec: Any) -> None:
        super().__init__(alphastd=alphastd, eigval=eigval, eigvec=eigvec)
        self.alphastd = alphastd
        self.eigval = eigval
        self.eigvec = eigvec

    @worded
    def __call__(self, src: NDArray) -> Any:
        alpha = numpy_compatible_rng().normal(0, self.alphastd, size=(3,))
        return as_image(color.lighting(pixels_of(src), alpha, self.eigval, self.eigvec))


class ColorNormalizeAug(Augmenter):
    """Computes (src - mean) / std. mean, std: arrays (C,), or None to skip that step.

    >>> augment = mx.image.ColorNormalizeAug(nd.array([1, 2, 3]), nd.array([2, 2, 2]))
    >>> augment(nd.full((1, 1, 3), 5)).asnumpy().ravel().tolist()
    [2.0, 1.5, 1.0]
    """

    mean: NDArray | None
    std: NDArray | None

    def __init__(self, mean: Any, std: Any) -> None:
        super().__init__(mean=mean, std=std)
        self.mean, self.std = (v if v is None or isinstance(v, NDArray) else array(v) for v in (mean, std))

    @worded
    def __call__(self, src: NDArray) -> Any:
        return color_normalize(src, self.mean, self.std)


class RandomGrayAug(Augmenter):
    """Converts to gray, with three channels, with probability p.

    >>> len(set(mx.image.RandomGrayAug(p=1)(nd.array([[[10, 20, 30]]])).asnumpy().ravel().tolist()))
    1
    """

    WEIGHTS = np.array([[0.21], [0.72], [0.07]]).repeat(3, 1)

    @parses_texts
    def __init__(self, p: float) -> None:
        super().__init__(p=p)
        self.p = p

    @worded
    def __call__(self, src: NDArray) -> Any:
        return as_image(color.mixed(pixels_of(src), self.WEIGHTS)) if python_compatible_rng().random() < self.p else src


class CastAug(Augmenter):
    """Casts to a different dtype.

    typ: the dtype.

    >>> mx.image.CastAug("float64")(nd.ones((1, 1, 3))).dtype
    <class 'numpy.float64'>
    """

    def __init__(self, typ: str = "float32") -> None:
        super().__init__(type=typ)
        self.typ = typ

    @worded
    def __call__(self, src: NDArray) -> Any:
        if not isinstance(src, NDArray):
            raise MXNetError(f"CastAug: needs an NDArray, found {type(src).__name__}")
        return src.astype(self.typ)


share_sentences(imresize, ResizeAug, ForceResizeAug, RandomCropAug, RandomSizedCropAug, CenterCropAug)
