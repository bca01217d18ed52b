"""The text form of arrays of `mx.np`, which is NumPy's, with the type unless it is float32 or bool, and a GPU's name.
"""

from __future__ import annotations

from typing import Any

import numpy as onp

from .array import ndarray

__all__ = ["add_printing"]


def add_printing() -> None:
    """Add text forms to arrays of `mx.np`, including formats such as f"{x:.2f}"."""
    ndarray.__repr__ = described
    ndarray.__str__ = printed
    ndarray.__format__ = formatted


def described(self: Any) -> str:
    """Return the text that `repr` displays."""
    elements = self.asnumpy()
    text = onp.array2string(elements, separator=", ", prefix="array(")
    if not elements.size:
        text = "[]" + (f", shape={elements.shape}" if elements.shape != (0,) else "")
    hidden = (onp.float32, bool if elements.size else onp.float32)      # not None, which NumPy reads as float64
    kind = "" if elements.dtype in hidden else f", dtype={elements.dtype}"
    device = "" if self.device.device_type.startswith("cpu") else f", ctx={self.device}"
    return f"array({text}{kind}{device})"


def printed(self: Any) -> str:
    """Return the text that `print` displays."""
    return str(self.asnumpy())


def formatted(self: Any, spec: str) -> str:
    """Implement format(x, spec), that of the only element if x has no axes, as in NumPy.

    Raises TypeError if there is a spec and the array has axes.
    """
    if self.shape and spec:
        raise TypeError("an array of mx.np with axes has no format but the empty one, found the spec "
                        f"{spec!r}; format an element, x[0]")
    return printed(self) if self.shape else format(self.item(), spec)
