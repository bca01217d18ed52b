"""MXNet names with a leading underscore that published programs and libraries use, collected in one module.

(It also contains names that MXNet's modules expose only because they import them.)

Private names may be changed freely, except those listed here: `KEPT` are names that this package's own code also uses,
with MXNet's meaning; `ALIASES` exist only for those programs, and `put` adds them to their modules and classes when
these are imported. Names are written as in a program, after `mx.`. Each row says which programs use the name.
"""

from __future__ import annotations

import importlib
import os
import warnings
from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple

from ...attribute import AttrScope, in_force
from ...base import MXNetError
from ...context import current_context, set_default
from ...homes import home_of
from ...name import NameManager
from ...name import current as current_names
from ...ndarray import NDArray
from ...tape import Variable

__all__ = ["ALIASES", "KEPT", "put", "value_of"]


class _From(NamedTuple):
    """A value in another module, or that module itself if path is ''.

    Such a row imports that module together with the one to which the name is added.
    """

    module: str
    path: str


def _property(name):
    """Returns the location of a property that is imported only with its class."""
    return _From("minigluon.interop.mxnet.private_properties", name)


def _as_list(x):
    """Returns x itself if it is a list or a tuple, otherwise [x]."""
    return x if isinstance(x, (list, tuple)) else [x]


def _fresh_grad(array):
    """Returns whether backward has written the gradient since the last step. A custom step sets it to False."""
    return isinstance(array.entry, Variable) and array.entry.fresh


def _set_fresh_grad(array, value):
    if not isinstance(array.entry, Variable):
        raise MXNetError("_fresh_grad: the array has no gradient. Call attach_grad() first.")
    array.entry.fresh = bool(value)


def _kv_initialized(trainer):
    """Returns whether the store is ready for a step, as it is after the first step or after `_init_kvstore()`."""
    return trainer._outside is not None or trainer._replacements is not None


def _of_stepper(name):
    """Returns a property of Module for an attribute of its Stepper, which is None before `init_optimizer`."""
    return property(lambda module: None if module._stepper is None else getattr(module._stepper, name))


def _updater(module):
    """Returns the Updater of a module that updates parameters itself; None if its store does."""
    return None if module._stepper is None or module._stepper.on_kvstore else module._stepper.updaters[0]


def _total_exec_bytes(module):
    """Returns the memory planned for a module's executors, in whole MB; 0 before `bind`."""
    return 0 if module._exec_group is None else module._exec_group._total_exec_bytes


def _deferred_init(parameter):
    """Returns (init, contexts, default_init, value) of a deferred Parameter, or () for any other Parameter."""
    return parameter._deferred or ()


def _set_deferred_init(parameter, value):
    parameter._deferred = value or None


class _OfThread:
    """The `value` of a thread-local variable that libraries read and set: the current manager, scope or device."""

    def __init__(self, read: Callable[[], Any], write: Callable[[Any], None]) -> None:
        self._read, self._write = read, write

    @property
    def value(self) -> Any:
        return self._read()

    @value.setter
    def value(self, value: Any) -> None:
        self._write(value)


def _set_current(kind):
    """Returns a function that sets `kind.current` without the deprecation warning."""
    def write(value):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            kind.current = value
    return write


def _as_in_context(data, ctx):
    """Moves arrays in nested lists and tuples to another context; returns lists. Other objects remain unchanged."""
    if isinstance(data, NDArray):
        return data.as_in_context(ctx)
    return [_as_in_context(part, ctx) for part in data] if isinstance(data, (list, tuple)) else data


def _get_repo_url():
    """Returns the URL of published data sets and parameters, or of the mirror in MXNET_GLUON_REPO, with a trailing
    slash.
    """
    from ...gluon.model_zoo.model_store import apache_repo_url
    return os.environ.get("MXNET_GLUON_REPO", apache_repo_url).rstrip("/") + "/"


def _get_repo_file_url(namespace, filename):
    """Returns the URL of a file in that repository."""
    return f"{_get_repo_url()}{namespace}/{filename}"


# name: the programs that use it
KEPT = {
    "contrib.amp._amp_initialized": "attention cells of GluonNLP",
    "gluon.loss._apply_weighting": "losses of GluonCV, GluonNLP and GluonTS",
    "gluon.loss._reshape_like": "losses of GluonCV and GluonTS",
}

_FORMATS = "minigluon.interop.mxnet.formats"
_TRAINERS = "custom trainers"
_SOCKEYE = "sockeye, which saves a Trainer's states before its first step"
_CELLS = "programs with symbolic cells of their own, derived from those of `mx.rnn`"
_SCOPES = "libraries that look at a scope, or carry it to another thread"
_RATES = "learning-rate finders, which save the states before the first step"
_MODULES = "programs that inspect or change a module's optimizer"
_OPTIONS = "programs that read a module's options"
_EXPORTS = "GluonTS, for models that it exports and reimports"
_DROPPED = "GluonNLP's WeightDropParameter, which replaces another Parameter"

