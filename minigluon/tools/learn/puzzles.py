"""The other course: CUDA C++ puzzles. `minigluon learn start --gpu`.

Kernels need a GPU, if only an emulated one, and GPUs are the plugin's. So the puzzles, their launches and checks are in
minigluon_accel/gpu/puzzles, and here is the way to them.
"""

from __future__ import annotations

import importlib
from types import ModuleType

from .errors import LearnError
from .text import _

__all__ = ["plugin"]


def plugin() -> ModuleType:
    """The plugin's package of puzzles. Raises LearnError where the plugin is missing."""
    try:
        return importlib.import_module("minigluon_accel.gpu.puzzles")
    except ImportError as error:
        raise LearnError(_("the puzzles run on the emulated GPU of minigluon-accel, which cannot be imported here "
                           "({problem}). Install it from a checkout: pip install ./minigluon_accel").format(
            problem=error)) from None
