"""Import hook that finishes each module of this package after its import.

It makes signatures show types as written, makes errors for missing names say what to write instead, and adds names that
programs know from MXNet. Parts of the package are imported on first use, so a single pass at the end of the import is
not sufficient; a finder placed before Python's own finders finishes the modules that are imported later.
"""

from __future__ import annotations

import sys
from types import ModuleType

from ...common.docstrings import unquote_annotations
from ...diagnostics.suggestions import answer_for
from ...diagnostics.unsupported import refuse_import
from ...homes import Finder
from . import private_names, reexports

__all__ = ["finish_modules"]

_PACKAGE = __name__.partition(".")[0]


def finish_modules() -> None:
    """Finishes the modules that have already been imported, and from now on every other module when it is imported."""
    reexports.put(sys.modules[_PACKAGE])
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == _PACKAGE:
            _finish(module)
    sys.meta_path.insert(0, Finder(_finish, refuse_import))


def _finish(module: ModuleType) -> None:
    unquote_annotations(module)
    answer_for(module)
    private_names.put(module)
