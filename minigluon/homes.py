"""The locations of modules whose public name is different: `import minigluon.module` gives `minigluon.legacy.module`.

MXNet's modules are all at the top level, but a folder for each would hide the structure of this package. A module is
loaded once and can be imported under both names; programs and messages use the public name. FORMER and the second half
of HOMES contain earlier names of this package's modules, so that old imports and pickles still work.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import ModuleType
from typing import Any

__all__ = ["FORMER", "HOMES", "REFUSED", "Finder", "home_of", "public_name"]

HOMES = {
    # public names: those of MXNet, and `explain`
    "absent": "diagnostics.unsupported",
    "callback": "legacy.callback",
    "contrib.text.vocab": "common.vocabulary",
    "engine": "legacy.engine",
    "executor": "legacy.executor",
    "executor_manager": "legacy.executor_manager",
    "explain": "tools.explain",
    "libinfo": "legacy.libinfo",
    "log": "legacy.log",
    "model": "legacy.model",
    "module": "legacy.module",
    "monitor": "legacy.monitor",
    "numpy_extension": "numpy.extension",
    "onnx": "interop.onnx",
    "operator": "legacy.operator",
    "profiler": "tools.profiler",
    "registry": "legacy.registry",
    "rnn": "legacy.rnn",
    "runtime": "legacy.runtime",
    "visualization": "legacy.visualization",

    # earlier names of private modules
    "bench": "tools.bench",
    "checkpoint": "legacy.checkpoint",
    "cli": "tools.cli",
    "compat": "interop.mxnet",
    "debugging": "tools.debugging",
    "docstrings": "common.docstrings",
    "dtypes": "common.dtypes",
    "extras": "common.optional_packages",
    "factory": "common.class_registry",
    "finishing": "interop.mxnet.import_hook",
    "formats": "serialization",
    "habits": "diagnostics.foreign_names",
    "initializer.chosen": "initializer.by_name",
    "io.det_augment": "image.records.det_augment",
    "io.image_augment": "image.records.image_augment",
    "io.image_det_record": "image.records.image_det_record",
    "io.image_normalize": "image.records.image_normalize",
    "io.image_record": "image.records.image_record",
    "io.records": "image.records.records",
    "learn": "tools.learn",
    "loops": "frontend.control_flow",
    "machine": "common.hardware",
    "missing": "diagnostics.suggestions",
    "namespaces": "frontend.namespaces",
    "numpy_shape": "common.shape_scopes",
    "ops.arithmetic": "frontend.arithmetic_table",
    "ops.binding": "frontend.binding",
    "ops.methods": "frontend.methods",
    "ops.operators": "frontend.operators",
    "pixels": "imaging",
    "places": "diagnostics.source_lines",
    "rng": "common.generators",
    "sampling": "frontend.random_functions",
    "strictness": "diagnostics.strictness",
    "structure": "common.nest",
    "stubs": "tools.stubs",
    "tracebacks": "diagnostics.tracebacks",
    "typing": "common.types",
}
# earlier names of modules that were renamed or are now part of another module
FORMER = {
    "backend.numpy.linear": "backend.numpy.table",
    "backend.numpy.nn.pooling_winners": "backend.numpy.nn.pooling_argmax",
    "backend.numpy.optimizer.many": "backend.numpy.optimizer.multi_tensor",
    "backend.numpy.writing": "backend.numpy.table",
    "backend.serving": "backend.table",
    "bench.shown": "tools.bench.notebook",
    "cli.troubles": "tools.cli.findings",
    "compat.known": "interop.mxnet.check_rules",
    "compat.places": "interop.mxnet.reexports",
    "contrib.text.published": "contrib.text.pretrained_files",
    "executor.running": "legacy.executor.runner",
    "executor.watching": "legacy.executor.gradient_watcher",
    "explain.gather": "tools.explain.page_data",
    "explain.picture": "tools.explain.drawing_data",
    "formats.beside": "serialization.temporary_files",
    "formats.plain": "serialization.lossless_json",
    "formats.whole_files": "serialization.atomic_write",
    "frontend.arithmetic": "frontend.binding",
    "gluon.block_graph": "gluon.tracing",
    "gluon.fetching": "gluon.downloading",
    "gluon.replica": "gluon.trainer",
    "gluon.versions": "gluon.parameter_snapshots",
    "history": "autograd.to_symbol",
    "hybrid.again": "hybrid.rematerialize",
    "hybrid.compiled_graph": "hybrid.cached_op",
    "hybrid.entry": "hybrid.plan",
    "hybrid.families": "hybrid.symbolic.shape_families",
    "hybrid.forms": "hybrid.symbolic.size_formulas",
    "hybrid.named_kernels": "hybrid.symbolic.symbolic_kernels",
    "hybrid.named_layout": "hybrid.symbolic.symbolic_layout",
    "hybrid.narrow": "hybrid.slice_pushdown",
    "hybrid.prepared": "hybrid.parameter_constants",
    "hybrid.simplify_rules": "hybrid.simplify",
    "hybrid.specialize": "hybrid.runners",
    "hybrid.winners": "hybrid.pooling_argmax",
    "module.first_values": "legacy.module.init_params",
    "module.settable": "legacy.module.set_params",
    "module.stepping": "legacy.module.stepper",
    "ndarray.invoke": "ndarray.imperative",
    "ndarray.operators": "ndarray.register",
    "ndarray.write_into": "ndarray.imperative",
    "np": "numpy",
    "npx": "numpy.extension",
    "onnx.exporter.known": "interop.onnx.exporter.constant_folding",
    "onnx.exporter.lengths": "interop.onnx.exporter.dynamic_axes",
    "ops.checks": "ops.op",
    "ops.described": "ops.argument_types",
    "ops.families": "ops.kinds",
    "ops.graph.interpreted": "ops.graph.interpreted_op",
    "ops.lengths": "ops.symbolic_dimensions",
    "ops.nn.fused_attention_dropped": "ops.nn.fused_attention_dropout",
    "ops.nn.pooling_winners": "ops.nn.pooling_argmax",
    "ops.optimizer.many": "ops.optimizer.multi_tensor",
    "ops.summation": "ops.numeric",
    "optimizer.step": "optimizer.updater",
    "symbol.absent": "symbol.array_only",
    "symbol.numpy_calls": "symbol.array_only",
    "tape.scopes": "tape",
    "version": "common.version",
}
REFUSED = ("library", "rtc", "th", "tvmop")

_PACKAGE = __name__.rpartition(".")[0]
_HOME = HOMES | FORMER
_PUBLIC = {home: name for name, home in HOMES.items()}
_BEGINNINGS = {name.partition(".")[0] for names in _HOME.items() for name in names}


def home_of(name: str) -> str:
    """Returns the full name under which a module is loaded.

    >>> from minigluon.homes import home_of
    >>> home_of("minigluon.module.base_module")
    'minigluon.legacy.module.base_module'
    """
    return _exchanged(name, _HOME)


def public_name(name: str) -> str:
    """Returns the full public name of a module.

    >>> from minigluon.homes import public_name
    >>> public_name("minigluon.legacy.module")
    'minigluon.module'
    """
    return _exchanged(name, _PUBLIC)


def _exchanged(name, table):
    """Returns the name with its longest prefix in the table replaced."""
    parts = name.split(".")
    if len(parts) > 1 and parts[1] not in _BEGINNINGS:
        return name
    for length in range(len(parts), 1, -1):
        beginning = ".".join(parts[1:length])
        if beginning in table:
            return ".".join([_PACKAGE, table[beginning], *parts[length:]])
    return name


class Finder:
    """A finder for this package's modules, which finds them where Python does or under the name of their home.

    finish: called with each module once it is loaded. There is only one finder, because a second one before Python's
        would load modules twice.
    refuse: a function that raises the error with the reason that a module in REFUSED is not available.
    """

    def __init__(self, finish: Callable[[ModuleType], None], refuse: Callable[[str], None]):
        self._finish, self._refuse = finish, refuse

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Returns the spec of a module in this package, or None for other modules.

        Calls `refuse` for modules in REFUSED.
        """
        if not fullname.startswith(_PACKAGE + "."):
            return None
        if fullname.partition(".")[2] in REFUSED:
            self._refuse(fullname.partition(".")[2])
        home = home_of(fullname)
        if home != fullname:
            return ModuleSpec(fullname, _Alias(home), is_package=True)
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and type(spec.loader) is SourceFileLoader:
            spec.loader = _HookedLoader(spec.loader.name, spec.loader.path, self._finish)
        return spec


class _HookedLoader(SourceFileLoader):
    def __init__(self, name, path, finish):
        super().__init__(name, path)
        self._finish = finish

    def exec_module(self, module: ModuleType) -> None:
        super().exec_module(module)
        self._finish(module)


class _Alias:
    """Replaces a new module with the one at its home, so that both names refer to the same object."""

    def __init__(self, home):
        self._home = home

    def create_module(self, spec: ModuleSpec) -> None:
        """Returns None: Python creates an empty module, which exec_module replaces."""

    def exec_module(self, module: ModuleType) -> None:
        sys.modules[module.__name__] = importlib.import_module(self._home)
