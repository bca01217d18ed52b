"""Operators on the GPU: each module holds the launch arithmetic of the .cu file beside it."""

import importlib
import pkgutil

from .registry import find, kernel_for, prepared_operators

for _module in pkgutil.walk_packages(__path__, __name__ + "."):
    importlib.import_module(_module.name)

__all__ = ["find", "kernel_for", "prepared_operators"]
