"""Memory of a device, and copies to and from it.

Memory is kept for arrays to come: asking the driver takes longer than a small kernel, and waits for all work. Since all
work goes to one stream, memory that is free here may be used again at once, although the work that used it may not have
ended yet. On the emulated device nothing is kept, so that it can tell what is used after it was freed.
"""

from collections import deque

import numpy as np

from minigluon.base import MXNetError

from . import driver
from .buffer import Buffer

__all__ = ["Memory"]

MOST_PINNED = 2 ** 26   # bytes: a larger array is copied from where it is, and the copy is waited for


class Memory:
    """What a device's arrays are made of."""

    def __init__(self, device):
        from pycuda import tools
        self._device, self._cuda = device, driver.loaded()
        self._pool = None if driver.emulated() else tools.DeviceMemoryPool()
        self._pinned = tools.PageLockedMemoryPool()
        self._uploads = deque()         # (event, pinned memory): what the device may still be reading

    def empty(self, shape, dtype):
        """A Buffer with undefined elements. Raises MXNetError where there is no memory."""
        count = dtype.itemsize
        for n in shape:
            count *= n
        if count == 0:
            return Buffer(0, shape, dtype, None, self._device)
        self._device.activate()
        try:
            owner = self._cuda.mem_alloc(count) if self._pool is None else self._pool.allocate(count)
        except (self._cuda.MemoryError, MemoryError) as error:
            raise self._exhausted(count, shape, dtype) from error
        except self._cuda.Error as error:
            raise driver.failure(self._device, f"allocating {count} bytes", str(error)) from error
        return Buffer(int(owner), shape, dtype, owner, self._device)

    def upload(self, array, buffer):
        """Copy a NumPy array's elements to a buffer without gaps, of its dtype and size. Does not wait."""
        if array.size == 0:
            return
        self._device.activate()
        with driver.translated(self._device, "a copy to the device"):
            if array.nbytes > MOST_PINNED:
                source = np.ascontiguousarray(array)
                self._cuda.memcpy_htod_async(buffer.pointer, source, self._device.stream)
                self._device.stream.synchronize()
                return
            self._forget_uploads()
            source = self._pinned.allocate(array.shape, array.dtype)
            source[...] = array
            self._cuda.memcpy_htod_async(buffer.pointer, source, self._device.stream)
            event = self._cuda.Event(self._cuda.event_flags.DISABLE_TIMING)
            event.record(self._device.stream)
            self._uploads.append((event, source))

    def download(self, buffer):
        """A new NumPy array with the elements of a buffer without gaps. Waits for all work before."""
        array = np.empty(buffer.shape, buffer.dtype)
        if array.size:
            self._device.activate()
            with driver.translated(self._device, "the work before a copy from the device, or that copy,"):
                self._cuda.memcpy_dtoh_async(array, buffer.pointer, self._device.stream)
                self._device.stream.synchronize()
        return array

    def info(self):
        """(free, total) bytes of the device, what is kept for arrays to come counted as taken."""
        self._device.activate()
        return self._cuda.mem_get_info()

    def release(self):
        """Give the memory that is kept for arrays to come back to the driver."""
        self._device.activate()
        self._device.synchronize()
        self._forget_uploads()
        self._pinned.free_held()
        if self._pool is not None:
            self._pool.free_held()

    def close(self):
        """Keep nothing any more: what is freed from now on goes back to the driver at once."""
        self._uploads.clear()
        self._pinned.stop_holding()
        if self._pool is not None:
            self._pool.stop_holding()

    def held(self):
        """(bytes of arrays, bytes kept for arrays to come)."""
        if self._pool is None:
            return None, 0
        return self._pool.active_bytes, self._pool.managed_bytes - self._pool.active_bytes

    def _forget_uploads(self):
        while self._uploads and self._uploads[0][0].query():
            self._uploads.popleft()

    def _exhausted(self, count, shape, dtype):
        free, total = self.info()
        _, kept = self.held()
        return MXNetError(
            f"{self._device}: out of memory: {count} bytes were asked for, for an array of shape {shape} and dtype "
            f"{dtype}; of the device's {total} bytes {free} are free, {total - free} are held"
            + (f" ({kept} of them are kept for arrays to come)" if kept else "")
            + "\n  remedy: take a smaller batch, or let go of arrays; nothing is lost, and the device stays usable")
