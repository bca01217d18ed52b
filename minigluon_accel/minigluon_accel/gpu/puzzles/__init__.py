"""CUDA C++ puzzles for `minigluon learn start --gpu`: kernels with holes, run on the emulated GPU, and what is wrong
with them in words. README.md tells how a puzzle is made.

    puzzle.py    what a puzzle consists of              device.py    a launch on the emulated GPU, by ctypes
    grading.py   all that a learner's file is held to   trace.py     what each thread did: accesses, barriers, lines
    words.py     what went wrong, in a sentence         traffic.py   how often memory is used: banks, rows, reads

    p01_map.cu   a kernel with its hole filled, and     p01_map.py   its launches, results, hints; and so on
"""

from .device import prepare, require
from .grading import grade
from .puzzle import NAMES, load

__all__ = ["NAMES", "grade", "load", "prepare", "require"]
