"""A CUDA driver without a GPU: a `libcuda.so.1` that runs kernels on the processor, and a compiler for them.

    path = library()                                  # build it, once for each user; ctypes.CDLL(path) loads it
    image = compile(source, options=["-DT=float"])    # for cuModuleLoadData
    report(error)                                     # what a launch's error says, in parts

`driver/` holds the library in C++, `device/` what kernels see of CUDA C++, `rewrite.py` what g++ cannot read as it is.
README.md tells how it works and what it does not do.
"""

from .build import built, library
from .compiler import compile, version
from .reports import report

__all__ = ["built", "compile", "library", "report", "version"]
