"""Transforms of images, as blocks to give to `dataset.transform_first`.

An image is (H, W, C), a batch (N, H, W, C), uint8 of 0 ... 255 as it comes from a file, until ToTensor makes it a
tensor (C, H, W) of 0 ... 1. They work on the CPU, where a DataLoader runs, and their random choices follow
`mx.random.seed`.
"""

import math

import numpy as np

from .... import ndarray as nd
from .... import rng
from ....backend import backend_for
from ....base import ArgumentError
from ....context import cpu
from ....dtypes import as_dtype
from ...block import Block
from . import color, image_ops

__all__ = [
    "Cast", "CenterCrop", "Compose", "CropResize", "Normalize", "RandomApply", "RandomBrightness", "RandomColorJitter",
    "RandomContrast", "RandomCrop", "RandomFlipLeftRight", "RandomFlipTopBottom", "RandomGray", "RandomHue",
    "RandomLighting", "RandomResizedCrop", "RandomSaturation", "Resize", "ToTensor",
]


class _Transform(Block):
    """A transform that a subclass writes as `apply_to`, from numpy.ndarray to numpy.ndarray."""

    def __init__(self):
        super().__init__()

    def forward(self, x):
        array = x._data if isinstance(x, nd.NDArray) and isinstance(x._data, np.ndarray) else np.asarray(x)
        ctx = x.context if isinstance(x, nd.NDArray) else cpu()
        return nd.NDArray(backend_for(ctx).from_numpy(self.apply_to(array), ctx), ctx)

    def apply_to(self, image):
        raise NotImplementedError(f"{type(self).__name__} must define apply_to")


class Compose(Block):
    """One transform after the other. transforms: blocks, or any functions of one array."""

    def __init__(self, transforms):
        super().__init__()
        self._transforms = list(transforms)
        for transform in self._transforms:
            if isinstance(transform, Block):
                self.register_child(transform)

    def forward(self, x):
        for transform in self._transforms:
            x = transform(x)
        return x

    def __getitem__(self, key):
        return self._transforms[key]

    def __len__(self):
        return len(self._transforms)

    def __repr__(self):
        lines = [f"  ({i}): " + repr(t).replace("\n", "\n  ") for i, t in enumerate(self._transforms)]
        return "Compose(\n" + "\n".join(lines) + "\n)"


class RandomApply(Block):
    """A transform that is applied with probability p. transforms: a block, or a list of them."""

    def __init__(self, transforms, p=0.5):
        super().__init__()
        self._p = p
        self.transforms = Compose(transforms) if isinstance(transforms, (list, tuple)) else transforms

    def forward(self, x):
        return self.transforms(x) if rng.host().random() < self._p else x


class Cast(_Transform):
    """Any shape -> the same, of another dtype."""

    def __init__(self, dtype="float32"):
        super().__init__()
        self._dtype = as_dtype(dtype)

    def apply_to(self, image):
        return image.astype(self._dtype)


class ToTensor(_Transform):
    """Image (H, W, C) of 0 ... 255 -> tensor (C, H, W) float32 of 0 ... 1; a batch likewise."""

    def apply_to(self, image):
        return image_ops.to_tensor(image)


class Normalize(_Transform):
    """Tensor (C, H, W) -> (tensor - mean) / std. mean, std: a number, or one for each channel; a batch likewise."""

    def __init__(self, mean=0.0, std=1.0):
        super().__init__()
        self._mean, self._std = (np.atleast_1d(np.asarray(v, np.float32)).reshape(-1, 1, 1) for v in (mean, std))

    def apply_to(self, tensor):
        return image_ops.normalize(tensor, self._mean, self._std)


class Resize(_Transform):
    """Image (H, W, C) -> (h, w, C). size: (w, h), or one number for both.

    keep_ratio: with one number, it is the shorter side's, and the other follows. interpolation: see `image_ops.resize`.
    """

    def __init__(self, size, keep_ratio=False, interpolation=1):
        super().__init__()
        self._size = size
        self._keep_ratio = keep_ratio
        self._interpolation = interpolation

    def apply_to(self, image):
        if self._keep_ratio and isinstance(self._size, int):
            return image_ops.resize(image, *image_ops.short_side(image, self._size), _chosen(self._interpolation))
        return image_ops.resize(image, *_pair(self._size), _chosen(self._interpolation))


class CenterCrop(_Transform):
    """The middle (h, w, C) of an image. size: (w, h), or one number for both. Enlarges where the image is smaller."""

    def __init__(self, size, interpolation=1):
        super().__init__()
        self._size = _pair(size)
        self._interpolation = interpolation

    def apply_to(self, image):
        return image_ops.center_crop(image, *self._size, _chosen(self._interpolation))


class CropResize(_Transform):
    """The region (x, y, width, height) of an image, then resized to `size` if that is given."""

    def __init__(self, x, y, width, height, size=None, interpolation=1):
        super().__init__()
        self._region = x, y, width, height
        self._size = None if size is None else _pair(size)
        self._interpolation = 1 if interpolation is None else interpolation

    def apply_to(self, image):
        part = image_ops.crop(image, *self._region)
        return part if self._size is None else image_ops.resize(part, *self._size, _chosen(self._interpolation))


