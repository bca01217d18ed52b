"""Memory of a device, and copies to and from it.

Memory is kept for arrays to come: asking the driver takes longer than a small kernel, and waits for all work. Since all
work goes to one stream, memory that is free here may be used again at once, although the work that used it may not have
ended yet. On the emulated device nothing is kept, so that it can tell what is used after it was freed; in its hard mode
all is, since it is told.
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

MAX_PINNED = 2 ** 26    # bytes: a larger array is copied from where it is, and the copy is waited for
KEPT_PINNED = 2 ** 28   # bytes of pinned memory that are kept for copies to come: it is the host's, and nobody else's


class _Numbers:
    """An array at an address, as `np.asarray` asks for it. (ctypes would make a new type for each size.)"""

    def __init__(self, address, shape, dtype):
        self.__array_interface__ = {"data": (address, False), "shape": shape, "typestr": dtype.str, "version": 3}


class OutOfMemory(MXNetError):
    """The device has no memory for an array. Nothing is lost."""


class Memory:
    """What a device's arrays are made of."""

    def __init__(self, device):
        self._device, self._cuda, self._api = device, driver.loaded(), driver.api()
        if driver.emulated() and os.environ.get("MINIGLUON_GPU_CHECK") == "hard":
            self._pool = HardPool(self._allocate, self._free, device, self._api)
        else:
            self._pool = Pool(self._allocate, self._free, device, keeps=not driver.emulated())
        self._pinned = Pool(self._allocate_pinned, self._free_pinned, device, most=KEPT_PINNED)
        self._uploads = deque()         # (event, pinned memory): what the device may still be reading
        self.outside = OutOfRangeIndices(self._allocate_pinned(OutOfRangeIndices.BYTES))

    def empty(self, shape, dtype):
        """A Buffer with undefined elements. Raises MXNetError where there is no memory."""
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
        """Copy a NumPy array's elements to a buffer without gaps, of its dtype and size. Does not wait."""
        self.send(array, buffer.pointer)

    def send(self, array, address):
        """Copy a NumPy array's elements to the memory of the device from an address on, behind the work before.

        Does not wait, and the array may change as soon as this returns: what the device reads is a copy of it in pinned
        memory. A copy from other memory is one that the driver makes at some time, or waits for.
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
        """Write a NumPy scalar of the buffer's dtype to all its elements. Does not wait, and nothing is copied.

        False, with nothing written, for a number of 8 bytes whose halves differ: the driver repeats 4 bytes at most.
        """
        word = np.frombuffer(number.tobytes(), f"u{min(buffer.dtype.itemsize, 4)}")
        if not (word == word[0]).all():
            return False
        if buffer.size:
            self._device.activate()
            bits = 8 * word.itemsize
            # the driver's function itself: PyCUDA's takes a number of 32 bits for the count
            status = getattr(self._api, f"cuMemsetD{bits}Async")(
                ctypes.c_uint64(buffer.pointer), getattr(ctypes, f"c_uint{bits}")(int(word[0])),
                ctypes.c_size_t(buffer.size * word.size), ctypes.c_void_p(self._device.stream_handle))
            driver.check(status, self._device, "filling an array with a number")
        return True

    def _pinned_for(self, array):
        """An Allocation of pinned memory for an array. Where there is none, that of copies under way is waited for."""
        self._forget_uploads()
        pinned = self._pinned.allocate(array.nbytes)
        if pinned is None and self._uploads:
            self._device.stream.synchronize()
            self._forget_uploads()
            pinned = self._pinned.allocate(array.nbytes)
        if pinned is None:
            raise MXNetError(f"{self._device}: there is no pinned memory of {array.nbytes} bytes for a copy to the "
                             "device. The host's memory is full: copy smaller arrays, or let go of some.")
        return pinned

    def download(self, buffer):
        """A new NumPy array with the elements of a buffer without gaps. Waits for all work before.

        Raises OutOfRangeError where a kernel has met an index out of range since the last wait.
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
        """What is to be done when all work has ended. Raises OutOfRangeError for an index that a kernel has met."""
        self._forget_uploads()
        self.outside.raise_first()

    def info(self):
        """(free, total) bytes of the device, what is kept for arrays to come counted as taken."""
        self._device.activate()
        return self._cuda.mem_get_info()

    def release(self):
        """Give the memory that is kept for arrays to come back to the driver."""
        self._device.synchronize()
        self._pinned.release()
        self._pool.release()

    def pinned(self):
        """(bytes of pinned memory of copies under way, bytes kept for copies to come)."""
        self._device.activate()
        self._forget_uploads()
        return self._pinned.held()

    def close(self):
        """Let go of events, which are PyCUDA's, while there is a context."""
        self._uploads.clear()

    def held(self):
        """(bytes of arrays, bytes kept for arrays to come)."""
        return self._pool.held()

    def _forget_uploads(self):
        """Let go of the pinned memory of copies that have ended."""
        # Taken out before it is asked: between a look and a `popleft`, another thread might take that one out.
        while self._uploads:
            try:
                upload = self._uploads.popleft()
            except IndexError:
                return              # another thread has taken the last one since
            if not upload[0].query():
                self._uploads.appendleft(upload)
                return

    def _exhausted(self, count, shape, dtype):
        free, total = self.info()
        _, kept = self.held()
        return OutOfMemory(
            f"{self._device}: out of memory: {count} bytes were asked for, for an array of shape {shape} and dtype "
            f"{dtype}; of the device's {total} bytes {free} are free, {total - free} are held"
            + (f" ({kept} of them are kept for arrays to come)" if kept else "")
            + "\n  remedy: take a smaller batch, or let go of arrays; nothing is lost, and the device stays usable")

    # -- what the pools ask of the driver -----------------------------------------------------------------------------

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
        """Call a function of the driver in a thread that may have any context or none.

        What it answers does not matter: memory of a context that has failed is gone with it.
        """
        if self._api.cuCtxPushCurrent_v2(ctypes.c_void_p(self._device.context_handle)) == 0:
            free(address)
            self._api.cuCtxPopCurrent_v2(ctypes.byref(ctypes.c_void_p()))
