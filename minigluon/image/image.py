"""Functions on images: NDArrays (H, W, C), RGB, uint8 with values 0 ... 255 if read from a file.

The functions work on the CPU, also accept numpy.ndarrays, and do not change their arguments. Interpolation codes are
OpenCV's: 0 nearest, 1 linear, 2 cubic, 3 area, 4 Lanczos; 9 chooses by size and 10 at random.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ..backend import backend_for
from ..base import ArgumentError, MXNetError, ShapeError, numeric_types
from ..common.docstrings import share_sentences
from ..common.generators import numpy_compatible_rng
from ..common.memory import enough_memory
from ..context import cpu
from ..diagnostics import strictness
from ..diagnostics.argument_kinds import check_function, worded
from ..imaging import codec, draw, geometry, rotate
from ..imaging.resize import AUTO, CUBIC, RANDOM, by_size, resize
from ..ndarray import NDArray
from ..ndarray.exports import in_current_class
from ..serialization.atomic_write import unreadable
from ..serialization.reading import content_of

__all__ = ["center_crop", "color_normalize", "copyMakeBorder", "fixed_crop", "imdecode", "imread", "imresize",
           "imrotate", "random_crop", "random_rotate", "random_size_crop", "resize_short", "scale_down"]


@check_function
@worded
def imread(filename: str, flag: int = 1, to_rgb: Any = 1) -> NDArray:
    """Read an image file: (H, W, 3) uint8, or (H, W, 1) in gray if flag=0. to_rgb=0 returns BGR.

    filename: the file.

    Raises MXNetError if the file is missing, and FileFormatError if it is not a complete image, or has more pixels than
    the environment variable MINIGLUON_MAX_IMAGE_PIXELS allows, by default 179 million.

    >>> from PIL import Image
    >>> Image.new("RGB", (3, 2), "red").save("red.png")
    >>> mx.image.imread("red.png").shape, mx.image.imread("red.png")[0, 0].asnumpy().tolist()
    ((2, 3, 3), [255, 0, 0])
    """
    try:
        content = content_of(filename)
    except OSError as error:
        start = ""
        if not os.path.isabs(filename):
            start = f". The path is relative to the folder {os.getcwd()!r}: give the absolute one"
        raise MXNetError(f"imread: {unreadable(filename, error)}{start}") from error
    return as_image(codec.decode(content, flag, bool(to_rgb), os.fspath(filename)))


@check_function
@worded
@enough_memory("imdecode")
def imdecode(buf: Any, flag: int = 1, to_rgb: Any = 1, out: Any = None) -> NDArray:
    """Decode an image file's content: bytes, bytearray, or an array of uint8. See `imread`.

    buf: the bytes.
    flag, to_rgb: as in `imread`.
    out: an NDArray to write the image to.

    >>> from PIL import Image
    >>> Image.new("RGB", (3, 2), "red").save("red.png")
    >>> with open("red.png", "rb") as file:
    ...     mx.image.imdecode(file.read(), to_rgb=0)[0, 0].asnumpy().tolist()
    [0, 0, 255]
    """
    if isinstance(buf, (NDArray, np.ndarray)):
        buf = np.ascontiguousarray(pixels_of(buf), np.uint8).tobytes()
    elif not isinstance(buf, (bytes, bytearray, memoryview)):
        raise ArgumentError("imdecode: buf must be of type bytes, bytearray or numpy.ndarray, found "
                            f"{type(buf).__name__}; read a file with open(path, 'rb')")
    image = as_image(codec.decode(bytes(buf), flag, bool(to_rgb)))
    if out is None:
        return image
    out[:] = image
    return out


@check_function
@worded
def imresize(src: Any, w: int, h: int, interp: int = 1) -> NDArray:
    """Resize an image to w columns and h rows, keeping its dtype.

    src: the image, (H, W, C).
    interp: the interpolation: 0 nearest, 1 linear, 2 cubic, 3 area, 4 Lanczos; 9 uses 3 to shrink and 2 to enlarge, 10
        picks one of the first five at random.

    >>> mx.image.imresize(nd.zeros((4, 4, 3), dtype="uint8"), w=6, h=2).shape
    (2, 6, 3)
    """
    return as_image(resize(pixels_of(src), int(w), int(h), draw.chosen(interp)))


@check_function
@worded
def resize_short(src: NDArray, size: int, interp: int = 2) -> NDArray:
    """Resize an image so that its shorter side has length `size`, keeping its aspect ratio.

    >>> mx.image.resize_short(nd.zeros((4, 8, 3), dtype="uint8"), 2).shape
    (2, 4, 3)
    """
    height, width = shape_of(src)
    return imresize(src, *geometry.short_side(height, width, size), interp)


@check_function
@worded
def scale_down(src_size: tuple[int, int], size: tuple[int, int]) -> tuple[int, int]:
    """Return `size` (width, height), scaled down proportionally to fit in src_size (width, height).

    >>> mx.image.scale_down((100, 50), (200, 50))
    (100, 25)
    """
    return geometry.fit(*size, *src_size)


@check_function
@worded
@enough_memory("copyMakeBorder")
def copyMakeBorder(src: NDArray, top: int, bot: int, left: int, right: int, type: int = 0, value: Any = 0,
                   values: Any = ()) -> NDArray:
    """Add a border to an image. type: OpenCV's code: 0 a color (`values`, or `value` for all channels), 1 the last
    pixel repeated, 2 mirrored (cba|abc), 3 wrapped around, 4 mirrored around the last pixel (dcb|abc).

    src: the image, (H, W, C).
    top, bot, left, right: the widths of the border.

    >>> mx.image.copyMakeBorder(nd.ones((1, 1, 1)), 0, 0, 1, 2, value=7).asnumpy().ravel().tolist()
    [7.0, 1.0, 7.0, 7.0]
    """
    return as_image(geometry.pad(pixels_of(src), top, bot, left, right, type, values or (value,)))


@check_function
@worded
def fixed_crop(src: NDArray, x0: int, y0: int, w: int, h: int, size: tuple[int, int] | None = None,
               interp: int = 2) -> NDArray:
    """Crop the region whose upper left corner is (x0, y0), and resize it to `size` (width, height) if given.

    Parts to the right of the image or below it are cut off. Raises ShapeError if the region is entirely outside.

    w, h: the width and height of the region.

    >>> mx.image.fixed_crop(nd.arange(16).reshape((4, 4, 1)), x0=2, y0=0, w=2, h=2).asnumpy().ravel().tolist()
    [2.0, 3.0, 6.0, 7.0]
    """
    height, width = shape_of(src)
    if x0 < 0 or y0 < 0 or w < 1 or h < 1 or x0 >= width or y0 >= height:
        raise ShapeError(f"fixed_crop: the region x0={x0}, y0={y0}, w={w}, h={h} does not begin inside an image of "
                         f"width {width}, height {height}, or is empty")
    part = pixels_of(src)[y0:y0 + h, x0:x0 + w]
    if size is None or tuple(size) == (w, h):
        return as_image(part)
    return imresize(part, *size, interp)


@check_function
@worded
def center_crop(src: NDArray, size: tuple[int, int], interp: int = 2) -> tuple[NDArray, Any]:
    """Return (the center of the image, its (x, y, width, height)). size: (width, height). Enlarges a smaller src.

    >>> middle, place = mx.image.center_crop(nd.arange(16).reshape((4, 4, 1)), (2, 2))
    >>> middle.asnumpy().ravel().tolist(), place
    ([5.0, 6.0, 9.0, 10.0], (1, 1, 2, 2))
    """
    height, width = shape_of(src)
    w, h = scale_down((width, height), size)
    x, y = (width - w) // 2, (height - h) // 2
    return fixed_crop(src, x, y, w, h, size, interp), (x, y, w, h)


@check_function
@worded
def random_crop(src: NDArray, size: tuple[int, int], interp: int = 2) -> tuple[NDArray, Any]:
    """Return (a random region of the image, its (x, y, width, height)). A src smaller than `size` is enlarged.

    >>> region, place = mx.image.random_crop(nd.zeros((4, 4, 3), dtype="uint8"), (2, 3))
    >>> region.shape, place[2:]
    ((3, 2, 3), (2, 3))
    """
    height, width = shape_of(src)
    w, h = scale_down((width, height), size)
    x, y = draw.place(height, width, w, h)
    return fixed_crop(src, x, y, w, h, size, interp), (x, y, w, h)


@check_function
@worded
def random_size_crop(src: NDArray, size: tuple[int, int], area: float | tuple[float, float],
                     ratio: tuple[float, float], interp: int = 2, **kwargs: Any) -> tuple[NDArray, Any]:
    """Return (a region of random area and aspect ratio, resized to `size`, its (x, y, width, height)).

    area: the smallest and largest fraction of the image's area, or only the smallest.
    ratio: the smallest and largest width / height. If none of ten attempts fits in the image, its center is used.
    size: (width, height).
    kwargs: min_area, the older name of area.

    >>> region, place = mx.image.random_size_crop(nd.zeros((8, 8, 3), dtype="uint8"), (2, 3), area=0.5, ratio=(0.5, 2))
    >>> region.shape
    (3, 2, 3)
    """
    area = area_of(area, kwargs, "random_size_crop")
    height, width = shape_of(src)
    size_drawn = draw.proportions(height, width, area, ratio)
    if size_drawn is None:
        return center_crop(src, size, interp)
    x, y = draw.place(height, width, *size_drawn)
    return fixed_crop(src, x, y, *size_drawn, size, interp), (x, y, *size_drawn)


def area_of(area: float, kwargs: dict[str, Any], who: str) -> tuple[Any, ...]:
    """Return (smallest, largest) fraction from `area`, or from min_area, its old name."""
    if "min_area" in kwargs:
        strictness.warn("`min_area` is deprecated. Please use `area` instead.", DeprecationWarning)
        area = kwargs.pop("min_area")
    if kwargs:
        raise ArgumentError(f"{who}: unexpected keyword arguments {', '.join(kwargs)}")
    return (area, 1.0) if isinstance(area, numeric_types) else tuple(area)


@check_function
@worded
def color_normalize(src: NDArray, mean: Any, std: Any = None) -> NDArray:
    """Return (src - mean) / std as float values. mean, std: NDArray or numpy.ndarray (C,), or None to skip that step.

    >>> image, mean, std = nd.full((1, 1, 3), 5), nd.array([1, 2, 3]), nd.array([2, 2, 2])
    >>> mx.image.color_normalize(image, mean, std).asnumpy().ravel().tolist()
    [2.0, 1.5, 1.0]
    """
    pixels = pixels_of(src)
    pixels = pixels if pixels.dtype.kind == "f" else pixels.astype(np.float32)
    if mean is not None:
        pixels = pixels - pixels_of(mean).astype(pixels.dtype)
    if std is not None:
        pixels = pixels / pixels_of(std).astype(pixels.dtype)
    return as_image(pixels)


@check_function
@worded
@enough_memory("imrotate")
def imrotate(src: NDArray, rotation_degrees: Any, zoom_in: bool = False, zoom_out: bool = False) -> NDArray:
    """Rotate a float32 tensor (C, H, W), or (N, C, H, W) by one or (N,) angles, about its center, keeping its size.

    zoom_in: if True, enlarge the image until no corner is empty.
    zoom_out: if True, shrink the image until all of it is visible.
    src: the tensor.
    rotation_degrees: the angle or angles.

    >>> mx.image.imrotate(nd.array([[[1, 2], [3, 4]]]), 90).asnumpy().round(3).tolist()
    [[[2.0, 4.0], [1.0, 3.0]]]
    """
    degrees = pixels_of(rotation_degrees) if isinstance(rotation_degrees, NDArray) else rotation_degrees
    return as_image(rotate.rotated(pixels_of(src), degrees, zoom_in, zoom_out))


@check_function
@worded
def random_rotate(src: NDArray, angle_limits: tuple[float, float], zoom_in: bool = False,
                  zoom_out: bool = False) -> NDArray:
    """Apply `imrotate` with a random angle between two limits, drawn separately for each image in a batch.

    src, zoom_in, zoom_out: as in `imrotate`.
    angle_limits: the two limits, in degrees.

    >>> mx.image.random_rotate(nd.ones((3, 4, 4)), (-10, 10)).shape
    (3, 4, 4)
    """
    count = None if src.ndim == 3 else src.shape[0]
    return imrotate(src, numpy_compatible_rng().uniform(*angle_limits, count), zoom_in, zoom_out)


def _get_interp_method(interp, sizes=()):
    """Resolve the codes 9 and 10 to one of 0 ... 4. sizes: (old height, old width, new height, new width), for 9.

    MXNet programs call this function despite its private name.
    """
    if interp == AUTO:
        return by_size(*sizes) if sizes else CUBIC
    if interp not in (0, 1, 2, 3, 4, RANDOM):
        raise ArgumentError(f"Unknown interp method {interp}, expected 0 to 4, 9 (by size) or 10 (random)")
    return draw.chosen(interp)


# -- arrays -----------------------------------------------------------------------------------------------------------


def pixels_of(src: Any) -> np.ndarray[Any, Any]:
    """Return an NDArray as a numpy.ndarray, on the CPU without a copy; return a numpy.ndarray unchanged."""
    if isinstance(src, NDArray):
        return src.buffer if isinstance(src.buffer, np.ndarray) else src.asnumpy()
    return np.asarray(src)


def as_image(pixels: np.ndarray[Any, Any]) -> NDArray:
    """Return a numpy.ndarray as an array on the CPU: an NDArray, or an `mx.np` array after `npx.set_np()`."""
    return in_current_class(NDArray(backend_for(cpu()).from_numpy(pixels, cpu()), cpu()))


def shape_of(src: NDArray) -> tuple[int, int]:
    """Return (height, width) of an image (H, W, C)."""
    if len(src.shape) != 3:
        raise ShapeError(f"expected an image (height, width, channels), found shape {src.shape}")
    return src.shape[:2]


share_sentences(imresize, resize_short, fixed_crop, center_crop, random_crop, random_size_crop)
