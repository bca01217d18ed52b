"""What is done to each module of this package once it is imported.

Its signatures show types as they are written, names that it does not have say what to write instead, and names that
programs know from MXNet's are put into it. Parts of the package are imported when a program first asks for them, so
this is not one walk at the end of the import: a finder stands in front of Python's own and finishes what comes later.
"""

from __future__ import annotations

import sys
from types import ModuleType

from ...common.docstrings import unquote_annotations
from ...diagnostics.suggestions import answer_for
from ...diagnostics.unsupported import refuse_import
from ...homes import Finder
from . import places, private_names

__all__ = ["finish_modules"]

_PACKAGE = __name__.partition(".")[0]


def finish_modules() -> None:
    """Finish the modules that are there, and from now on each other one when it is imported."""
    places.put(sys.modules[_PACKAGE])
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == _PACKAGE:
            _finish(module)
    sys.meta_path.insert(0, Finder(_finish, refuse_import))


def _finish(module: ModuleType) -> None:
    unquote_annotations(module)
    answer_for(module)
    private_names.put(module)
