"""Stand-ins of NVIDIA's libraries: methods of a class as C functions, so that arguments go through the types of C.

What they compute is launched on the stream that they are given, by plain kernels of the project: a CUDA graph captures
it as it would the library's own kernels.
"""

import ctypes
from types import SimpleNamespace

import numpy as np
from minigluon_accel.gpu import driver
from minigluon_accel.gpu.buffer import Buffer
from minigluon_accel.gpu.launcher import Program

from helpers.gpu_checks import backend

__all__ = ["CStandIn", "RefusedCall", "fill", "ints", "need", "run_on"]


class RefusedCall(Exception):
    """A status other than 0, and why."""


def need(true, status, why):
    """Refuse a call with this status unless something is true."""
    if not true:
        raise RefusedCall(status, why)


class CStandIn:
    """`functions` stands in for a library.

    calls: what was called, as the methods write it down. status: {name of a function: what it answers in place of
    working}. errors: what went wrong in the stand-in itself. last: why it refused last.
    """

    failed = None           # the status for that

    def __init__(self, signatures, strings=()):
        self.calls, self.status, self.errors, self.last = [], {}, [], ""
        self.functions = SimpleNamespace()
        for name, (result, arguments) in signatures.items():
            # A C function that returns a text cannot be made of Python's.
            function = getattr(self, name) if name in strings else self._as_c(name, result, arguments)
            setattr(self.functions, name, function)

    def method(self, name):
        """What does the work of a C function."""
        return getattr(self, name)

    def _as_c(self, name, result, arguments):
        method = self.method(name)

        def call(*values):
            try:
                need(not self.status.get(name), self.status.get(name), "as the test wants it")
                return method(*values) or 0
            except RefusedCall as refused:
                status, self.last = refused.args
                return status
            except Exception as error:      # ctypes would print it, and answer 0
                self.errors.append(error)
                return self.failed
        return ctypes.CFUNCTYPE(result, *arguments)(call)


def ints(address, count):
    """Numbers of C's int at an address."""
    return [ctypes.c_int.from_address(address + 4 * place).value for place in range(count)]


def fill(stream, pointer, count, value):
    """Put bytes of a value to an address, on a stream."""
    driver.check(driver.api().cuMemsetD8Async(ctypes.c_uint64(pointer), ctypes.c_ubyte(value), ctypes.c_size_t(count),
                                              ctypes.c_void_p(stream)), backend().device, "filling")


def run_on(stream, launches, pointers):
    """Launch prepared kernels on a stream, whose operands are at these addresses."""
    device = backend().device
    operands = [Buffer(pointer, (1,), np.dtype("uint8"), None, device) for pointer in pointers]
    status, kernel = Program([(launches, range(len(operands)))], {}).run(operands, 0, len(launches), stream)
    driver.check(status, device, kernel and kernel.name)
