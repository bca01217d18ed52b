"""Operators on the GPU: each module holds the launch arithmetic of the .cu file beside it.

`nn/softmax.py` is for the operators of `minigluon/ops/nn/softmax.py`, and so for each family. What several families
share stands above the streets: copies, reductions, products of matrices, random numbers.
"""

import importlib
import pkgutil

from .registry import find, kernel_for, prepared_operators

for _module in pkgutil.walk_packages(__path__, __name__ + "."):
    importlib.import_module(_module.name)

__all__ = ["find", "kernel_for", "prepared_operators"]
