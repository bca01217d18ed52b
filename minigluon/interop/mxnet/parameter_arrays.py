"""`param._data` and `param._grad` in the form that libraries written for MXNet expect: lists of arrays, one per device.

In this package, they are dicts from device to array. Under the name `mxnet`, they are dicts that can also be read and
written by position: MXFusion writes `param._data[0] = sample`, so that the next call to a block uses a random draw as
its parameter and backward differentiates through it. Calls that were prepared earlier use the replacement.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...base import ArgumentError
from ...context import current_context
from ...gluon import Parameter
from ...gluon.parameter_snapshots import replace_together

__all__ = ["ArraysAttribute", "DeviceArrays", "install"]

Array = Any


class DeviceArrays(dict[Any, Array]):
    """The arrays of a Parameter by device. Integers and slices select them by position; iteration yields the arrays."""

    def __missing__(self, position: Any) -> Any:
        return list(self.values())[position]

    def __setitem__(self, position: Any, array: Array) -> None:
        """Replaces one array. No gradient is attached to the new array, which keeps its position on the tape.

        position: the index of the device in `list_ctx()`, or the device itself.
        array: an NDArray, for example the result of a recorded computation.
        """
        device = list(self.keys())[position] if isinstance(position, int) else position
        with replace_together():            # on exit, it notifies blocks that have bound the old array
            array._prepare_to_replace()
            super().__setitem__(device, array)
        Parameter._count_replacement()

    def __iter__(self) -> Iterator[Array]:
        return iter(self.values())


class ArraysAttribute:
    """An attribute that stores a list of arrays as DeviceArrays.

    Reading it costs nothing, because it does not have a `__get__`.

    name: '_data' or '_grad'.
    """

    def __init__(self, name: str):
        self._name = name

    def __set__(self, param: Parameter, value: Any) -> None:
        if value is None or isinstance(value, dict):        # set by this package, which sends the notifications itself
            vars(param)[self._name] = DeviceArrays(value) if type(value) is dict else value
            return
        arrays = DeviceArrays(zip(_devices(param, value), value, strict=True))
        with replace_together():
            for array in arrays:
                array._prepare_to_replace()
            vars(param)[self._name] = arrays
            if self._name == "_data" and not param.computes_data:
                param._plain = arrays
        param._count_replacement()

    def __delete__(self, param: Parameter) -> None:
        del vars(param)[self._name]


def _devices(param, arrays):
    """Returns the devices of these arrays: the Parameter's devices or, if unknown, the device of each array."""
    if not hasattr(arrays, "__len__") or not len(arrays):
        raise ArgumentError(f"{param.described()}: its arrays are {arrays!r}, expected a list of NDArrays, one for "
                            "each of its devices")
    data = vars(param).get("_data")
    if data and len(data) == len(arrays):
        return list(data.keys())
    return [getattr(array, "context", None) or current_context() for array in arrays]


def install() -> None:
    """Adds these attributes to Parameter for the rest of the process."""
    for name in ("_data", "_grad"):
        setattr(Parameter, name, ArraysAttribute(name))
