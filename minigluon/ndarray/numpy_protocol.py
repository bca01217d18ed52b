"""NumPy's functions on NDArrays: `np.exp(x)`, `np.mean(x, axis=0)`, `np.concatenate([x, y])`.

If MXNet has a matching operator, a call to NumPy's function calls that operator: the result is an NDArray on the same
device, and the tape records it. In all other cases, the NDArrays are converted to numpy.ndarrays, and the result is
also a numpy.ndarray:

    functions not in the tables below, keywords that the operator lacks (`where=`, `ddof=`), `np.add.reduce`
    arrays of other than floating-point type, for which NumPy computes in floating point (`np.exp`, `np.mean`)
    NDArrays of several types, or mixed with numpy.ndarrays; but `np.add(a, x)` is `a + x`, an error for mixed types

The protocols are defined in NEP 13 (`__array_ufunc__`) and NEP 18 (`__array_function__`).
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base import CallError
from ..providers import ask
from .ndarray import NDArray

if TYPE_CHECKING:
    pass

__all__ = ["add_numpy_protocol"]

# The ufuncs for Python's operators: the array's method as the left operand, and as the right operand.
_OPERATORS = {
    np.add: ("__add__", "__radd__"), np.subtract: ("__sub__", "__rsub__"), np.multiply: ("__mul__", "__rmul__"),
    np.equal: ("__eq__", "__eq__"), np.not_equal: ("__ne__", "__ne__"), np.greater: ("__gt__", "__lt__"),
    np.greater_equal: ("__ge__", "__le__"), np.less: ("__lt__", "__gt__"), np.less_equal: ("__le__", "__ge__"),
    np.true_divide: ("__truediv__", "__rtruediv__"), np.power: ("__pow__", "__rpow__"),
    np.remainder: ("__mod__", "__rmod__"), np.negative: ("__neg__", None), np.absolute: ("__abs__", None),
}

# ufuncs with a function of the same name in `nd`, for floating-point types. rint is excluded, because MXNet rounds 1.5
# to 1.
_SAME_NAME = {
    np.exp, np.expm1, np.log, np.log2, np.log10, np.log1p, np.sqrt, np.cbrt, np.square, np.reciprocal, np.sign,
    np.floor, np.ceil, np.trunc, np.sin, np.cos, np.tan, np.arcsin, np.arccos, np.arctan, np.sinh, np.cosh, np.tanh,
    np.arcsinh, np.arccosh, np.arctanh, np.degrees, np.radians, np.maximum, np.minimum, np.hypot,
}


def add_numpy_protocol() -> None:
    """Adds the methods of the protocols to NDArray."""
    NDArray.__array__ = as_array
    NDArray.__array_ufunc__ = call_ufunc
    NDArray.__array_function__ = call_function


def as_array(self: NDArray, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, np.dtype[Any]]:
    """Implements `np.asarray(x)`: returns read-only memory for an array on the CPU, or a copy if `np.array(x)` needs
    one.

    Raises ValueError if copy=False but a copy is needed, because of another device or another dtype.
    """
    if copy or not isinstance(self.buffer, np.ndarray):
        if copy is False:
            raise ValueError(f"the memory of an NDArray on {self.context} cannot be shared with NumPy. "
                             "Leave out copy=False.")
        return self.asnumpy() if dtype is None else self.asnumpy().astype(dtype, copy=False)
    array = self.buffer.view()
    array.flags.writeable = False
    if dtype is None or array.dtype == dtype:
        return array
    if copy is False:
        raise ValueError(f"an NDArray of dtype {array.dtype} cannot be shared with NumPy as {np.dtype(dtype)}. "
                         "Leave out copy=False.")
    return array.astype(dtype)


def call_ufunc(self: Any, ufunc: Any, method: Any, *inputs: Any, **keywords: Any) -> Any:
    """Implements `ufunc(*inputs, **keywords)`, or a method of the ufunc such as `reduce`, with an NDArray."""
    out = keywords.get("out", ())
    call = operator_for(ufunc, inputs) if method == "__call__" and keywords.keys() <= {"out"} else None
    if call is not None and not any(isinstance(y, np.ndarray) for y in out):
        result = call(*inputs)
        if not out:
            return result
        out[0][:] = result
        return out[0]
    if any(isinstance(y, NDArray) for y in out):
        raise CallError(f"np.{ufunc.__name__} cannot write into an NDArray here: MXNet has no operator for this call, "
                        f"so NumPy computes it. Write y[:] = nd.array(np.{ufunc.__name__}(...)).")
    return getattr(ufunc, method)(*plain(inputs), **plain(keywords))


def call_function(self: Any, function: Callable[..., Any], types: Any, args: Any, keywords: Any) -> Any:
    """Implements `function(*args, **keywords)` for arguments that contain an NDArray."""
    call = _FUNCTIONS.get(function)
    if call is not None and takes(call, args, keywords):
        result = call(*args, **keywords)
        if result is not NotImplemented:
            return result
    return function(*plain(args), **plain(keywords))


def operator_for(ufunc: Any, inputs: Any) -> Any:
    """Returns the function that computes this ufunc for these inputs on NDArrays, or None."""
    if ufunc in _OPERATORS:
        return functools.partial(apply_operator, *_OPERATORS[ufunc])
    arrays = [x for x in inputs if isinstance(x, NDArray)]
    return getattr(ask("nd"), ufunc.__name__) if ufunc in _SAME_NAME and all(map(is_float, arrays)) else None


def apply_operator(left: Any, right: Any, a: Any, b: Any = None) -> Any:
    """Computes a ∘ b with the NDArray's method, because a numpy.ndarray's own operator would call this again."""
    if right is None:
        return getattr(a, left)()
    return getattr(a, left)(b) if isinstance(a, NDArray) else getattr(b, right)(a)


def plain(value: Any) -> Any:
    """Returns value with each NDArray in it replaced by a read-only numpy.ndarray."""
    if isinstance(value, NDArray):
        return as_array(value)
    if type(value) in (list, tuple):
        return type(value)(plain(part) for part in value)
    if type(value) is dict:
        return {key: plain(part) for key, part in value.items()}
    return value


def takes(function: Any, args: Any, keywords: Any) -> bool:
    """Returns whether a function accepts the arguments; calls with unknown keywords are left to NumPy."""
    try:
        inspect.signature(function).bind(*args, **keywords)
    except TypeError:
        return False
    return True


def is_float(x: Any) -> bool:
    return np.issubdtype(x.dtype, np.floating)


def alike(*arrays: Any) -> bool:
    """Returns whether these are NDArrays of the same dtype."""
    return all(isinstance(x, NDArray) and x.dtype == arrays[0].dtype for x in arrays)


# NumPy's functions, with the parameters that MXNet's counterparts also have. NotImplemented leaves the call to NumPy.


def _mean(a, axis=None, *, keepdims=False):
    return a.mean(axis=axis, keepdims=keepdims) if is_float(a) else NotImplemented


def _reshape(a, /, shape):
    sizes = shape if isinstance(shape, (list, tuple)) else (shape,)
    ordinary = all(n > 0 or n == -1 for n in sizes)         # 0, -2, -3 and -4 have special meanings in MXNet
    return a.reshape(tuple(sizes)) if ordinary else NotImplemented


def _concatenate(arrays, /, axis=0):
    return ask("nd").concat(*arrays, dim=axis) if axis is not None and alike(*arrays) else NotImplemented


def _repeat(a, repeats, axis=None):
    return a.repeat(repeats, axis=axis) if isinstance(repeats, int) else NotImplemented


def _stack(arrays, axis=0):
    return ask("nd").stack(*arrays, axis=axis) if alike(*arrays) else NotImplemented


def _dot(a, b):
    vectors_or_matrices = alike(a, b) and is_float(a) and a.ndim <= 2 and b.ndim <= 2
    return ask("nd").dot(a, b) if vectors_or_matrices else NotImplemented


def _where(condition, x, y):
    fits = alike(x, y) and isinstance(condition, NDArray) and condition.shape == x.shape == y.shape
    return ask("nd").where(condition, x, y) if fits else NotImplemented


_FUNCTIONS = {
    np.sum: lambda a, axis=None, *, keepdims=False: a.sum(axis=axis, keepdims=keepdims),
    np.prod: lambda a, axis=None, *, keepdims=False: a.prod(axis=axis, keepdims=keepdims),
    np.max: lambda a, axis=None, *, keepdims=False: a.max(axis=axis, keepdims=keepdims),
    np.min: lambda a, axis=None, *, keepdims=False: a.min(axis=axis, keepdims=keepdims),
    np.argmax: lambda a, axis=None, *, keepdims=False: a.argmax(axis=axis, keepdims=keepdims),
    np.argmin: lambda a, axis=None, *, keepdims=False: a.argmin(axis=axis, keepdims=keepdims),
    np.all: lambda a, axis=None, out=None, keepdims=False: a.all(axis=axis, out=out, keepdims=keepdims),
    np.any: lambda a, axis=None, out=None, keepdims=False: a.any(axis=axis, out=out, keepdims=keepdims),
    np.mean: _mean,
    np.squeeze: lambda a, axis=None: a.squeeze(axis=axis),
    np.expand_dims: lambda a, axis: a.expand_dims(axis=axis) if isinstance(axis, int) else NotImplemented,
    np.transpose: lambda a, axes=None: a.transpose() if axes is None else a.transpose(axes),
    np.swapaxes: lambda a, axis1, axis2: a.swapaxes(axis1, axis2),
    np.reshape: _reshape,
    np.repeat: _repeat,
    np.tile: lambda a, reps: a.tile(reps=reps),
    np.flip: lambda m, axis: m.flip(axis=axis),
    np.clip: lambda a, a_min, a_max: a.clip(a_min, a_max),
    # MXNet rounds halves away from zero, and its programs expect the same here.
    np.round: lambda a, decimals=0: a.round() if decimals == 0 else NotImplemented,
    np.split: lambda ary, indices_or_sections, axis=0: ask("nd").split_v2(ary, indices_or_sections, axis=axis),
    np.concatenate: _concatenate,
    np.stack: _stack,
    np.dot: _dot,
    np.where: _where,
    np.zeros_like: lambda a: a.zeros_like(),
    np.ones_like: lambda a: a.ones_like(),
}
