"""A launch on the emulated GPU through PyCUDA's driver library, called with ctypes: only g++ is needed."""

import contextlib
import ctypes
import os
import tempfile
from functools import cache
from pathlib import Path

import numpy as np

from .. import emulator
from ..emulator.build import cached_build, compiler_version, digest
from .trace import RECORD, Trace

__all__ = ["COMPILED", "compiled", "launch", "prepare", "require"]

# Kernels are compiled with a check of each access, and with exact line numbers.
COMPILED = {"MINIGLUON_GPU_CHECK": "hard", "MINIGLUON_GPU_OPTIMIZE": "0"}

BUFFER, SIZE, END = 1, 2, 0             # keys of the array that describes a launch's arguments


def require():
    """Raises MXNetError if there is no g++, or if the emulator does not support this system."""
    compiler_version()


def prepare():
    """Builds the emulator if it is not yet in the cache, and prints a notice, because this is the only slow step."""
    require()
    if not emulator.built():
        print("The emulated GPU is built, once: about half a minute.", flush=True)
    emulator.library()


def compiled(source, name):
    """Returns the path of a CUDA C++ file's image, which is cached. Raises emulator.compiler.CompileError."""
    folder = "puzzles-" + emulator.version()
    return cached_build(folder, digest(source, name),
                        lambda path: path.write_bytes(emulator.compile(source, name=name)))


@cache
def _driver():
    """Returns the emulated driver, restricted to one CPU core: blocks run in turn, so a mistake always produces the
    same message."""
    allowed = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, [allowed[os.getpid() % len(allowed)]])
    library = ctypes.CDLL(emulator.library())
    library.emulator_records.restype = ctypes.c_size_t
    _ask(library, "cuInit", 0)
    return library


def _ask(driver, name, *arguments):
    """Calls the driver; raises RuntimeError for errors that were not caused by a kernel."""
    code = getattr(driver, name)(*arguments)
    if code:
        raise RuntimeError(f"{name}: {_text(driver, code)}")


def _text(driver, code):
    text = ctypes.c_char_p()
    driver.cuGetErrorString(code, ctypes.byref(text))
    return (text.value or b"an unknown error").decode()


@contextlib.contextmanager
def _context(driver):
    """Creates a new context for each launch, because a context is unusable after a kernel's failure."""
    context = ctypes.c_void_p()
    _ask(driver, "cuCtxCreate_v2", ctypes.byref(context), 0, 0)
    try:
        yield
    finally:
        driver.cuCtxDestroy_v2(context)


@contextlib.contextmanager
def _quiet():
    """Suppresses the driver's output to stderr, which the error message also contains."""
    before = os.dup(2)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(before, 2)
            os.close(before)


def launch(image, kernel, grid, block, arguments):
    """Runs a kernel once. Returns (the final contents of its first argument, Trace, the driver's error or None).

    image: a path. grid, block: up to three sizes. arguments: {name: array or integer}, in order; the first is the array
    that the kernel writes, whose initial contents are those of new memory in the emulator.
    """
    driver = _driver()
    grid, block = [(*size, 1, 1)[:3] for size in (grid, block)]
    with _context(driver):
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        _ask(driver, "cuModuleLoadData", ctypes.byref(module), Path(image).read_bytes())
        if code := driver.cuModuleGetFunction(ctypes.byref(function), module, kernel.encode()):
            return None, None, _text(driver, code)
        places, packed = _upload(driver, arguments)
        buffer, size = ctypes.create_string_buffer(packed, len(packed)), ctypes.c_size_t(len(packed))
        extra = (ctypes.c_void_p * 5)(BUFFER, ctypes.addressof(buffer), SIZE, ctypes.addressof(size), END)
        driver.emulator_record(1)
        with _quiet():
            code = driver.cuLaunchKernel(function, *grid, *block, 0, None, None, extra) or driver.cuCtxSynchronize()
        driver.emulator_record(0)
        error = _text(driver, code) if code else None
        trace = Trace(_records(driver), places, _shared(driver, function), grid, block, image)
        out = np.empty_like(next(iter(arguments.values())))
        if not code:
            _ask(driver, "cuMemcpyDtoH_v2", out.ctypes.data_as(ctypes.c_void_p),
                 ctypes.c_ulonglong(next(iter(places.values()))[0]), ctypes.c_size_t(out.nbytes))
        return out, trace, error


def _upload(driver, arguments):
    """Returns ({name: (address, array)}, the bytes of all arguments in the form that a kernel takes)."""
    places, packed = {}, b""
    for name, value in arguments.items():
        if not isinstance(value, np.ndarray):
            packed += np.int32(value).tobytes()
            continue
        pointer = ctypes.c_ulonglong()
        _ask(driver, "cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(value.nbytes))
        if places:                      # the kernel writes the first array
            _ask(driver, "cuMemcpyHtoD_v2", pointer, value.ctypes.data_as(ctypes.c_void_p),
                 ctypes.c_size_t(value.nbytes))
        places[name] = pointer.value, value
        packed += b"\0" * (-len(packed) % 8) + np.uint64(pointer.value).tobytes()
    return places, packed


def _records(driver):
    first = ctypes.c_void_p()
    count = driver.emulator_records(ctypes.byref(first))
    if not count:
        return np.empty(0, RECORD)
    return np.frombuffer((ctypes.c_char * (count * RECORD.itemsize)).from_address(first.value), RECORD).copy()


def _shared(driver, function):
    """Returns {name: (offset, bytes)} of a kernel's variables in shared memory, by linker name."""
    variables = {}
    name, start, size = ctypes.c_char_p(), ctypes.c_size_t(), ctypes.c_size_t()
    while driver.emulator_shared_variable(function, ctypes.c_size_t(len(variables)), ctypes.byref(name),
                                          ctypes.byref(start), ctypes.byref(size)):
        variables[name.value.decode()] = start.value, size.value
    return variables
