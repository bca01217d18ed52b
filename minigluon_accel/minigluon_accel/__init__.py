"""Compiled kernels for minigluon. `import minigluon` finds them by an entry point; nothing here is called by hand."""

try:
    from . import engine
except ImportError as error:
    raise ImportError(f"minigluon_accel is here, but its engine is not built for this Python: {error}. Build it with "
                      "`pip install ./minigluon_accel`, or set MINIGLUON_BACKEND=numpy to run without it.") from error

from .backend import BACKEND

__version__ = "0.1.0"
__all__ = ["BACKEND", "engine"]
