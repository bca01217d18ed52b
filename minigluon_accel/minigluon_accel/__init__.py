"""Compiled kernels for minigluon. `import minigluon` finds them through an entry point; do not call them directly."""

try:
    from . import engine
except ImportError as error:
    raise ImportError(f"its engine is not built for this Python and processor: {error}. Build it with: "
                      "pip install ./minigluon_accel") from error

from .backend import BACKEND
from .version import __version__

__all__ = ["BACKEND", "engine"]
