"""Operators on the GPU: each module contains the launch arithmetic for the .cu file next to it.

`nn/softmax.py` serves the operators in `minigluon/ops/nn/softmax.py`, and so on for each family. Code shared by several
families is one level above the categories: copies, reductions, matrix products, random numbers.
"""

import importlib
import pkgutil

from .registry import find, kernel_for, prepared_operators

for _module in pkgutil.walk_packages(__path__, __name__ + "."):
    importlib.import_module(_module.name)

__all__ = ["find", "kernel_for", "prepared_operators"]
