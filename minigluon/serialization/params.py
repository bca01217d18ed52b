"""Reading and writing MXNet's `.params` files as NumPy arrays.

    uint64 0x112 | uint64 0 | uint64 count | count records | uint64 count of names | names

A name is a uint64 length followed by UTF-8. A list has no names. Each record, all little-endian, consists of:

    uint32 magic   0xF993FAC9                  0xF993FACA (np shapes)   0xF993FAC8       the rank itself
    storage type   int32, 0 = dense            the same                 -                -
    stored shape   of the values, if sparse    the same                 -                -
    shape          int32 rank, int64 each      the same                 uint32, int64    -, uint32 each
    device         int32 type, int32 number
    dtype          int32 code
    indices        if sparse: int32 code, shape    the same
    data           in C order, and then the indices, if sparse

The indices of row_sparse (1) are its row numbers; those of csr (2) are the row starts and the column numbers.
Columns: MXNet 1.2 to 1.9, the same under `np_shape`, 0.12 to 1.1, and earlier versions. All but the second
treat a length of 0 as unknown, so files with such arrays must be read with the same `np_shape` setting as when they
were written. The reader compares each length with the number of remaining bytes before it uses it.
"""

from __future__ import annotations

import io
import math
import os
import struct
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..base import FileFormatError, repeated
from ..common.dtypes import DTYPES, code_of, dtype_of
from ..common.shape_semantics import is_np_shape
from ..context import Context
from .atomic_write import replacing, unreadable
from .reading import opened, refuse_pointer, within_memory

__all__ = ["MAX_AXES", "SparseRecord", "array_of", "read", "read_bytes", "record_of", "write"]

_LIST = 0x112
_V1, _V2, _V3 = 0xF993FAC8, 0xF993FAC9, 0xF993FACA
_STORAGE = {1: "row_sparse", 2: "csr"}
_TORCH = b"\x80\x02\x8a\nl\xfc\x9cF\xf9"      # torch.save before 1.6; later files are zip archives
MAX_AXES = 32          # the limit of the oldest supported NumPy


class SparseRecord(NamedTuple):
    """The contents of a sparse array's record. places: one index array for row_sparse, two for csr."""

    stype: str
    shape: tuple[int, ...]
    values: np.ndarray
    places: tuple[np.ndarray, ...]


def write(path: str, arrays: Sequence[Any], names: Sequence[str] = ()) -> None:
    """Write NDArrays. `names` is empty for a list. Crash-safe: see `files.replacing`."""
    with replacing(path) as file:
        write_to(file, arrays, names)


def write_to(file: Any, arrays: Sequence[Any], names: Sequence[str] = ()) -> None:
    """Write NDArrays to an open binary file."""
    file.write(struct.pack("<QQQ", _LIST, 0, len(arrays)))
    for array in arrays:
        # the older format stores no data for shape (), which arrays can have here even if the switch is off
        magic = _V3 if is_np_shape() or not array.shape else _V2
        _write_record(file, magic, array)
    file.write(struct.pack("<Q", len(names)))
    for name in names:
        text = name.encode()
        file.write(struct.pack("<Q", len(text)) + text)


def _write_record(file, magic, x):
    """Write the record of x, an NDArray of any storage type."""
    if x.stype == "default":
        arrays = [x.asnumpy()]
        file.write(struct.pack("<Ii", magic, 0))
    else:
        arrays = x.buffer.arrays_of_file()
        number = next(number for number, stype in _STORAGE.items() if stype == x.stype)
        file.write(struct.pack("<Ii", magic, number) + _shape(arrays[0].shape))
    ctx, (values, *places) = x.context, arrays
    file.write(_shape(x.shape) + struct.pack("<iii", ctx.device_typeid, ctx.device_id, code_of(values.dtype)))
    for array in places:
        file.write(struct.pack("<i", code_of(array.dtype)) + _shape(array.shape))
    for array in arrays:
        contiguous = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
        file.write(contiguous.reshape(-1).view(np.uint8).data)


def _shape(shape):
    return struct.pack(f"<I{len(shape)}q", len(shape), *shape)


def read(path: str) -> tuple[list[Any], list[Any], list[Any]]:
    """Return (arrays, contexts, names) from a file; names is empty for a list.

    Raises FileFormatError for a damaged or truncated file or a file in a different format, and MXNetError for a missing
    file.
    """
    try:
        with opened(path) as file, within_memory(file):
            return _Reader(file, os.fstat(file.fileno()).st_size, os.fspath(path)).read_all()
    except OSError as error:
        raise unreadable(path, error) from error


