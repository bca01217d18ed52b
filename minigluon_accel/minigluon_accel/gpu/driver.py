"""The CUDA driver, real or emulated: loading it, its devices, and descriptions of its errors.

    MINIGLUON_GPU=emulate      the driver of `emulator/`, which runs the same kernels on the CPU
    MINIGLUON_GPU=off          no GPU, as if the machine had none
    MINIGLUON_GPU=real         the real driver, as if the variable were not set
"""

import atexit
import ctypes
import functools
import importlib
import os
import threading

from minigluon.base import ContextError, MXNetError

from . import launcher, sticky_errors

__all__ = ["Device", "api", "check", "count", "emulated", "failure", "is_open", "loaded", "lost",
           "open_device", "wait_for_all"]

ASKED = "MINIGLUON_GPU"
OUT_OF_MEMORY = 2

_lock = threading.RLock()
_devices = {}           # id -> Device
_forked = False


def emulated(environment=os.environ):
    """Returns whether the emulated driver is requested. Raises MXNetError for an unknown value of MINIGLUON_GPU."""
    setting = environment.get(ASKED, "")
    if setting not in ("", "emulate", "off", "real"):
        raise MXNetError(f"{ASKED} is {setting!r}, expected 'emulate' (kernels run on the CPU), 'real', or 'off'")
    return setting == "emulate"


@functools.cache
def loaded():
    """Returns PyCUDA's module `pycuda.driver`, initialized. Raises a ContextError that says what is missing."""
    if os.environ.get(ASKED) == "off":
        raise ContextError(f"{ASKED}=off: GPUs are switched off. Unset the variable to use them.")
    api()
    try:
        cuda = importlib.import_module("pycuda.driver")
    except ImportError as error:
        raise ContextError(f"gpu: PyCUDA cannot be imported: {error}. Install it with: "
                           "python -m minigluon_accel.gpu.install") from error
    try:
        cuda.init()
    except cuda.Error as error:
        raise ContextError(f"gpu: the CUDA driver does not start: {error}. `minigluon info` shows what is there; "
                           f"{ASKED}=emulate runs the kernels on the CPU.") from error
    return cuda


@functools.cache
def api():
    """Returns the driver's library, for functions that PyCUDA lacks. Raises ContextError if there is none."""
    if emulated():
        from . import emulator
        name = emulator.library()
    else:
        name = "libcuda.so.1"
    try:
        library = ctypes.CDLL(name, mode=ctypes.RTLD_GLOBAL)
        functions = library.cuLaunchKernel, library.cuCtxGetCurrent, library.cuCtxSetCurrent
        launcher.set_driver(*[ctypes.cast(function, ctypes.c_void_p).value for function in functions])
        return library
    except OSError as error:
        raise ContextError(f"gpu: there is no NVIDIA driver here ({error}). Set {ASKED}=emulate to run the kernels on "
                           "the CPU, or use mx.cpu().") from error


def count():
    """Returns the number of devices; 0 without a driver or PyCUDA."""
    try:
        return loaded().Device.count()
    except ContextError:
        return 0


def open_device(number, make_memory):
    """Returns the Device with an id, opened on first request. make_memory: Device -> its `memory`.

    Raises ContextError if there is no such device.
    """
    device = _devices.get(number)
    if device is None:
        with _lock:
            device = _devices.get(number) or _devices.setdefault(number, _open(number, make_memory))
    return device


def is_open(number):
    """Returns whether the device has been used."""
    return number in _devices


def wait_for_all():
    """Waits for the work on all devices that have been used. A forked child has no work of its own."""
    for used in () if _forked else list(_devices.values()):
        used.synchronize()


def _open(number, make_memory):
    if _forked:
        raise MXNetError(_AFTER_FORK)
    there = loaded().Device.count()
    if number >= there:
        raise ContextError(f"gpu({number}) is not available: there {'is' if there == 1 else 'are'} {there} "
                           f"GPU{'' if there == 1 else 's'} here, numbered from 0")
    return Device(number, make_memory)


_AFTER_FORK = ("gpu: this process was forked from one that had used the GPU, whose driver does not survive that. Use "
               "the GPU in the parent only, or start processes with multiprocessing's 'spawn'.")


def _before_fork():
    """Pops the context from this thread's stack before a fork.

    A child could not pop it, since the driver does not work in a forked child, and PyCUDA aborts a process that
    ends with a context on its stack. The parent's next use of the device restores the context.
    """
    if _current.pushed is not None and not _forked:
        _current.pushed.leave()
        _current.device = _current.pushed = None


