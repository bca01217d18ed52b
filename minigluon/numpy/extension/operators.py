"""The operators of `mx.npx`: those of `nd` that NumPy does not have, under MXNet's names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...ndarray import register
from ...ndarray.ndarray import NDArray
from ...ops import REGISTRY
from ..array import ndarray, refuse_mixture, run_operator
from ..function_texts.layers import EXAMPLES
from ..npx_operators import OPERATORS

__all__ = ["OPERATORS", "build_function"]


def build_function(name: str) -> Callable[..., Any]:
    """Return `npx.<name>`. Raises KeyError for an unknown name."""
    cls = REGISTRY[OPERATORS[name]]
    compute = register.make_function(cls, name)
    memo: dict[Any, Any] = {}       # (number of arrays, the attributes as passed) -> operator, as in `register.call`

    def function(*args: Any, out: Any = None, **kwargs: Any) -> Any:
        count = 0
        for x in args:
            if x.__class__ is not ndarray:
                break
            count += 1
        if count and out is None:
            try:
                op = memo.get((count, *kwargs, *kwargs.values()) if count == len(args) else
                              (count, args[count:], *kwargs, *kwargs.values()))
            except TypeError:           # an attribute is a list
                op = None
            if not op:
                return args[0]._calls(register.call, cls, memo, args, kwargs, out)
            return run_operator(op, args[:count])
        for x in (*args, *kwargs.values()):
            if isinstance(x, NDArray) and x.__class__ is not ndarray:
                raise refuse_mixture(f"npx.{name}", x)
        return compute(*args, out=out, **kwargs)

    function.__name__ = function.__qualname__ = name
    text = (compute.__doc__ or "").partition("\n\n>>> ")[0]        # without the example, which uses NDArrays
    function.__doc__ = f"{text}\n\n{EXAMPLES[name]}"
    function.__signature__ = compute.__signature__
    function.__module__ = "minigluon.numpy.extension"
    return function
