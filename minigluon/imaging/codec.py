"""Decoding and encoding image files with Pillow, with the same pixels as OpenCV, which MXNet uses.

JPEG colors equal OpenCV's to the last bit, because both use libjpeg-turbo. As in MXNet, an orientation in the EXIF data
is ignored, transparency is dropped, and 16-bit values become 8-bit. Reading needs the extra `image`.

A small file may contain a large image. Before any pixel is decoded, the size in the file's header is compared with
`max_pixels`; decoding then needs at most 16 bytes per pixel.
"""

from __future__ import annotations

import io
import math
import os
from typing import Any

import numpy as np

from ..base import ArgumentError, FileFormatError
from ..common import optional_packages as extras
from ..diagnostics.strictness import is_lenient, refuse
from ..serialization.reading import refuse_pointer

__all__ = ["FORMATS", "decode", "encode"]

# The formats that Pillow may try. Its other formats run programs (EPS) or do not contain photographs.
FORMATS = ("JPEG", "PNG", "BMP", "TIFF", "WEBP", "GIF", "PPM")

# A JPEG may refine its pixels in many passes, each of which takes as long as the entire image; cameras write up to 10.
MAX_JPEG_SCANS = 100

TIFF_TILE_WIDTH, TIFF_TILE_LENGTH = 322, 323        # a tile may be larger than the image, and is decoded in full

# libpng's weights for red, green and blue in a gray value, times 2^15. libpng truncates the result.
PNG_GREY = np.array([9798, 19235, 3735], np.int32)


def decode(content: bytes, flag: int = 1, to_rgb: bool = True, source: str = "image") -> Any:
    """Return the pixels decoded from an image file's bytes: uint8 (H, W, 3), or (H, W, 1) in gray for flag=0.

    flag -1 keeps the file's format: (H, W, C) with C = 1, 3, or 4 with transparency, uint16 for 16-bit gray. to_rgb:
    False returns blue first, as in OpenCV. source: describes the bytes in messages.
    Raises FileFormatError for bytes that are not an image, are damaged, or have more pixels than `max_pixels`.
    """
    if flag not in (-1, 0, 1):
        raise ArgumentError(f"imdecode: flag must be 1 (color) or 0 (grey), found {flag!r}")
    image = _open(content, source)
    try:
        pixels = _pixels(image, flag)
    except Exception as error:          # Pillow's decoders raise many kinds of errors for a damaged header
        refusal = FileFormatError(
            f"cannot decode {source}: the {image.format} file of {len(content)} bytes is damaged or cut off ({error}). "
            "Write it again from its original, or leave it out; PIL.ImageFile.LOAD_TRUNCATED_IMAGES = True reads the "
            "existing part of a file that is cut off.")
        refusal.__cause__ = error
        pixels = _rows_that_are_there(image, flag, refusal)
    if not to_rgb and pixels.shape[-1] >= 3:
        pixels = pixels[..., [2, 1, 0, 3][:pixels.shape[-1]]]
    return np.ascontiguousarray(pixels)


def _rows_that_are_there(image, flag, refusal):
    """Raise `refusal`; in a lenient run, return a truncated JPEG whose missing rows repeat the last one present."""
    if image.format != "JPEG" or not is_lenient():
        raise refusal
    image.tile = []                     # the part that Pillow has yet to decode; decoded rows are kept
    pixels = _pixels(image, flag)
    [rows] = np.nonzero(pixels.any(axis=(1, 2)))
    if not len(rows):
        raise refusal
    refuse(refusal)
    pixels = pixels.copy()
    pixels[rows[-1] + 1:] = pixels[rows[-1]]
    return pixels


def encode(image: np.ndarray[Any, Any], extension: str = ".jpg", quality: int = 95) -> bytes:
    """Return the bytes of an image file. image: uint8 (H, W, 3) in RGB, (H, W, 4), (H, W, 1) or (H, W).

    extension: '.jpg' or '.jpeg' (quality 1 ... 100), '.png' (quality 0 ... 9, the compression level).
    """
    extras.require("PIL", extra="image", user="writing image files")
    from PIL import Image
    image = np.asarray(image)
    if image.ndim == 3 and image.shape[2] == 1:
        image = image[..., 0]
    if image.dtype != np.uint8 or image.ndim not in (2, 3) or image.ndim == 3 and image.shape[2] not in (3, 4):
        raise ArgumentError(f"cannot encode an array {image.shape} of {image.dtype} as an image: expected uint8 of "
                            "shape (H, W, 3), (H, W, 4), (H, W, 1) or (H, W)")
    kind = extension.lower()
    if kind in (".jpg", ".jpeg"):
        # Halve the resolution of the color samples in both directions, as OpenCV does.
        how = {"format": "JPEG", "quality": int(quality), "subsampling": "4:2:0"}
        image = image[..., :3] if image.ndim == 3 else image
    elif kind == ".png":
        how = {"format": "PNG", "compress_level": min(int(quality), 9)}
    else:
        raise ArgumentError(f"cannot encode an image as {extension!r}: expected '.jpg', '.jpeg' or '.png'")
    stream = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(image)).save(stream, **how)
    return stream.getvalue()


