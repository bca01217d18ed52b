"""`np.linalg`: linear algebra. `norm`, `det`, `slogdet`, `inv`, `cholesky`, `solve`, `eigh` and `eigvalsh` have
gradients; NumPy computes the others on the host.
"""

from typing import Any

from . import namespace

__all__ = namespace.names("linalg.")


def __getattr__(name: str) -> Any:
    """Return a function. Raises AttributeError for an unknown name."""
    if name not in __all__:
        raise AttributeError(f"np.linalg has no function {name!r}. It has {', '.join(__all__)}.")
    function = globals()[name] = namespace.lookup(f"linalg.{name}")
    return function


def __dir__() -> list[str]:
    return sorted(__all__)
