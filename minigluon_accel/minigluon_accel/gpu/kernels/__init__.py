"""Operators on the GPU: each module holds the launch arithmetic of the .cu file beside it."""

import importlib
import pkgutil

from .registry import find, kernel_for, prepared_operators

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")

__all__ = ["find", "kernel_for", "prepared_operators"]
