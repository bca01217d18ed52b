"""Functions that NumPy computes on the host, to which the arrays are copied and from which the results are copied back.

MXNet implements most of them in the same way. They do not have gradients: if an array is on the tape, they raise an
error, where MXNet would silently leave the tape; results that are integers or booleans do not have gradients anyway.
"""

import contextlib
from collections.abc import Callable
from operator import attrgetter
from typing import Any

import numpy as onp

from .. import tape
from ..base import AutogradError, DTypeError
from ..common.dtypes import as_dtype
from ..context import Context, current_context
from ..ndarray.creation import from_host
from ..ndarray.ndarray import NDArray
from .array import ndarray, refuse_mixture
from .array_functions import written_into
from .errors import named_errors
from .function_texts import TEXTS
from .functions.common import named_results
from .table import FUNCTIONS

__all__ = ["NAMES", "from_numpy", "build_function", "numpys_of"]

_MXNETS = """
    allclose apply_along_axis apply_over_axes argpartition argwhere array_equal array_equiv bincount bitwise_and
    bitwise_not bitwise_or bitwise_xor choose compress corrcoef correlate count_nonzero cov delete diag_indices_from
    digitize divmod einsum extract flatnonzero float_power frexp heaviside histogram histogram2d histogram_bin_edges
    histogramdd i0 in1d insert interp intersect1d invert isclose isin ix_ lcm lexsort may_share_memory min_scalar_type
    modf msort nanargmax nanargmin nancumprod nancumsum nanmax nanmedian nanmin nanpercentile nanprod nanquantile nanstd
    nansum nanvar ndim nonzero packbits partition percentile piecewise poly polyadd polydiv polyfit polyint polymul
    polysub polyval positive promote_types quantile real resize result_type rollaxis roots searchsorted select setdiff1d
    setxor1d shape shares_memory signbit size spacing take_along_axis trapz tril_indices tril_indices_from trim_zeros
    triu_indices triu_indices_from union1d unique unpackbits unravel_index unwrap vander genfromtxt linalg.cond
    linalg.eig linalg.eigvals linalg.lstsq linalg.matrix_power linalg.matrix_rank linalg.multi_dot linalg.pinv linalg.qr
    linalg.svd linalg.tensorinv linalg.tensorsolve"""


def _unique(x, *parts):
    """Return the values of an array once each, and parts of what NumPy knows of them, by their names in NumPy 2."""
    found = list(onp.unique(x, "indices" in parts, "inverse_indices" in parts, "counts" in parts, equal_nan=False))
    if "inverse_indices" in parts:
        place = 1 + parts.index("inverse_indices")
        found[place] = found[place].reshape(onp.shape(x))
    return named_results("values", *parts)(*found)


# Names that NumPy 2 has dropped, and functions whose types, or results for arrays without axes, are those of MXNet.
_OWN = {"in1d": lambda ar1, ar2, assume_unique=False, invert=False: onp.isin(
                onp.ravel(ar1), ar2, assume_unique=assume_unique, invert=invert),
            "msort": lambda a: onp.sort(a, axis=0),
            "bincount": lambda x, weights=None, minlength=0: onp.bincount(x, weights, minlength).astype(
                onp.asarray(x if weights is None else weights).dtype),
            "unravel_index": lambda indices, shape, order="C": tuple(
                [x.astype(onp.asarray(indices).dtype) for x in onp.unravel_index(indices, shape, order)]),
            "nonzero": lambda a: onp.nonzero(onp.atleast_1d(a)),
            "unique_all": lambda x: _unique(x, "indices", "inverse_indices", "counts"),
            "unique_counts": lambda x: _unique(x, "counts"), "unique_inverse": lambda x: _unique(x, "inverse_indices"),
            "unique_values": lambda x: onp.unique(x, equal_nan=False)}
# Functions that MXNet does not have.
_OURS = """asarray median cumprod fmax fmin fmod gcd left_shift right_shift fromfunction gradient can_cast unique_all
    unique_counts unique_inverse unique_values"""


_OF_FUNCTIONS = {"apply_along_axis", "apply_over_axes", "fromfunction", "piecewise"}       # errors are from the program


def _is_there(name: str) -> bool:
    """Return whether the installed NumPy has a function."""
    part = name.removeprefix("linalg.")
    return name in _OWN or hasattr(onp if part == name else onp.linalg, part)


