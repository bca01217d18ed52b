"""A stand-in of NCCL: see `c_stand_in`. It writes calls down, and adds up what the cards of this process and `others`
bring."""

import ctypes

import numpy as np
from minigluon_accel.gpu import driver, nccl

from helpers.c_stand_in import CStandIn, need
from helpers.gpu_checks import backend

__all__ = ["NcclStandIn"]

# From nccl.h, not from the code under test.
INVALID_ARGUMENT, INVALID_USAGE, INTERNAL = 4, 5, 3
TYPES = {0: "int8", 1: "uint8", 2: "int32", 4: "int64", 6: "float16", 7: "float32", 8: "float64"}


class NcclStandIn(CStandIn):
    """others: a function of an array of NumPy that adds what the cards of other processes have, in place."""

    failed = INTERNAL

    def __init__(self, others=None):
        self.others, self.comms, self.group, self.depth = others, {}, [], 0
        super().__init__(nccl.SIGNATURES, ["ncclGetErrorString"])

    @staticmethod
    def ncclGetErrorString(status):
        return f"status {status}".encode()

    def ncclGetVersion(self, place):
        ctypes.c_int.from_address(place).value = 22703

    def ncclGetUniqueId(self, place):
        ctypes.memmove(place, bytes(range(128)), 128)

    def ncclCommInitRank(self, place, count, unique, rank):
        need(bytes(unique) == bytes(range(128)), INVALID_ARGUMENT, "unique id")
        need(0 <= rank < count, INVALID_ARGUMENT, "rank")
        number = len(self.comms) + 1
        self.comms[number] = rank
        ctypes.c_void_p.from_address(place).value = number
        self.calls.append(("init", rank, count))

    def ncclCommDestroy(self, comm):
        need(self.comms.pop(comm, None) is not None, INVALID_ARGUMENT, "communicator")
        self.calls.append("destroy")

    def ncclGroupStart(self):
        self.depth += 1
        self.calls.append("start")

    def ncclAllReduce(self, source, target, count, dtype, op, comm, stream):
        need(self.depth == 1 and comm in self.comms, INVALID_USAGE, "outside of a group")
        need(dtype in TYPES and op == 0 and stream == backend().device.stream_handle, INVALID_ARGUMENT, "arguments")
        self.calls.append(("sum", self.comms[comm], count, TYPES[dtype]))
        self.group.append((source, target, count, TYPES[dtype]))

    def ncclGroupEnd(self):
        """Adds up arrays with the same place among those of each card."""
        need(self.depth == 1, INVALID_USAGE, "no group")
        self.depth = 0
        self.calls.append("end")
        cards = max(1, len(self.comms))
        for start in range(0, len(self.group), cards):
            parts = self.group[start:start + cards]
            total = sum(_read(source, count, dtype) for source, _, count, dtype in parts)
            if self.others is not None:
                self.others(total)
            for _, target, *_ in parts:
                _write(target, total)
        self.group.clear()


def _read(pointer, count, dtype):
    array = np.empty(count, dtype)
    _copy("cuMemcpyDtoH_v2", ctypes.c_void_p(array.ctypes.data), ctypes.c_uint64(pointer), array.nbytes)
    return array


def _write(pointer, array):
    _copy("cuMemcpyHtoD_v2", ctypes.c_uint64(pointer), ctypes.c_void_p(array.ctypes.data), array.nbytes)


def _copy(name, target, source, size):
    backend().device.synchronize()
    driver.check(getattr(driver.api(), name)(target, source, ctypes.c_size_t(size)), backend().device, "copying")
