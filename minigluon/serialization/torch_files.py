"""The reader of files that `torch.save` writes, without PyTorch: a state dict as NumPy arrays.

    zip, since 1.6     NAME/data.pkl, a pickle that refers to storages    NAME/data/KEY, the bytes of a storage
    before             4 pickles: a magic number, the protocol, the machine, the values; a pickle of the storages' keys;
                       for each storage its number of elements (int64) and its bytes

Both are little-endian. A tensor is a view of a storage: offset, shape and strides, in elements. Files are untrusted:
pickles are read as data (see `pickles`), and time and memory are bounded by the size of the file. A tensor may not have
more elements than its storage, nor may all arrays together have more than eight times the bytes of the file.
"""

from __future__ import annotations

import io
import math
import os
import struct
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ..base import FileFormatError
from . import pickles
from .atomic_write import unreadable
from .pickles import Named, Reading, StandIn, excerpt
from .reading import content_of

__all__ = ["read"]

MAX_SHARED = 8          # the bytes of all arrays, relative to those of the file: storages may be shared
MAX_AXES = 32
MAX_EXTENT = 1 << 59    # elements, zero lengths counted as 1: NumPy creates no larger array, even if it is empty
MAGIC, PROTOCOL = 0x1950A86A20F9469CFC6C, 1001
_STORAGES = {"Float": "f4", "Double": "f8", "Half": "f2", "BFloat16": "u2", "Long": "i8", "Int": "i4", "Short": "i2",
             "Char": "i1", "Byte": "u1", "Bool": "?"}
_DICT = Named("collections", "OrderedDict")
_TENSOR = Named("torch._utils", "_rebuild_tensor_v2")
_PARAMETER = Named("torch._utils", "_rebuild_parameter")
_NAMES = {_DICT, _TENSOR, _PARAMETER, *(Named("torch", f"{kind}Storage") for kind in _STORAGES)}
_WRAPPERS = "state_dict", "model", "model_state_dict"       # keys under which training programs save the state dict


class _Storage(NamedTuple):
    """A reference to a storage. kind: 'Float' etc."""

    kind: str
    key: str
    size: int


def read(path: str) -> dict[str, np.ndarray]:
    """Return {name: array} of the state dict in a file. bfloat16 becomes float32.

    path: a file of torch.save with a state dict, or a dict that has one as 'state_dict', 'model' or
        'model_state_dict'.

    Raises FileFormatError, and MXNetError for a missing file.
    """
    what = os.fspath(path)
    try:
        content = content_of(path)
    except OSError as error:
        raise unreadable(path, error) from error
    try:
        value, storages = (_read_zip if content.startswith(b"PK") else _read_old)(content)
        return _arrays(_state_dict(value), storages, len(content))
    except FileFormatError as error:
        raise FileFormatError(f"{what} is not a state dict written by torch.save, or it is damaged: {error}") from error


# -- the two formats --------------------------------------------------------------------------------------------------


def _read_zip(content):
    """Return (the value, {key: bytes of a storage})."""
    import zipfile  # slow to import, and needed only here
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = archive.infolist()
            _require_stored(members, len(content))
            tops = [info.filename.removesuffix("data.pkl") for info in members if info.filename.endswith("/data.pkl")]
            if len(tops) != 1:
                raise FileFormatError(f"it has {len(tops)} entries '*/data.pkl', expected one")
            order = f"{tops[0]}byteorder"
            if any(info.filename == order for info in members) and archive.read(order) != b"little":
                raise FileFormatError("its numbers are big-endian, expected little-endian")
            value = pickles.read(archive.read(f"{tops[0]}data.pkl"), _check, dicts=(_DICT,), persistent=_storage)
            folder = f"{tops[0]}data/"
            return value, {info.filename.removeprefix(folder): archive.read(info) for info in members
                           if info.filename.startswith(folder)}
    except FileFormatError:
        raise
    except (zipfile.BadZipFile, EOFError, NotImplementedError, OSError, OverflowError, RuntimeError,
            ValueError) as error:
        raise FileFormatError(f"as a zip archive: {error}") from None


def _require_stored(members, size):
    """Raise FileFormatError if reading all members would take more than the file's size."""
    for info in members:
        if info.compress_type != 0:
            raise FileFormatError(f"{info.filename!r} is compressed; torch.save does not compress")
    total = sum(info.file_size for info in members)
    if total > size:
        raise FileFormatError(f"its entries have {total:,} bytes, more than the file, {size:,}")


