"""`npx.image`: the functions of `mx.image` and the operators of `nd.image`, applied to arrays of `mx.np`.

After `npx.set_np()`, images that are read, cropped or augmented are arrays of `mx.np`.
"""

from __future__ import annotations

from numbers import Number
from typing import Any

from ...base import nearest, numeric_types
from ...common.array_semantics import is_np_array
from ...providers import ask

__all__ = ["Number", "cv2", "is_np_array", "numeric_types"]

cv2 = None              # as in MXNet without OpenCV
_MODULES = ("io", "nd", "recordio")     # parts of the package that MXNet's module also contains


def __getattr__(name: str) -> Any:
    """Return a function, class or operator for images. Raises AttributeError for an unknown name."""
    package = ask("mx")
    if name in _MODULES:
        return getattr(package, name)
    for module in (package.image, package.nd.image):
        if name in dir(module) and not name.startswith("_"):
            return getattr(module, name)
    raise AttributeError(f"mx.npx.image has no attribute {name!r}." + nearest(name, __dir__()))


def __dir__() -> list[str]:
    package = ask("mx")
    return sorted({*__all__, *_MODULES, *package.image.__all__, *dir(package.nd.image)})
