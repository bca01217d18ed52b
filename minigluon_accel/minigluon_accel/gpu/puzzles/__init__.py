"""CUDA C++ puzzles for `minigluon learn start --gpu`: kernels with holes, run on the emulated GPU, and diagnoses in
plain language. README.md explains how to write a puzzle.

    puzzle.py       the parts of a puzzle            device.py    a launch on the emulated GPU, by ctypes
    grading.py      all checks of a learner's file   trace.py     each thread's accesses, barriers and lines
    diagnostics.py  mistakes, in a sentence          traffic.py   rules about memory use: banks, rows, reads

    p01_map.cu   a kernel with its hole filled, and     p01_map.py   its launches, results, hints; and so on
"""

from .device import prepare, require
from .grading import grade
from .puzzle import NAMES, load

__all__ = ["NAMES", "grade", "load", "prepare", "require"]
