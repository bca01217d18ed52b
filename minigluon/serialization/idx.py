"""Reader for the files of MNIST: idx, an array of unsigned bytes behind its shape.

    00 00 08 | rank, 1 to 4 | rank lengths, big-endian 32 bits each | the bytes

The shape is compared with what the file can hold before the array is made. A gzipped file is inflated only as far as
its shape says.
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
from .reading import opened, within_memory

__all__ = ["read_idx"]

MAX_INFLATION = 8           # an array of a gzipped file may be so many times as large as the file;
SMALL = 1 << 26             # one of 64 MiB or less, any number of times. MNIST's images are 4.7 times as large.


def read_idx(path: str) -> Any:
    """The array in an idx file, gzipped or not: an unsigned-byte array of any rank. Raises FileFormatError, OSError."""
    with opened(path) as file, within_memory(file):
        size = os.fstat(file.fileno()).st_size
        if file.peek(2)[:2] != b"\x1f\x8b":
            return _read(file, path, size)
        with gzip.GzipFile(fileobj=file) as inflated:
            try:
                return _read(inflated, path, None, max(MAX_INFLATION * size, SMALL))
            except (OSError, EOFError, zlib.error) as error:
                raise FileFormatError(f"{path}: the gzip stream is damaged or cut off ({error})") from error


def _read(file, path, size, most=None):
    """size: the file's, where it is known. most: how long the array may be."""
    shape, start = _header(file, path)
    length = math.prod(shape)
    if size is not None and size != start + length:
        raise _misfit(path, shape, start + length, f"{size}")
    if math.prod(n for n in shape if n) > sys.maxsize:      # beside a length of 0; NumPy wants this to be small, too
        raise FileFormatError(f"{path}: shape {shape} is too large for an array. The file is damaged.")
    if most is not None and length > most:
        raise FileFormatError(f"{path}: an array of shape {shape} is more than a gzipped file of this size may hold, "
                              f"{most:,} bytes. If it is right, gunzip the file first.")
    array = np.empty(length, np.uint8)
    found = 0
    while found < length and (count := file.readinto(array[found:found + (1 << 20)].data)):
        found += count
    more = len(file.read(1))
    if found < length or more:
        raise _misfit(path, shape, start + length, "more" if more else f"{start + found}")
    return array.reshape(shape)


def _header(file, path):
    """(shape, length of the header in bytes)"""
    head = file.read(4)
    if len(head) < 4 or head[:3] != b"\0\0\x08" or not 1 <= head[3] <= 4:
        raise FileFormatError(f"{path} is not an idx file of unsigned bytes: it begins with {head.hex(' ')}, expected "
                              "00 00 08 and the number of axes")
    rank = head[3]
    lengths = file.read(4 * rank)
    if len(lengths) < 4 * rank:
        raise FileFormatError(f"{path} is cut off in its header, after {4 + len(lengths)} bytes")
    return struct.unpack(f">{rank}I", lengths), 4 + 4 * rank


def _misfit(path, shape, expected, found):
    return FileFormatError(f"{path}: an array of shape {shape} needs {expected} bytes, the file has {found}. It is "
                           "damaged or cut off.")
