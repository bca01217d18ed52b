"""The reader of MNIST's idx files: a shape followed by an array of unsigned bytes.

    00 00 08 | rank, 1 to 4 | rank lengths, big-endian 32 bits each | the bytes

The shape is compared with the file's size before the array is allocated. A gzipped file is inflated only as far as its
shape requires.
"""

from __future__ import annotations

import gzip
import math
import os
import struct
import sys
import zlib
from typing import Any

import numpy as np

from ..base import FileFormatError
from ..diagnostics import strictness
from .reading import opened, within_memory

__all__ = ["read_idx"]

MAX_INFLATION = 8           # an array in a gzipped file may be at most this many times as large as the file;
SMALL = 1 << 26             # arrays up to 64 MiB are not limited. For MNIST's images, the factor is 4.7.


def read_idx(path: str, more: bool = False) -> Any:
    """Return the unsigned-byte array, of any rank, in an idx file, gzipped or not. Raises FileFormatError, OSError.

    path: the file.
    more: whether to skip bytes after the array with a warning; if False, they are an error.
    """
    with opened(path) as file, within_memory(file):
        size = os.fstat(file.fileno()).st_size
        if file.peek(2)[:2] != b"\x1f\x8b":
            return _read(file, path, size, more=more)
        with gzip.GzipFile(fileobj=file) as inflated:
            try:
                return _read(inflated, path, None, max(MAX_INFLATION * size, SMALL), more)
            except (OSError, EOFError, zlib.error) as error:
                raise FileFormatError(f"{path}: the gzip stream is damaged or truncated ({error})") from error


def _read(file, path, size, most=None, more=False):
    """Read an open file. size: the size of the file, if known. most: the maximum length of the array. more: as for
    `read_idx`.
    """
    shape, start = _header(file, path)
    length = math.prod(shape)
    if size is not None and (size < start + length or size > start + length and not more):
        raise _misfit(path, shape, start + length, f"{size}")
    if math.prod(n for n in shape if n) > sys.maxsize:      # NumPy limits this even if another length is 0
        raise FileFormatError(f"{path}: shape {shape} is too large for an array. The file is damaged.")
    if most is not None and length > most:
        raise FileFormatError(f"{path}: an array of shape {shape} is more than a gzipped file of this size may hold, "
                              f"{most:,} bytes. If this is correct, gunzip the file first.")
    array = np.empty(length, np.uint8)
    received = 0
    while received < length and (count := file.readinto(array[received:received + (1 << 20)].data)):
        received += count
    follows = len(file.read(1)) > 0
    if received < length or follows and not more:
        raise _misfit(path, shape, start + length, "more" if follows else f"{start + received}")
    if follows:
        strictness.warn(f"{path}: what follows byte {start + length}, the end of an array of shape {shape}, is skipped")
    return array.reshape(shape)


def _header(file, path):
    """Return (shape, length of the header in bytes)."""
    head = file.read(4)
    if len(head) < 4 or head[:3] != b"\0\0\x08" or not 1 <= head[3] <= 4:
        raise FileFormatError(f"{path} is not an idx file of unsigned bytes: it begins with {head.hex(' ')}, expected "
                              "00 00 08 and the number of axes")
    rank = head[3]
    lengths = file.read(4 * rank)
    if len(lengths) < 4 * rank:
        raise FileFormatError(f"{path} is truncated in its header, after {4 + len(lengths)} bytes")
    return struct.unpack(f">{rank}I", lengths), 4 + 4 * rank


def _misfit(path, shape, expected, actual):
    return FileFormatError(f"{path}: an array of shape {shape} needs {expected} bytes, the file has {actual}. It is "
                           "damaged or truncated.")
