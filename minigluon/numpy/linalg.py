"""`np.linalg`: linear algebra. All of them have gradients except `cond`, `eig`, `eigvals`, `lstsq` and `matrix_rank`,
which NumPy computes on the host.
"""

import sys
from typing import Any

from . import namespace

__all__ = namespace.names("linalg.")


def __getattr__(name: str) -> Any:
    """Return a function. Raises AttributeError for an unknown name."""
    if name == "fallback_linalg":               # a submodule in MXNet, whose names are all here
        return sys.modules[__name__]
    if name not in __all__:
        raise AttributeError(f"np.linalg has no function {name!r}. It has {', '.join(__all__)}.")
    function = globals()[name] = namespace.lookup(f"linalg.{name}")
    return function


def __dir__() -> list[str]:
    return sorted(__all__)
