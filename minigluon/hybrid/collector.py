"""A context manager that disables Python's garbage collector while plans are compiled."""

import gc
from contextlib import contextmanager

from ..common.fast_paths import fast
from . import compiler

__all__ = ["collector_paused"]

_program_freezes = False


def _may_freeze():
    """Return whether the program has frozen no objects of its own, which `unfreeze` would also unfreeze.

    Counting takes time proportional to the number of frozen objects, so it stops at the first one.
    """
    global _program_freezes
    _program_freezes = _program_freezes or gc.get_freeze_count() > 0
    return not _program_freezes


@contextmanager
def collector_paused():
    """Disables Python's cycle collector. Everything that a pass allocates survives, so collecting is wasted work.

    Afterward everything moves to the oldest generation, because otherwise the next collection would scan all of it.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            if _may_freeze():
                gc.freeze()
                gc.unfreeze()
            gc.enable()


fast(compiler, "compile_graph")(collector_paused()(compiler.compile_graph))
