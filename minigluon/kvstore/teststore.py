"""TestStore: a minimal store, for tests of code that uses stores."""

from __future__ import annotations

from typing import Any

from .. import autograd
from ..base import ArgumentError
from ..ndarray import NDArray
from .base import KVStoreBase

__all__ = ["TestStore"]


@KVStoreBase.register
class TestStore(KVStoreBase):
    """`mx.kv.create("teststore")`: one process, sums in plain Python, no optimizer, and no stored values."""

    __test__ = False            # not a test, despite its name

    type = "teststore"
    rank = 0
    num_workers = 1

    def broadcast(self, key: Any, value: Any, out: Any, priority: int = 0) -> None:
        """Copy `value` to each array in `out`."""
        _write(value, out)

    def pushpull(self, key: Any, value: Any, out: Any = None, priority: int = 0) -> None:
        """Write the sum of `value`, an array or a list, to each array in `out`, or in `value` if `out` is None."""
        values = value if isinstance(value, (list, tuple)) else [value]
        with autograd.pause():
            total = values[0].copy()
            for x in values[1:]:
                total += x.as_in_context(total.context)
        _write(total, values if out is None else out)

    @staticmethod
    def is_capable(capability: str) -> bool:
        """Return False for 'optimizer'. Raises ArgumentError for an unknown capability."""
        if capability.lower() != KVStoreBase.OPTIMIZER:
            raise ArgumentError(f"TestStore: there is no capability {capability!r}, expected 'optimizer'")
        return False


def _write(value, out):
    with autograd.pause():
        for x in [out] if isinstance(out, NDArray) else out:
            x[:] = value.as_in_context(x.context)
