"""NVRTC: NVIDIA's compiler as a library, of pip's nvidia-cuda-nvrtc or of a toolkit. Needs no GPU and no driver."""

import ctypes
import functools

from minigluon.base import MXNetError

from . import paths

__all__ = ["available", "compile", "shortened", "version"]

MAX_LINES = 40          # of a compiler's messages; the first error is what matters

MISSING = "gpu: there is no NVRTC: install it with: pip install nvidia-cuda-nvrtc"


def available():
    """Is the library here, and does it load?"""
    return _library() is not None


@functools.cache
def version():
    """'NVRTC 13.0'. Raises MXNetError where there is none."""
    major, minor = ctypes.c_int(), ctypes.c_int()
    library = _loaded()
    _check(library, library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor)), "telling its version")
    return f"NVRTC {major.value}.{minor.value}"


def compile(source, arch, options, name):
    """Bytes that the driver loads, of CUDA C++.

    source: the text, with its defines as lines: as options they would change NVRTC's own headers, which have templates
    with a parameter T. arch: "sm_90". options: such as "--use_fast_math". name: of the file, for messages. Raises
    MXNetError with what NVRTC says.
    """
    library = _loaded()
    what = f"compiling {name} for {arch} with {' '.join(options) or 'no options'}"
    program = ctypes.c_void_p()
    status = library.nvrtcCreateProgram(ctypes.byref(program), source.encode(), name.encode(), 0, None, None)
    _check(library, status, what)
    try:
        words = [f"--gpu-architecture={arch}", "--std=c++17", *options]
        given = (ctypes.c_char_p * len(words))(*[word.encode() for word in words])
        status = library.nvrtcCompileProgram(program, len(words), given)
        if status:
            raise MXNetError(f"gpu: {what}: NVRTC says {_in_words(library, status)}:\n"
                             f"{shortened(_log(library, program, what))}")
        return _text(library, library.nvrtcGetCUBINSize, library.nvrtcGetCUBIN, program, what)
    finally:
        library.nvrtcDestroyProgram(ctypes.byref(program))


def shortened(messages):
    """The first lines of what a compiler says, and how many there are more."""
    lines = messages.strip().splitlines()
    more = [f"... and {len(lines) - MAX_LINES} more lines"] if len(lines) > MAX_LINES else []
    return "\n".join(lines[:MAX_LINES] + more)


def _log(library, program, what):
    log = _text(library, library.nvrtcGetProgramLogSize, library.nvrtcGetProgramLog, program, what)
    return log.rstrip(b"\0\n").decode(errors="replace")


def _text(library, size_of, get, program, what):
    """The bytes that one of the library's pairs of functions gives: the first their number, the second themselves."""
    size = ctypes.c_size_t()
    _check(library, size_of(program, ctypes.byref(size)), what)
    buffer = ctypes.create_string_buffer(size.value)
    _check(library, get(program, buffer), what)
    return buffer.raw


def _check(library, status, what):
    if status:
        raise MXNetError(f"gpu: {what}: NVRTC says {_in_words(library, status)}")


def _in_words(library, status):
    return library.nvrtcGetErrorString(status).decode(errors="replace")


def _loaded():
    library = _library()
    if library is None:
        raise MXNetError(MISSING)
    return library


@functools.cache
def _library():
    """The library, the newest that is no newer than the driver; None where there is none."""
    driver = paths.driver_version()
    # What the linker knows comes last. There is no order among its names but the version.
    for path in [*paths.libraries("nvrtc"), "libnvrtc.so.13", "libnvrtc.so.12"]:
        if driver and int(path.rpartition(".")[2]) > driver[0]:
            continue
        try:
            library = ctypes.CDLL(path)
        except OSError:
            continue
        library.nvrtcGetErrorString.restype = ctypes.c_char_p
        return library
    return None
