"""Memory that can be let go of in any thread.

An array lives until nothing refers to it, and then it is gone where that happens to be: in a thread that never used the
device, in the garbage collector, in a forked child. PyCUDA's own allocations belong to a thread's context object and
stay behind in such cases. So here an Allocation gives its address back to a Pool, which needs neither lock nor context
for that.
"""

import contextlib
import math
import threading

__all__ = ["Allocation", "Pool"]

MIN_BLOCK = 512         # bytes
DIGITS = 4              # binary ones that a size has: at most an eighth of a block is not used


class Allocation:
    """A block of memory. It goes back to its pool with the last reference."""

    __slots__ = ("_pool", "address", "size")

    def __init__(self, pool, address, size):
        self._pool, self.address, self.size = pool, address, size

    def __del__(self):
        self._pool.take_back(self.address, self.size)


class Pool:
    """Blocks of memory, kept for the next ones of their size when they come back.

    allocate(bytes): the address of new memory, or None where there is none. free(address): gives it back. life: its
    `over` tells that the driver takes no calls any more, since the process ends or is a forked child. keeps: whether
    blocks are kept at all; else they are freed at once. most: bytes that are kept, above which blocks are freed as they
    come back.
    """

    def __init__(self, allocate, free, life, keeps=True, most=math.inf):
        self._allocate, self._free, self._life, self._keeps, self._most = allocate, free, life, keeps, most
        self._kept = {}                     # size -> [addresses]
        self._total = 0                     # bytes that came from the driver, where blocks are kept
        self._used = {}                     # address -> size, where they are not
        self._lock = threading.Lock()       # of what comes from the driver and goes back

    def size(self, count):
        """Of the block for so many bytes."""
        return rounded(count) if self._keeps else count

    def allocate(self, count):
        """An Allocation of at least `count` bytes; None where there is no memory, whatever is kept."""
        size = self.size(count)
        try:
            return Allocation(self, self._kept[size].pop(), size)
        except (KeyError, IndexError):
            pass                # no block of this size is kept; another thread may have taken the last one since
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
        """A block comes back. Called by whoever drops the last reference, between any two steps of any thread."""
        if self._life.over:
            return                          # the memory goes with the process, or is the parent's
        if not self._keeps:
            del self._used[address]
            self._free(address)
        elif self._total <= self._most or not self._give_up(address, size):
            self._kept.setdefault(size, []).append(address)

    def _give_up(self, address, size):
        """Free a block that comes back, where as much as may be is kept already; False: it is to be kept."""
        # Who holds the lock may be this very thread, in whose way the garbage collector came.
        if not self._lock.acquire(blocking=False):
            return False
        try:
            if self._kept_bytes() + size <= self._most:
                return False
            self._free(address)
            self._total -= size
            return True
        finally:
            self._lock.release()

    def _kept_bytes(self):
        return sum(size * len(addresses) for size, addresses in list(self._kept.items()))

    def held(self):
        """(bytes in use, bytes kept)."""
        kept = self._kept_bytes()
        return self._total - kept + sum(list(self._used.values())), kept

    def release(self):
        """Free what is kept."""
        with self._lock:
            self._empty()

    def _empty(self):
        for size, addresses in list(self._kept.items()):
            with contextlib.suppress(IndexError):       # until none is left; another thread may take one meanwhile
                while True:
                    self._free(addresses.pop())
                    self._total -= size


def rounded(count):
    """The size of a block for so many bytes: arrays that differ a little take the same blocks."""
    step = max(MIN_BLOCK, 1 << max(count.bit_length() - DIGITS, 0))
    return -(-count // step) * step
