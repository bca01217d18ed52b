"""Reader for the files of MNIST: idx, an array of unsigned bytes behind its shape."""

import gzip
import struct
import zlib

import numpy as np

from ..base import FileFormatError

__all__ = ["read_idx"]


def read_idx(path):
    """The array in an idx file, gzipped or not: an unsigned-byte array of any rank. Raises FileFormatError."""
    with open(path, "rb") as file:
        content = file.read()
    if content[:2] == b"\x1f\x8b":
        try:
            content = gzip.decompress(content)
        except (OSError, EOFError, zlib.error) as error:
            raise FileFormatError(f"{path}: the gzip stream is damaged or cut off ({error})") from error
    if len(content) < 4 or content[:3] != b"\0\0\x08" or not 1 <= content[3] <= 4:
        raise FileFormatError(f"{path} is not an idx file of unsigned bytes: it begins with {content[:4].hex(' ')}, "
                              "expected 00 00 08 and the number of axes")
    rank = content[3]
    start = 4 + 4 * rank
    if len(content) < start:
        raise FileFormatError(f"{path} is cut off in its header, after {len(content)} bytes")
    shape = struct.unpack(f">{rank}I", content[4:start])
    expected = start + int(np.prod(shape, dtype=object))
    if len(content) != expected:
        raise FileFormatError(f"{path}: an array of shape {shape} needs {expected} bytes, the file has "
                              f"{len(content)}. It is damaged or cut off.")
    return np.frombuffer(content, np.uint8, offset=start).reshape(shape)
