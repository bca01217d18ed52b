"""Modules that `import mxnet` loads in MXNet, and that are therefore loaded here when this package takes that name.

Libraries check whether `"mxnet.ndarray"` is in `sys.modules` (einops recognizes arrays this way), and use modules that
they do not import themselves, such as `mxnet.module.executor_group` or `multiprocessing.pool` (sockeye), which MXNet's
own imports load. `import minigluon` still loads only what it needs.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any

__all__ = ["MODULES", "STANDARD", "TEST_TOOLS", "load"]

# MXNet's modules that this package has under the same names
MODULES = {
    "": "attribute autograd base callback context contrib engine executor executor_manager gluon image initializer io "
        "kvstore libinfo log lr_scheduler metric model module monitor name ndarray onnx operator optimizer profiler "
        "random recordio registry rnn runtime symbol test_utils util visualization",
    "contrib": "autograd io ndarray onnx symbol tensorboard text",
    "contrib.onnx": "onnx2mx",
    "contrib.text": "embedding utils vocab",
    "gluon": "block contrib data loss model_zoo nn parameter rnn trainer utils",
    "gluon.contrib": "cnn data estimator nn rnn",
    "gluon.contrib.data": "text",
    "gluon.contrib.estimator": "batch_processor estimator event_handler",
    "gluon.contrib.rnn": "conv_rnn_cell rnn_cell",
    "gluon.data": "dataloader dataset sampler vision",
    "gluon.data.vision": "datasets transforms",
    "gluon.model_zoo": "model_store vision",
    "gluon.model_zoo.vision": "alexnet densenet inception mobilenet resnet squeezenet vgg",
    "gluon.nn": "activations basic_layers conv_layers",
    "gluon.rnn": "rnn_cell rnn_layer",
    "image": "detection image",
    "io": "io",
    "kvstore": "base kvstore",
    "module": "base_module bucketing_module executor_group module python_module sequential_module",
    "ndarray": "_internal contrib image linalg ndarray op random register sparse",
    "optimizer": "contrib optimizer",
    "rnn": "io rnn rnn_cell",
    "symbol": "_internal contrib image linalg op random register sparse symbol",
}

# parts of Python packages that `import PACKAGE` does not load but `import mxnet` does
STANDARD = ("http.client", "http.cookiejar", "http.cookies", "importlib.metadata", "importlib.resources",
            "importlib.util", "multiprocessing.connection", "multiprocessing.pool", "multiprocessing.queues",
            "urllib.error", "urllib.parse", "urllib.request", "urllib.response")

# names in `from mxnet.test_utils import *` that the module only imports: a module, or a name in a module
TEST_TOOLS = {
    **{module: (module, "") for module in (
        "bz2", "errno", "gzip", "json", "logging", "numbers", "os", "platform", "struct", "sys", "time", "traceback",
        "zipfile")},
    "mx": ("mxnet", ""), "np": ("numpy", ""), "npt": ("numpy.testing", ""), "rnd": ("numpy.random", ""),
    "Context": ("mxnet.context", "Context"), "current_context": ("mxnet.context", "current_context"),
    "Features": ("mxnet.runtime", "Features"), "OrderedDict": ("collections", "OrderedDict"),
    "Symbol": ("mxnet.symbol", "Symbol"), "array": ("mxnet.ndarray", "array"),
    "contextmanager": ("contextlib", "contextmanager"),
    "getenv": ("mxnet.util", "getenv"), "setenv": ("mxnet.util", "setenv"),
}


def load() -> None:
    """Loads MODULES and STANDARD, and adds the names in TEST_TOOLS to `mxnet.test_utils`.

    The alias must already be active, because the modules are imported under their MXNet names.
    """
    for package, names in MODULES.items():
        for name in names.split():
            importlib.import_module(".".join(filter(None, ["mxnet", package, name])))
    for name in STANDARD:
        importlib.import_module(name)
    tools = sys.modules["mxnet.test_utils"]
    for name, (module, attribute) in TEST_TOOLS.items():
        setattr(tools, name, _value(importlib.import_module(module), attribute))


def _value(module: ModuleType, attribute: str) -> Any:
    return getattr(module, attribute) if attribute else module
