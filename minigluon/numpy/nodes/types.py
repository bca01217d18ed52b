"""The element types of the results of functions in a graph, determined by those of the inputs.

The rows determine them when they are expanded; a test compares this table with the rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as onp

from ...common.dtypes import as_dtype
from ..promotion import DEFAULT, Float, result_type
from .attribute_text import names_in

__all__ = ["types_of"]

_BOOL = names_in("""
    equal not_equal greater greater_equal less less_equal logical_and logical_or logical_xor logical_not isnan
    isinf isfinite isposinf isneginf all alltrue any sometrue isclose isin in1d allclose array_equal array_equiv
    signbit may_share_memory shares_memory _npx_constraint_check""")
_INT64 = names_in("""
    argmax argmin argsort argpartition argwhere count_nonzero diag_indices_from
    digitize flatnonzero lexsort nanargmax nanargmin
    nonzero ravel_multi_index searchsorted tril_indices_from triu_indices_from _npx_nonzero ndim
    size shape histogram""")
_FLOAT = names_in("""
    divide true_divide hypot copysign ldexp logaddexp arctan2 mean average linalg.det linalg.slogdet linalg.inv
    linalg.cholesky linalg.solve linalg.eigh linalg.eigvalsh linalg.eig linalg.eigvals linalg.svd linalg.pinv
    linalg.svdvals linalg.matrix_norm linalg.vector_norm
    linalg.qr linalg.lstsq linalg.cond linalg.tensorinv linalg.tensorsolve float_power i0 interp
    median nanmean nanmedian nanpercentile nanquantile nanstd nanvar percentile quantile heaviside
    histogram_bin_edges spacing trapz unwrap gradient""")
_FLOAT64 = names_in("""
    corrcoef cov""")
_COUNTED = names_in("""
    sum prod product cumsum cumprod trace linalg.trace nansum nanprod nancumsum nancumprod""")     # booleans count
_NUMBERS = names_in("""
    negative abs absolute fabs sign""")
_DRAWN = names_in("""
    _randint _choice _choice_of _multinomial""")
# Inputs that do not affect the type: indices, conditions, bounds.
_ASIDE = {"take": (1,), "where": (0,), "clip": (1, 2), "_index": (1, 2, 3, 4), "take_along_axis": (1,),
          "compress": (0,), "extract": (0,), "choose": (0,), "percentile": (1,), "quantile": (1,), "searchsorted": (0,),
          "bincount": (0,)}
_OPERANDS = names_in("""
    add subtract multiply mod remainder power maximum minimum floor_divide lcm gcd bitwise_and bitwise_or
    bitwise_xor fmod fmax fmin clip""")
_UNARY = names_in("""
    arccos arccosh arcsin arcsinh arctan arctanh cbrt ceil cos cosh degrees exp expm1 fix floor log log10 log1p
    log2 radians reciprocal sin sinh sqrt square tan tanh trunc deg2rad rad2deg""")


def types_of(function: str, given: Mapping[str, Any], dtypes: Sequence[Any], count: int) -> list[Any]:
    """Return the types of the results, with None for unknown types.

    function: the function's name in the table.
    given: the arguments, with placeholders for inputs.
    dtypes: the types of the inputs, None if unknown.
    count: the number of results.
    """
    if function in ("unique", "histogram", "frexp"):
        return _of_parts(function, given, dtypes, count)
    if function == "broadcast_arrays" or function.startswith("atleast_") or function == "meshgrid":
        return list(dtypes)
    return [_type_of(function, given, dtypes)] * count


def _of_parts(function, given, dtypes, count):
    int64, edges = onp.dtype("int64"), DEFAULT
    if function == "histogram":
        return [int64, None if dtypes[0] is None else dtypes[0] if dtypes[0].kind == "f" else edges]
    return [dtypes[0], onp.dtype("int32")] if function == "frexp" else [dtypes[0], *[int64] * (count - 1)]


def _type_of(function, given, dtypes):
    if function in _BOOL:
        return onp.dtype("bool")
    chosen = given.get("dtype")
    if chosen is not None and not isinstance(chosen, tuple):
        return as_dtype(chosen)
    if function in _INT64 or function in _FLOAT64:
        return onp.dtype("int64" if function in _INT64 else "float64")
    if not dtypes or function in _DRAWN:
        return onp.dtype("int64") if function in _DRAWN else onp.dtype("int32") if function == "_indices" else DEFAULT
    deciding = [x for i, x in enumerate(dtypes) if i not in _ASIDE.get(function, ())] or list(dtypes[:1])
    if any(x is None for x in deciding):
        return None
    common = result_type(*deciding)
    if function.startswith("_") and function in DRAWS:
        return DEFAULT
    if function in _FLOAT:
        return common if common.kind == "f" else DEFAULT
    if common.kind != "f" and any(isinstance(x, Float) for x in given.values()):
        return onp.dtype("float64")
    return _of_booleans(function, given, common) if common.kind == "b" else common


DRAWS = names_in("""
    _uniform _normal _uniform_n _normal_n _gamma _exponential _gumbel _logistic _pareto _powerd _rayleigh
    _weibull _bernoulli _multivariate_normal _laplace""")


def _of_booleans(function, given, common):
    """Return the type to which booleans are converted."""
    is_with_number = function in _OPERANDS and any(isinstance(x, (int, float)) for x in given.values())
    if function in _COUNTED or function in _NUMBERS or is_with_number:
        return onp.dtype("int64")
    if function in _UNARY or function in ("var", "std", "linalg.norm"):
        return DEFAULT
    return common
