"""Image records: a header, then the image file's bytes."""

from __future__ import annotations

import numbers
import struct
from collections import namedtuple
from typing import Any

import numpy as np

from ..base import ArgumentError, FileFormatError
from ..common.memory import enough_memory
from ..imaging import codec

__all__ = ["IRHeader", "pack", "pack_img", "unpack", "unpack_from", "unpack_img"]

IRHeader = namedtuple("HEADER", ["flag", "label", "id", "id2"])
IRHeader.__doc__ = """Header of an image record.

flag: 0, or the length of the label if it is an array.
label: a number or an array.
id: of the record.
id2: a second id, usually 0.

>>> mx.recordio.IRHeader(flag=0, label=7, id=3, id2=0).label
7
"""
HEADER = struct.Struct("<IfQQ")


@enough_memory("pack")
def pack(header: Any, s: Any) -> bytes:
    """Return the bytes of a record: the header, the labels if they are an array, then `s`.

    header: IRHeader; its label is a number, or an array whose length becomes the flag. Raises ArgumentError.

    >>> header = mx.recordio.IRHeader(flag=0, label=7, id=3, id2=0)
    >>> mx.recordio.unpack(mx.recordio.pack(header, b"something"))
    (HEADER(flag=0, label=7.0, id=3, id2=0), b'something')
    """
    header = IRHeader(*header)
    if isinstance(header.label, numbers.Number):
        header = header._replace(flag=0)
    else:
        label = np.asarray(header.label, np.float32)
        header = header._replace(flag=label.size, label=0)
        s = label.astype("<f4").tobytes() + s
    try:
        return HEADER.pack(*header) + s
    except (struct.error, OverflowError) as error:
        raise ArgumentError(f"pack: {header!r} does not fit: {error}. The flag has 32 bits, the label is a float, id "
                            "and id2 have 64 bits.") from None


def unpack(s: Any) -> tuple[IRHeader, bytes]:
    """Split a record into (IRHeader, content). The labels, if they are an array, are float32 (flag,). Raises
    FileFormatError.

    s: the record's bytes.

    >>> record = mx.recordio.pack(mx.recordio.IRHeader(flag=0, label=[1, 2], id=3, id2=0), b"something")
    >>> header, rest = mx.recordio.unpack(record)
    >>> header.flag, header.label.tolist(), rest
    (2, [1.0, 2.0], b'something')
    """
    return unpack_from(s, "unpack")


def unpack_from(s: bytes, source: str) -> tuple[HEADER, bytes]:
    """Unpack a record like `unpack`. source: the record's origin, for messages."""
    if len(s) < HEADER.size:
        raise FileFormatError(f"{source}: an image record has at least {HEADER.size} bytes, found {len(s)}")
    header = IRHeader(*HEADER.unpack_from(s))
    s = s[HEADER.size:]
    if header.flag == 0:
        return header, s
    if header.flag * 4 > len(s):
        raise FileFormatError(f"{source}: the header announces {header.flag} labels, {header.flag * 4} bytes, and "
                              f"{len(s)} follow it. The record was not written by `pack`.")
    return header._replace(label=np.frombuffer(s, "<f4", header.flag)), s[header.flag * 4:]


def unpack_img(s: Any, iscolor: Any = -1) -> tuple[IRHeader, Any]:
    """Return (IRHeader, pixels) from a record written by `pack_img`. Pixels are BGR, as with OpenCV's imdecode.

    iscolor: -1 as in the file, 1 color (H, W, 3), 0 gray (H, W).

    >>> red = np.zeros((2, 2, 3), "uint8")
    >>> red[:, :, 2] = 255
    >>> record = mx.recordio.pack_img(mx.recordio.IRHeader(0, 7, 0, 0), red, img_fmt=".png")
    >>> header, pixels = mx.recordio.unpack_img(record)
    >>> header.label, pixels.shape, pixels[0, 0].tolist()
    (7.0, (2, 2, 3), [0, 0, 255])
    """
    header, content = unpack(s)
    image = codec.decode(content, iscolor, to_rgb=False, source=f"the image of record {header.id}")
    return header, image[..., 0] if image.shape[-1] == 1 else image


@enough_memory("pack_img")
def pack_img(header: Any, img: Any, quality: int = 95, img_fmt: str = ".jpg") -> bytes:
    """Return the bytes of a record that contains an image file. img: uint8 (H, W, 3), BGR, or (H, W).

    img_fmt: '.jpg' with quality 1 ... 100, or '.png' with quality 1 ... 9, the compression level.
    header: an IRHeader.

    >>> record = mx.recordio.pack_img(mx.recordio.IRHeader(0, 7, 0, 0), np.zeros((2, 2), "uint8"), img_fmt=".png")
    >>> mx.recordio.unpack_img(record, iscolor=0)[1].tolist()
    [[0, 0], [0, 0]]
    """
    img = np.asarray(img)
    if img.ndim == 3 and img.shape[2] >= 3:
        img = img[..., [2, 1, 0, 3][:img.shape[2]]]
    return pack(header, codec.encode(img, img_fmt, quality))


def header_of(label: np.ndarray[Any, Any]) -> tuple[int, int]:
    """Return (header length, object length) from the start of a flat label of boxes; 0 for invalid lengths."""
    begin, width = [int(x) if np.isfinite(x) else 0 for x in label[:2]] if len(label) >= 2 else (0, 0)
    return begin, width