def _read_old(content):
    """Return (the value, {key: view of a storage}) of a file written before PyTorch 1.6."""
    storages, sizes = {}, {}

    def storage(key):
        place = _storage(key)
        sizes[place.key] = np.dtype(_STORAGES[place.kind]).itemsize
        return place

    reading = Reading(_check, (_DICT,), storage)
    (magic, protocol, _), place = pickles.read_several(content, 0, 3, reading)
    if (magic, protocol) != (MAGIC, PROTOCOL):
        raise FileFormatError("its first bytes are not those of torch.save")
    (value, keys), place = pickles.read_several(content, place, 2, reading)
    view = memoryview(content)
    for key in keys if isinstance(keys, list) else ():
        if not isinstance(key, str) or key not in sizes:
            raise FileFormatError(f"it has a storage {excerpt(key)} that no tensor uses")
        if len(content) - place < 8:
            raise FileFormatError(f"storage {excerpt(key)} is missing")
        end = place + 8 + struct.unpack_from("<q", content, place)[0] * sizes[key]
        if not place + 8 <= end <= len(content):
            raise FileFormatError(f"storage {excerpt(key)} is truncated")
        storages[key], place = view[place + 8:end], end
    return value, storages


def _check(named):
    if named not in _NAMES:
        raise FileFormatError(f"it names {named.module}.{named.name}, which is not part of a state dict. Save "
                              "module.state_dict() instead of the module")


def _storage(key):
    """Return a reference to a storage; ('storage', class, key, device, number of elements[, None])."""
    if not isinstance(key, tuple) or len(key) not in (5, 6) or key[0] != "storage" or any(key[5:]):
        raise FileFormatError(f"it refers to {excerpt(key)}, expected a storage")
    _, kind, name, _, size = key[:5]
    if not isinstance(kind, Named) or not kind.name.endswith("Storage") or not isinstance(name, str) \
            or not isinstance(size, int):
        raise FileFormatError("it refers to a storage without a type, a key or a size")
    return _Storage(kind.name.removesuffix("Storage"), name, size)


# -- tensors ----------------------------------------------------------------------------------------------------------


def _state_dict(value):
    """Return the dict of tensors in what was saved."""
    for key in _WRAPPERS:
        if isinstance(value, dict) and isinstance(value.get(key), dict):
            value = value[key]
    if not isinstance(value, dict) or not all(isinstance(name, str) for name in value):
        raise FileFormatError(f"it holds {excerpt(value)}, expected a dict of tensors by name")
    return value


def _arrays(state, storages, file_size):
    """Return {name: array}. Entries that are not tensors, such as extra states, are errors."""
    room, arrays = MAX_SHARED * file_size, {}
    for name, value in state.items():
        array = _array(name, _tensor(name, value), storages)
        room -= array.nbytes
        if room < 0:
            raise FileFormatError(f"its arrays have more than {MAX_SHARED} times the bytes of the file")
        arrays[name] = array
    return arrays


def _tensor(name, value):
    """Return (storage, offset, shape, strides) of a tensor or a parameter."""
    if isinstance(value, StandIn) and value.made_by == _PARAMETER and value.args:
        value = value.args[0]
    if not isinstance(value, StandIn) or value.made_by != _TENSOR or len(value.args) < 4:
        raise FileFormatError(f"{excerpt(name)} is {excerpt(value)}, expected a tensor")
    storage, offset, shape, strides = value.args[:4]
    if not isinstance(storage, _Storage) or not all(
            isinstance(numbers, tuple) and all(type(n) is int and 0 <= n < 1 << 48 for n in numbers)
            for numbers in ((offset,), shape, strides)) or len(shape) != len(strides) or len(shape) > MAX_AXES:
        raise FileFormatError(f"{excerpt(name)} has an impossible storage, offset, shape or strides")
    return storage, offset, shape, strides


def _array(name, tensor, storages: Mapping[str, Any]):
    """Return a contiguous array."""
    storage, offset, shape, strides = tensor
    if storage.key not in storages:
        raise FileFormatError(f"{excerpt(name)} needs the storage {excerpt(storage.key)}, which is missing")
    dtype = np.dtype(_STORAGES[storage.kind]).newbyteorder("<")
    data = storages[storage.key]
    elements, count = len(data) // dtype.itemsize, 1
    for n in shape:
        count *= n
    last = offset + sum((n - 1) * stride for n, stride in zip(shape, strides, strict=True)) if count else 0
    if count > elements or last >= max(elements, 1) or math.prod(n or 1 for n in shape) >= MAX_EXTENT:
        raise FileFormatError(f"{excerpt(name)} of shape {shape} does not fit into its storage of {elements:,} "
                              "elements")
    if not count:
        array = np.zeros(shape, dtype)
    else:
        flat = np.frombuffer(data, dtype, elements)
        array = np.lib.stride_tricks.as_strided(flat[offset:], shape, [stride * dtype.itemsize for stride in strides],
                                                writeable=False)
    if storage.kind == "BFloat16":          # the upper half of a float32
        array = (array.astype("u4") << 16).view("f4")
    return np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("=")).reshape(shape)
