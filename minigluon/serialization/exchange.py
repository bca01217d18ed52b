"""Files of named arrays that other libraries also use: `.safetensors` (package safetensors) and NumPy's `.npz`.

A reader returns NumPy arrays by name. Nothing in these files is executed; an .npz with pickled objects is refused.
"""

from __future__ import annotations

import errno
import math
import os
import struct
import zlib
from collections.abc import Sequence
from tokenize import TokenError
from typing import Any

import numpy as np

from ..base import DTypeError, FileFormatError, MXNetError, repeated
from ..common.dtypes import as_dtype
from ..common.optional_packages import require
from .atomic_write import replacing, unreadable
from .idx import MAX_INFLATION, SMALL
from .params import MAX_AXES
from .reading import content_of

__all__ = ["SUFFIXES", "kind_of_file", "kind_of_name", "read", "write"]

SUFFIXES = ".safetensors", ".npz"
_TYPES = {"F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16", "I64": "int64", "I32": "int32",
          "I8": "int8", "U8": "uint8", "BOOL": "bool"}
_ZIP = b"PK\x03\x04", b"PK\x05\x06"


def kind_of_name(path: str) -> str | None:
    """Return the suffix of a file to be written in one of these formats, or None for any other file."""
    suffix = os.path.splitext(os.fspath(path))[1]
    suffix = os.fsdecode(suffix).lower()
    return suffix if suffix in SUFFIXES else None


def kind_of_file(path: str) -> str | None:
    """Return the suffix of a file to read. Recognizes an .npz by its first bytes, because MXNet's files may have any
    name.
    """
    kind = kind_of_name(path)
    if kind != ".npz":
        return kind
    try:
        with open(path, "rb") as file:
            return kind if file.read(4) in _ZIP else None
    except (OSError, ValueError):
        return None             # opening it will report the problem


def write(path: str, arrays: Any, names: Sequence[str]) -> None:
    """Write NDArrays by name; unnamed arrays in an .npz are named arr_0, arr_1, ... Crash-safe."""
    if any(array.stype != "default" for array in arrays):
        raise DTypeError(f"save: {os.fspath(path)!r} can only hold dense arrays; convert sparse ones with "
                         "tostype('default')")
    if kind_of_name(path) == ".npz":
        names = names or [f"arr_{number}" for number in range(len(arrays))]
        with replacing(path) as file:
            np.savez(file, **{name: array.asnumpy() for name, array in zip(names, arrays, strict=True)})
        return
    require("safetensors", extra="safetensors", user="a .safetensors file")
    from safetensors.numpy import save
    if not names and len(arrays):
        raise DTypeError("save: arrays in a .safetensors file need names; pass a dict")
    content = save({name: np.ascontiguousarray(array.asnumpy()).reshape(array.shape)
                    for name, array in zip(names, arrays, strict=True)})
    with replacing(path) as file:
        file.write(content)


def read(path: str) -> Any:
    """Return {name: NumPy array}. Raises FileFormatError, and MXNetError for a missing file."""
    try:
        return _read_npz(path) if kind_of_name(path) == ".npz" else _read_safetensors(path)
    except OSError as error:
        raise unreadable(path, error) from error


def _read_safetensors(path):
    require("safetensors", extra="safetensors", user="a .safetensors file")
    import safetensors
    content = content_of(path)
    try:
        parts = safetensors.deserialize(content)
    except safetensors.SafetensorError as error:
        raise FileFormatError(f"{os.fspath(path)} is not a complete .safetensors file: {error}") from None
    arrays = {}
    for name, part in parts:
        if part["dtype"] not in _TYPES:
            raise FileFormatError(f"{os.fspath(path)}: {name!r} has elements of {part['dtype']}; expected one of "
                                  f"{', '.join(_TYPES)}")
        dtype = as_dtype(_TYPES[part["dtype"]])
        _require_shape(part["shape"], f"{os.fspath(path)}: {name!r}")
        arrays[name] = np.frombuffer(part["data"], dtype).reshape(part["shape"])
    return arrays


