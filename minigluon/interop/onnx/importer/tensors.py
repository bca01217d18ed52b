"""The tensors in an ONNX file, as arrays. Sizes are checked before memory is allocated."""

from __future__ import annotations

import math
import os
from typing import Any

import numpy as np

from ....base import FileFormatError, MXNetError
from ....serialization.reading import opened

__all__ = ["Tensors", "dtype_of"]

DTYPES = ("float32", "float64", "float16", "uint8", "int8", "int32", "int64", "bool", "bfloat16")
MAX_RANK = 32


def dtype_of(number: Any, what: str) -> np.dtype[Any]:
    """Returns NumPy's dtype for a TensorProto.DataType code. Raises MXNetError for an unknown code."""
    from onnx import helper
    try:
        dtype = np.dtype(helper.tensor_dtype_to_np_dtype(number))
    except (KeyError, TypeError, ValueError):
        raise FileFormatError(f"{what} has the unknown element type {number}") from None
    return dtype


class Tensors:
    """The reader for the tensors of one file. folder: the file's folder, which must contain any external data; None
    forbids external data.
    """

    def __init__(self, folder: str):
        self.folder = folder
        self._left = {}         # {path of an external file: bytes that may still be read from it}

    def read(self, tensor: Any) -> Any:
        """Returns the array of a TensorProto. Raises FileFormatError."""
        from onnx import TensorProto, numpy_helper
        what = f"tensor {tensor.name!r}"
        dims = tuple(tensor.dims)
        if any(n < 0 for n in dims) or len(dims) > MAX_RANK:
            raise FileFormatError(f"{what} has the shape {dims}")
        if tensor.HasField("segment"):
            raise FileFormatError(f"{what} is stored in segments, which ONNX no longer supports")
        if tensor.data_location == TensorProto.EXTERNAL:
            return self._outside(tensor, dims, what)
        if tensor.data_type == TensorProto.STRING:
            raise FileFormatError(f"{what} holds strings; arrays must hold numbers")
        dtype_of(tensor.data_type, what)
        stored = _stored(tensor)
        if math.prod(dims) > stored:
            raise FileFormatError(f"{what} of shape {dims} has {stored} elements in the file")
        try:
            return numpy_helper.to_array(tensor)
        except (TypeError, ValueError, OverflowError, KeyError) as error:
            raise FileFormatError(f"{what} of shape {dims} cannot be read: {error}") from error

    def _outside(self, tensor, dims, what):
        location_of = {entry.key: entry.value for entry in tensor.external_data}
        if self.folder is None:
            raise MXNetError(f"{what} is in another file, which a model without a folder cannot have")
        location = location_of.get("location", "")
        named = location and "\0" not in location and not os.path.isabs(location)
        path = os.path.realpath(os.path.join(self.folder, location)) if named else ""
        if not named or not _within(path, self.folder):
            raise FileFormatError(f"{what} refers to {location!r}, which is not inside the model's folder")
        dtype = dtype_of(tensor.data_type, what)
        try:
            offset = int(location_of.get("offset", 0))
            length = int(location_of.get("length", math.prod(dims) * dtype.itemsize))
        except ValueError:
            raise FileFormatError(f"{what}: its offset or length in {location!r} is not a number") from None
        if length != math.prod(dims) * dtype.itemsize or offset < 0:
            raise FileFormatError(f"{what} of shape {dims} and {dtype} has {length} bytes at {offset} of {location!r}")
        try:
            if os.path.isfile(path):
                opened(path).close()        # raises an error for a Git LFS pointer
            if not os.path.isfile(path) or os.path.getsize(path) < offset + length:
                raise FileFormatError(f"{what} needs {length} bytes at {offset} of {location!r}, which is missing "
                                      "or too short")
            self._left.setdefault(path, 4 * os.path.getsize(path))       # tensors may share bytes
            self._left[path] -= length
            if self._left[path] < 0:
                raise FileFormatError(f"the tensors of the model have more than four times the bytes of {location!r}")
            with open(path, "rb") as file:
                file.seek(offset)
                return np.frombuffer(file.read(length), dtype.newbyteorder("<")).astype(dtype).reshape(dims)
        except OSError as error:
            raise MXNetError(f"cannot read {path!r}: {error.strerror}") from error


def _within(path, folder):
    folder = os.path.realpath(folder)
    return os.path.commonpath([path, folder]) == folder


def _stored(tensor):
    """Returns the largest number of elements that the tensor's bytes can hold."""
    if tensor.HasField("raw_data"):
        return len(tensor.raw_data) * 4         # the narrowest types have 2 bits
    return max(len(tensor.float_data), 2 * len(tensor.int32_data) * 4, len(tensor.int64_data), len(tensor.double_data),
               len(tensor.uint64_data))
