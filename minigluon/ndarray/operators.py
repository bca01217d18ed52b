"""Python's operators on NDArrays: `x + y`, `x * 2`, `-x`."""

from __future__ import annotations

import functools
from typing import Any

from ..frontend.arithmetic import Arithmetic
from ..frontend.operators import as_number
from ..ops import REGISTRY
from ..ops.op import Op
from ..providers import ask
from .input_errors import other_operand
from .invoke import invoke
from .ndarray import NDArray, method

__all__ = ["operator_of"]

_NUMBERS = {int, float}         # the common types; checking for `numbers.Real` takes longer than NumPy's addition


@method
def _apply(self: NDArray, row: Arithmetic, other: Any, out: Any = None) -> Any:
    """Compute self ∘ other for `Operators`."""
    if other.__class__ is NDArray:
        return invoke(row.array, (self, other), out)
    number = other if other.__class__ in _NUMBERS else as_number(other)
    return _with_other(row, self, other, out) if number is None else invoke(row.with_number(number), (self,), out)


@method
def _apply_left(self: NDArray, row: Arithmetic, other: Any) -> Any:
    number = as_number(other)
    return _with_other(row, self, other) if number is None else invoke(row.with_number_left(number), (self,))


@method
def _product(self: NDArray, other: NDArray) -> NDArray:
    if self.ndim <= 2 and other.ndim <= 2:
        return ask("nd").dot(self, other)
    return ask("nd").linalg_gemm2(self, other)


@method
def __neg__(self: NDArray) -> NDArray:
    return invoke(operator_of("negative"), (self,))


@method
def __abs__(self: NDArray) -> NDArray:
    return invoke(operator_of("abs"), (self,))


def _with_other(row: Arithmetic, x: NDArray, other: Any, out: Any = None) -> Any:
    """Compute x ∘ other for an array of another storage type."""
    return ask("nd.sparse").run_any(row.array, (x, other), out) if isinstance(other, NDArray) else other_operand(
        row.name, other)


@functools.lru_cache(4096)
def operator_of(name: str, *axis: Any) -> Op:
    """Return an operator without attributes or with an axis. Creating an operator takes longer than using it."""
    return REGISTRY[name](**dict(zip(("axis",), axis, strict=False)))
