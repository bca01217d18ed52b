"""A CUDA driver without a GPU: a `libcuda.so.1` that runs kernels on the CPU, and a compiler for them.

    path = library()                                  # build it, once for each user; ctypes.CDLL(path) loads it
    image = compile(source, options=["-DT=float"])    # for cuModuleLoadData
    report(error)                                         # the parts of a launch's error

`driver/` is the library in C++, `device/` contains the parts of CUDA C++ that kernels see, and `rewrite.py` rewrites
what g++ cannot compile. README.md explains how it works and what it does not do.
"""

from .build import built, library
from .compiler import compile, version
from .reports import report

__all__ = ["built", "compile", "library", "report", "version"]
