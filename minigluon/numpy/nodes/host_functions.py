"""Functions that NumPy computes on the host, in graphs; such a node runs separately, between parts of the graph."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any

import numpy as onp

from ...base import MXNetError
from ...context import current_context
from .. import fallback
from ..array import ndarray
from ..extension import constraint_check, nonzero
from ..namespace import lookup
from .attribute_text import names_in
from .placeholder import filled

__all__ = ["DYNAMIC", "NAMES", "computed", "shapes_of", "signature_of"]

# Signatures in MXNet that differ from NumPy's, or that NumPy's functions do not provide.
_SIGNATURES = {
    "unravel_index": "indices shape order='C'", "bincount": "x weights=None minlength=0",
    "in1d": "ar1 ar2 assume_unique=False invert=False", "trapz": "y x=None dx=1.0 axis=-1", "msort": "a",
    "unique": "ar return_index=False return_inverse=False return_counts=False axis=None",
    "digitize": "x bins right=False",
    "may_share_memory": "a b max_work=None", "shares_memory": "a b max_work=None", "packbits": "a axis=None",
    "unpackbits": "a axis=None count=None", "searchsorted": "a v side='left' sorter=None", "lexsort": "keys axis=-1",
    "correlate": "a v mode='valid'"}
_OF_NPX = {"_npx_nonzero": nonzero, "_npx_constraint_check": constraint_check}
# The shapes of these results depend on values.
DYNAMIC = names_in("""
    unique flatnonzero argwhere compress extract trim_zeros union1d intersect1d setdiff1d setxor1d bincount
    _npx_nonzero roots""")
# These functions return something other than arrays, return one result per axis, or take functions.
_LEFT_OUT = names_in("""
    genfromtxt apply_along_axis apply_over_axes piecewise select promote_types result_type min_scalar_type shape
    size ndim ix_ tril_indices triu_indices nonzero fromfunction histogramdd histogram2d
    gradient triu_indices_from tril_indices_from linalg.multi_dot""")
NAMES = frozenset({*fallback.NAMES, *_OF_NPX} - _LEFT_OUT)


@functools.lru_cache(None)
def signature_of(name: str) -> inspect.Signature:
    """Return the signature of a function, in which every parameter may be passed by name."""
    text = _SIGNATURES.get(name)
    numpys = None if text is not None else _OF_NPX.get(name) or attrgetter(name)(onp)
    if isinstance(numpys, onp.ufunc):
        text = "x1 x2" if numpys.nin == 2 else "x"
    if text is None:
        parameters = inspect.signature(numpys).parameters.values()
        return inspect.Signature([p.replace(kind=p.POSITIONAL_OR_KEYWORD) for p in parameters
                                  if p.kind is not p.KEYWORD_ONLY and p.name != "out"])
    return inspect.Signature([_parameter(part) for part in text.split()])


def _parameter(text):
    name, equals, default = text.partition("=")
    value = {"None": None, "True": True, "False": False}.get(default, default.strip("'"))
    if default[:1].isdigit() or default[:1] == "-":
        value = float(default) if "." in default or "e" in default else int(default)
    return inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD,
                             default=value if equals else inspect.Parameter.empty)


def computed(name: str, given: Mapping[str, Any], count: int) -> list[Any]:
    """Return the results of a function as NDArrays.

    given: the arguments by name, with NDArrays as inputs.
    count: the number of results.

    Raises MXNetError if the function returns a different number of results.
    """
    args, named = _arguments(name, {key: _with_views(value) for key, value in given.items()})
    found = (_OF_NPX.get(name) or lookup(name))(*args, **named)
    results = _results(found, count)
    if len(results) != count:
        raise MXNetError(f"np.{name} has {len(results)} results, expected {count} in a graph")
    return [_plain(x) for x in results]


def _results(found, count):
    """Return the results as a list.

    Results that form a single array in MXNet, such as those of `unravel_index`, are stacked.
    """
    if not isinstance(found, (list, tuple)):
        return [found]
    if count > 1 or len(found) == 1:
        return list(found)
    return [onp.stack([x.asnumpy() if isinstance(x, ndarray) else x for x in found])]


def _arguments(name, given):
    """Return positional and named arguments, because NumPy does not accept all of them by name."""
    given = dict(given)
    args = []
    for parameter in signature_of(name).parameters:
        if parameter not in given:
            break
        args.append(given.pop(parameter))
    return args, given


def _with_views(value):
    if isinstance(value, tuple):
        return [_with_views(x) for x in value]
    return value.as_np_ndarray() if hasattr(value, "as_np_ndarray") else value


def _plain(x):
    if x.__class__ is not ndarray:
        x = fallback.from_numpy(onp.asarray(x), current_context())
    return x.as_nd_ndarray()


def shapes_of(name: str, given: Mapping[str, Any], shapes: Sequence[Any], count: int) -> list[Any]:
    """Return the shapes of the results, with None for shapes that depend on values. NumPy computes them from samples.

    given: the arguments by name, with placeholders for inputs.
    shapes: the shapes of the inputs.
    count: the number of results.
    """
    if name in DYNAMIC:
        return [None if given.get("axis") is not None or "argwhere" in name or "nonzero" in name else (None,)] * count
    if name == "_npx_constraint_check":
        return [()]
    reason: Exception | None = None
    for make in (_floats, _integers):
        inputs = [make(i, shape) for i, shape in enumerate(shapes)]
        args, named = _arguments(name, {key: _on_host(filled(value, inputs)) for key, value in given.items()})
        try:
            found = fallback.numpys_of(name)(*args, **named)
        except TypeError as error:
            reason = error
            continue
        return [onp.shape(x) for x in _results(found, count)]
    raise MXNetError(f"np.{name}: {reason}")


def _on_host(value):
    return [_on_host(x) for x in value] if isinstance(value, tuple) else value


def _floats(seed, shape):
    return onp.random.default_rng(seed).uniform(0.1, 0.9, shape).astype("float32")


def _integers(seed, shape):
    return onp.random.default_rng(seed).integers(0, 2, shape)
