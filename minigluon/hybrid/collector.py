"""A context in which plans are compiled without Python's garbage collector."""

import gc
from contextlib import contextmanager

from ..common.fast_paths import fast
from . import compiler

__all__ = ["collector_paused"]


@contextmanager
def collector_paused():
    """Disables Python's cycle collector. Everything that a pass allocates survives, so collecting is wasted work.

    Afterwards everything moves to the oldest generation; otherwise the next collection would scan it all.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            if not gc.get_freeze_count():       # otherwise `unfreeze` would undo the program's own `freeze`
                gc.freeze()
                gc.unfreeze()
            gc.enable()


fast(compiler, "compile_graph")(collector_paused()(compiler.compile_graph))
