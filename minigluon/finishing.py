"""What is done to each module of this package once it is imported.

Its signatures show types as they are written, names that it does not have say what to write instead, and names that
programs know from MXNet's are put into it. Parts of the package are imported when a program first asks for them, so
this is not one walk at the end of the import: a finder stands in front of Python's own and finishes what comes later.
"""

from __future__ import annotations

import importlib.machinery
import sys
from types import ModuleType

from .compat import places, private_names
from .docstrings import unquote_annotations
from .missing import answer_for

__all__ = ["finish_modules"]

_PACKAGE = __name__.partition(".")[0]


def finish_modules() -> None:
    """Finish the modules that are there, and from now on each other one when it is imported."""
    places.put(sys.modules[_PACKAGE])
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == _PACKAGE:
            _finish(module)
    sys.meta_path.insert(0, _Finder)


def _finish(module: ModuleType) -> None:
    unquote_annotations(module)
    answer_for(module)
    private_names.put(module)


class _Loader(importlib.machinery.SourceFileLoader):
    def exec_module(self, module: ModuleType) -> None:
        super().exec_module(module)
        _finish(module)


class _Finder:
    """Finds this package's modules where Python finds them, and nothing else."""

    @staticmethod
    def find_spec(fullname, path=None, target=None):
        if not fullname.startswith(_PACKAGE + "."):
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is not None and type(spec.loader) is importlib.machinery.SourceFileLoader:
            spec.loader = _Loader(spec.loader.name, spec.loader.path)
        return spec