def max_pixels() -> float | int:
    """Return the maximum number of pixels in an image: the environment variable MINIGLUON_MAX_IMAGE_PIXELS, or Pillow's
    own limit, 179 million unless a program sets PIL.Image.MAX_IMAGE_PIXELS. Raises ArgumentError."""
    from PIL import Image
    text = os.environ.get("MINIGLUON_MAX_IMAGE_PIXELS")
    if not text:
        return math.inf if Image.MAX_IMAGE_PIXELS is None else 2 * Image.MAX_IMAGE_PIXELS   # Pillow refuses more
    if not text.isdecimal() or not 1 <= len(text) <= 18:
        raise ArgumentError(f"MINIGLUON_MAX_IMAGE_PIXELS is {text[:40]!r}, expected a number of pixels")
    if Image.MAX_IMAGE_PIXELS is not None:
        # Otherwise Pillow would refuse images that are allowed here.
        Image.MAX_IMAGE_PIXELS = max(Image.MAX_IMAGE_PIXELS, int(text))
    return int(text)


def _open(content, source):
    extras.require("PIL", extra="image", user="reading image files")
    from PIL import Image, UnidentifiedImageError
    if not len(content):
        raise FileFormatError(f"cannot decode {source}: it has no bytes")
    most = max_pixels()
    try:
        image = Image.open(io.BytesIO(content), formats=FORMATS)
    except Image.DecompressionBombError as error:
        raise _too_large(content, source, str(error)) from error
    except UnidentifiedImageError as error:
        refuse_pointer(content, source)
        raise FileFormatError(
            f"cannot decode {source}: {len(content)} bytes that begin with {bytes(content[:8]).hex(' ')} are not an "
            f"image of a known format ({', '.join(FORMATS)})") from error
    except Exception as error:          # any error, as in `decode`
        raise FileFormatError(f"cannot decode {source}: the header of these {len(content)} bytes is damaged ({error})"
                              ) from error
    _check_work(image, content, source, most)
    return image


def _check_work(image, content, source, most):
    """Raise FileFormatError for files that need more memory or time than an image of `most` pixels."""
    if math.prod(image.size) > most:
        raise _too_large(content, source, f"{image.width} x {image.height} pixels; the limit is {most}")
    if image.format == "TIFF":
        tile = [image.tag_v2.get(tag, 1) for tag in (TIFF_TILE_WIDTH, TIFF_TILE_LENGTH)]
        if not all(isinstance(length, int) for length in tile) or math.prod(tile) > most:
            raise _too_large(content, source, f"tiles of {tile[0]} x {tile[1]} pixels; the limit is {most}")
    elif image.format in ("JPEG", "MPO") and (scans := content.count(b"\xff\xda")) > MAX_JPEG_SCANS:
        raise FileFormatError(f"cannot decode {source}: it refines its pixels in {scans} passes, but at most "
                              f"{MAX_JPEG_SCANS} are allowed. Write it again from its original.")


def _too_large(content, source, how_large):
    return FileFormatError(f"cannot decode {source}: {len(content)} bytes that claim to be a very large image "
                           f"({how_large}). If you trust it, set the environment variable MINIGLUON_MAX_IMAGE_PIXELS "
                           "to its number of pixels or more.")


def _pixels(image, flag):
    if image.mode.startswith("I;16") or image.mode == "I":
        return _sixteen_bits(image, flag)
    if flag == 0:
        return _grey(image)
    if flag == 1:
        return np.asarray(image if image.mode == "RGB" else image.convert("RGB"))
    transparent = image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info
    mode = "RGBA" if transparent else "L" if image.mode in ("1", "L") else "RGB"
    pixels = np.asarray(image.convert(mode))
    return pixels[..., np.newaxis] if mode == "L" else pixels


def _grey(image):
    if image.format == "JPEG":
        image.draft("L", None)                          # the file stores the brightness, so no formula is needed
    elif image.format == "PNG" and image.mode not in ("1", "L", "LA"):
        return ((np.asarray(image.convert("RGB")) @ PNG_GREY) >> 15).astype(np.uint8)[..., np.newaxis]
    return np.asarray(image.convert("L"))[..., np.newaxis]


def _sixteen_bits(image, flag):
    grey = np.asarray(image).astype(np.uint16)[..., np.newaxis]
    if flag == -1:
        return grey
    return np.repeat((grey >> 8).astype(np.uint8), 3 if flag else 1, axis=-1)
