"""The bytes of an Updater's states, in MXNet's format: a pickle with MXNet's class names, which MXNet can also read.

    {index: state}                  `get_states()`; a state is None, an array, or a tuple of states
    ({index: state}, optimizer)     `get_states(dump_optimizer=True)`

An array is an `mxnet.ndarray.ndarray.NDArray`, whose `handle` is a record of a `.params` file. Optimizers and learning
rate schedulers are stored as attributes under MXNet's names. Neither direction needs MXNet to be installed.

A pickle is a program that may call anything, so the reader does not call anything named in a file. The module `pickles`
returns stand-ins, and this module converts known ones to objects, after `states_fields` has checked their attributes.
"""

from __future__ import annotations

import io
import pickle
import sys
from types import ModuleType
from typing import Any

import numpy as np

from .. import lr_scheduler
from ..base import FileFormatError, MXNetError
from ..lr_scheduler import LRScheduler
from ..ndarray import NDArray
from ..ndarray.saving import on_device
from ..serialization import params as params_file
from ..serialization import pickles
from ..serialization.pickles import Named, StandIn
from . import adaptive, contrib, layerwise, optimizer, sgd, sgd_variants, testing
from . import states_fields as fields
from .optimizer import Optimizer

__all__ = ["dump", "load"]

_OURS = {name: getattr(module, name)
         for module in (adaptive, contrib, layerwise, optimizer, sgd, sgd_variants, testing, lr_scheduler)
         for name in module.__all__ if isinstance(getattr(module, name), type)}
_BYTEARRAY = Named("builtins", "bytearray")
_DTYPES = Named("numpy", "dtype"),
_SCALARS = Named("numpy.core.multiarray", "scalar"), Named("numpy._core.multiarray", "scalar")
_NAMES = {_BYTEARRAY, *_DTYPES, *_SCALARS, Named("copyreg", "__newobj__")}
_SCALAR_TYPES = ("f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1")
_ARRAYS = ("NDArray", "RowSparseNDArray", "CSRNDArray", "ndarray")      # states are always dense here


def dump(content: Any) -> bytes:
    """Return the bytes of states, or of a (states, optimizer) pair.

    Raises MXNetError for an attribute that `load` would refuse, such as a function instead of a scheduler.
    """
    file = io.BytesIO()
    _Writer(file, protocol=4).dump(content)
    return file.getvalue()


def load(data: Any) -> Any:
    """Return the content written by `dump` or by MXNet. Raises FileFormatError."""
    try:
        return _Maker().make(pickles.read(data, _check_name))
    except FileFormatError as error:
        raise FileFormatError(f"the {len(data)} bytes are not states of an Updater, or are damaged: {error}") from error


# -- writing --------------------------------------------------------------------------------------------------------


class _NamedClass:
    """A name in MXNet, which is not imported."""

    def __init__(self, module, name):
        self.module, self.name = module, name

    def __call__(self):
        """Return nothing; exists only because the pickler requires a callable."""


_NDARRAY = _NamedClass("mxnet.ndarray.ndarray", "NDArray")
_NEW = _NamedClass("copyreg", "__newobj__")
_NUMPY_SCALAR = _NamedClass("numpy.core.multiarray", "scalar")  # valid in NumPy 1 and 2


class _Writer(pickle._Pickler):         # Python's pickler, because the C version imports every name it writes
    """A pickler that writes MXNet's names."""

    dispatch = dict(pickle._Pickler.dispatch)

    def reducer_override(self, x):
        """Return (constructor of x, its arguments, its attributes)."""
        if isinstance(x, NDArray):
            return _NDARRAY, (None,), {"handle": bytearray(params_file.record_of(x))}
        if isinstance(x, Optimizer):
            return _NEW, (_class_of(x),), x._to_file()
        if isinstance(x, LRScheduler):
            return _NEW, (_class_of(x),), vars(x)
        if isinstance(x, np.generic) and x.dtype.str[1:] in _SCALAR_TYPES:
            return _NUMPY_SCALAR, x.__reduce__()[1]
        return NotImplemented

    def save_named(self, x):
        self.save(x.module)
        self.save(x.name)
        self.write(pickle.STACK_GLOBAL)
        self.memoize(x)

    def save_global(self, x, name=None):
        readable = isinstance(x, type) and issubclass(x, (Optimizer, LRScheduler))
        if not readable and x not in (bytearray, np.dtype):
            raise MXNetError(f"states of an optimizer: {x!r} cannot be written. Such a file can contain arrays, "
                             "optimizers, "
                             "schedulers derived from mx.lr_scheduler.LRScheduler, numbers, strings, and lists, tuples "
                             "and dicts of them.")
        super().save_global(x, name)

    dispatch[_NamedClass] = save_named
    dispatch[type] = dispatch[type(dump)] = save_global


