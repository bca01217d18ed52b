"""`import mxnet` means this package: how `minigluon.as_mxnet` does it.

`mxnet.gluon.nn` is the module `minigluon.gluon.nn`, the same object under two names; only `mxnet` itself is a module of
its own, since its `__version__` is that of the MXNet whose programs run here. Processes that a program starts, by fork,
by spawn or as a command, find `mxnet` as well: the folder `shim` stands on their path, with a package `mxnet` that
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
import warnings
from types import ModuleType
from typing import Any

from ...base import MXNetError
from ...diagnostics import strictness
from ...diagnostics.unsupported import AbsentError
from ...legacy import libinfo
from ...providers import ask

__all__ = ["real_mxnet", "use"]

minigluon = ask("mx")             # the whole package, which is what the name stands for

# Classes that libraries call by their full names in files: GluonTS the device that a model was trained on.
WRITTEN = (minigluon.Context,)
SHIM = str(pathlib.Path(__file__).parent / "shim")


class MXNet(types.ModuleType):
    """The module `mxnet`: minigluon's names, and what a program sets goes there, too."""

    def __getattr__(self, name: str) -> Any:
        return getattr(minigluon, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("__"):           # what Python's import notes in every module
            super().__setattr__(name, value)
        else:
            setattr(minigluon, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(minigluon, name)

    def __dir__(self) -> list[str]:
        return sorted({*dir(minigluon), "__version__"})


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports `mxnet.x.y` by putting `minigluon.x.y` in its place.

    A name that is not here must not be looked for on a path: Python would run a file of minigluon's a second time.
    """

    def find_spec(self, fullname: Any, path: str | None = None, target: Any = None) -> Any:
        if fullname != "mxnet" and not fullname.startswith("mxnet."):
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: Any) -> None:
        return None                         # a module that exec_module replaces

    def exec_module(self, module: ModuleType) -> None:
        sys.modules[module.__name__] = _counterpart(module.__name__)


def _counterpart(name):
    """The object that `import name` gives: mostly a module, or a part of `nd` and `sym` that MXNet has as a module."""
    if name == "mxnet":
        return _mxnet
    mine = "minigluon" + name[len("mxnet"):]
    try:
        return importlib.import_module(mine)
    except ModuleNotFoundError as error:
        if not mine.startswith(str(error.name)):        # something else is missing, on which the module depends
            raise
    parent, _, last = name.rpartition(".")
    try:
        return getattr(importlib.import_module(parent), last)
    except AttributeError as error:
        why = str(error) if isinstance(error, AbsentError) else "minigluon stands for mxnet here, and has none."
        raise ModuleNotFoundError(f"No module named {name!r}: {why}", name=name) from None


def _make_mxnet():
    module = MXNet("mxnet", f"minigluon {minigluon.__version__} under the name mxnet.\n\n{minigluon.__doc__}")
    module.__version__ = libinfo.__version__
    module.__file__, module.__path__ = minigluon.__file__, list(minigluon.__path__)
    module.__spec__ = importlib.machinery.ModuleSpec("mxnet", None, origin=minigluon.__file__, is_package=True)
    return module


_mxnet = _make_mxnet()


def real_mxnet() -> str | None:
    """The folder of an MXNet that is installed besides, or None."""
    shims = {SHIM, *[path for path in sys.path if _is_shim(pathlib.Path(path or ".") / "mxnet")]}
    spec = importlib.machinery.PathFinder.find_spec("mxnet", [path for path in sys.path if path not in shims])
    return str(pathlib.Path(spec.origin).parent) if spec is not None and spec.origin is not None else None


def _is_shim(folder):
    """Is this package `mxnet` one that this project wrote?"""
    init = folder / "__init__.py"
    return init.is_file() and "minigluon.as_mxnet" in init.read_text(encoding="utf-8", errors="replace")


def use() -> MXNet:
    """Make `import mxnet` mean this package, from now on, here and in processes started from here.

    Refusals follow MXNet from then on where a program of good faith meets them, see `minigluon.diagnostics.strictness`.

    Raises MXNetError if another mxnet has been imported already. Warns if another one is installed.
    """
    present = sys.modules.get("mxnet")
    if present is _mxnet:
        return _mxnet
    # The shim is just being imported when it comes here; what it has begun is replaced.
    if present is not None and not _is_shim(pathlib.Path(getattr(present, "__file__", None) or ".").parent):
        raise MXNetError(f"mxnet is imported already, from {getattr(present, '__file__', 'an unknown place')}. "
                         "Import minigluon.as_mxnet before the first `import mxnet`.")
    real = real_mxnet()
    if real is not None:
        warnings.warn(f"import mxnet means minigluon {minigluon.__version__}, and not the MXNet in {real}",
                      stacklevel=3)
    sys.meta_path.insert(0, Finder())
    sys.modules["mxnet"] = _mxnet
    for cls in WRITTEN:
        cls.__module__ = "mxnet" + cls.__module__.removeprefix("minigluon")
        importlib.import_module(cls.__module__)         # where pickle and inspect look for the class
    _for_processes_to_come()
    strictness.be_lenient()
    return _mxnet


def _for_processes_to_come():
    """`spawn` hands sys.path on, a command its environment. Neither hands on sys.meta_path."""
    if SHIM not in sys.path:
        sys.path.append(SHIM)
    parts = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    if SHIM not in parts:
        os.environ["PYTHONPATH"] = os.pathsep.join([part for part in parts if part] + [SHIM])
