"""The return values of kernel functions: launches, their arguments, and their scratch memory.

    SOURCE = SourceFile("nn/softmax.cu")
    Work(Launch(SOURCE, "softmax_rows", types(spec.dtype), grid=rows, block=128, arguments=[In(0), Out(0), n]))

The arguments are in the order of the kernel's parameters in the .cu file:

    In(0), Out(0), Scratch(0)      the address of an operand
    an int                         long long
    a float                        double
    dims([...])                    struct Dims of common.cuh
    a numpy scalar                 its own type
"""

import math
import os
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from minigluon.backend import Spec

__all__ = ["THREADS", "Enqueue", "GeneratedSource", "In", "Launch", "Out", "Scratch", "SourceFile", "Work", "blocks",
           "dims", "limit_of_32_bits", "size", "types"]

THREADS = 256           # the number of threads in a block, unless a kernel needs a different number
MAX_BLOCKS = 65535      # a grid of this size keeps every device busy; kernels advance by the grid's stride
MAX_DIMS = 12           # as in common.cuh

# NumPy dtype name -> (the type in CUDA C++, the type of arithmetic and sums)
TYPES = {
    "float32": ("float", "float"), "float64": ("double", "double"), "float16": ("half", "float"),
    "int8": ("signed char", "long long"), "uint8": ("unsigned char", "long long"), "int32": ("int", "long long"),
    "int64": ("long long", "long long"), "bool": ("bool", "long long"),
}


class In(NamedTuple):
    """The address of an input."""

    number: int


class Out(NamedTuple):
    """The address of an output."""

    number: int


class Scratch(NamedTuple):
    """The address of a scratch buffer."""

    number: int


@dataclass(frozen=True)
class SourceFile:
    """CUDA C++ in a file under kernels/: "nn/softmax.cu".

    fmad: whether the compiler may use fma, which is faster and rounds a product and a sum only once. It is False if
    results must be bitwise equal to those of the reference, which rounds both.
    """

    path: str
    fmad: bool = True

    @property
    def title(self):
        """The source's name in messages."""
        return self.path


@dataclass(frozen=True)
class GeneratedSource:
    """CUDA C++ generated for one operator or chain. A chain produces the same bits as its separate operators."""

    text: str
    title = "generated"
    fmad = False


class Launch(NamedTuple):
    """One launch of a kernel.

    source: a SourceFile or a GeneratedSource. function: its name. defines: {macro: value}. grid, block: one to three
    sizes. shared: bytes of dynamic shared memory.
    """

    source: object
    function: str
    defines: dict
    grid: object
    block: object
    arguments: list
    shared: int = 0


class Enqueue(NamedTuple):
    """A Python function that puts work on the stream: function(stream handle, addresses of the operands).

    calls, failed: the equivalent without Python (see `launcher.EnqueueCall`).
    """

    name: str
    function: object
    operands: list
    replayable: bool = True
    calls: tuple = ()
    failed: object = None


class Work:
    """Launches in order, and the Specs of scratch buffers.

    The launches overwrite mutated inputs with their new values. note: a string for `explain` that says which library
    computes this and how, or why no library does; None for operators that never use libraries.
    """

    def __init__(self, *launches, scratch=(), note=None):
        self.note = note
        self.launches, self.scratch = list(launches), [Spec(tuple(s.shape), np.dtype(s.dtype)) for s in scratch]


def types(T, **others):
    """Returns the defines of a kernel for a dtype: T, and A, in which it sums. others: such as TI=dtype of indices."""
    defines = {}
    for name, dtype in {"T": T, **others}.items():
        defines[name], accumulated = TYPES[np.dtype(dtype).name]
        if name == "T":
            defines["A"] = accumulated
    return defines


def dims(numbers):
    """Returns a tuple of at most MAX_DIMS numbers as struct Dims."""
    if len(numbers) > MAX_DIMS:
        raise ValueError(f"{len(numbers)} dimensions, and kernels have {MAX_DIMS}")
    return np.array([*numbers, *[0] * (MAX_DIMS - len(numbers))], np.int64)


def limit_of_32_bits(limit):
    """Returns the number of elements below which a kernel uses 32-bit indices.

    In the emulator's hard mode it is small, so that 64-bit kernels run on the small arrays of tests.
    """
    hard = os.environ.get("MINIGLUON_GPU") == "emulate" and os.environ.get("MINIGLUON_GPU_CHECK") == "hard"
    return 300 if hard else limit


def size(spec):
    """Returns the number of elements."""
    return math.prod(spec.shape)


def blocks(count, threads=THREADS):
    """Returns the number of blocks that cover this many threads: at least one, because a grid must not be empty."""
    return min(max(-(-count // threads), 1), MAX_BLOCKS)


def value_bytes(argument):
    """Returns the bytes of an argument that is not an operand."""
    if isinstance(argument, (bool, int)):
        return np.int64(argument).tobytes()
    if isinstance(argument, float):
        return np.float64(argument).tobytes()
    return argument.tobytes()