# name: (its value here, the programs that use it)
ALIASES = {
    "attribute.AttrScope._current": (
        _OfThread(lambda: in_force.scope, _set_current(AttrScope)), _SCOPES),
    "base._as_list": (_as_list, "scripts of GluonNLP, MLPerf's ResNet"),
    "context.Context._default_ctx": (_OfThread(current_context, set_default), _SCOPES),
    "gluon.HybridBlock._clear_cached_op": (
        _From("minigluon.gluon", "HybridBlock._forget_graphs"),
        "GluonCV's detectors, after changing an attribute that `hybrid_forward` reads: set_nms(), reset_class()"),
    "gluon.HybridBlock._cached_graph": (_property("cached_graph"), "mxboard, which draws the graph"),
    "gluon.HybridBlock._in_format": (_From(_FORMATS, "in_format"), _EXPORTS),
    "gluon.HybridBlock._out_format": (_From(_FORMATS, "out_format"), _EXPORTS),
    "gluon.Parameter._ctx_list": (_property("contexts"), _DROPPED),
    "gluon.Parameter._ctx_map": (_property("context_map"), f"{_DROPPED}; MXFusion"),
    "gluon.Parameter._deferred_init": (property(_deferred_init, _set_deferred_init), _DROPPED),
    "gluon.Parameter._grad_stype": (_property("grad_stype"), "embeddings of sockeye"),
    "gluon.Parameter._stype": (_property("stype"), "custom trainers"),
    "gluon.SymbolBlock._in_format": (_From(_FORMATS, "in_format_to_set"), _EXPORTS),
    "gluon.SymbolBlock._out_format": (_From(_FORMATS, "out_format_to_set"), _EXPORTS),
    "gluon.Trainer._init_params": (_From("minigluon.gluon", "Trainer._enter"), _SOCKEYE),
    "gluon.Trainer._params_to_init": (_property("params_to_init"), _SOCKEYE),
    "gluon.Trainer._init_kvstore": (_From("minigluon.gluon", "Trainer._enter"), _RATES),
    "gluon.Trainer._kv_initialized": (property(_kv_initialized), _RATES),
    "gluon.Trainer._update_on_kvstore": (property(lambda trainer: trainer._on_kvstore), _TRAINERS),
    "gluon.block._flatten": (_From(_FORMATS, "flatten_with_format"), _EXPORTS),
    "gluon.data.DataLoader._pin_memory": (False, "RandomTransformDataLoader of GluonCV"),
    "gluon.data.dataloader.ForkingPickler": (
        _From("multiprocessing.reduction", "ForkingPickler"), "DatasetLoader of GluonNLP"),
    "gluon.data.dataloader._as_in_context": (_as_in_context, "DatasetLoader of GluonNLP"),
    "gluon.data.dataloader._MultiWorkerIter": (
        _From("minigluon.interop.mxnet.multi_worker_iter", "MultiWorkerIter"),
        "base class of loaders of GluonCV and GluonNLP"),
    "gluon.utils._get_repo_file_url": (_get_repo_file_url, "data sets and embeddings of GluonNLP"),
    "gluon.utils._get_repo_url": (_get_repo_url, "data sets of GluonNLP"),
    "metric.ndarray": (_From("minigluon.ndarray", ""), "GluonTS's Trainer"),
    "mod.BucketingModule._call_sym_gen": (
        _From("minigluon.legacy.module", "BucketingModule._generate"), "programs that build the graph of a bucket"),
    **{f"mod.BucketingModule._{name}": (_property(f"bucketing_{name}"), _OPTIONS) for name in (
        "compression_params", "context", "fixed_param_names", "group2ctxs", "state_names", "work_load_list")},
    **{f"mod.{kind}._total_exec_bytes": (0, _MODULES) for kind in (
        "BucketingModule", "PythonModule", "SequentialModule")},
    "mod.SequentialModule._data_shapes": (None, _OPTIONS),
    "mod.SequentialModule._meta_keys": (_property("meta_keys"), _OPTIONS),
    "mod.Module._kvstore": (_of_stepper("kvstore"), _MODULES),
    "mod.Module._optimizer": (_of_stepper("optimizer"), _MODULES),
    "mod.Module._total_exec_bytes": (property(_total_exec_bytes), _MODULES),
    "mod.Module._update_on_kvstore": (_of_stepper("on_kvstore"), _MODULES),
    "mod.Module._updater": (property(_updater), _MODULES),
    "name.NameManager._current": (_OfThread(current_names, _set_current(NameManager)), _SCOPES),
    "nd.NDArray._fresh_grad": (property(_fresh_grad, _set_fresh_grad), _TRAINERS),
    "rnn.rnn_cell.GatedCell._hB": (_property("h2h_bias"), _CELLS),
    "rnn.rnn_cell.GatedCell._hW": (_property("h2h_weight"), _CELLS),
    "rnn.rnn_cell.GatedCell._iB": (_property("i2h_bias"), _CELLS),
    "rnn.rnn_cell.GatedCell._iW": (_property("i2h_weight"), _CELLS),
}


_PACKAGE = __name__.partition(".")[0]
_MODULES_BY_SHORT_NAME = {"mod": "module", "nd": "ndarray"}


def _module_of(name):
    """Returns the name of the module that contains a name or its class."""
    first, *path = [part for part in name.split(".")[:-1] if part[0].islower()]
    return ".".join([_PACKAGE, _MODULES_BY_SHORT_NAME.get(first, first), *path])


_NAMES_OF = {}                  # module -> names of ALIASES
for _name in ALIASES:
    _NAMES_OF.setdefault(home_of(_module_of(_name)), []).append(_name)


def value_of(name: str) -> Callable[..., Any]:
    """Returns the value of a name in ALIASES."""
    value = ALIASES[name][0]
    if not isinstance(value, _From):
        return value
    target = importlib.import_module(value.module)
    for part in filter(None, value.path.split(".")):
        target = getattr(target, part)
    return target


def put(module: ModuleType) -> None:
    """Sets the ALIASES that belong to a module or its classes."""
    for name in _NAMES_OF.get(module.__name__, ()):
        *path, last = name.split(".")
        place = vars(module)[path[-1]] if path[-1][0].isupper() else module
        setattr(place, last, value_of(name))
