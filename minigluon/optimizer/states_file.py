"""The bytes of an Updater's states. They are MXNet's, a pickle that names its classes: files go there and come back.

    {index: state}                  `get_states()`; a state is None, an array, or a tuple of states
    ({index: state}, optimizer)     `get_states(dump_optimizer=True)`

An array is an `mxnet.ndarray.ndarray.NDArray`, whose `handle` is a record of a `.params` file. Optimizers and learning
rate schedulers are their attributes by MXNet's names. MXNet need not be installed for either direction.

A pickle is a program that may call anything. So the reader calls nothing of what a file names: it gathers stand-ins,
and makes objects of those that it knows.
"""

import io
import pickle
import sys

import numpy as np

from .. import lr_scheduler
from ..base import FileFormatError, MXNetError
from ..formats import params as params_file
from ..lr_scheduler import LRScheduler
from ..ndarray import NDArray
from ..ndarray.saving import on_device
from . import adaptive, contrib, layerwise, optimizer, sgd
from .optimizer import Optimizer

__all__ = ["dump", "load"]

_OURS = {name: getattr(module, name) for module in (adaptive, contrib, layerwise, optimizer, sgd, lr_scheduler)
         for name in module.__all__ if isinstance(getattr(module, name), type)}
_ARRAYS = ("NDArray", "RowSparseNDArray", "CSRNDArray", "ndarray")      # the sparse ones are refused by their records


def dump(content):
    """The bytes of states, or of a pair of states and optimizer.

    Raises MXNetError for an attribute that `load` would not read, such as a function in place of a scheduler.
    """
    file = io.BytesIO()
    _Writer(file, protocol=4).dump(content)
    return file.getvalue()


def load(data):
    """What `dump` was given, here or in MXNet. Raises FileFormatError."""
    try:
        return _made(_Reader(io.BytesIO(data)).load())
    except FileFormatError as error:
        problem = str(error)
    except Exception as error:          # a damaged pickle may raise anything
        problem = f"{type(error).__name__}: {error}"
    raise FileFormatError(f"the {len(data)} bytes are no states of an Updater, or are damaged: {problem}")


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
        if isinstance(x, np.generic):
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


class _StandIn:
    """In place of an object: the name of what would make it, with arguments and attributes."""

    module = name = state = None
    args = ()

    def __init__(self, *args):
        self.args = args

    def __setstate__(self, state):
        self.state = state


class _Reader(pickle.Unpickler):
    """An unpickler in whose files all classes and functions are stand-ins."""

    def find_class(self, module, name):
        return type("StandIn", (_StandIn,), {"module": module, "name": name})


def _made(x):
    """x with the objects that its stand-ins describe."""
    if isinstance(x, dict):
        return {_made(key): _made(value) for key, value in x.items()}
    if isinstance(x, (list, tuple)):
        return type(x)(_made(each) for each in x)
    if not isinstance(x, _StandIn):
        return x
    if (x.module, x.name) == ("copyreg", "__newobj__"):
        cls, = x.args
        return _instance(cls, x.state)
    if (x.module, x.name) == ("builtins", "bytearray"):
        return bytearray(*[bytes(content) for content in x.args])
    if x.module.startswith("mxnet.") and x.name in _ARRAYS:
        return on_device(*params_file.array_of(x.state["handle"].args[0]))
    if x.module in ("numpy.core.multiarray", "numpy._core.multiarray") and x.name == "scalar":
        dtype, content = x.args
        return np.frombuffer(content, np.dtype(dtype.args[0]))[0]
    return _instance(type(x), x.state)


def _instance(named, state):
    """An optimizer or a scheduler."""
    cls = _class(named.module, named.name)
    made = cls.__new__(cls)
    if isinstance(made, Optimizer):
        made._from_file(_made(state))
    else:
        vars(made).update(_made(state))
    return made


def _class(module, name):
    """The class of an optimizer or scheduler: ours for MXNet's, or one of the program's own, if it is imported."""
    if module.startswith(("mxnet.optimizer", "mxnet.lr_scheduler")) and name in _OURS:
        return _OURS[name]
    found = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    if isinstance(found, type) and issubclass(found, (Optimizer, LRScheduler)):
        return found
    raise FileFormatError(f"they name {module}.{name}. Only arrays, optimizers and schedulers are made from such a "
                          "file. If this is a class of the program's own, derived from Optimizer or LRScheduler, "
                          "import its module first")
