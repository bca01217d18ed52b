"""The stand-in compiler: from CUDA C++ to a module's image, a shared object that the emulated driver loads."""

import functools
import os
import pathlib
import subprocess
import tempfile

from minigluon.base import MXNetError

from .build import HERE, cached_build, compiler_version, digest, gpp, library
from .rewrite import module_source

__all__ = ["CompileError", "compile", "preprocess", "version"]

FLAGS = (
    "-std=c++17", "-fPIC", "-w", "-fno-exceptions", "-fno-strict-aliasing", "-fwrapv",
    # Functions and statics with the same name in two modules remain distinct.
    "-fno-gnu-unique", "-fno-threadsafe-statics",
    # Thread-local variables, which hold shared memory, use the faster of two conventions; stacks are probed page by
    # page.
    "-mtls-dialect=gnu2", "-fstack-clash-protection",
    # Misaligned accesses and indices out of bounds are reported to the driver.
    "-fsanitize=alignment,bounds",
)
# Line numbers for messages, with the file names that the source contains.
LINES = ("-g1", "-fno-working-directory")
CHECKED = (*LINES, "-fsanitize=thread", "--param=tsan-instrument-func-entry-exit=0",
           "--param=tsan-distinguish-volatile=1", "-DMINIGLUON_CHECKED=1")
# As in NVRTC and nvcc by default, a * b + c is rounded once. g++ does so at -O1 and above, as an expensive
# optimization.
CONTRACTED = ("-fexpensive-optimizations", "-ffp-contract=fast", "-mfma")
# A single call to g++ compiles and links. Looking for the default startup files and libraries would double the linking
# time. Bsymbolic: a name that a kernel shares with a C library function refers to the kernel.
LINKED = ("-pipe", "-shared", "-nostartfiles", "-nodefaultlibs", "-Wl,-z,now", "-Wl,-Bsymbolic")
LIBRARIES = ("-lm", "-lgcc")
NO_FMAD = "--fmad=false"        # as spelled by NVRTC and nvcc


class CompileError(MXNetError):
    """The error for CUDA C++ code that does not compile; the message contains the compiler's text."""


def checked():
    """Returns whether kernels are compiled with a check of each access: MINIGLUON_GPU_CHECK=1, or hard."""
    return os.environ.get("MINIGLUON_GPU_CHECK", "0") not in ("", "0")


def optimized():
    """Returns whether kernels are optimized when they are compiled. MINIGLUON_GPU_OPTIMIZE=0 saves compile time, for
    tests."""
    return os.environ.get("MINIGLUON_GPU_OPTIMIZE", "1") not in ("", "0")


def contracted():
    """Returns whether a * b + c is rounded once: MINIGLUON_GPU_CONTRACT=1, or 0 to override MINIGLUON_GPU_CHECK=hard.

    The processor must have a fused multiply-add instruction.
    """
    usual = "1" if os.environ.get("MINIGLUON_GPU_CHECK") == "hard" else "0"
    return os.environ.get("MINIGLUON_GPU_CONTRACT", usual) not in ("", "0")


def _flags(options=()):
    if contracted() and NO_FMAD not in options:
        rounding = ("-O2" if optimized() else "-O1", *CONTRACTED)
    else:
        rounding = ("-O2" if optimized() else "-Og", "-ffp-contract=off")
    return (*FLAGS, *rounding, *(CHECKED if checked() else ()))


def version(arch=None):
    """Returns a hash of everything that affects `compile`, for any architecture: the compiler, its flags, the prelude
    and the rewriting."""
    return _version(_flags())


@functools.cache
def _version(flags):
    sources = sorted((HERE / "device").glob("*.h"))
    return digest(compiler_version(), *flags, *sources, HERE / "driver" / "abi.h", HERE / "rewrite.py",
                  HERE / "compiler.py")


@functools.cache
def _prelude(flags):
    """Returns the path of a prelude.h for these flags, with its precompiled prelude.h.gch next to it."""
    original = HERE / "device" / "prelude.h"
    folder = "prelude-" + digest(_version(flags), str(original))

    def precompile(path):
        _run([gpp(), *flags, "-x", "c++-header", str(original), "-o", str(path)],
             "The GPU emulator's prelude does not compile")

    cached_build(folder, "prelude.h.gch", precompile)
    return str(cached_build(folder, "prelude.h", lambda path: path.write_text(f'#include "{original}"\n')))


def compile(source, architecture="sm_80", options=(), name="kernel"):
    """Returns the image of a module, for cuModuleLoadData.

    source: CUDA C++. architecture: ignored. options: -Dname=value, -Uname, -Ifolder, and --fmad=false, which disables
    contraction. name: the name of the source in the compiler's messages. Raises CompileError with g++'s text, and
    MXNetError for other options or if there is no g++.
    """
    unknown = [option for option in options if not option.startswith(("-D", "-U", "-I")) and option != NO_FMAD]
    if unknown:
        raise MXNetError(f"The emulator's compiler does not know the option {unknown[0]!r}, expected -D, -U, -I "
                         f"or {NO_FMAD}. Leave it out: other options of nvcc have no meaning here.")
    text = module_source(preprocess(source, options, name)).replace('"<stdin>"', f'"{name}"')      # the name in line
                                                                                                   # markers
    with tempfile.TemporaryDirectory(prefix="minigluon-") as folder:
        module = pathlib.Path(folder) / "module.so"
        _run([gpp(), *_flags(options), *LINKED, "-fpreprocessed", "-x", "c++", "-", "-x", "none", library(), *LIBRARIES,
              "-o", str(module)], f"{name} does not compile", input=text, cwd="/")      # at_line() knows
        return module.read_bytes()


def preprocess(source, options=(), name="kernel"):
    """Returns the preprocessed source, preceded by a reference to the precompiled prelude."""
    folders = [option for option in options if option.startswith("-I")]
    flags = _flags(options)
    command = [gpp(), *flags, "-E", "-fpch-preprocess", "-include", _prelude(flags), *folders, "-x", "c++", "-"]
    # Defines follow the prelude: before it, -DT=float would also replace the prelude's own T.
    defines = "".join(map(_directive, options))
    return _run(command, f"{name} does not compile", input=f'{defines}#line 1 "{name}"\n{source}')


def _directive(option):
    """Returns -Dname=value and -Uname as lines of the source; ignores other options."""
    if option.startswith("-U"):
        return f"#undef {option[2:]}\n"
    if not option.startswith("-D"):
        return ""
    name, _, value = option[2:].partition("=")
    return f"#define {name} {value if '=' in option else 1}\n"


def _run(command, trouble, **more):
    result = subprocess.run(command, capture_output=True, text=True, **more)
    if result.returncode:
        raise CompileError(f"{trouble}. The compiler says:\n{result.stderr.strip()}")
    return result.stdout
