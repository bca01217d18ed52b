"""Selection of the fastest of several Works for one operator on a device, timed once per machine.

The choice is saved in the cache folder next to the compiled kernels. Other processes reuse it, so a program produces
the same bits on every run on this machine.
"""

import ctypes
import hashlib
import threading

from . import driver
from .compile import Runner, assembled, prepare, read_cached, write_cached
from .launch import In, Launch, Out, Scratch
from .memory import OutOfMemory
from .paths import cache_folder

__all__ = ["fastest"]

ROUNDS = 3              # after a first round, in which lazy compilation happens
HOPELESS = 4            # a Work whose first round takes this many times the best time so far is not measured again
FILLING = 0x3C  # the value of every byte, which is 0.0115 in float32 and 1.06 in float16. Zeros consume less power, and
                # so the kernels would run faster

_choices = {}           # text of a choice -> the index of the chosen Work
_lock = threading.Lock()        # only one measurement at a time


def fastest(device, works, inputs, output, about):
    """Returns the index of the fastest Work.

    inputs, output: Specs of the Works' In and Out(0). about: text that, together with the Works, identifies this
    choice. If there is not enough memory to measure, returns the index of the first Work and saves nothing.
    """
    text = "\n".join([device.name, device.architecture, about, *map(_text_of, works)])
    with _lock:
        if text not in _choices:
            path = cache_folder() / "choices" / f"{hashlib.sha256(text.encode()).hexdigest()[:32]}.choice"
            choice = read_cached(path)
            if choice is None:
                choice = _measured(device, works, inputs, output)
                if choice is None:
                    return 0
                choice = str(choice).encode()
                write_cached(path, choice, "the choice of an algorithm")
            _choices[text] = int(choice)
        return _choices[text]


def _text_of(work):
    """Returns a string that identifies a Work and changes whenever a kernel of this project changes."""
    kernels = [assembled(launch.source, launch.defines) for launch in work.launches if isinstance(launch, Launch)]
    return "\n".join([work.note, *kernels])


def _measured(device, works, inputs, output):
    """Returns the index of the fastest Work, or None if there is not enough memory for any Work."""
    try:
        operands = [_filled(device, spec) for spec in (*inputs, output)]
    except OutOfMemory:
        return None
    best, number = float("inf"), None
    for place, work in enumerate(works):
        seconds = _seconds(device, work, operands, best)
        if seconds < best:
            best, number = seconds, place
    return number


def _filled(device, spec):
    """Returns a buffer whose values are neither zero nor NaN."""
    buffer = device.memory.empty(*spec)
    status = driver.api().cuMemsetD8Async(ctypes.c_uint64(buffer.pointer), ctypes.c_ubyte(FILLING),
                                          ctypes.c_size_t(buffer.nbytes), ctypes.c_void_p(device.stream_handle))
    driver.check(status, device, "filling memory to measure in")
    return buffer


def _seconds(device, work, operands, best):
    """Returns the shortest time of several rounds; infinity if there is not enough memory."""
    places = {In: 0, Out: len(operands) - 1, Scratch: len(operands)}
    try:
        values = [*operands, *[device.memory.empty(*spec) for spec in work.scratch]]
    except OutOfMemory:
        return float("inf")
    run = Runner(device, [prepare(device, launch, places) for launch in work.launches], len(values)).run
    run(values)
    seconds = _once(device, run, values)
    for _ in range(ROUNDS if seconds < HOPELESS * best else 0):
        seconds = min(seconds, _once(device, run, values))
    return seconds


def _once(device, run, values):
    cuda = driver.loaded()
    start, end = cuda.Event(), cuda.Event()
    start.record(device.stream)
    run(values)
    end.record(device.stream)
    end.synchronize()
    return end.time_since(start) / 1e3
