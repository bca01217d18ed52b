"""Memory that is out, in words: an MXNetError where NumPy and Python raise MemoryError."""

from contextlib import ContextDecorator
from typing import Any

from ..base import MXNetError

__all__ = ["enough_memory"]


class enough_memory(ContextDecorator):
    """`@enough_memory("nd.save")`, or `with enough_memory("nd.save"):` a MemoryError inside becomes an MXNetError."""

    def __init__(self, what: str):
        self.what = what

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if kind is not None and issubclass(kind, MemoryError):
            text = f": {error}" if str(error) else ""
            raise MXNetError(f"{self.what}: there is not enough memory{text}") from None
