"""Operands for libraries that may read 16 bytes at a time: copies of arrays that begin elsewhere. And their workspaces,
which begin at multiples of 256, in memory that is so much larger.

Memory of the pools and of plans begins at multiples of 64; a part of an array, x[1:], may begin at any element.
"""

import ctypes

from . import driver

__all__ = ["AlignedCopies", "room", "split_workspace"]

BYTES = 16
WORKSPACE_BYTES = 256


def room(size):
    """Bytes of memory in which a workspace of so many bytes has its place; 0 for none."""
    return size + WORKSPACE_BYTES - 1 if size else 0


def split_workspace(pointers, size):
    """(addresses of operands, that of the workspace), from those of the operands and, if size is not 0, of its room."""
    if not size:
        return list(pointers), None
    *operands, memory = pointers
    return operands, -(-memory // WORKSPACE_BYTES) * WORKSPACE_BYTES


class AlignedCopies:
    """Runs a call with operands of these Specs as the library wants them. The last of them is the result.

    A copy's memory is kept for the next run, so that nothing is allocated while a graph is captured: a plan has run
    with the same buffers before. Who runs holds a lock: one call at a time uses the copies.
    """

    def __init__(self, device, specs):
        self._device, self._specs, self._copies = device, specs, {}

    def run(self, stream, pointers, call):
        """call(addresses), and what `call` returns."""
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
