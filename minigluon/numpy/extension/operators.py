"""The operators of `mx.npx`: those of `nd` that NumPy does not have, under MXNet's names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...ndarray.ndarray import NDArray
from ...ndarray.register import make_function
from ...ops import REGISTRY
from ..array import ndarray, refuse_mixture
from ..npx_operators import OPERATORS

__all__ = ["OPERATORS", "make"]


def make(name: str) -> Callable[..., Any]:
    """Return `npx.<name>`. Raises KeyError for an unknown name."""
    cls = REGISTRY[OPERATORS[name]]
    compute = make_function(cls, name)

    def function(*args: Any, **kwargs: Any) -> Any:
        for x in (*args, *kwargs.values()):
            if isinstance(x, NDArray) and x.__class__ is not ndarray:
                raise refuse_mixture(f"npx.{name}", x)
        return compute(*args, **kwargs)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = compute.__doc__
    function.__signature__ = compute.__signature__
    function.__module__ = "minigluon.numpy.extension"
    return function
