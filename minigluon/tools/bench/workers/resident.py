"""Peak memory of one run in any library, as the system sees it: allocations of C code count like those of NumPy."""

import ctypes
import gc

__all__ = ["resident_bytes"]


def resident_bytes(make_small, make, runner, empty_cache):
    """The most by which the process grows in a run, above what it is when the program is set up but has not run.

    make_small, make: set the program up, for small sizes and for the measured ones; `runner` gives what runs it once.
    The small one runs before, so that threads, code and tables that a library loads at its first use do not count.
    What stays from run to run, a plan's buffers, does count, and so do the gradients of the parameters, also where they
    are there before the first run. empty_cache(): the library gives back what it holds for arrays to come. None where
    the system does not tell.
    """
    runner(make_small())()
    settle(empty_cache)
    program = make()
    run, before = runner(program), settle(empty_cache)
    if before is None:
        return None
    run()           # prepares kernels, or traces and plans; what it allocates and frees on the way does not count
    settle(empty_cache)
    run()
    run()
    return status("VmHWM") - before + getattr(program, "gradient_bytes", 0)


def settle(empty_cache):
    """Give free memory back to the system and let the high-water mark fall; the bytes that are resident then."""
    gc.collect()
    empty_cache()
    try:
        ctypes.CDLL(None).malloc_trim(0)
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
        return status("VmRSS")
    except (OSError, AttributeError):       # not Linux, not glibc, or not allowed
        return None


def status(name):
    """Bytes in a line of /proc/self/status."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(name + ":"))
