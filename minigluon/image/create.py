"""CreateAugmenter: a standard list of augmenters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base import ArgumentError
from ..diagnostics.argument_kinds import worded
from ..imaging import color
from ..io.options import parses_texts
from ..ndarray import NDArray, array
from .augmenters import (
    CastAug,
    CenterCropAug,
    ColorJitterAug,
    ColorNormalizeAug,
    HorizontalFlipAug,
    HueJitterAug,
    LightingAug,
    RandomCropAug,
    RandomGrayAug,
    RandomSizedCropAug,
    ResizeAug,
)

if TYPE_CHECKING:
    from .augmenters import Augmenter

__all__ = ["CreateAugmenter", "color_augmenters"]

# Mean and standard deviation of ImageNet, 0 ... 255, for mean=True and std=True.
MEAN, STD = [123.68, 116.28, 103.53], [58.395, 57.12, 57.375]


@worded
@parses_texts
def CreateAugmenter(data_shape: Sequence[int], resize: int = 0, rand_crop: bool = False, rand_resize: bool = False,
                    rand_mirror: bool = False, mean: Any = None, std: Any = None, brightness: float = 0,
                    contrast: float = 0, saturation: float = 0, hue: float = 0, pca_noise: float = 0,
                    rand_gray: float = 0, inter_method: int = 2) -> list[Augmenter]:
    """Return a list of augmenters that convert images of any size to float32 images of a fixed size.

    data_shape: (channels, height, width) of the result.
    resize: the length to which the shorter side is resized first.
    rand_crop, rand_resize: if True, crop at a random position or with random area and aspect ratio; otherwise, crop the
    center.
    rand_mirror: if True, mirror the image with probability 1/2.
    brightness, contrast, saturation, hue: strengths of the jitter.
    pca_noise: standard deviation of the lighting noise.
    rand_gray: the probability of converting to gray.
    mean, std: arrays (3,) to normalize with, or True for ImageNet's.
    inter_method: the interpolation.

    >>> image = nd.zeros((6, 8, 3), dtype="uint8")
    >>> for augment in mx.image.CreateAugmenter((3, 4, 4), rand_mirror=True):
    ...     image = augment(image)
    >>> image.shape, image.dtype
    ((4, 4, 3), <class 'numpy.float32'>)
    """
    size = data_shape[2], data_shape[1]
    augmenters = [ResizeAug(resize, inter_method)] if resize > 0 else []
    if rand_resize:
        if not rand_crop:
            raise ArgumentError("CreateAugmenter: rand_resize=True needs rand_crop=True")
        augmenters.append(RandomSizedCropAug(size, 0.08, (3 / 4, 4 / 3), inter_method))
    else:
        augmenters.append((RandomCropAug if rand_crop else CenterCropAug)(size, inter_method))
    if rand_mirror:
        augmenters.append(HorizontalFlipAug(0.5))
    mean, std = (array(default) if value is True else value for value, default in ((mean, MEAN), (std, STD)))
    return augmenters + color_augmenters("CreateAugmenter", brightness, contrast, saturation, hue, pca_noise, rand_gray,
                                         mean, std)


def color_augmenters(who: str, brightness: float, contrast: float, saturation: float, hue: float, pca_noise: float,
                     rand_gray: float, mean: NDArray | list[int] | np.ndarray[Any, Any] | None,
                     std: NDArray | np.ndarray[Any, Any] | None) -> list[CastAug]:
    """Return the augmenters that change only colors."""
    augmenters = [CastAug()]
    if brightness or contrast or saturation:
        augmenters.append(ColorJitterAug(brightness, contrast, saturation))
    if hue:
        augmenters.append(HueJitterAug(hue))
    if pca_noise > 0:
        augmenters.append(LightingAug(pca_noise, color.EIGENVALUES, color.EIGENVECTORS))
    if rand_gray > 0:
        augmenters.append(RandomGrayAug(rand_gray))
    for name, value in (("mean", mean), ("std", std)):
        if value is not None and (not isinstance(value, (np.ndarray, NDArray)) or value.shape[0] not in (1, 3)):
            raise ArgumentError(f"{who}: {name} must be True or an array of 1 or 3 numbers, found {value!r}")
    if mean is not None or std is not None:
        augmenters.append(ColorNormalizeAug(mean, std))
    return augmenters
