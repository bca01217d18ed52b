"""Indices out of range in kernels: the device records them, and the host raises the error when it waits for the device.

A kernel cannot raise an error. If the host checked after each kernel, it would stall each time, and the check could not
be part of a CUDA graph. So a kernel writes the first index out of range to a few words of pinned memory, and the host
reads these words when it waits for the device anyway.
"""

import ctypes
import threading

from minigluon.base import OutOfRangeError

__all__ = ["OutOfRangeIndices"]

WORDS = 4               # the number of words in struct Outside in array/indexing.cu: check, index, axis, length


class OutOfRangeIndices:
    """Indices out of range found by one device's kernels.

    address: the address of BYTES bytes of permanent pinned memory.
    """

    BYTES = 8 * WORDS

    def __init__(self, address):
        self.address = address
        self._words = (ctypes.c_int64 * WORDS).from_address(address)
        self._words[0] = 0
        self._numbers = {}              # (operator's name, whether messages name the axis) -> its id, starting from 1
        self._lock = threading.Lock()

    def number(self, name, names_axis):
        """Returns the id with which kernels report on this operator's indices."""
        with self._lock:
            return self._numbers.setdefault((name, names_axis), len(self._numbers) + 1)

    def raise_first(self):
        """Raises OutOfRangeError for the first index recorded since the last call. All work must have ended."""
        if self._words[0]:
            self._raise_first()

    def _raise_first(self):
        with self._lock:
            number, index, axis, length = self._words
            if not number:
                return                  # another thread has raised the error in the meantime
            self._words[0] = 0          # space for the next index
            name, names_axis = list(self._numbers)[number - 1]
        raise OutOfRangeError(
            f"{name}: index {index} is out of range for axis {axis}, which has length {length}." if names_axis
            else f"{name}: index {index} is out of range; indices must be at least 0 and less than {length}.")
