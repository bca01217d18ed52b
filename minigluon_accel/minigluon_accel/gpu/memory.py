"""Device memory, and copies to and from it.

Memory is kept for later arrays, because a request to the driver takes longer than a small kernel, and waits for all
work. Because all work is on one stream, free memory may be reused immediately, even if the work that used it has not
finished. On the emulated device, nothing is kept, so that the device can detect use after free; in its hard mode,
everything is kept, because the device is notified of releases.
"""

import ctypes
import os
from collections import deque

import numpy as np

from minigluon.base import MXNetError

from . import driver
from .buffer import Buffer
from .hard_pool import HardPool
from .out_of_range import OutOfRangeIndices
from .pool import Pool

__all__ = ["Memory", "OutOfMemory"]

MAX_PINNED = 2 ** 26    # in bytes; a larger array is copied directly from its own memory, and the copy is awaited
KEPT_PINNED = 2 ** 28   # bytes of pinned memory kept for later copies; other programs on the host cannot use it


class _Numbers:
    """An array at an address, with the interface of `np.asarray`. (ctypes would create a new type for each size.)"""

    def __init__(self, address, shape, dtype):
        self.__array_interface__ = {"data": (address, False), "shape": shape, "typestr": dtype.str, "version": 3}


class OutOfMemory(MXNetError):
    """The error raised if the device has no memory for an array. Nothing is lost."""


