"""Changes of colour, on NumPy arrays (..., H, W, 3). The dtype stays; integers are rounded and limited.

Two differences from MXNet, which cuts decimals off where this rounds (an integer may differ by one), and whose
saturation takes 0.114 of the blue channel for a pixel's grey.
"""

import numpy as np

from ..base import ShapeError
from .resize import as_dtype

__all__ = ["EIGENVALUES", "EIGENVECTORS", "brightness", "contrast", "hue", "light_of", "lighting", "mixed",
           "saturation", "shifted"]

GREY = np.array([0.299, 0.587, 0.114])          # how bright red, green and blue look (ITU-R BT.601)

# Principal components of the colours of ImageNet (Krizhevsky, Sutskever, Hinton 2012).
EIGENVALUES = np.array([55.46, 4.794, 1.148])
EIGENVECTORS = np.array([[-0.5675, 0.7192, 0.4009], [-0.5808, -0.0045, -0.8140], [-0.5836, -0.6948, 0.4203]])


def brightness(image, factor):
    """All values times a factor."""
    return as_dtype(image * _number(image)(factor), image.dtype)


def contrast(image, factor):
    """The distance from the image's mean grey, times a factor."""
    grey = _grey(image).mean(axis=(-3, -2, -1), keepdims=True)
    return _mix(image, grey, factor)


def saturation(image, factor):
    """The distance from each pixel's grey, times a factor. 0 makes a grey picture."""
    if image.shape[-1] == 1:
        return image
    return _mix(image, _grey(image), factor)


def hue(image, factor):
    """The colour circle turned by `factor` full turns."""
    if image.shape[-1] == 1:
        return image
    _require_colour(image, "hue")
    scale = _number(image)(255 if image.dtype.kind in "iu" else 1)
    h, lightness, s = _to_hls(image / scale)
    return as_dtype(_from_hls((h + 6 * factor) % 6, lightness, s) * scale, image.dtype)


def shifted(image, hue, lightness, saturation):
    """uint8: the hue turned by so many full turns, lightness and saturation (both 0 ... 1) plus a number."""
    _require_colour(image, "shifted")
    h, light, s = _to_hls(image / np.float32(255))
    out = _from_hls((h + 6 * hue) % 6, np.clip(light + lightness, 0, 1), np.clip(s + saturation, 0, 1))
    return as_dtype(out * np.float32(255), image.dtype)


def lighting(image, alpha, eigenvalues=EIGENVALUES, eigenvectors=EIGENVECTORS):
    """Plus alpha_1 λ_1 v_1 + alpha_2 λ_2 v_2 + alpha_3 λ_3 v_3, the principal components. alpha (3,)."""
    if image.shape[-1] == 1:
        return image
    _require_colour(image, "lighting")
    return as_dtype(image + light_of(alpha, eigenvalues, eigenvectors).astype(_number(image)), image.dtype)


def light_of(alpha, eigenvalues=EIGENVALUES, eigenvectors=EIGENVECTORS):
    """What `lighting` adds to each channel, (3,)."""
    return np.asarray(eigenvectors) @ (np.asarray(alpha) * np.asarray(eigenvalues))


def mixed(image, matrix):
    """Each pixel's three channels times a matrix (3, 3) from the right."""
    _require_colour(image, "mixed")
    return as_dtype(image @ np.asarray(matrix, _number(image)), image.dtype)


def _mix(image, grey, factor):
    factor = _number(image)(factor)
    return as_dtype(image * factor + grey * (1 - factor), image.dtype)


def _grey(image):
    """(..., H, W, 1) float32."""
    if image.shape[-1] == 1:
        return image.astype(_number(image))
    _require_colour(image, "colour")
    return (image @ GREY.astype(_number(image)))[..., np.newaxis]


def _number(image):
    """The type to compute in."""
    return np.float64 if image.dtype == np.float64 else np.float32


def _require_colour(image, who):
    if image.ndim < 3 or image.shape[-1] != 3:
        raise ShapeError(f"{who}: needs an image (H, W, 3) or (H, W, 1), found shape {image.shape}")


def _to_hls(rgb):
    """Hue 0 ... 6, lightness and saturation 0 ... 1, each (..., H, W)."""
    most, least = rgb.max(-1), rgb.min(-1)
    span = most - least
    lightness = (most + least) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        s = np.where(span > 0, span / np.where(lightness < 0.5, most + least, 2 - most - least), 0)
        r, g, b = np.moveaxis(rgb, -1, 0)
        h = np.select([most == r, most == g], [(g - b) / span, 2 + (b - r) / span], 4 + (r - g) / span)
    return np.where(span > 0, h, 0) % 6, lightness, s


def _from_hls(h, lightness, s):
    """(..., H, W, 3)."""
    most = np.where(lightness <= 0.5, lightness * (1 + s), lightness + s - lightness * s)
    least = 2 * lightness - most
    offsets = np.stack([h + 2, h, h - 2], -1) % 6
    # As the hue goes round, a channel rises for a sixth, is at its most for two, falls, and is at its least for two.
    ramp = np.clip(np.minimum(offsets, 4 - offsets), 0, 1)
    return (least + (most - least) * np.moveaxis(ramp, -1, 0)).transpose(*range(1, h.ndim + 1), 0)