NAMES = sorted(name for name in {*_MXNETS.split(), *_OURS.split()} - {"asarray", *FUNCTIONS} if _is_there(name))


def numpys_of(name: str) -> Callable[..., Any]:
    """Return the NumPy function that computes `np.<name>`."""
    return _OWN[name] if name in _OWN else attrgetter(name)(onp)


def build_function(name: str) -> Callable[..., Any]:
    """Return `np.<name>`, computed by NumPy. Raises KeyError for a name that is not in NAMES."""
    if name not in NAMES:
        raise KeyError(name)
    numpys = numpys_of(name)
    if name in ("shares_memory", "may_share_memory"):
        return _on_memory(numpys)

    def function(*args: Any, out: Any = None, **kwargs: Any) -> Any:
        arrays: list[Any] = []
        given = [_on_host(name, x, arrays) for x in args]
        named = {key: _on_host(name, x, arrays) for key, x in kwargs.items()}
        ctx = arrays[0].context if arrays else current_context()
        with contextlib.nullcontext() if name in _OF_FUNCTIONS else named_errors(f"np.{name}"):
            result = numpys(*given, **named)
        if isinstance(numpys, onp.ufunc):           # for arrays without axes, NumPy's ufuncs return numbers
            result = tuple(map(onp.asarray, result)) if isinstance(result, tuple) else onp.asarray(result)
        return written_into(name, out, _from_host(name, result, ctx, arrays))

    function.__name__ = function.__qualname__ = name.rpartition(".")[2]
    sentence, example = TEXTS.get(name, (f"Return what NumPy's `{name}` computes.", ""))
    function.__doc__ = (f"{sentence}\n\nNumPy computes it on the host; results are on the device of the first array."
                        "\n\nargs, kwargs: those of NumPy.\nout: an array to write to.\n\n"
                        "Raises AutogradError for an array on the tape whose gradient would be lost.\n\n" + example)
    function.__module__ = "minigluon.numpy"
    return function


def _on_memory(numpys):
    """Return a NumPy function about the memory of two arrays."""
    def function(a: Any, b: Any, max_work: Any = None) -> bool:
        return bool(numpys(*[x.buffer if isinstance(x, NDArray) else x for x in (a, b)], max_work=max_work))
    function.__name__ = function.__qualname__ = numpys.__name__
    sentence, example = TEXTS[numpys.__name__]
    function.__doc__ = f"{sentence}\n\na, b: the arrays.\nmax_work: as for NumPy.\n\n{example}"
    function.__module__ = "minigluon.numpy"
    return function


def _on_host(name, x, arrays):
    if x.__class__ is ndarray:
        arrays.append(x)
        return x.asnumpy()
    if isinstance(x, (list, tuple)):
        return type(x)([_on_host(name, part, arrays) for part in x])
    if isinstance(x, NDArray):
        raise refuse_mixture(f"np.{name}", x)
    return x


def _from_host(name, value, ctx, arrays):
    """Return a NumPy result as programs receive it: arrays of `mx.np`, and Python integers and booleans."""
    if isinstance(value, (list, tuple)):
        kind = named_results(*value._fields)._make if hasattr(value, "_fields") else type(value)
        return kind([_from_host(name, part, ctx, arrays) for part in value])
    if isinstance(value, (onp.bool_, onp.integer)):
        return value.item()
    if not isinstance(value, (onp.ndarray, onp.floating)):
        return value
    if value.dtype.kind == "f" and tape.state.recording and any(tape.is_recorded(x) for x in arrays):
        raise AutogradError(f"np.{name} is computed by NumPy and has no gradient, but an argument is on the tape. Call "
                            "x.detach() first, or write it with functions that have one (docs/np.md).")
    return from_numpy(onp.asarray(value), ctx, name)


def from_numpy(value: onp.ndarray[Any, Any], ctx: Context | None, name: str = "array") -> Any:
    """Return an array of `mx.np` with the elements and the type of a numpy.ndarray.

    name: the function's name, for the message.

    Raises DTypeError for a type that arrays do not support.
    """
    try:
        as_dtype(value.dtype)
    except DTypeError as error:
        reason = str(error)
    else:
        return from_host(onp.array(value), ctx, ndarray)
    raise DTypeError(f"np.{name}: the result would have dtype {value.dtype}. {reason}")
