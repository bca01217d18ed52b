"""Indices out of range that kernels meet: written down by the device, raised where the host waits for it.

A kernel cannot raise an error. A host that asked for one behind each kernel would stand still as often, and what it
asks cannot be part of a CUDA graph. So a kernel writes the first index out of range to a few words of pinned memory,
which it can write to and the host can read, and the host looks at them when it waits for the device anyway.
"""

import ctypes
import threading

from minigluon.base import OutOfRangeError

__all__ = ["OutOfRangeIndices"]

WORDS = 4               # of struct Outside in array/indexing.cu: check, index, axis, length


class OutOfRangeIndices:
    """What the kernels of one device have met. address: of pinned memory of BYTES bytes, which stays for good."""

    BYTES = 8 * WORDS

    def __init__(self, address):
        self.address = address
        self._words = (ctypes.c_int64 * WORDS).from_address(address)
        self._words[0] = 0
        self._numbers = {}              # (operator's name, whether the message names the axis) -> its number, from 1 on
        self._lock = threading.Lock()

    def number(self, name, names_axis):
        """The number by which kernels tell that they look at the indices of this operator."""
        with self._lock:
            return self._numbers.setdefault((name, names_axis), len(self._numbers) + 1)

    def raise_first(self):
        """Raise OutOfRangeError for the first index that was met since the last call. All work must have ended."""
        if self._words[0]:
            self._raise_first()

    def _raise_first(self):
        with self._lock:
            number, index, axis, length = self._words
            if not number:
                return                  # another thread has raised it since
            self._words[0] = 0          # room for the next one
            name, names_axis = list(self._numbers)[number - 1]
        raise OutOfRangeError(
            f"{name}: index {index} is out of range for axis {axis}, which has length {length}." if names_axis
            else f"{name}: index {index} is out of range; indices must be at least 0 and less than {length}.")
