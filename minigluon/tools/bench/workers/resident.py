"""Peak memory of one run in any library, as the system sees it: allocations in C code count like those in NumPy."""

import ctypes
import gc

__all__ = ["resident_bytes"]


def resident_bytes(make_small, make, runner, empty_cache):
    """Return the maximum growth of the process during a run, relative to its size after the program is set up.

    make_small, make: set up the program, for small sizes and for the measured sizes; `runner` returns the function that
    runs it once. The small program runs first, so that threads, code and tables that a library loads on first use do
    not count. A plan's buffers, which are kept between runs, do count, and so do the gradients of the parameters, even
    if they exist before the first run. empty_cache(): makes the library release memory that it holds for future arrays.
    Returns None if the system does not report memory.
    """
    runner(make_small())()
    wait_for_quiet(empty_cache)
    program = make()
    run, before = runner(program), wait_for_quiet(empty_cache)
    if before is None:
        return None
    run()           # prepares kernels, or traces and plans; memory that this allocates and frees does not count
    wait_for_quiet(empty_cache)
    run()
    run()
    return status("VmHWM") - before + getattr(program, "gradient_bytes", 0)


def wait_for_quiet(empty_cache):
    """Return free memory to the system and reset the high-water mark. Returns the number of resident bytes afterward.
    """
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
    """Return the number of bytes in a line of /proc/self/status."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(name + ":"))
