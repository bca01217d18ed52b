"""What stays behind after many passes of a DataLoader: memory, open files, shared memory, processes, threads.

    python tests/scripts/leak_check_loader.py 200
"""

import gc
import multiprocessing
import os
import sys
import threading

import numpy as np
from leak_check import used

from minigluon.gluon import data

OPTIONS = [{}, {"num_workers": 2}, {"num_workers": 2, "thread_pool": True}, {"num_workers": 1, "prefetch": 1}]
SHARED = "/dev/shm"


def one_pass(options, whole=True):
    """A pass over arrays of 200 kB, which is left after the first batch if not `whole`."""
    rows = np.ones((64, 50, 32, 32), np.float32)
    for batch in data.DataLoader(data.SimpleDataset(rows), 16, shuffle=True, **options):
        batch[:] = 0
        if not whole:
            break


def state():
    """(open files, segments of shared memory, processes, threads)"""
    gc.collect()
    # Without those of Open MPI, which tests beside this one start.
    shared = {name for name in os.listdir(SHARED) if "vader" not in name} if os.path.isdir(SHARED) else set()
    return len(os.listdir("/proc/self/fd")), shared, len(multiprocessing.active_children()), threading.active_count()


def left_behind(passes, options=OPTIONS):
    """(state before, state after, bytes of memory in between) of so many passes of each kind; a third ends early."""
    for number in range(3):
        for option in options:
            one_pass(option, whole=number > 0)
    before, memory = state(), used()
    for number in range(passes):
        for option in options:
            one_pass(option, whole=number % 3 > 0)
    grown = used() - memory
    return before, state(), grown


if __name__ == "__main__":
    if "MALLOC_MMAP_THRESHOLD_" not in os.environ:
        # glibc's pools, of which threads have their own, keep what they are given back. Without them only leaks show.
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, "MALLOC_MMAP_THRESHOLD_": "65536"})
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    before, after, grown = left_behind(count)
    same = "unchanged" if before == after else f"were {before}, are {after}"
    print(f"{count} passes of {len(OPTIONS)} kinds: files, shared memory, processes, threads {same}; "
          f"memory grew by {grown / 2 ** 10:.0f} KiB")
    sys.exit(before != after or grown > 2 ** 23)
