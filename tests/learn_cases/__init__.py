"""Wrong answers that people give to the steps of the course, and what it says to each: one file for each step.

A row: (text of the reference solution, what stands there instead, what the check says).
"""

import importlib

from minigluon.tools.learn.step import NAMES

__all__ = ["WRONG"]

WRONG = {name: importlib.import_module(f"{__name__}.{name}").WRONG for name in NAMES}