def _in_child():
    global _forked
    if _devices:
        _forked = True
    for device in _devices.values():
        device.over = True
        # Never release it: when the child ends, PyCUDA's destructors would call the driver and abort the process.
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(device))


os.register_at_fork(before=_before_fork, after_in_child=_in_child)


@atexit.register
def _close():
    """Empties the context stack, as PyCUDA requires when the process ends."""
    if not _forked:
        for device in _devices.values():
            if device.number not in sticky_errors.poisoned():
                device.activate()
                device.memory.close()
        if _current.pushed is not None:
            _current.pushed.leave()
            _current.device = _current.pushed = None
        for device in _devices.values():
            device.over = True
            device.context.detach()


class _Current(threading.local):
    """The device whose context is current in this thread."""

    device = None
    pushed = None


_current = _Current()


class _PushedContext:
    """A context on this thread's stack.

    It is popped when the thread ends or another context is pushed; in a forked child, where all other threads end
    immediately, it was never on the stack.
    """

    def __init__(self, context):
        self.context, self.process = context, os.getpid()
        context.push()

    def leave(self):
        if self.context is not None and self.process == os.getpid():
            self.context.pop()
            self.context = None

    __del__ = leave


class Device:
    """A GPU: its primary context, the one stream that executes all work in order, and its memory.

    most_shared: bytes of shared memory that a block may request. over: whether the driver no longer accepts calls for
    the GPU, because the process is ending or is a forked child.
    """

    over = False

    def __init__(self, number, make_memory):
        cuda = loaded()
        self.number = number
        self.handle = cuda.Device(number)
        self.name = self.handle.name()
        self.capability = self.handle.compute_capability()
        self.architecture = "sm_{}{}".format(*self.capability)
        self.most_shared = self.handle.get_attribute(cuda.device_attribute.MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)
        self.context = self.handle.retain_primary_context()
        self.context_handle = self.context.handle
        self.activate()
        self.stream = cuda.Stream(1)            # 1: not synchronized with the default stream
        self.stream_handle = self.stream.handle
        self.capture_stream = cuda.Stream(1)    # see graphs.py
        self.capture_lock = threading.Lock()
        self.memory = make_memory(self)

    def __str__(self):
        return f"gpu({self.number})"

    def activate(self):
        """Makes the device's context current in this thread, even if other code in this process has changed it."""
        if _current.device is self and not _forked:
            status = launcher.make_current(self.context_handle)
            if status:
                raise failure(self, "making its context current", describe(status))
            return
        if _forked:
            raise MXNetError(_AFTER_FORK)
        if _current.pushed is not None:
            _current.pushed.leave()
        _current.pushed = _PushedContext(self.context)
        _current.device = self

    def synchronize(self):
        """Waits for all work.

        Raises MXNetError with the error of a kernel that has failed since the last wait, and OutOfRangeError if a
        kernel has found an index out of range.
        """
        self.activate()
        with error_translation(self):
            self.stream.synchronize()
            self.memory.settle()


class error_translation:
    """Context manager: `with error_translation(device, what):` turns the driver's errors into MXNetErrors."""

    def __init__(self, device, what="work given to it"):
        self.device, self.what = device, what

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        if kind is not None and issubclass(kind, loaded().Error):
            raise failure(self.device, self.what, str(error)) from error


def failure(device, what, text):
    """Returns the MXNetError for a failed operation on a device; it is a StickyError if the device does not recover.
    """
    return lost(device, what, text) or MXNetError(
        f"{device}: {what} failed: {text}\n  remedy: this work is not done, and the device stays usable. "
        "MINIGLUON_GPU=emulate may show more.")


def lost(device, what, text):
    """Returns the StickyError for a failed operation, or None if the device recovers."""
    return sticky_errors.record(device, what, text) if sticky_errors.is_sticky(api(), device.stream_handle) else None


def check(status, device, what):
    """Raises MXNetError for a driver result that is not 0."""
    if status:
        raise failure(device, what, describe(status))


def describe(status):
    """Returns the description of a driver result: 'CUDA_ERROR_…: text'."""
    name, text = ctypes.c_char_p(), ctypes.c_char_p()
    api().cuGetErrorName(status, ctypes.byref(name))
    api().cuGetErrorString(status, ctypes.byref(text))
    words = [s.value.decode(errors="replace") for s in (name, text) if s.value]
    return ": ".join(words) or f"error {status}"
