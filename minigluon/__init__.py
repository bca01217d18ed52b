"""minigluon: MXNet 1.x's Gluon on NumPy, written to be read. `import minigluon as mx` runs Gluon programs."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING

from . import attribute, autograd, base, context, name, ndarray, random, symbol
from . import ndarray as nd
from . import random as rnd
from . import symbol as sym
from .attribute import AttrScope
from .base import MXNetError
from .common.shape_scopes import np_shape, set_np_shape, use_np_shape
from .common.shape_semantics import is_np_shape
from .common.version import __version__
from .context import Context, cpu, cpu_pinned, current_context, gpu, num_gpus
from .diagnostics import tracebacks
from .diagnostics import unsupported as absent
from .homes import HOMES
from .interop.mxnet.import_hook import finish_modules as _finish_modules
from .legacy import engine, libinfo
from .tools.debugging import debug
from .tools.explain import explain
from .util import is_np_array, np_array, use_np, use_np_array

# Modules that are imported on first use, because arrays do not need them. Short names refer to the same modules.
_PARTS = {
    **{part: part for part in (
        "callback", "contrib", "executor", "executor_manager", "gluon", "image", "initializer", "io", "kvstore", "log",
        "lr_scheduler", "metric", "model", "module", "monitor", "numpy", "numpy_extension", "onnx", "operator",
        "optimizer", "profiler", "recordio", "registry", "rnn", "runtime", "test_utils", "visualization")},
    "img": "image", "init": "initializer", "kv": "kvstore", "mod": "module", "mon": "monitor", "np": "numpy",
    "npx": "numpy_extension", "opt": "optimizer",
    "viz": "visualization",
}

if TYPE_CHECKING:               # names for editors and type checkers
    from . import (
        contrib,
        gluon,
        image,
        initializer,
        io,
        kvstore,
        lr_scheduler,
        metric,
        optimizer,
        recordio,
        test_utils,
    )
    from . import image as img
    from . import initializer as init
    from . import kvstore as kv
    from . import optimizer as opt
    from .interop import onnx
    from .legacy import (
        callback,
        executor,
        executor_manager,
        log,
        model,
        module,
        monitor,
        operator,
        registry,
        rnn,
        runtime,
        visualization,
    )
    from .legacy import module as mod
    from .legacy import monitor as mon
    from .legacy import visualization as viz
    from .tools import profiler

__all__ = ["AttrScope", "Context", "MXNetError", "__version__", "absent", "attribute", "autograd", "base", "callback",
           "context", "contrib", "cpu", "cpu_pinned", "current_context", "engine", "executor", "executor_manager",
           "explain", "gluon", "gpu", "image", "img", "init", "initializer", "io", "is_np_array", "is_np_shape", "kv",
           "kvstore", "libinfo", "log", "lr_scheduler", "metric", "mod", "model", "module", "mon", "monitor", "name",
           "nd", "ndarray", "np", "np_array", "np_shape", "npx", "num_gpus", "numpy", "numpy_extension", "onnx",
           "operator", "opt", "optimizer", "profiler", "random", "recordio", "registry", "rnd", "rnn", "runtime",
           "set_np_shape", "sym", "symbol", "test_utils", "use_np", "use_np_array", "use_np_shape", "util",
           "visualization", "viz"]

_finish_modules()
tracebacks.install()
# `mx.explain` is a function. Importing the module `minigluon.explain` does not replace the function.
sys.modules[f"{__name__}.explain"] = sys.modules[explain.__module__]


def __getattr__(attr_name: str) -> ModuleType | None:
    """Returns a submodule of the package, imported on demand. Names that are intentionally missing raise an error."""
    if attr_name in _PARTS or attr_name in HOMES:
        part = globals()[attr_name] = importlib.import_module("." + _PARTS.get(attr_name, attr_name), __name__)
        return part
    absent.refuse("mx", attr_name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
