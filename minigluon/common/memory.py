"""The error raised when memory runs out: an MXNetError instead of NumPy's and Python's MemoryError."""

import functools
from collections.abc import Callable
from typing import Any

from ..base import MXNetError

__all__ = ["enough_memory"]


class enough_memory:
    """Turns a MemoryError into an MXNetError: `@enough_memory("nd.save")`, or `with enough_memory("nd.save"):`.

    It is not a `contextlib.ContextDecorator`, because its frames would come between a program and its warnings.
    """

    def __init__(self, what: str):
        self.what = what

    def __call__(self, function: Callable[..., Any]) -> Any:
        @functools.wraps(function)
        def guarded(*args: Any, **kwargs: Any) -> Any:
            with self:
                return function(*args, **kwargs)
        return guarded

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if kind is not None and issubclass(kind, MemoryError):
            text = f": {error}" if str(error) else ""
            raise MXNetError(f"{self.what}: there is not enough memory{text}") from None
