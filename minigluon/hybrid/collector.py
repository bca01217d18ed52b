"""Plans are compiled while Python's search for cycles is off."""

import gc
from contextlib import contextmanager

from ..common.fast_paths import fast
from . import compiler

__all__ = ["collector_paused"]


@contextmanager
def collector_paused():
    """Disable Python's search for cycles: everything a pass allocates survives, so that collecting is wasted work.

    Afterwards we move it to the oldest generation, or the next collection would search it all.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            if not gc.get_freeze_count():       # else `unfreeze` would undo what the program has frozen
                gc.freeze()
                gc.unfreeze()
            gc.enable()


fast(compiler, "compile_graph")(collector_paused()(compiler.compile_graph))
