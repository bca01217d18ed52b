"""Initial values of parameters, which are either given or set by an initializer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ... import autograd
from ... import ndarray as nd
from ...base import ArgumentError, MXNetError, listed, nearest
from ...context import cpu
from ...initializer import InitDesc

if TYPE_CHECKING:
    from ...initializer import One, Uniform
    from ...ndarray import NDArray

__all__ = ["fill_params", "zeros_on_cpu"]


def zeros_on_cpu(names: Sequence[str], copies: Sequence[Any]) -> dict[str, NDArray]:
    """Return {name: NDArray of zeros} with the shapes and dtypes of arrays; `copies` contains a list of arrays for each
    name."""
    return {name: nd.zeros(arrays[0].shape, dtype=arrays[0].dtype, ctx=cpu())
            for name, arrays in zip(names, copies, strict=True)}


def fill_params(params: dict[str, Any], values: Any, allow_missing: bool, init: One | Uniform,
                attributes: dict[Any, Any]) -> None:
    """Set each of `params`, {name: NDArray}, to its value in `values`, or use the initializer.

    values: {name: NDArray}, or None.
    init: an Initializer, or None to keep the existing values.
    attributes: {name: dict of the variable's attributes}, for the initializer.

    Raises ArgumentError for a given array with a wrong shape, and MXNetError for a name that is missing from `values`
    without allow_missing.
    """
    with autograd.pause():
        for name, x in sorted(params.items()):
            if values is not None and name in values:
                _copy(name, values[name], x)
            elif values is not None and not allow_missing:
                raise MXNetError(f"init_params: there is no value for {name!r} among the given "
                                 f"{listed(values, none='none')}.{nearest(name, values)} Pass allow_missing=True to "
                                 "initialize it.")
            elif init is not None:
                init(InitDesc(name, attributes.get(name)), x)


def _copy(name, value, x):
    if value is x:
        return
    if value.shape != x.shape:
        raise ArgumentError(f"init_params: {name!r} was bound with shape {x.shape}, but the given array has shape "
                            f"{value.shape}")
    x[:] = value.as_in_context(x.context)
