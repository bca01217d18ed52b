"""The compiler nvcc, a program in a CUDA toolkit, which needs a host C++ compiler."""

import functools
import pathlib
import re
import subprocess
import tempfile

from minigluon.base import MXNetError

from . import paths
from .nvrtc import shortened

__all__ = ["available", "compile", "version"]

TIME_LIMIT = 600        # in seconds, so that a hanging compiler does not block a program that waits for a kernel


def available():
    """Returns whether there is a working nvcc."""
    return paths.nvcc() is not None


@functools.cache
def version(arch=None):
    """Returns a string such as 'nvcc 13.0.88', for any architecture. Raises MXNetError if there is none."""
    output = _run(["--version"], "telling its version")
    number = re.search(r"\bV(\d+(?:\.\d+)+)", output)
    return f"nvcc {number[1] if number else output.strip()}"


def compile(source, arch, options, name):
    """Compiles CUDA C++ to bytes that the driver loads.

    source: the text, with its defines as lines. arch: "sm_90". options: compiler options, such as "--use_fast_math".
    name: the name of the file, for messages. Raises MXNetError with nvcc's message.
    """
    with tempfile.TemporaryDirectory(prefix="minigluon-nvcc-") as folder:
        file, image = pathlib.Path(folder) / "kernels.cu", pathlib.Path(folder) / "kernels.cubin"
        file.write_text(source, encoding="utf-8")
        _run(["--cubin", f"-arch={arch}", "--std=c++17", *options, "-o", str(image), str(file)],
             f"compiling {name} for {arch} with {' '.join(options) or 'no options'}")
        return image.read_bytes()


def _run(arguments, what):
    program = paths.nvcc()
    if program is None:
        raise MXNetError("gpu: there is no nvcc: it is neither on PATH nor in a CUDA toolkit. Install a compiler for "
                         "kernels with: pip install nvidia-cuda-nvrtc")
    try:
        child = subprocess.run([program, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                               errors="replace", timeout=TIME_LIMIT)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise MXNetError(f"gpu: {what}: {program} cannot be run: {error}. Another compiler: pip install "
                         "nvidia-cuda-nvrtc") from error
    if child.returncode:
        raise MXNetError(f"gpu: {what}: {program} failed:\n{shortened(child.stderr + child.stdout)}")
    return child.stdout
