"""NVRTC: NVIDIA's compiler as a library, from pip's nvidia-cuda-nvrtc or from a toolkit. Needs neither GPU nor driver.

There may be several versions, and each supports some architectures: 12.4 does not support Blackwell, and 13.0 does not
support Volta. A GPU uses the newest version that supports it natively. If the GPU is newer than any version supports,
one of them compiles to PTX, which the driver compiles further.
"""

import contextlib
import ctypes
import functools
import pathlib

from minigluon.base import MXNetError

from . import paths

__all__ = ["Library", "available", "compile", "serves", "shortened", "translates", "version"]

MAX_LINES = 40          # the maximum number of lines of a compiler's messages; only the first error matters

MISSING = "gpu: there is no NVRTC: install it with: pip install nvidia-cuda-nvrtc"


def available():
    """Returns whether there is a library that can compile a one-line kernel."""
    return bool(libraries())


def version(arch=None):
    """Returns a string such as 'NVRTC 13.0' for an architecture's compiler. Raises MXNetError if there is none."""
    return str(_chosen(arch))


def serves(arch):
    """Returns whether a library generates instructions for an architecture ("sm_90")."""
    return any(library.knows(arch) for library in libraries())


def translates(arch):
    """Returns whether a library generates PTX that the driver can compile for this architecture."""
    return any(_translates(library, arch) for library in libraries())


def _translates(library, arch):
    """Returns whether a library generates PTX that the driver can compile for this architecture. A driver cannot read
    PTX from a compiler that is newer than the driver."""
    driver = paths.driver_version()
    return library.older(arch) and (driver is None or library.version <= driver)


def compile(source, arch, options, name):
    """Compiles CUDA C++ to bytes that the driver loads: instructions, or PTX if the GPU is newer than the compiler.

    source: the text, with its defines as lines, because as options they would change NVRTC's own headers, whose
    templates have a parameter T. arch: "sm_90". options: compiler options, such as "--use_fast_math". name: the name of
    the file, for messages. Raises MXNetError with NVRTC's message.
    """
    return _chosen(arch).compile(source, arch, options, name)


def _chosen(arch):
    """Returns the newest library that supports the architecture; otherwise, one whose PTX the GPU can run; otherwise,
    the newest, whose error will explain the failure."""
    candidates = libraries()
    if not candidates:
        raise MXNetError("; ".join([MISSING, *refused()]))
    for fits in (Library.knows, _translates):
        for library in candidates:
            if arch is not None and fits(library, arch):
                return library
    return candidates[0]


def libraries():
    """Returns all working libraries: pip's packages, newest first, then toolkits."""
    return _looked()[0]


def refused():
    """Returns a line for each library that is present but not used, with the reason."""
    return _looked()[1]


@functools.cache
def _looked():
    driver, usable, reasons, seen = paths.driver_version(), [], [], set()
    # The linker's own libraries come last. Names are sorted only by version.
    for path in [*paths.libraries("nvrtc"), "libnvrtc.so.13", "libnvrtc.so.12"]:
        if driver and int(path.rpartition(".")[2]) > driver[0]:
            if "/" in path:
                reasons.append(f"{path} is newer than the driver, which is for CUDA {paths.version_text(driver)}")
            continue
        try:
            library = Library(path)
            library.compile(TRIED, f"sm_{library.architectures[-1]}", [], "a first line")
        except OSError as error:
            if "/" in path:
                reasons.append(f"{path} cannot be loaded: {error}")
        except MXNetError as error:
            reasons.append(f"{path} does not compile: {str(error).removeprefix('gpu: ')}")
        else:
            if library.version not in seen:     # the linker may return a library that is already in the list
                usable.append(library)
            seen.add(library.version)
    return usable, reasons


TRIED = 'extern "C" __global__ void line(float *x) { *x += 1; }\n'


