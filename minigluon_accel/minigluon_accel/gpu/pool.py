"""Memory pools to which any thread can release memory.

An array lives until its last reference is dropped, which may happen anywhere: in a thread that never used the device,
in the garbage collector, or in a forked child. PyCUDA's own allocations belong to a thread's context object and leak in
such cases. So here an Allocation returns its address to a Pool, which needs neither a lock nor a context to take it
back.
"""

import contextlib
import math
import threading

__all__ = ["Allocation", "Pool"]

MIN_BLOCK = 512         # bytes
DIGITS = 4              # significant binary digits of a size, so that at most an eighth of a block is unused


class Allocation:
    """A block of memory. It returns to its pool when the last reference is dropped."""

    __slots__ = ("_pool", "address", "size")

    def __init__(self, pool, address, size):
        self._pool, self.address, self.size = pool, address, size

    def __del__(self):
        self._pool.take_back(self.address, self.size)


class Pool:
    """Memory blocks that are kept, once returned, for later requests of the same size.

    allocate(bytes): returns the address of new memory, or None if there is none. free(address): releases it. life: an
    object whose `over` is set once the driver accepts no more calls, because the process is ending or is a forked
    child. keeps: whether blocks are kept; otherwise they are freed immediately. most: the limit on kept bytes, above
    which returned blocks are freed.
    """

    def __init__(self, allocate, free, life, keeps=True, most=math.inf):
        self._allocate, self._free, self._life, self._keeps, self._most = allocate, free, life, keeps, most
        self._kept = {}                     # size -> [addresses]
        self._total = 0                     # the number of bytes obtained from the driver, if blocks are kept
        self._used = {}                     # address -> size, if blocks are not kept
        self._lock = threading.Lock()       # guards requests to the driver and releases

    def size(self, count):
        """Returns the size of the block for `count` bytes."""
        return rounded(count) if self._keeps else count

    def allocate(self, count):
        """Returns an Allocation of at least `count` bytes, or None if there is no memory even after a release."""
        size = self.size(count)
        try:
            return Allocation(self, self._kept[size].pop(), size)
        except (KeyError, IndexError):
            pass                # no block of this size is kept; another thread may just have taken the last one
        with self._lock:
            address = self._allocate(size)
            if address is None and self._keeps:
                self._empty()
                address = self._allocate(size)
            if address is None:
                return None
            if self._keeps:
                self._total += size
            else:
                self._used[address] = size
        return Allocation(self, address, size)

    def take_back(self, address, size):
        """Takes a block back. This runs when the last reference is dropped, which may be between any two steps of any
        thread."""
        if self._life.over:
            return                          # the memory is freed with the process, or belongs to the parent
        if not self._keeps:
            del self._used[address]
            self._free(address)
        elif self._total <= self._most or not self._give_up(address, size):
            self._kept.setdefault(size, []).append(address)

    def _give_up(self, address, size):
        """Frees a returned block if the pool is full; returns False if it should be kept."""
        # The thread that holds the lock may be this thread, interrupted by the garbage collector.
        if not self._lock.acquire(blocking=False):
            return False
        try:
            if self._spare_bytes() + size <= self._most:
                return False
            self._free(address)
            self._total -= size
            return True
        finally:
            self._lock.release()

    def _spare_bytes(self):
        return sum(size * len(addresses) for size, addresses in list(self._kept.items()))

    def held(self):
        """Returns (bytes in use, bytes kept)."""
        spare = self._spare_bytes()
        return self._total - spare + sum(list(self._used.values())), spare

    def release(self):
        """Frees the kept blocks."""
        with self._lock:
            self._empty()

    def _empty(self):
        for size, addresses in list(self._kept.items()):
            with contextlib.suppress(IndexError):       # until none is left; another thread may take a block in the
                                                        # meantime
                while True:
                    self._free(addresses.pop())
                    self._total -= size


def rounded(count):
    """Returns the block size for `count` bytes: arrays of similar sizes use the same blocks."""
    step = max(MIN_BLOCK, 1 << max(count.bit_length() - DIGITS, 0))
    return -(-count // step) * step
