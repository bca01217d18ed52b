"""A pool for the emulator's hard mode: as on a GPU, released memory is reused immediately for the next array.

The emulator is notified of allocations and releases in stream order, so that it detects work on released memory. Blocks
have exactly the requested sizes, so that the emulator detects accesses beyond them.
"""

import ctypes

from .pool import Pool

__all__ = ["HardPool"]


class HardPool(Pool):
    """api: the emulated driver. device: the owner of the stream."""

    def __init__(self, allocate, free, device, api):
        super().__init__(allocate, free, device)
        self._gives_back, self._takes = api.emulator_gives_back, api.emulator_takes
        self._stream = ctypes.c_void_p(device.stream_handle)

    def size(self, count):
        return count

    def allocate(self, count):
        allocation = super().allocate(count)
        if allocation is not None:
            self._takes(ctypes.c_uint64(allocation.address), self._stream)
        return allocation

    def take_back(self, address, size):
        if not self._life.over:
            self._gives_back(ctypes.c_uint64(address), self._stream)
        super().take_back(address, size)
