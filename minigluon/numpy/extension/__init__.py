"""`mx.npx`: what programs need in addition to `mx.np`: the switch `set_np`, layer operators, files, devices."""

from __future__ import annotations

from typing import Any

import numpy as onp

from ...base import ArgumentError, nearest
from ...common.array_semantics import is_np_array
from ...common.shape_scopes import np_shape
from ...common.shape_semantics import is_np_shape
from ...context import Context, cpu, cpu_pinned, current_context, gpu, gpu_memory_info, num_gpus
from ...ndarray.array_functions import waitall
from ...util import reset_np, set_np, use_np
from ..array import ndarray, refuse_mixture
from ..fallback import from_numpy
from ..unsupported import refuse
from . import image, operators, random
from .reshape import reshape
from .saving import load, save

__all__ = ["Context", "constraint_check", "cpu", "cpu_pinned", "current_context", "gpu", "gpu_memory_info", "image",
           "is_np_array", "is_np_shape", "load", "nonzero", "np_shape", "num_gpus", "random", "reset_np", "reshape",
           "save", "seed", "set_np", "use_np", "waitall", *operators.OPERATORS]

seed = random.seed


def nonzero(a: Any) -> Any:
    """Return the indices of the elements that are not 0, as int64: each row of the result is the index of one element.

    a: an array of `mx.np`.

    >>> npx.nonzero(np.array([[0, 5], [7, 0]]))
    array([[0, 1],
           [1, 0]], dtype=int64)
    """
    if a.__class__ is not ndarray:
        raise refuse_mixture("npx.nonzero", a)
    return from_numpy(onp.argwhere(a.asnumpy()), a.ctx)


def constraint_check(x: Any, msg: str = "Constraint violated.") -> Any:
    """Return a true array without axes if all elements are true. Raises ArgumentError, a ValueError, otherwise.

    x: an array of booleans, of `mx.np`.
    msg: the message.

    >>> npx.constraint_check(np.array([1, 2]) > 0)
    array(True)
    """
    if x.__class__ is not ndarray:
        raise refuse_mixture("npx.constraint_check", x)
    result = x.astype("bool").all()
    if not result:
        raise ArgumentError(msg)
    return result


def __getattr__(name: str) -> Any:
    """Return an operator, created when it is first accessed. Raises AttributeError for an unknown name."""
    if name not in operators.OPERATORS:
        refuse("npx", name)
        raise AttributeError(f"mx.npx has no attribute {name!r}." + nearest(name, __all__))
    function = globals()[name] = operators.build_function(name)
    return function


def __dir__() -> list[str]:
    return sorted(__all__)
