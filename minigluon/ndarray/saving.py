"""`nd.save`, `nd.load` and `nd.load_frombuffer`."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np

from ..base import ContextError, DTypeError, MXNetError
from ..common.memory import enough_memory
from ..context import Context, cpu
from ..serialization import params as params_file
from .creation import from_host
from .ndarray import NDArray
from .sparse import from_record

__all__ = ["load", "load_frombuffer", "save"]


@enough_memory("nd.save")
def save(fname: str, data: Any) -> None:
    """Writes an array, a list of arrays, or a dict of arrays by name, in MXNet's `.params` format.

    fname: the file, which is replaced atomically, so that the old file survives a crash. The suffixes .safetensors and
        .npz select the formats of those names.
    data: the arrays. Sparse arrays stay sparse in MXNet's format.

    >>> nd.save("two.params", {"a": nd.ones(2), "b": nd.zeros(1)})
    >>> print(nd.load("two.params")["a"].asnumpy())
    [1. 1.]
    """
    names = ()
    if isinstance(data, NDArray):
        arrays = [data]
    elif isinstance(data, dict):
        names, arrays = list(data), list(data.values())
    elif isinstance(data, (list, tuple)):
        arrays = list(data)
    else:
        raise DTypeError("save: data must be an NDArray, a list of NDArrays or a dict from names to NDArrays, "
                         f"found {type(data).__name__}")
    for name in names:
        if not isinstance(name, str):
            raise DTypeError(f"save: names must be strings, found {name!r}")
    for position, array in zip(names or range(len(arrays)), arrays, strict=True):
        if not isinstance(array, NDArray):
            raise DTypeError(f"save: item {position!r} must be an NDArray, found {type(array).__name__}")
    from ..serialization import exchange  # for formats other than MXNet's
    write = exchange.write if exchange.kind_of_name(fname) else params_file.write
    write(fname, arrays, names)


@enough_memory("nd.load")
def load(fname: str | PathLike[str]) -> Any:
    """Returns the arrays in the file `fname`: a list, or a dict if they have names.

    The file may be in MXNet's format, .safetensors or .npz. An array that was saved on a GPU is loaded there if
    possible, otherwise on the CPU. Raises FileFormatError.

    >>> nd.save("some.params", [nd.ones(2), nd.zeros(1)])
    >>> [x.shape for x in nd.load("some.params")]
    [(2,), (1,)]
    """
    from ..serialization import exchange  # for formats other than MXNet's
    if exchange.kind_of_file(fname):
        contents = exchange.read(fname)
        arrays = {name: from_host(array, cpu()) for name, array in contents.items()}
        unnamed = list(arrays) == [f"arr_{number}" for number in range(len(arrays))]
        return list(arrays.values()) if unnamed and arrays else arrays
    return _arrays(*params_file.read(fname))


@enough_memory("nd.load_frombuffer")
def load_frombuffer(buf: bytes) -> Any:
    """Returns the arrays in `buf`, the bytes of a `.params` file. See `load`.

    >>> nd.save("one.params", nd.ones(2))
    >>> with open("one.params", "rb") as file:
    ...     print(nd.load_frombuffer(file.read())[0].asnumpy())
    [1. 1.]
    """
    if not isinstance(buf, (bytes, bytearray, memoryview)):
        raise MXNetError(f"load_frombuffer needs bytes, found {type(buf).__name__}")
    return _arrays(*params_file.read_bytes(buf))


def _arrays(arrays, contexts, names):
    loaded = []
    while arrays:       # each array is freed before the next one is copied
        loaded.append(on_device(arrays.pop(0), contexts.pop(0)))
    return dict(zip(names, loaded, strict=True)) if names else loaded


def on_device(array: np.ndarray[Any, Any], context: Sequence[Any]) -> Any:
    """Returns an array from a file, on its saved device or, as in MXNet, on the CPU if there is no such GPU."""
    device_type, number = context
    if device_type == "gpu":
        try:
            return _to_array(array, Context(device_type, number))
        except ContextError:
            pass                # this computer does not have that GPU
    return _to_array(array, cpu())


def _to_array(array, ctx):
    return from_record(array, ctx) if isinstance(array, params_file.SparseRecord) else from_host(array, ctx)


def _state(self):
    """Returns {"handle": the array in the format of a .params file}, which is how MXNet pickles arrays."""
    return {"handle": bytearray(params_file.record_of(self))}


def _set_state(self, state):
    """Restores the array from such a dict, on the CPU if its GPU is missing. Raises FileFormatError."""
    array = on_device(*params_file.array_of(bytes(state["handle"])))
    self.__init__(array.buffer, array.device)


NDArray.__getstate__, NDArray.__setstate__ = _state, _set_state
