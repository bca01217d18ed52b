"""The other course: CUDA C++ puzzles, `minigluon learn start --gpu`.

Kernels need a GPU, even if it is emulated, and GPU support comes from the plugin. Therefore the puzzles, their launches
and checks are in minigluon_accel/gpu/puzzles, and this module finds them.
"""

from __future__ import annotations

import importlib
from types import ModuleType

from .errors import LearnError
from .text import _

__all__ = ["plugin"]


def plugin() -> ModuleType:
    """Return the plugin's package of puzzles. Raises LearnError if the plugin is missing."""
    try:
        return importlib.import_module("minigluon_accel.gpu.puzzles")
    except ImportError as error:
        raise LearnError(_("the puzzles run on the emulated GPU of minigluon-accel, which cannot be imported here "
                           "({problem}). Install it from a checkout: pip install ./minigluon_accel").format(
            problem=error)) from None
