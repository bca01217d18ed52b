"""What a kernel function returns: launches, their arguments, and the memory that they need in between.

    SOURCE = SourceFile("nn/softmax.cu")
    Work(Launch(SOURCE, "softmax_rows", types(spec.dtype), grid=rows, block=128, arguments=[In(0), Out(0), n]))

The arguments stand in the order of the kernel's parameters in the .cu file:

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

THREADS = 256           # of a block, where nothing speaks for another number
MAX_BLOCKS = 65535      # a grid of so many keeps every device busy; kernels go on in strides of the grid
MAX_DIMS = 12           # as in common.cuh

# numpy's name -> (the type in CUDA C++, the type to compute and to sum in)
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
    """The address of a buffer in between."""

    number: int


@dataclass(frozen=True)
class SourceFile:
    """CUDA C++ in a file under kernels/: "nn/softmax.cu".

    fmad: whether the compiler may round a product and a sum of it once, by fma, which is faster. Not where results are
    to have the reference's bits, which rounds each.
    """

    path: str
    fmad: bool = True

    @property
    def title(self):
        """What messages call it."""
        return self.path


@dataclass(frozen=True)
class GeneratedSource:
    """CUDA C++ that was made for one operator or chain. A chain has the bits of its operators, one by one."""

    text: str
    title = "generated"
    fmad = False


class Launch(NamedTuple):
    """One launch of one kernel.

    source: a SourceFile or a GeneratedSource. function: its name. defines: {macro: value}. grid, block: one to three
    numbers. shared: bytes of dynamic shared memory.
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

    calls, failed: the same without Python, see `launcher.EnqueueCall`.
    """

    name: str
    function: object
    operands: list
    replayable: bool = True
    calls: tuple = ()
    failed: object = None


class Work:
    """Launches in order, and the Specs of scratch buffers.

    New values of what the operator mutates are written into those inputs by the launches. told: for `explain`, which
    library computes this and how, or why none does; None for operators that no library is asked for.
    """

    def __init__(self, *launches, scratch=(), told=None):
        self.told = told
        self.launches, self.scratch = list(launches), [Spec(tuple(s.shape), np.dtype(s.dtype)) for s in scratch]


def types(T, **others):
    """The defines for a kernel of elements of a dtype: T, and A, in which it sums. others: TI=dtype of indices, say."""
    defines = {}
    for name, dtype in {"T": T, **others}.items():
        defines[name], accumulated = TYPES[np.dtype(dtype).name]
        if name == "T":
            defines["A"] = accumulated
    return defines


def dims(numbers):
    """A tuple of at most MAX_DIMS numbers as struct Dims."""
    if len(numbers) > MAX_DIMS:
        raise ValueError(f"{len(numbers)} dimensions, and kernels have {MAX_DIMS}")
    return np.array([*numbers, *[0] * (MAX_DIMS - len(numbers))], np.int64)


def limit_of_32_bits(limit):
    """The number of elements below which a kernel counts them in 32 bits.

    In the emulator's hard mode it is small, so that kernels that count in 64 bits run on arrays of tests.
    """
    hard = os.environ.get("MINIGLUON_GPU") == "emulate" and os.environ.get("MINIGLUON_GPU_CHECK") == "hard"
    return 300 if hard else limit


def size(spec):
    """Number of elements."""
    return math.prod(spec.shape)


def blocks(count, threads=THREADS):
    """How many blocks for so many threads in all: at least one, since a grid must not be empty."""
    return min(max(-(-count // threads), 1), MAX_BLOCKS)


def value_bytes(argument):
    """An argument that is no operand, as bytes."""
    if isinstance(argument, (bool, int)):
        return np.int64(argument).tobytes()
    if isinstance(argument, float):
        return np.float64(argument).tobytes()
    return argument.tobytes()
