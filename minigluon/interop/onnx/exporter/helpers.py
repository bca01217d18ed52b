"""Methods of the builder whose output depends on the opset or on how much of a shape is known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from ....ops.symbolic_dimensions import SymbolicDim
from .types import onnx_type

__all__ = ["Helpers", "permuted", "same_length", "size_of"]

_AXES_ARE_INPUTS = 18           # as of this opset, ReduceMax etc. take their axes as an input (ReduceSum: 13)


class Value(Protocol):
    """An array in the file (see `values.Value`)."""

    shape: Any
    dtype: Any
    name: str
    array: Any
    before: Any

    @property
    def rank(self) -> int: ...


class Helpers:
    """Methods of `Builder` that return Values with known shapes."""

    opset: int
    call: Any
    sizes: Any
    constant: Any

    def cast(self, x: Value, dtype: Any) -> Value:
        """Casts x; returns x itself if it already has the dtype."""
        dtype = np.dtype(dtype)
        if x.dtype == dtype:
            return x
        if x.before is not None and x.before.dtype == dtype:
            return x.before
        result = self.call("Cast", x, to=onnx_type(dtype), dtype=dtype)
        if x.dtype == np.bool_ or (x.before is not None and x.before.dtype == np.bool_):
            result.before = x if x.dtype == np.bool_ else x.before
        return result

    def reshape(self, x: Value, shape: Sequence[Any]) -> Value:
        """Reshapes x to a shape in which any lengths may be open.

        If only one length is open, it is written as -1, and an unchanged length as 0, so that the file needs little
        shape arithmetic.
        """
        shape = tuple(shape)
        if x.shape is not None and len(shape) == len(x.shape) and all(map(same_length, shape, x.shape)):
            return x
        numbers: list[Any] = list(shape)
        zeros = any(n == 0 for n in numbers if not isinstance(n, SymbolicDim))
        if not zeros:
            for axis, n in enumerate(numbers):
                if isinstance(n, SymbolicDim) and x.shape is not None and axis < len(x.shape) and same_length(
                        n, x.shape[axis]):
                    numbers[axis] = 0
            open_axes = [axis for axis, n in enumerate(numbers) if isinstance(n, SymbolicDim)]
            if len(open_axes) == 1:
                numbers[open_axes[0]] = -1
            elif open_axes:
                numbers = list(shape)
        allowzero = 1 if zeros and self.opset >= 14 else None
        return self.call("Reshape", x, self.sizes(numbers), allowzero=allowzero, shape=shape)

    def transpose(self, x: Value, axes: Sequence[int]) -> Value:
        """Permutes the axes of x."""
        axes = list(axes)
        if axes == list(range(len(axes))):
            return x
        return self.call("Transpose", x, perm=axes, shape=permuted(x.shape, axes))

    def unsqueeze(self, x: Value, *axes: int) -> Value:
        """Inserts axes of length 1 at these positions in the result."""
        shape = None
        if x.shape is not None:
            lengths = iter(x.shape)
            rank = len(x.shape) + len(axes)
            new = {axis % rank for axis in axes}
            shape = tuple([1 if axis in new else next(lengths) for axis in range(rank)])
        return self.call("Unsqueeze", x, self.sizes(axes), shape=shape)

    def squeeze(self, x: Value, *axes: int) -> Value:
        """Removes these axes of length 1."""
        shape = None
        if x.shape is not None:
            removed_axes = {axis % len(x.shape) for axis in axes}
            shape = tuple([n for axis, n in enumerate(x.shape) if axis not in removed_axes])
        return self.call("Squeeze", x, self.sizes(axes), shape=shape)

    def reduce(self, kind: str, x: Value, axes: Sequence[int], keepdims: bool = False) -> Value:
        """Writes ReduceSum, ReduceMean and so on; the axes are an input from opset 18 on (ReduceSum: 13)."""
        axes = list(axes)
        shape = None
        if x.shape is not None:
            drops = {axis % len(x.shape) for axis in axes}
            lengths = [1 if axis in drops else n for axis, n in enumerate(x.shape) if keepdims or axis not in drops]
            shape = tuple(lengths)
        if not axes:
            return x
        if kind == "Sum" or self.opset >= _AXES_ARE_INPUTS:
            return self.call(f"Reduce{kind}", x, self.sizes(axes), keepdims=int(keepdims), shape=shape)
        return self.call(f"Reduce{kind}", x, axes=axes, keepdims=int(keepdims), shape=shape)

    def slice(self, x: Value, axis: int, begin: Any, end: Any, step: int = 1) -> Value:
        """Writes x[begin:end:step] along one axis; end=None continues to the end in the direction of the step."""
        if end is None:
            end = np.iinfo(np.int64).max if step > 0 else np.iinfo(np.int64).min
        shape = None
        if x.shape is not None and step == 1 and not isinstance(x.shape[axis], SymbolicDim) and not isinstance(
                begin, SymbolicDim) and not isinstance(end, SymbolicDim):
            length = len(range(x.shape[axis])[begin:end])
            shape = _replaced(x.shape, axis, length)
        return self.call("Slice", x, self.sizes([begin]), self.sizes([end]), self.sizes([axis]), self.sizes([step]),
                         shape=shape)

    def item(self, x: Value, index: int, axis: int) -> Value:
        """Writes x[index] along an axis, which is removed."""
        shape = None if x.shape is None else x.shape[:axis % len(x.shape)] + x.shape[axis % len(x.shape) + 1:]
        return self.call("Gather", x, self.constant(np.array(index, np.int64)), axis=axis, shape=shape)

    def split(self, x: Value, sizes: Sequence[Any], axis: int) -> list[Value]:
        """Splits x into parts of these sizes along an axis."""
        if len(sizes) == 1:
            return [x]
        parts = self.call("Split", x, self.sizes(sizes), axis=axis, outputs=len(sizes))
        for part, size in zip(parts, sizes, strict=True):
            part.shape = None if x.shape is None else _replaced(x.shape, axis, size)
        return parts

    def concat(self, parts: Sequence[Value], axis: int) -> Value:
        """Concatenates Values along an axis."""
        if len(parts) == 1:
            return parts[0]
        shape = None
        if all(part.shape is not None for part in parts):
            shape = _replaced(parts[0].shape, axis, sum(part.shape[axis] for part in parts))
        return self.call("Concat", *parts, axis=axis, shape=shape)

    def expand(self, x: Value, shape: Sequence[Any]) -> Value:
        """Broadcasts x to a shape."""
        shape = tuple(shape)
        if x.shape is not None and len(shape) == len(x.shape) and all(map(same_length, shape, x.shape)):
            return x
        return self.call("Expand", x, self.sizes(shape), shape=shape)

    def filled(self, shape: Sequence[Any], value: Any, dtype: Any) -> Value:
        """Returns an array filled with one value."""
        shape, dtype = tuple(shape), np.dtype(dtype)
        if not any(isinstance(n, SymbolicDim) for n in shape) and math.prod(shape) <= 1024:
            return self.constant(np.full(shape, value, dtype))
        return self.call("ConstantOfShape", self.sizes(shape), value=np.array([value], dtype), dtype=dtype, shape=shape)

    def where(self, condition: Value, x: Any, y: Any) -> Value:
        """Selects elements of x where the condition is True, and of y elsewhere."""
        return self.call("Where", condition, self.like(x, y) if not hasattr(x, "dtype") else x,
                         self.like(y, x) if not hasattr(y, "dtype") else y)

    like: Any

    def is_true(self, x: Value) -> Value:
        """Returns x != 0, as bool."""
        if x.dtype == np.bool_:
            return x
        if x.before is not None and x.before.dtype == np.bool_:
            return x.before
        return self.call("Not", self.is_false(x))

    def is_false(self, x: Value) -> Value:
        """Returns x == 0, as bool."""
        if x.dtype == np.bool_ or (x.before is not None and x.before.dtype == np.bool_):
            return self.call("Not", self.is_true(x))
        return self.call("Equal", x, self.like(0, x))


def same_length(a: Any, b: Any) -> bool:
    """Returns whether two lengths are equal for all sizes, according to their formulas, not the example's values."""
    if isinstance(a, SymbolicDim) or isinstance(b, SymbolicDim):
        return isinstance(a, SymbolicDim) and isinstance(b, SymbolicDim) and a.terms == b.terms
    return a == b


def size_of(shape: Any) -> Any:
    """Returns the product of lengths."""
    result: Any = 1
    for n in shape:
        result = result * n
    return result


def permuted(shape: Any, axes: Sequence[int]) -> Any:
    """Returns a shape with its axes permuted."""
    return None if shape is None else tuple([shape[axis] for axis in axes])


def _replaced(shape: Any, axis: int, length: Any) -> Any:
    shape = list(shape)
    shape[axis] = length
    return tuple(shape)