def read_bytes(data: Any) -> tuple[list[Any], list[Any], list[Any]]:
    """Return the result of `read` for bytes in memory."""
    return _Reader(io.BytesIO(data), len(data), "the buffer").read_all()


def record_of(array: Any) -> bytes:
    """Return the bytes of one NDArray's record."""
    file = io.BytesIO()
    _write_record(file, _V3 if 0 in array.shape or not array.shape else _V2, array)
    return file.getvalue()


def array_of(record: Any) -> Any:
    """Return (array, context) for the bytes of one record. Raises FileFormatError."""
    reader = _Reader(io.BytesIO(record), len(record), "an array's record")
    reader.where = "its start"
    record_content = reader.record()
    if reader.left:
        raise reader.error(f"{reader.left} bytes follow the end of the data")
    return record_content


class _Reader:
    """A file and the number of bytes left in it."""

    def __init__(self, file, size, source):
        self.file = file
        self.left = self.size = size
        self.source = source
        self.where = "the header"       # the part being read, for messages
        self.under_np_shape = False     # whether the last record was written with np shapes

    def read_all(self):
        magic = self.take("<Q")[0] if self.size >= 8 else None
        if magic != _LIST:
            raise self.not_a_params_file()
        reserved, count = self.take("<QQ")
        if reserved != 0:
            raise self.error(f"the reserved word is {reserved}, expected 0")
        self.require_room(count, 20, "arrays")
        records = []
        for index in range(count):
            self.where = f"array {index} of {count}"
            records.append(self.record())
            self.require_switch(records[-1][0])
        names = self.names(count)
        if self.left:
            raise self.error(f"{self.left} bytes follow the end of the data")
        return [array for array, _ in records], [ctx for _, ctx in records], names

    def record(self):
        """Read (array, context) of one record. The array is a numpy.ndarray or a SparseRecord."""
        magic, = self.take("<I")
        self.under_np_shape = magic == _V3
        storage = 0
        if magic in (_V2, _V3):
            storage, = self.take("<i")
            if storage in _STORAGE:
                stored = self.shape(self.take("<i")[0], "q")
            elif storage != 0:
                raise self.error(f"unknown storage type {storage}")
            shape = self.shape(self.take("<i")[0], "q")
        elif magic == _V1:
            shape = self.shape(self.take("<I")[0], "q")
        else:
            shape = self.shape(magic, "I")
        if not shape and magic != _V3:
            raise self.error("it has no shape and no data: it was saved before it was computed")
        device, number = self.take("<ii")
        dtype = self.dtype()
        array = self.sparse(_STORAGE[storage], stored, shape, dtype) if storage else self.data(shape, dtype)
        return array, self.context(device, number)

    def dtype(self):
        code, = self.take("<i")
        dtype = dtype_of(code)
        if dtype is None:
            raise self.error(f"unknown dtype code {code}; known: "
                             + ", ".join(f"{c} {d.name}" for c, d in DTYPES.items()))
        return dtype

    def require_switch(self, array):
        """Raise FileFormatError for an empty array that was written with the opposite setting of `np_shape`."""
        if 0 in array.shape and self.under_np_shape != is_np_shape():
            raise FileFormatError(
                f"{self.source}: {self.where} has shape {array.shape} and was written with mx.np_shape("
                f"{self.under_np_shape}), under which 0 means something else. Read it `with mx.np_shape("
                f"{self.under_np_shape}):`.")

    def sparse(self, stype, stored, shape, dtype):
        """Read a SparseRecord. stored: the shape of its values. The caller must check the indices."""
        layouts = []
        for _ in range(1 if stype == "row_sparse" else 2):
            kind = self.dtype()
            layouts.append((self.shape(self.take("<i")[0], "q"), kind))
            if kind.kind not in "iu" or len(layouts[-1][0]) != 1:
                raise self.error(f"the places of its values are {kind.name} of shape {layouts[-1][0]}, expected "
                                 "integers along one axis")
        expected = (*layouts[0][0], *shape[1:]) if stype == "row_sparse" else layouts[-1][0]
        if stype == "row_sparse" and stored == (0, *shape[1:]):
            stored = expected       # MXNet writes 0 here while rows are still being computed, then the computed rows
        if stored != expected or stype == "csr" and len(shape) != 2:
            raise self.error(f"it is {stype} of shape {shape}, and its values have shape {stored}, expected {expected}")
        values, *places = (self.data(*layout) for layout in [(stored, dtype), *layouts])
        return SparseRecord(stype, shape, values, tuple([a.astype(np.int64) for a in places]))

    def shape(self, rank, code):
        if not 0 <= rank <= MAX_AXES:
            raise self.error(f"it has {rank} axes, expected at most {MAX_AXES}")
        shape = self.take(f"<{rank}{code}")
        if any(d < 0 for d in shape):
            raise self.error(f"its shape {shape} has a negative length")
        return shape

    def data(self, shape, dtype):
        extent = math.prod(d for d in shape if d) * dtype.itemsize      # NumPy also limits this
        nbytes = 0 if 0 in shape else extent
        if nbytes > self.left:
            raise self.truncated(f"shape {shape} of {dtype} needs {nbytes} bytes")
        if extent > sys.maxsize:
            raise self.error(f"shape {shape} is too large")
        flags = dtype == np.bool_
        array = np.empty(shape, np.uint8 if flags else dtype.newbyteorder("<"))
        if nbytes:
            self.fill(array.reshape(-1).view(np.uint8).data)
        return array != 0 if flags else array.astype(dtype, copy=False)     # a bool must be 0 or 1

    def context(self, device, number):
        name = Context.devtype2str.get(device)
        if name is None or number < 0:
            raise self.error(f"unknown device type {device}, number {number}")
        return name, number

    def names(self, arrays):
        self.where = "the names"
        count, = self.take("<Q")
        if count not in (0, arrays):
            raise self.error(f"there are {count} names for {arrays} arrays")
        names = []
        for index in range(count):
            self.where = f"name {index} of {count}"
            length, = self.take("<Q")
            if length > self.left:
                raise self.truncated(f"a name of {length} bytes follows")
            text = bytearray(length)
            self.fill(text)
            try:
                names.append(text.decode())
            except UnicodeDecodeError:
                raise self.error("it is not UTF-8") from None
        twice = repeated(names)
        if twice is not None:
            raise self.error(f"the name {twice!r} occurs twice")
        return names

    # -- bytes --------------------------------------------------------------------------------------------------

    def take(self, layout):
        """Read the next values of a `struct` layout."""
        size = struct.calcsize(layout)
        if size > self.left:
            raise self.truncated(f"{size} more bytes are needed")
        self.left -= size
        return struct.unpack(layout, self.file.read(size))

    def fill(self, buffer):
        """Fill a buffer, whose size has been checked against `left`."""
        self.left -= len(buffer)
        if self.file.readinto(buffer) != len(buffer):
            raise self.error("the file shrank while it was read")

    def require_room(self, count, least, what):
        if count * least > self.left:
            raise self.truncated(f"{count} {what} need {count * least} bytes or more")

    # -- messages -----------------------------------------------------------------------------------------------

    def error(self, problem):
        return FileFormatError(f"{self.source} is damaged, at {self.where}: {problem}.")

    def truncated(self, needed):
        return FileFormatError(f"{self.source} is truncated, at {self.where}: {needed}, "
                               f"but {self.left} of {self.size} are left.")

    def not_a_params_file(self):
        self.file.seek(0)
        head = self.file.read(256)
        refuse_pointer(head, self.source)
        if not head:
            kind = "it is empty"
        elif head.startswith(_TORCH) or head.startswith(b"PK") and b"data.pkl" in head:
            kind = ("it looks like a file of torch.save. Read it with gluon.utils.load_torch(net, path), or "
                    "for a net of the zoo, convert it with `minigluon weights`")
        elif head.startswith(b"PK"):
            kind = "it looks like a zip or npz archive; read that with numpy.load"
        elif head.startswith(b"\x93NUMPY"):
            kind = "it looks like an npy file; read that with numpy.load"
        elif head.lstrip().startswith((b"{", b"[")):
            kind = "it looks like JSON; a -symbol.json file is read by symbol.load"
        elif len(head) < 8:
            kind = f"it has only {len(head)} bytes"
        else:
            kind = f"its first word is {int.from_bytes(head[:8], 'little'):#x}, expected {_LIST:#x}"
        return FileFormatError(f"{self.source} is not a .params file: {kind}.")
