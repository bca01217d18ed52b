"""NVRTC: NVIDIA's compiler as a library, of pip's nvidia-cuda-nvrtc or of a toolkit. Needs no GPU and no driver.

There may be several, and each knows some architectures: 12.4 none of Blackwell's cards, 13.0 none of Volta's. A card is
served by the newest that knows it, by instructions. Where none does, since the card is newer than all of them, one
translates to PTX, which the driver compiles.
"""

import contextlib
import ctypes
import functools
import pathlib

from minigluon.base import MXNetError

from . import paths

__all__ = ["Library", "available", "compile", "serves", "shortened", "translates", "version"]

MAX_LINES = 40          # of a compiler's messages; the first error is what matters

MISSING = "gpu: there is no NVRTC: install it with: pip install nvidia-cuda-nvrtc"


def available():
    """Is there a library that compiles a line?"""
    return bool(libraries())


def version(arch=None):
    """'NVRTC 13.0', of the library that compiles for an architecture. Raises MXNetError where there is none."""
    return str(_chosen(arch))


def serves(arch):
    """Does a library give instructions of an architecture ("sm_90")?"""
    return any(library.knows(arch) for library in libraries())


def translates(arch):
    """Does a library give PTX that the driver can compile for this architecture?"""
    return any(_translates(library, arch) for library in libraries())


def _translates(library, arch):
    """A driver does not read PTX of a compiler that is newer than itself."""
    driver = paths.driver_version()
    return library.older(arch) and (driver is None or library.version <= driver)


def compile(source, arch, options, name):
    """Bytes that the driver loads, of CUDA C++: instructions, or PTX for a card that is newer than the compiler.

    source: the text, with its defines as lines: as options they would change NVRTC's own headers, which have templates
    with a parameter T. arch: "sm_90". options: such as "--use_fast_math". name: of the file, for messages. Raises
    MXNetError with what NVRTC says.
    """
    return _chosen(arch).compile(source, arch, options, name)


def _chosen(arch):
    """The newest library that knows the architecture, else one whose PTX it can run, else the newest, which says why
    it does not."""
    found = libraries()
    if not found:
        raise MXNetError("; ".join([MISSING, *refused()]))
    for fits in (Library.knows, _translates):
        for library in found:
            if arch is not None and fits(library, arch):
                return library
    return found[0]


def libraries():
    """All that compile, the newest first among pip's packages, then among toolkits."""
    return _looked()[0]


def refused():
    """Why others that are there are not used, a line for each."""
    return _looked()[1]


@functools.cache
def _looked():
    driver, found, reasons, seen = paths.driver_version(), [], [], set()
    # What the linker knows comes last. There is no order among its names but the version.
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
            if library.version not in seen:     # the linker's may be one of those before
                found.append(library)
            seen.add(library.version)
    return found, reasons


TRIED = 'extern "C" __global__ void line(float *x) { *x += 1; }\n'


class Library:
    """One libnvrtc.

    path: of the file, or a name that the linker knows. version: (13, 0). architectures: (75, 80, ...), those that it
    gives instructions of. Raises OSError where it cannot be loaded.
    """

    def __init__(self, path):
        self.path = path
        # NVRTC opens this one by its name, which the linker does not find in pip's folders; it does once it is loaded.
        for beside in sorted(pathlib.Path(path).parent.glob("libnvrtc-builtins.so.*")) if "/" in path else []:
            ctypes.CDLL(str(beside), mode=ctypes.RTLD_GLOBAL)
        self._library = library = ctypes.CDLL(path)
        library.nvrtcGetErrorString.restype = ctypes.c_char_p
        major, minor, count = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
        self._check(library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor)), "telling its version")
        self.version = major.value, minor.value
        self._check(library.nvrtcGetNumSupportedArchs(ctypes.byref(count)), "telling what it compiles for")
        numbers = (ctypes.c_int * count.value)()
        self._check(library.nvrtcGetSupportedArchs(numbers), "telling what it compiles for")
        self.architectures = tuple(sorted(numbers))

    def __str__(self):
        return f"NVRTC {paths.version_text(self.version)}"

    def knows(self, arch):
        """Does it give instructions of this architecture ("sm_90")?"""
        return _number(arch) in self.architectures

    def older(self, arch):
        """Is the architecture newer than all that this one knows? Its PTX for the newest of them runs there."""
        return _number(arch) > self.architectures[-1]

    def compile(self, source, arch, options, name):
        """As the function of the module."""
        as_ptx = arch.startswith("sm_") and self.older(arch)
        target = f"compute_{self.architectures[-1]}" if as_ptx else arch
        with self._compiled(source, target, options, name) as (program, what):
            return self._ptx(program, what) if as_ptx else self._text("CUBIN", program, what)

    def report(self, source, arch, options, name):
        """Two texts: what the compiler says of each kernel's registers and memory, and PTX."""
        with self._compiled(source, arch, ["--ptxas-options=-v", *options], name) as (program, what):
            return self._log(program, what), self._ptx(program, what).rstrip(b"\0").decode()

    @contextlib.contextmanager
    def _compiled(self, source, target, options, name):
        """(a program, what is being done in words)"""
        library, what = self._library, f"compiling {name} for {target} with {' '.join(options) or 'no options'}"
        program = ctypes.c_void_p()
        status = library.nvrtcCreateProgram(ctypes.byref(program), source.encode(), name.encode(), 0, None, None)
        self._check(status, what)
        try:
            words = [f"--gpu-architecture={target}", "--std=c++17", *options]
            given = (ctypes.c_char_p * len(words))(*[word.encode() for word in words])
            with _own_locale():
                status = library.nvrtcCompileProgram(program, len(words), given)
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
        """The bytes that two of the library's functions give: the first their number, the second themselves."""
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
    """NVRTC 12.4 leaves the thread with the locale "C", in which Python's `open` reads and writes ASCII."""
    uselocale = ctypes.CDLL(None).uselocale
    uselocale.argtypes, uselocale.restype = [ctypes.c_void_p], ctypes.c_void_p
    before = uselocale(None)
    try:
        yield
    finally:
        uselocale(before)


def _number(arch):
    """90 of "sm_90" and "compute_90"."""
    return int(arch.rpartition("_")[2].rstrip("af"))


def shortened(messages):
    """The first lines of what a compiler says, and how many there are more."""
    lines = messages.strip().splitlines()
    more = [f"... and {len(lines) - MAX_LINES} more lines"] if len(lines) > MAX_LINES else []
    return "\n".join(lines[:MAX_LINES] + more)
