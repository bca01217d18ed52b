"""Transforms of colors."""

from __future__ import annotations

from typing import Any

from .....common import generators as rng
from .....imaging import color
from .base import HybridTransform, PixelTransform

__all__ = ["RandomBrightness", "RandomColorJitter", "RandomContrast", "RandomGray", "RandomHue", "RandomLighting",
           "RandomSaturation"]


class _RandomFactor(HybridTransform):
    """Base class of transforms that draw a random factor from 1 - strength ... 1 + strength."""

    def __init__(self, strength: float) -> None:
        super().__init__()
        self._factors = {"min_factor": max(0.0, 1 - strength), "max_factor": 1 + strength}


class RandomBrightness(_RandomFactor):
    """Multiplies by a random factor in 1 - brightness ... 1 + brightness.

    >>> transform = gluon.data.vision.transforms.RandomBrightness(0.5)
    >>> bool((transform(nd.full((2, 2, 3), 100)) <= 150).asnumpy().all())
    True
    """

    def __init__(self, brightness: float) -> None:
        super().__init__(brightness)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.image.random_brightness(x, **self._factors)


class RandomContrast(_RandomFactor):
    """Scales the distance from the mean gray by a factor in 1 - contrast ... 1 + contrast.

    >>> transform = gluon.data.vision.transforms.RandomContrast(0.5)
    >>> transform(nd.full((1, 1, 3), 100)).asnumpy().round(3).tolist()           # grey alone has no contrast
    [[[100.0, 100.0, 100.0]]]
    """

    def __init__(self, contrast: float) -> None:
        super().__init__(contrast)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.image.random_contrast(x, **self._factors)


class RandomSaturation(_RandomFactor):
    """Scales the distance from gray by a factor in 1 - saturation ... 1 + saturation.

    >>> transform = gluon.data.vision.transforms.RandomSaturation(0.5)
    >>> transform(nd.full((1, 1, 3), 100)).asnumpy().round(3).tolist()           # grey has no saturation
    [[[100.0, 100.0, 100.0]]]
    """

    def __init__(self, saturation: float) -> None:
        super().__init__(saturation)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.image.random_saturation(x, **self._factors)


class RandomHue(_RandomFactor):
    """Rotates the color wheel by -hue ... hue full turns.

    >>> transform = gluon.data.vision.transforms.RandomHue(0.1)
    >>> transform(nd.ones((2, 2, 3))).shape
    (2, 2, 3)
    """

    def __init__(self, hue: float) -> None:
        super().__init__(hue)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.image.random_hue(x, **self._factors)


class RandomColorJitter(HybridTransform):
    """Applies RandomBrightness, RandomContrast, RandomSaturation and RandomHue in random order.

    brightness, contrast, saturation, hue: the strength of each; 0 omits it.

    >>> transform = gluon.data.vision.transforms.RandomColorJitter(brightness=0.1, hue=0.1)
    >>> transform(nd.ones((2, 2, 3))).shape
    (2, 2, 3)
    """

    def __init__(self, brightness: float = 0, contrast: float = 0, saturation: float = 0, hue: float = 0) -> None:
        super().__init__()
        self._strengths = {"brightness": brightness, "contrast": contrast, "saturation": saturation, "hue": hue}

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.image.random_color_jitter(x, **self._strengths)


class RandomLighting(HybridTransform):
    """Adds noise along ImageNet's principal color components. alpha: the standard deviation of the noise.

    >>> transform = gluon.data.vision.transforms.RandomLighting(alpha=0)
    >>> transform(nd.full((1, 1, 3), 100)).asnumpy().tolist()
    [[[100.0, 100.0, 100.0]]]
    """

    def __init__(self, alpha: float) -> None:
        super().__init__()
        self._alpha = alpha

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.image.random_lighting(x, alpha_std=self._alpha)


class RandomGray(PixelTransform):
    """Removes the color with probability p; the image keeps its three channels."""

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        self._p = p

    def apply_to(self, image: Any) -> Any:
        return color.saturation(image, 0.0) if rng.host().random() < self._p else image