class Library:
    """One libnvrtc.

    path: the path of the file, or a name that the linker knows. version: a tuple such as (13, 0). architectures: the
    architectures for which it generates instructions, (75, 80, ...). Raises OSError if the library cannot be loaded.
    """

    def __init__(self, path):
        self.path = path
        # NVRTC opens this library by name, and the linker does not find it in pip's folders unless it is already
        # loaded.
        for beside in sorted(pathlib.Path(path).parent.glob("libnvrtc-builtins.so.*")) if "/" in path else []:
            ctypes.CDLL(str(beside), mode=ctypes.RTLD_GLOBAL)
        self._library = library = ctypes.CDLL(path)
        library.nvrtcGetErrorString.restype = ctypes.c_char_p
        major, minor, count = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
        self._check(library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor)), "telling its version")
        self.version = major.value, minor.value
        self._check(library.nvrtcGetNumSupportedArchs(ctypes.byref(count)), "listing its architectures")
        numbers = (ctypes.c_int * count.value)()
        self._check(library.nvrtcGetSupportedArchs(numbers), "listing its architectures")
        self.architectures = tuple(sorted(numbers))

    def __str__(self):
        return f"NVRTC {paths.version_text(self.version)}"

    def knows(self, arch):
        """Returns whether the library generates instructions for this architecture ("sm_90")."""
        return _number(arch) in self.architectures

    def older(self, arch):
        """Returns whether the architecture is newer than all supported architectures. PTX for the newest supported
        architecture runs on it."""
        return _number(arch) > self.architectures[-1]

    def compile(self, source, arch, options, name):
        """Compiles like the function of the same name in the module."""
        as_ptx = arch.startswith("sm_") and self.older(arch)
        target = f"compute_{self.architectures[-1]}" if as_ptx else arch
        with self._compiled(source, target, options, name) as (program, what):
            return self._ptx(program, what) if as_ptx else self._text("CUBIN", program, what)

    def report(self, source, arch, options, name):
        """Returns two strings: the compiler's report on each kernel's registers and memory, and PTX."""
        with self._compiled(source, arch, ["--ptxas-options=-v", *options], name) as (program, what):
            return self._log(program, what), self._ptx(program, what).rstrip(b"\0").decode()

    @contextlib.contextmanager
    def _compiled(self, source, target, options, name):
        """Yields (NVRTC's program, a description of the action)."""
        library, what = self._library, f"compiling {name} for {target} with {' '.join(options) or 'no options'}"
        program = ctypes.c_void_p()
        status = library.nvrtcCreateProgram(ctypes.byref(program), source.encode(), name.encode(), 0, None, None)
        self._check(status, what)
        try:
            words = [f"--gpu-architecture={target}", "--std=c++17", *options]
            arguments = (ctypes.c_char_p * len(words))(*[word.encode() for word in words])
            with _own_locale():
                status = library.nvrtcCompileProgram(program, len(words), arguments)
            if status:
                raise MXNetError(f"gpu: {what}: NVRTC says {self._in_words(status)}:\n"
                                 f"{shortened(self._log(program, what))}")
            yield program, what
        finally:
            library.nvrtcDestroyProgram(ctypes.byref(program))

    def _log(self, program, what):
        return self._text("ProgramLog", program, what).rstrip(b"\0\n").decode(errors="replace")

    def _ptx(self, program, what):
        return self._text("PTX", program, what)

    def _text(self, kind, program, what):
        """Returns the bytes from a pair of the library's functions: one returns their number, the other the bytes."""
        size = ctypes.c_size_t()
        self._check(getattr(self._library, f"nvrtcGet{kind}Size")(program, ctypes.byref(size)), what)
        buffer = ctypes.create_string_buffer(size.value)
        self._check(getattr(self._library, f"nvrtcGet{kind}")(program, buffer), what)
        return buffer.raw

    def _check(self, status, what):
        if status:
            raise MXNetError(f"gpu: {what}: NVRTC says {self._in_words(status)}")

    def _in_words(self, status):
        return self._library.nvrtcGetErrorString(status).decode(errors="replace")


@contextlib.contextmanager
def _own_locale():
    """Restores the thread's locale: NVRTC 12.4 leaves it at "C", in which Python's `open` reads and writes ASCII."""
    uselocale = ctypes.CDLL(None).uselocale
    uselocale.argtypes, uselocale.restype = [ctypes.c_void_p], ctypes.c_void_p
    before = uselocale(None)
    try:
        yield
    finally:
        uselocale(before)


def _number(arch):
    """Returns 90 for "sm_90" and "compute_90"."""
    return int(arch.rpartition("_")[2].rstrip("af"))


def shortened(messages):
    """Returns the first lines of a compiler's messages, and how many more there are."""
    lines = messages.strip().splitlines()
    more = [f"... and {len(lines) - MAX_LINES} more lines"] if len(lines) > MAX_LINES else []
    return "\n".join(lines[:MAX_LINES] + more)