def _read_npz(path):
    import zipfile  # slow to import, and needed only here
    what = os.fspath(path)
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            _require_moderate(members, os.path.getsize(path), what)
            return {info.filename.removesuffix(".npy"): _member(archive, info, what) for info in members}
    except MXNetError:
        raise
    except OSError as error:
        if error.errno == errno.EINVAL:         # the file contains an offset before its beginning
            raise FileFormatError(f"{what} is not a complete .npz file: {error.strerror}") from None
        raise
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, struct.error, zlib.error) as error:
        raise FileFormatError(f"{what} is not a complete .npz file: {error}") from None


def _require_moderate(members, size, what):
    """Limit the total size of the inflated arrays, as for a gzipped idx file, because the file is untrusted."""
    total, most = sum(info.file_size for info in members), max(MAX_INFLATION * size, SMALL)
    if total > most:
        raise FileFormatError(f"{what}: its arrays have {total:,} bytes, more than a compressed file of this size may "
                              f"hold, {most:,} bytes. If this is correct, save them uncompressed, with numpy.savez.")
    names = [info.filename.removesuffix(".npy") for info in members]
    twice = repeated(names)
    if twice is not None:
        raise FileFormatError(f"{what}: two arrays have the same name, {twice!r}")


def _require_shape(shape, what):
    """Raise FileFormatError for an impossible shape: the product of the nonzero lengths must fit in 64 bits."""
    if not all(type(n) is int and n >= 0 for n in shape) or len(shape) > MAX_AXES:
        raise FileFormatError(f"{what} has the shape {tuple(shape)}, expected at most {MAX_AXES} lengths, "
                              "none negative")
    if math.prod(n or 1 for n in shape) >= 1 << 59:
        raise FileFormatError(f"{what} has the shape {tuple(shape)}, more elements than memory can have")


def _member(archive, info, what):
    """Read one array. Its header is compared with its length before memory is allocated."""
    with archive.open(info) as file:
        try:
            version = np.lib.format.read_magic(file)
            header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
            shape, in_columns, dtype = header(file)
        except (LookupError, MemoryError, OverflowError, RecursionError, SyntaxError, TokenError, TypeError,
                ValueError) as error:           # a header is a Python literal, which may be anything
            reason = (str(error).splitlines() or [type(error).__name__])[0]
            raise FileFormatError(f"{what}: {info.filename!r} is not an array: {reason}") from None
        if dtype.hasobject:
            raise FileFormatError(f"{what}: {info.filename!r} contains Python objects, which are refused")
        if not dtype.itemsize or dtype.subdtype is not None:
            raise FileFormatError(f"{what}: {info.filename!r} has elements of {dtype}, which no array here has")
        _require_shape(shape, f"{what}: {info.filename!r}")
        size = dtype.itemsize
        for n in shape:
            size *= int(n)
        if size != info.file_size - file.tell():
            raise FileFormatError(f"{what}: {info.filename!r} of shape {shape} and {dtype} has "
                                  f"{info.file_size - file.tell()} bytes")
        content = file.read()
        if len(content) != size:
            raise FileFormatError(f"{what}: {info.filename!r} is truncated")
        array = np.frombuffer(content, dtype).reshape(shape, order="F" if in_columns else "C")
        if dtype.kind == "V" and size and dtype.itemsize == 2:      # NumPy's encoding of bfloat16
            return np.ascontiguousarray(array).view(as_dtype("bfloat16"))
        return array.astype(_native(dtype, f"{what}: {info.filename!r}"), order="C", copy=False)


def _native(dtype, what):
    """Return the dtype in this machine's byte order. Raises FileFormatError for an unsupported dtype."""
    try:
        return as_dtype(dtype.newbyteorder("="))
    except DTypeError as error:
        raise FileFormatError(f"{what}: {error}") from None