class RandomCrop(_Transform):
    """A region (h, w, C) anywhere in the image. size: (w, h), or one number for both.

    pad: zeros around the image first: a number, or pairs for rows and columns. Enlarges where the image is smaller.
    """

    def __init__(self, size, pad=None, pad_value=0, interpolation=1):
        super().__init__()
        self._size = _pair(size)
        self._pad = None if pad is None else ((pad, pad), (pad, pad)) if isinstance(pad, int) else tuple(pad)
        self._pad_value = pad_value
        self._interpolation = interpolation

    def apply_to(self, image):
        if self._pad is not None:
            around = [(0, 0)] * (image.ndim - 3) + [*self._pad, (0, 0)]
            image = np.pad(image, around, constant_values=self._pad_value)
        w, h = image_ops.fit(*self._size, *image.shape[-2:-4:-1])
        part = _random_region(image, w, h)
        return image_ops.resize(part, *self._size, _chosen(self._interpolation))


class RandomResizedCrop(_Transform):
    """A region of random area and proportions anywhere in the image, resized to `size`: (w, h), or one number.

    scale: least and largest share of the image's area. ratio: least and largest width / height. Where ten attempts do
    not fit into the image, its middle is taken. (Szegedy et al. 2015, "Going deeper with convolutions")
    """

    def __init__(self, size, scale=(0.08, 1.0), ratio=(3 / 4, 4 / 3), interpolation=1):
        super().__init__()
        self._size = _pair(size)
        self._scale = (scale, 1.0) if isinstance(scale, (int, float)) else scale
        self._log_ratio = np.log(ratio)
        self._interpolation = interpolation

    def apply_to(self, image):
        rows, columns = image.shape[-3:-1]
        gen = rng.host()
        for _ in range(10):
            area = gen.uniform(*self._scale) * rows * columns
            ratio = math.exp(gen.uniform(*self._log_ratio))
            w, h = round(math.sqrt(area * ratio)), round(math.sqrt(area / ratio))
            if 0 < w <= columns and 0 < h <= rows:
                part = _random_region(image, w, h)
                return image_ops.resize(part, *self._size, _chosen(self._interpolation))
        return image_ops.center_crop(image, *self._size, _chosen(self._interpolation))


class RandomFlipLeftRight(_Transform):
    """Mirrors left and right with probability 1/2."""

    def apply_to(self, image):
        return image_ops.flip(image, -2) if rng.host().random() < 0.5 else image


class RandomFlipTopBottom(_Transform):
    """Mirrors top and bottom with probability 1/2."""

    def apply_to(self, image):
        return image_ops.flip(image, -3) if rng.host().random() < 0.5 else image


class _RandomFactor(_Transform):
    """`adjust(image, factor)` with a factor drawn from 1 - strength ... 1 + strength."""

    def __init__(self, strength):
        super().__init__()
        self._least, self._most = max(0.0, 1 - strength), 1 + strength

    def apply_to(self, image):
        return self.adjust(image, rng.host().uniform(self._least, self._most))


class RandomBrightness(_RandomFactor):
    """Multiplies with a factor from 1 - brightness ... 1 + brightness."""

    def __init__(self, brightness):
        super().__init__(brightness)

    adjust = staticmethod(color.brightness)


class RandomContrast(_RandomFactor):
    """Stretches the distance from the mean grey by a factor from 1 - contrast ... 1 + contrast."""

    def __init__(self, contrast):
        super().__init__(contrast)

    adjust = staticmethod(color.contrast)


class RandomSaturation(_RandomFactor):
    """Stretches the distance from grey by a factor from 1 - saturation ... 1 + saturation."""

    def __init__(self, saturation):
        super().__init__(saturation)

    adjust = staticmethod(color.saturation)


class RandomHue(_RandomFactor):
    """Turns the colour circle by an angle from -hue ... hue full turns."""

    def __init__(self, hue):
        super().__init__(hue)

    adjust = staticmethod(color.hue)


class RandomColorJitter(_Transform):
    """RandomBrightness, RandomContrast, RandomSaturation and RandomHue in random order; 0 leaves one out."""

    def __init__(self, brightness=0, contrast=0, saturation=0, hue=0):
        super().__init__()
        kinds = [(RandomBrightness, brightness), (RandomContrast, contrast), (RandomSaturation, saturation),
                 (RandomHue, hue)]
        self._parts = [kind(strength) for kind, strength in kinds if strength]

    def apply_to(self, image):
        for i in rng.host().permutation(len(self._parts)):
            image = self._parts[i].apply_to(image)
        return image


class RandomLighting(_Transform):
    """Adds noise along the principal colours of ImageNet. alpha: its standard deviation."""

    def __init__(self, alpha):
        super().__init__()
        self._alpha = alpha

    def apply_to(self, image):
        return color.lighting(image, rng.host().normal(0, self._alpha, 3))


class RandomGray(_Transform):
    """Takes the colour out with probability p; the image keeps its three channels."""

    def __init__(self, p=0.5):
        super().__init__()
        self._p = p

    def apply_to(self, image):
        return color.saturation(image, 0.0) if rng.host().random() < self._p else image


def _pair(size):
    """(width, height) from one number or two."""
    if isinstance(size, int):
        return size, size
    if not isinstance(size, (tuple, list)) or len(size) != 2:
        raise ArgumentError(f"size must be a number or (width, height), found {size!r}")
    return tuple(size)


def _chosen(interpolation):
    """The interpolation, drawn anew where it is 10: random."""
    return int(rng.host().integers(5)) if interpolation == image_ops.RANDOM else interpolation


def _random_region(image, width, height):
    gen = rng.host()
    x = int(gen.integers(image.shape[-2] - width + 1))
    y = int(gen.integers(image.shape[-3] - height + 1))
    return image_ops.crop(image, x, y, width, height)
