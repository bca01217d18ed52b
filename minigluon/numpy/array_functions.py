"""The functions `np.X`: rows of the table, called with arrays of `mx.np`."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as onp

from .. import ndarray as nd
from .. import tape
from ..base import CallError, DTypeError
from ..ndarray.ndarray import NDArray
from .array import adopt, ndarray, refuse_mixture
from .errors import named_errors
from .fast_paths import add_fast_path
from .functions.common import is_number
from .parameter_texts import documented
from .table import Function

__all__ = ["as_nd", "build_function", "like_sequence", "written_into"]

_state = tape.state


def build_function(row: Function) -> Callable[..., Any]:
    """Return the function `np.X` for a row."""
    parameters = row.signature.parameters
    by_position = "out" in parameters and parameters["out"].kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
    out_at = list(parameters).index("out") if by_position else None
    name = f"random.{row.name.strip('_')}" if row.random else row.name

    def function(*args: Any, **kwargs: Any) -> Any:
        out = kwargs.pop("out", None)
        if out_at is not None and len(args) > out_at:
            out, args = args[out_at], (*args[:out_at], None, *args[out_at + 1:])
        arrays: list[Any] = []
        plain = [as_nd(name, x, arrays) for x in args]
        named = {key: as_nd(name, x, arrays) for key, x in kwargs.items()}
        if not arrays and not row.random:
            return _of_numbers(row, args, kwargs)
        with named_errors(f"np.{name}"):
            result = _result(row.call(nd, *plain, **named), arrays)
        return written_into(name, out, result)

    return _described(add_fast_path(row, function), row)


def as_nd(name: str, x: Any, arrays: list[Any]) -> Any:
    """Return an argument with NDArrays in place of arrays of `mx.np`, including those in lists. `arrays` collects them.

    name: the function's name, for messages.

    Raises CallError for an NDArray or a numpy.ndarray.
    """
    if x.__class__ is ndarray:
        # off the tape, only the memory matters
        plain = x.as_nd_ndarray() if _state.recording else NDArray(x.buffer, x.device)
        arrays.append(plain)
        return plain
    if x.__class__ is list or x.__class__ is tuple:
        return type(x)([as_nd(name, part, arrays) for part in x])
    if isinstance(x, NDArray) or isinstance(x, onp.ndarray) and x.ndim:
        raise refuse_mixture(f"np.{name}", x)
    return x


def _result(value, inputs):
    """Return the result of a row as an array of `mx.np`, which is a new array even if the row returns an input."""
    if isinstance(value, (list, tuple)):
        # on the tape, one result may be an input of another result's operator, which keeps it as an NDArray
        return like_sequence(value, [part.as_np_ndarray() if part.entry is not None else _result(part, inputs)
                                     for part in value])
    return adopt(value.copy() if any(value is x for x in inputs) else value)


def like_sequence(sequence: Any, items: list[Any]) -> Any:
    """Return items in a list, a tuple or a named tuple, as a sequence of as many is."""
    return getattr(sequence, "_make", type(sequence))(items)


def written_into(name: str, out: Any, result: Any) -> Any:
    """Return a result; if there is an array `out`, write the result into it, and return that.

    name: the function's name, for messages.

    Raises DTypeError if floats would be written to an integer array, and CallError for any other kind of array.
    """
    if out is None:
        return result
    if out.__class__ is not ndarray:
        raise refuse_mixture(f"np.{name}: out", out)
    if not onp.can_cast(result.dtype, out.dtype, "same_kind"):
        raise DTypeError(f"np.{name}: a result of dtype {result.dtype} cannot be written into an array of dtype "
                         f"{out.dtype}. Convert it with .astype({str(out.dtype)!r}).")
    if result.shape != out.shape:
        raise CallError(f"np.{name}: out has shape {out.shape}, but the result has shape {result.shape}")
    out[...] = result
    return out


def _of_numbers(row, args, kwargs):
    """Return the result that NumPy computes from plain numbers, as MXNet does, and raise an error for lists."""
    numpys, args = getattr(onp, row.name, None), [x for x in args if x is not None]
    if numpys is None or not args or not all(is_number(x) for x in args):
        found = next((x for x in args if not is_number(x)), None)
        raise CallError(f"np.{row.name}: expected an array of mx.np, found {type(found).__name__} {found!r}. Convert "
                        "it with np.array(...).")
    return numpys(*args, **kwargs).item()


def _described(function, row):
    function.__name__ = function.__qualname__ = row.name.rpartition(".")[2]
    function.__doc__ = documented(row)
    function.__signature__ = row.signature
    function.__module__ = "minigluon.numpy"
    return function
