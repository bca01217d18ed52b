"""Base classes for transforms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..... import ndarray as nd
from .....backend import backend_for
from .....base import ArgumentError
from .....context import cpu
from .....diagnostics.argument_kinds import worded
from .....ndarray.exports import in_current_class
from ....block import Block
from ....hybrid_block import HybridBlock

if TYPE_CHECKING:
    from .....ndarray import NDArray

__all__ = ["HybridTransform", "PixelTransform", "as_array", "pair"]


class HybridTransform(HybridBlock):
    """A transform built from operators, so it can be hybridized. It also accepts a numpy.ndarray."""

    def __call__(self, x: Any) -> Any:
        return super().__call__(as_array(x))


class PixelTransform(Block):
    """A transform whose subclass defines `apply_to`, which takes and returns a numpy.ndarray."""

    def forward(self, x: Any) -> Any:
        x = as_array(x)
        out = worded(type(self).apply_to)(self, x.buffer if isinstance(x.buffer, np.ndarray) else x.asnumpy())
        return x._to_own_class(nd.NDArray(backend_for(x.context).from_numpy(out, x.context), x.context))

    def apply_to(self, image: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} must define apply_to")


def as_array(x: NDArray) -> NDArray:
    """Return a numpy.ndarray as an NDArray on the CPU; anything else unchanged."""
    return in_current_class(nd.NDArray(backend_for(cpu()).from_numpy(x, cpu()), cpu())) if isinstance(
        x, np.ndarray) else x


def pair(size: int) -> tuple[int, int]:
    """Return (width, height), given one number or two."""
    if isinstance(size, (int, np.integer)):
        return int(size), int(size)
    if not isinstance(size, (tuple, list)) or len(size) != 2:
        raise ArgumentError(f"size must be a number or (width, height), found {size!r}")
    return tuple(size)
