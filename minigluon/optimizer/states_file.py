"""The bytes of an Updater's states. They are MXNet's, a pickle that names its classes: files go there and come back.

    {index: state}                  `get_states()`; a state is None, an array, or a tuple of states
    ({index: state}, optimizer)     `get_states(dump_optimizer=True)`

An array is an `mxnet.ndarray.ndarray.NDArray`, whose `handle` is a record of a `.params` file. Optimizers and learning
rate schedulers are their attributes by MXNet's names. MXNet need not be installed for either direction.

A pickle is a program that may call anything. So the reader calls nothing of what a file names: `formats.pickles`
gathers stand-ins, and this makes objects of those that it knows, whose attributes `states_fields` has checked.
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
_ARRAYS = ("NDArray", "RowSparseNDArray", "CSRNDArray", "ndarray")      # states are dense here, whatever they were


def dump(content: Any) -> bytes:
    """The bytes of states, or of a pair of states and optimizer.

    Raises MXNetError for an attribute that `load` would not read, such as a function in place of a scheduler.
    """
    file = io.BytesIO()
    _Writer(file, protocol=4).dump(content)
    return file.getvalue()


def load(data: Any) -> Any:
    """What `dump` was given, here or in MXNet. Raises FileFormatError."""
    try:
        return _Maker().make(pickles.read(data, _check_name))
    except FileFormatError as error:
        raise FileFormatError(f"the {len(data)} bytes are no states of an Updater, or are damaged: {error}") from error


# -- writing --------------------------------------------------------------------------------------------------------


class _Named:
    """Something of MXNet's by name, which is not looked for."""

    def __init__(self, module, name):
        self.module, self.name = module, name

    def __call__(self):
        """The pickler wants what makes an object to be callable."""


_NDARRAY = _Named("mxnet.ndarray.ndarray", "NDArray")
_NEW = _Named("copyreg", "__newobj__")
_NUMPY_SCALAR = _Named("numpy.core.multiarray", "scalar")       # NumPy 1 and 2 both know it by this name


class _Writer(pickle._Pickler):         # the one written in Python: the other looks for every name that it writes
    """A pickler that knows how MXNet calls things."""

    dispatch = dict(pickle._Pickler.dispatch)

    def reducer_override(self, x):
        """(what makes x, its arguments, its attributes)."""
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
            raise MXNetError(f"states of an optimizer: {x!r} cannot be written. Such a file holds arrays, optimizers, "
                             "schedulers derived from mx.lr_scheduler.LRScheduler, numbers, texts, and lists, tuples "
                             "and dicts of them.")
        super().save_global(x, name)

    dispatch[_Named] = save_named
    dispatch[type] = dispatch[type(dump)] = save_global


def _class_of(x):
    """The class of an optimizer or scheduler as MXNet calls it; one of the program's own as it is."""
    cls = type(x)
    if _OURS.get(cls.__name__) is not cls:
        return cls
    if isinstance(x, LRScheduler):
        return _Named("mxnet.lr_scheduler", cls.__name__)
    return _Named("mxnet.optimizer." + ("contrib" if cls.__module__.endswith(".contrib") else "optimizer"),
                  cls.__name__)


# -- reading --------------------------------------------------------------------------------------------------------


def _check_name(named):
    """Refuse what is neither an array, a number, nor an optimizer or scheduler."""
    if named not in _NAMES and not _is_array(named):
        _class(named)


def _is_array(named):
    return named.module.startswith("mxnet.") and named.name in _ARRAYS


_TO_MAKE = (dict, list, tuple, StandIn, memoryview)


class _Maker:
    """Makes the objects that stand-ins describe, each once."""

    def __init__(self):
        self.made = {}              # id of what was read -> (it, so that the id stays its own, what was made of it)
        self.records = set()        # ids of the bytes that have become an array

    def make(self, x):
        """x with objects in place of stand-ins; itself where there are none in it, which a large file is full of."""
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
            raise FileFormatError(f"{x.module}.{x.name} stands where a value is expected")
        if isinstance(x, (list, tuple)):
            return type(x)(self.make(each) for each in x)
        if x.made_by == _BYTEARRAY:
            return bytearray(_bytes_of(x))
        if x.made_by in _SCALARS:
            return _scalar(x)
        if x.made_by in _DTYPES:
            raise FileFormatError("a dtype stands where a value is expected")
        return self.array(x) if _is_array(x.made_by) else self.instance(x)

    def array(self, x):
        """An NDArray from its record."""
        handle = x.state.get("handle") if isinstance(x.state, dict) else None
        if not isinstance(handle, StandIn) or handle.made_by != _BYTEARRAY:
            raise FileFormatError("an array has no record of its numbers")
        record = _bytes_of(handle)
        if id(record) in self.records:
            raise FileFormatError("two arrays have one record")
        self.records.add(id(record))
        return on_device(*params_file.array_of(record)).tostype("default")

    def instance(self, x):
        """An optimizer or a scheduler."""
        cls = _class(x.made_by)
        if not isinstance(x.state, dict):
            raise FileFormatError(f"{cls.__name__} has no attributes")
        state = self.make(x.state)
        if issubclass(cls, Optimizer):
            return fields.optimizer(cls, state)
        return fields.scheduler(cls, state)


def _is_plain(x):
    """Is there nothing to make in a container? One of plain containers counts as not plain: one look, not a walk."""
    if isinstance(x, dict):
        return not any(isinstance(value, _TO_MAKE) for value in x.values())
    return type(x) in (list, tuple) and not any(isinstance(value, _TO_MAKE) for value in x)


def _bytes_of(x):
    """The bytes that a bytearray is made of."""
    if not x.args:
        return memoryview(b"")
    if len(x.args) != 1 or not isinstance(x.args[0], memoryview):
        raise FileFormatError(f"a bytearray is made of {pickles.shown(x.args[0])}, expected bytes")
    return x.args[0]


def _scalar(x):
    """A number of NumPy's: its dtype, and its bytes."""
    named, content = x.args if len(x.args) == 2 else (None, None)
    if isinstance(named, StandIn) and named.made_by in _DTYPES and isinstance(content, memoryview):
        name = named.args[0] if named.args else None
        order = named.state[1] if isinstance(named.state, tuple) and len(named.state) > 1 else "<"
        if name in _SCALAR_TYPES and order in ("<", "|") and len(content) == np.dtype(name).itemsize:
            return np.frombuffer(content, np.dtype(name).newbyteorder("<"))[0]
    raise FileFormatError("a number of NumPy's has no type and bytes that belong together, of which the first is the "
                          "least")


def _class(named):
    """The class of an optimizer or scheduler: ours for MXNet's, or one of the program's own, if it is imported.

    Only what modules and classes hold is looked at: asking a module for a name may start an import.
    """
    module, name = named
    if module.startswith(("mxnet.optimizer", "mxnet.lr_scheduler")) and name in _OURS:
        return _OURS[name]
    found = sys.modules.get(module)
    for part in name.split("."):
        found = vars(found).get(part) if isinstance(found, (type, ModuleType)) else None
    if isinstance(found, type) and issubclass(found, (Optimizer, LRScheduler)):
        return found
    raise FileFormatError(f"they name {module[:80]}.{name[:80]}. Only arrays, optimizers and schedulers are made from "
                          "such a file. If this is a class of the program's own, derived from Optimizer or "
                          "LRScheduler, import its module first")