def _class_of(x):
    """Return MXNet's name of an optimizer's or scheduler's class; a custom class is returned unchanged."""
    cls = type(x)
    if _OURS.get(cls.__name__) is not cls:
        return cls
    if isinstance(x, LRScheduler):
        return _NamedClass("mxnet.lr_scheduler", cls.__name__)
    return _NamedClass("mxnet.optimizer." + ("contrib" if cls.__module__.endswith(".contrib") else "optimizer"),
                       cls.__name__)


# -- reading --------------------------------------------------------------------------------------------------------


def _check_name(named):
    """Raise FileFormatError unless the name is that of an array, a number, an optimizer or a scheduler."""
    if named not in _NAMES and not _is_array(named):
        _class(named)


def _is_array(named):
    return named.module.startswith("mxnet.") and named.name in _ARRAYS


_TO_MAKE = (dict, list, tuple, StandIn, memoryview)


class _Maker:
    """Factory of the objects described by stand-ins, each of which is created once."""

    def __init__(self):
        self.made = {}              # id of a value read -> (the value, to keep the id valid; the created object)
        self.records = set()        # ids of bytes that were converted to an array

    def make(self, x):
        """Return x with objects instead of stand-ins, or x itself if it contains none, as is usual in a large file."""
        if not isinstance(x, _TO_MAKE) or _is_plain(x):
            return x
        if id(x) not in self.made:
            self.made[id(x)] = x, self._make(x)
        return self.made[id(x)][1]

    def _make(self, x):
        if isinstance(x, memoryview):
            return bytes(x)
        if isinstance(x, dict):
            return {key: self.make(value) for key, value in x.items()}
        if isinstance(x, Named):
            raise FileFormatError(f"{x.module}.{x.name} found where a value is expected")
        if isinstance(x, (list, tuple)):
            return type(x)(self.make(each) for each in x)
        if x.made_by == _BYTEARRAY:
            return bytearray(_bytes_of(x))
        if x.made_by in _SCALARS:
            return _scalar(x)
        if x.made_by in _DTYPES:
            raise FileFormatError("a dtype found where a value is expected")
        return self.array(x) if _is_array(x.made_by) else self.instance(x)

    def array(self, x):
        """Return an NDArray from its record."""
        handle = x.state.get("handle") if isinstance(x.state, dict) else None
        if not isinstance(handle, StandIn) or handle.made_by != _BYTEARRAY:
            raise FileFormatError("an array has no record of its elements")
        record = _bytes_of(handle)
        if id(record) in self.records:
            raise FileFormatError("two arrays have the same record")
        self.records.add(id(record))
        return on_device(*params_file.array_of(record)).tostype("default")

    def instance(self, x):
        """Return an optimizer or a scheduler."""
        cls = _class(x.made_by)
        if not isinstance(x.state, dict):
            raise FileFormatError(f"{cls.__name__} has no attributes")
        state = self.make(x.state)
        if issubclass(cls, Optimizer):
            return fields.optimizer(cls, state)
        return fields.scheduler(cls, state)


def _is_plain(x):
    """Return whether a container has nothing to convert; nested containers do not count as plain, to avoid a full
    walk."""
    if isinstance(x, dict):
        return not any(isinstance(value, _TO_MAKE) for value in x.values())
    return type(x) in (list, tuple) and not any(isinstance(value, _TO_MAKE) for value in x)


def _bytes_of(x):
    """Return the bytes from which a bytearray is created."""
    if not x.args:
        return memoryview(b"")
    if len(x.args) != 1 or not isinstance(x.args[0], memoryview):
        raise FileFormatError(f"a bytearray is created from {pickles.excerpt(x.args[0])}, expected bytes")
    return x.args[0]


def _scalar(x):
    """Return a NumPy scalar from its dtype and bytes."""
    named, content = x.args if len(x.args) == 2 else (None, None)
    if isinstance(named, StandIn) and named.made_by in _DTYPES and isinstance(content, memoryview):
        name = named.args[0] if named.args else None
        order = named.state[1] if isinstance(named.state, tuple) and len(named.state) > 1 else "<"
        if name in _SCALAR_TYPES and order in ("<", "|") and len(content) == np.dtype(name).itemsize:
            return np.frombuffer(content, np.dtype(name).newbyteorder("<"))[0]
    raise FileFormatError("a number of NumPy's has no type and bytes that belong together, of which the first is the "
                          "least")


def _class(named):
    """Return the class of an optimizer or scheduler: ours for MXNet's, or a custom class if it is imported.

    Only the dicts of modules and classes are searched: `getattr` on a module may start an import.
    """
    module, name = named
    if module.startswith(("mxnet.optimizer", "mxnet.lr_scheduler")) and name in _OURS:
        return _OURS[name]
    target = sys.modules.get(module)
    for part in name.split("."):
        target = vars(target).get(part) if isinstance(target, (type, ModuleType)) else None
    if isinstance(target, type) and issubclass(target, (Optimizer, LRScheduler)):
        return target
    raise FileFormatError(f"they name {module[:80]}.{name[:80]}. Only arrays, optimizers and schedulers are created "
                          "from such a file. If this is a custom class derived from Optimizer or "
                          "LRScheduler, import its module first")