class Memory:
    """The memory of a device's arrays."""

    def __init__(self, device):
        self._device, self._cuda, self._api = device, driver.loaded(), driver.api()
        if driver.emulated() and os.environ.get("MINIGLUON_GPU_CHECK") == "hard":
            self._pool = HardPool(self._allocate, self._free, device, self._api)
        else:
            self._pool = Pool(self._allocate, self._free, device, keeps=not driver.emulated())
        self._pinned = Pool(self._allocate_pinned, self._free_pinned, device, most=KEPT_PINNED)
        self._uploads = deque()         # (event, pinned memory) of copies that the device may still be reading
        self.outside = OutOfRangeIndices(self._allocate_pinned(OutOfRangeIndices.BYTES))

    def empty(self, shape, dtype):
        """Returns a Buffer with undefined elements. Raises MXNetError if there is not enough memory."""
        count = dtype.itemsize
        for n in shape:
            count *= n
        if count == 0:
            return Buffer(0, shape, dtype, None, self._device)
        self._device.activate()
        owner = self._pool.allocate(count)
        if owner is None:
            raise self._exhausted(count, shape, dtype)
        return Buffer(owner.address, shape, dtype, owner, self._device)

    def upload(self, array, buffer):
        """Copies a NumPy array's elements to a contiguous buffer of its dtype and size. Does not wait."""
        self.send(array, buffer.pointer)

    def send(self, array, address):
        """Copies a NumPy array's elements to device memory at an address, after all previous work.

        Does not wait, and the array may change as soon as this call returns: the device reads a copy in pinned memory.
        From other memory, the driver would copy at an unknown time, or wait.
        """
        if array.size == 0:
            return
        self._device.activate()
        with driver.error_translation(self._device, "a copy to the device"):
            if array.nbytes > MAX_PINNED:
                source = np.ascontiguousarray(array)
                self._cuda.memcpy_htod_async(address, source, self._device.stream)
                self._device.stream.synchronize()
                return
            pinned = self._pinned_for(array)
            source = np.asarray(_Numbers(pinned.address, array.shape, array.dtype))
            source[...] = array
            self._cuda.memcpy_htod_async(address, source, self._device.stream)
            event = self._cuda.Event(self._cuda.event_flags.DISABLE_TIMING)
            event.record(self._device.stream)
            self._uploads.append((event, pinned))

    def fill(self, buffer, number):
        """Writes a NumPy scalar of the buffer's dtype to all its elements. Neither waits nor copies.

        Returns False, and writes nothing, for an 8-byte number whose halves differ: the driver repeats at most 4 bytes.
        """
        word = np.frombuffer(number.tobytes(), f"u{min(buffer.dtype.itemsize, 4)}")
        if not (word == word[0]).all():
            return False
        if buffer.size:
            self._device.activate()
            bits = 8 * word.itemsize
            # the driver's own function, because PyCUDA's takes a 32-bit count
            status = getattr(self._api, f"cuMemsetD{bits}Async")(
                ctypes.c_uint64(buffer.pointer), getattr(ctypes, f"c_uint{bits}")(int(word[0])),
                ctypes.c_size_t(buffer.size * word.size), ctypes.c_void_p(self._device.stream_handle))
            driver.check(status, self._device, "filling an array with a number")
        return True

    def _pinned_for(self, array):
        """Returns an Allocation of pinned memory for an array.

        If none is free, waits for memory that copies in progress use.
        """
        self._forget_uploads()
        pinned = self._pinned.allocate(array.nbytes)
        if pinned is None and self._uploads:
            self._device.stream.synchronize()
            self._forget_uploads()
            pinned = self._pinned.allocate(array.nbytes)
        if pinned is None:
            raise MXNetError(f"{self._device}: there is no pinned memory of {array.nbytes} bytes for a copy to the "
                             "device. The host's memory is full: copy smaller arrays, or release some.")
        return pinned

    def download(self, buffer):
        """Returns a new NumPy array with the elements of a contiguous buffer. Waits for all previous work.

        Raises OutOfRangeError if a kernel has found an index out of range since the last wait.
        """
        array = np.empty(buffer.shape, buffer.dtype)
        if array.size:
            self._device.activate()
            with driver.error_translation(self._device, "the work before a copy from the device, or that copy,"):
                self._cuda.memcpy_dtoh_async(array, buffer.pointer, self._device.stream)
                self._device.stream.synchronize()
            self.outside.raise_first()
        return array

    def settle(self):
        """Updates the records after all work has ended. Raises OutOfRangeError for an index that a kernel found."""
        self._forget_uploads()
        self.outside.raise_first()

    def info(self):
        """Returns the device's (free, total) bytes; memory kept for later arrays counts as used."""
        self._device.activate()
        return self._cuda.mem_get_info()

    def release(self):
        """Returns the memory kept for later arrays to the driver."""
        self._device.synchronize()
        self._pinned.release()
        self._pool.release()

    def pinned(self):
        """Returns (bytes of pinned memory used by copies in progress, bytes kept for later copies)."""
        self._device.activate()
        self._forget_uploads()
        return self._pinned.held()

    def close(self):
        """Releases PyCUDA's events while a context still exists."""
        self._uploads.clear()

    def held(self):
        """Returns (bytes of arrays, bytes kept for later arrays)."""
        return self._pool.held()

    def _forget_uploads(self):
        """Releases the pinned memory of completed copies."""
        # Pop first, then query: between an inspection and a `popleft`, another thread might pop the entry.
        while self._uploads:
            try:
                upload = self._uploads.popleft()
            except IndexError:
                return              # another thread has popped the last entry in the meantime
            if not upload[0].query():
                self._uploads.appendleft(upload)
                return

    def _exhausted(self, count, shape, dtype):
        free, total = self.info()
        _, spare = self.held()
        return OutOfMemory(
            f"{self._device}: out of memory: {count} bytes were requested for an array of shape {shape} and dtype "
            f"{dtype}; of the device's {total} bytes {free} are free, {total - free} are held"
            + (f" ({spare} of them are kept for later arrays)" if spare else "")
            + "\n  remedy: use a smaller batch, or release arrays; nothing is lost, and the device stays usable")

    # -- the pools' calls of the driver --------------------------------------------------------------------------------

    def _allocate(self, count):
        address = ctypes.c_uint64()
        status = self._api.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(count))
        return self._unless_exhausted(status, address.value, count)

    def _free(self, address):
        self._in_context(self._api.cuMemFree_v2, ctypes.c_uint64(address))

    def _allocate_pinned(self, count):
        address = ctypes.c_void_p()
        status = self._api.cuMemHostAlloc(ctypes.byref(address), ctypes.c_size_t(count), 0)
        return self._unless_exhausted(status, address.value, count)

    def _free_pinned(self, address):
        self._in_context(self._api.cuMemFreeHost, ctypes.c_void_p(address))

    def _unless_exhausted(self, status, address, count):
        if status == driver.OUT_OF_MEMORY:
            return None
        driver.check(status, self._device, f"allocating {count} bytes")
        return address

    def _in_context(self, free, address):
        """Calls a driver function in a thread that may have any context, or none.

        The result does not matter: if the context has failed, its memory is lost anyway.
        """
        if self._api.cuCtxPushCurrent_v2(ctypes.c_void_p(self._device.context_handle)) == 0:
            free(address)
            self._api.cuCtxPopCurrent_v2(ctypes.byref(ctypes.c_void_p()))
