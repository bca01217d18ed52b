"""minigluon: MXNet 1.x's Gluon written to be read, on NumPy. `import minigluon as mx` runs Gluon programs."""

from . import (
    absent,
    attribute,
    autograd,
    base,
    callback,
    context,
    contrib,
    engine,
    executor,
    executor_manager,
    gluon,
    image,
    initializer,
    io,
    kvstore,
    libinfo,
    log,
    lr_scheduler,
    metric,
    model,
    module,
    monitor,
    name,
    ndarray,
    operator,
    optimizer,
    profiler,
    random,
    recordio,
    registry,
    rnn,
    runtime,
    symbol,
    test_utils,
    tracebacks,
    util,
    visualization,
)
from . import image as img
from . import initializer as init
from . import kvstore as kv
from . import module as mod
from . import monitor as mon
from . import ndarray as nd
from . import optimizer as opt
from . import random as rnd
from . import symbol as sym
from . import visualization as viz
from .attribute import AttrScope
from .base import MXNetError
from .compat import places as _places
from .compat import private_names as _private_names
from .context import Context, cpu, cpu_pinned, current_context, gpu, num_gpus
from .debugging import debug
from .docstrings import unquote_annotations as _unquote_annotations
from .explain import explain
from .missing import answer_for_modules as _answer_for_modules
from .numpy_shape import is_np_shape, np_shape, set_np_shape, use_np_shape
from .util import is_np_array
from .version import __version__

__all__ = ["AttrScope", "Context", "MXNetError", "__version__", "absent", "attribute", "autograd", "base", "callback",
           "context", "contrib", "cpu", "cpu_pinned", "current_context", "engine", "executor", "executor_manager",
           "explain", "gluon", "gpu", "image", "img", "init", "initializer", "io", "is_np_array", "is_np_shape", "kv",
           "kvstore", "libinfo", "log", "lr_scheduler", "metric", "mod", "model", "module", "mon", "monitor", "name",
           "nd", "ndarray", "np_shape", "num_gpus", "operator", "opt", "optimizer", "profiler", "random", "recordio",
           "registry", "rnd", "rnn", "runtime", "set_np_shape", "sym", "symbol", "test_utils", "use_np_shape", "util",
           "visualization", "viz"]

_places.put()
_private_names.put()
_answer_for_modules()
_unquote_annotations("minigluon")
tracebacks.install()


def __getattr__(wanted):
    """What is left out on purpose says so."""
    absent.refuse("mx", wanted)
