"""Alignment for libraries that may read 16 bytes at a time: operands at unaligned addresses are copied.

Workspaces are aligned to multiples of 256 bytes, in memory that is correspondingly larger. Memory from pools and plans
begins at multiples of 64 bytes; a slice such as x[1:] may begin at any element.
"""

import ctypes

from . import driver

__all__ = ["AlignedCopies", "room", "split_workspace"]

BYTES = 16
WORKSPACE_BYTES = 256


def room(size):
    """Returns the number of bytes of memory that an aligned workspace of `size` bytes needs; 0 if there is no
    workspace."""
    return size + WORKSPACE_BYTES - 1 if size else 0


def split_workspace(pointers, size):
    """Returns (the operands' addresses, the workspace's aligned address); the latter is None if size is 0."""
    if not size:
        return list(pointers), None
    *operands, memory = pointers
    return operands, -(-memory // WORKSPACE_BYTES) * WORKSPACE_BYTES


class AlignedCopies:
    """Runs a call on operands of these Specs, aligned as the library requires. The last operand is the result.

    The memory of copies is kept for the next run, so that nothing is allocated during graph capture, because the plan
    has already run with the same buffers. A lock ensures that only one call at a time uses the copies.
    """

    def __init__(self, device, specs):
        self._device, self._specs, self._copies = device, specs, {}

    def run(self, stream, pointers, call):
        """Calls call(addresses) and returns its result."""
        result = len(self._specs) - 1
        moved = [place for place, pointer in enumerate(pointers) if pointer % BYTES]
        if not moved:
            return call(pointers)
        addresses = list(pointers)
        for place in moved:
            addresses[place] = self._copy(place).pointer
            if place != result:
                self._transfer(addresses[place], pointers[place], place, stream)
        status = call(addresses)
        for place in moved:
            if place == result:
                self._transfer(pointers[place], addresses[place], place, stream)
        return status

    def _copy(self, place):
        if place not in self._copies:
            self._copies[place] = self._device.memory.empty(*self._specs[place])
        return self._copies[place]

    def _transfer(self, to, source, place, stream):
        status = driver.api().cuMemcpyDtoDAsync_v2(*map(ctypes.c_uint64, (to, source)),
                                                   ctypes.c_size_t(self._copies[place].nbytes), ctypes.c_void_p(stream))
        driver.check(status, self._device, "a copy for a library")
