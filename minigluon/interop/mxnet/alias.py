"""Implementation of `minigluon.as_mxnet`, which makes `import mxnet` mean this package.

`mxnet.gluon.nn` is the module `minigluon.gluon.nn`, the same object under two names; only `mxnet` itself is a separate
module, because its `__version__` is the version of MXNet whose programs run here. Processes that a program starts, by
fork, by spawn or as a command, also find `mxnet`: the folder `shim` on their path contains a package `mxnet` that
imports `minigluon.as_mxnet`.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import os
import pathlib
import sys
import types
from types import ModuleType
from typing import Any

from ...base import MXNetError
from ...diagnostics import strictness
from ...diagnostics.unsupported import AbsentError
from ...legacy import libinfo
from ...providers import ask
from . import parameter_arrays, submodules

__all__ = ["real_mxnet", "use"]

minigluon = ask("mx")             # the entire package, which `mxnet` stands for

# Classes whose full names libraries write to files, as GluonTS does for the device of a trained model.
WRITTEN = (minigluon.Context,)
SHIM = str(pathlib.Path(__file__).parent / "shim")


class MXNet(types.ModuleType):
    """The module `mxnet`, with minigluon's names. Attributes that a program sets are also set in minigluon."""

    def __getattr__(self, name: str) -> Any:
        return getattr(minigluon, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("__"):           # set by Python's import system in every module
            super().__setattr__(name, value)
        else:
            setattr(minigluon, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(minigluon, name)

    def __dir__(self) -> list[str]:
        return sorted({*dir(minigluon), "__version__"})


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finder that imports `mxnet.x.y` as `minigluon.x.y`.

    A missing name must not be searched for on a path, because Python would then run a file of minigluon again.
    """

    def find_spec(self, fullname: Any, path: str | None = None, target: Any = None) -> Any:
        if fullname != "mxnet" and not fullname.startswith("mxnet."):
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: Any) -> None:
        return None                         # the default module, which exec_module replaces

    def exec_module(self, module: ModuleType) -> None:
        sys.modules[module.__name__] = _counterpart(module.__name__)
        if module.__name__ == "mxnet":
            _load_modules()


def _counterpart(name):
    """Returns the object for `import name`: a module, or a part of `nd` or `sym` that is a module in MXNet."""
    if name == "mxnet":
        return _mxnet
    mine = "minigluon" + name[len("mxnet"):]
    try:
        return importlib.import_module(mine)
    except ModuleNotFoundError as error:
        if not mine.startswith(str(error.name)):        # a dependency of the module is missing
            raise
    parent, _, last = name.rpartition(".")
    try:
        return getattr(importlib.import_module(parent), last)
    except AttributeError as error:
        why = str(error) if isinstance(error, AbsentError) else "mxnet is minigluon here, which does not have it."
        raise ModuleNotFoundError(f"No module named {name!r}: {why}", name=name) from None


def _make_mxnet():
    module = MXNet("mxnet", f"minigluon {minigluon.__version__} under the name mxnet.\n\n{minigluon.__doc__}")
    module.__version__ = libinfo.__version__
    module.__file__, module.__path__ = minigluon.__file__, list(minigluon.__path__)
    module.__spec__ = importlib.machinery.ModuleSpec("mxnet", None, origin=minigluon.__file__, is_package=True)
    return module


_mxnet = _make_mxnet()


def real_mxnet() -> str | None:
    """Returns the folder of an additionally installed MXNet, or None."""
    shims = {SHIM, *[path for path in sys.path if _is_shim(pathlib.Path(path or ".") / "mxnet")]}
    spec = importlib.machinery.PathFinder.find_spec("mxnet", [path for path in sys.path if path not in shims])
    return str(pathlib.Path(spec.origin).parent) if spec is not None and spec.origin is not None else None


def _is_shim(folder):
    """Returns whether the package `mxnet` in this folder was written by this project."""
    init = folder / "__init__.py"
    return init.is_file() and "minigluon.as_mxnet" in init.read_text(encoding="utf-8", errors="replace")


def use() -> MXNet:
    """Makes `import mxnet` mean this package from now on, in this process and the processes it starts.

    From then on, checks that correct programs trigger are as lenient as MXNet's (see
    `minigluon.diagnostics.strictness`). The first `import mxnet` loads the modules that it would load in MXNet (see
    `submodules`). Until then, `mxnet` is not in `sys.modules`, because sockeye 1 refuses to start worker processes from
    a process that has imported it.

    Raises MXNetError if another mxnet has already been imported. Warns if another mxnet is installed.
    """
    present = sys.modules.get("mxnet")
    if present is _mxnet or any(isinstance(finder, Finder) for finder in sys.meta_path):
        return _mxnet
    # The shim is still being imported at this point; its unfinished module is replaced.
    if present is not None and not _is_shim(pathlib.Path(getattr(present, "__file__", None) or ".").parent):
        raise MXNetError(f"mxnet is imported already, from {getattr(present, '__file__', 'an unknown place')}. "
                         "Import minigluon.as_mxnet before the first `import mxnet`.")
    real = real_mxnet()
    if real is not None:
        strictness.warn(f"import mxnet means minigluon {minigluon.__version__}, and not the MXNet in {real}")
    sys.meta_path.insert(0, Finder())
    _for_processes_to_come()
    strictness.be_lenient()
    parameter_arrays.install()
    if present is not None:
        sys.modules["mxnet"] = _mxnet
        _load_modules()
    return _mxnet


def _load_modules():
    """Loads what the first `import mxnet` loads. At this point, `mxnet` is already in `sys.modules`."""
    for cls in WRITTEN:
        cls.__module__ = "mxnet" + cls.__module__.removeprefix("minigluon")
        importlib.import_module(cls.__module__)         # where pickle and inspect look up the class
    submodules.load()


def _for_processes_to_come():
    """Sets sys.path for spawned processes and the environment for commands, neither of which inherits sys.meta_path."""
    if SHIM not in sys.path:
        sys.path.append(SHIM)
    parts = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    if SHIM not in parts:
        os.environ["PYTHONPATH"] = os.pathsep.join([part for part in parts if part] + [SHIM])
