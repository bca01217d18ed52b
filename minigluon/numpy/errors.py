"""Conversion of Python and NumPy errors inside functions of `mx.np`, such as errors in arguments, to MXNetErrors."""

from __future__ import annotations

from typing import Any

from ..base import ArgumentError, CallError, MXNetError
from .array import refuse_mixture

__all__ = ["named_errors"]

_MOST = 300         # the maximum length of the call in a message
_OF_ARGUMENTS = (ArithmeticError, AttributeError, LookupError, MemoryError, TypeError, ValueError)


class named_errors:
    """Turns such an error into an MXNetError that contains the call and the reason: `with named_errors("np.roll"):`.

    A TypeError or ValueError remains one.
    """

    def __init__(self, call: str, given: Any = "") -> None:
        self._call, self._given = call, given

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if kind is None or issubclass(kind, MXNetError) or not issubclass(kind, _OF_ARGUMENTS):
            return
        found = getattr(error, "obj", None)     # of an AttributeError, such as a number without a shape
        if isinstance(found, (int, float, str, list, tuple)):
            raise refuse_mixture(self._call, found) from None
        given = str(self._given)
        shown = given if len(given) <= _MOST else given[:_MOST] + "..."
        named = CallError if issubclass(kind, (AttributeError, TypeError)) else \
            ArgumentError if issubclass(kind, (LookupError, ValueError)) else MXNetError
        reason = "there is not enough memory" if issubclass(kind, MemoryError) else kind.__name__
        raise named(f"{self._call}{shown}: {reason}: {error}") from error
