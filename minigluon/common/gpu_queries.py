"""The number of GPUs and their memory, as reported by functions that installed backends register."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..base import ContextError

__all__ = ["cache_emptiers", "device_waiters", "gpu_counters", "gpu_memory_info", "gpu_memory_readers", "num_gpus"]

# Backends append to these lists. A backend with a memory pool adds a function that takes a context. A backend for GPUs
# adds functions that count its devices, return the (free, total) bytes of a device, and wait for all work.
cache_emptiers: list[Callable[[Any], object]] = []
gpu_counters: list[Callable[[], int]] = []
gpu_memory_readers: list[Callable[[int], tuple[int, int] | None]] = []
device_waiters: list[Callable[[], object]] = []


def num_gpus() -> int:
    """Return the number of GPUs that the installed backends serve.

    >>> mx.num_gpus() >= 0
    True
    """
    return sum(count() for count in gpu_counters)


def gpu_memory_info(device_id: int = 0) -> tuple[int, int]:
    """Return (free, total) bytes of a GPU's memory. Raises ContextError if there is no such GPU.

    device_id: the device's number.

    >>> try:
    ...     free, total = mx.context.gpu_memory_info(99)
    ... except mx.base.ContextError:
    ...     print("there is no such GPU")
    there is no such GPU
    """
    for read in gpu_memory_readers:         # the first function loads the backends, which append their functions
        memory = read(device_id)
        if memory is not None:
            return memory
    raise ContextError(f"gpu({device_id}): its backend cannot report its memory")
