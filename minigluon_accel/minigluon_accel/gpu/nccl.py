"""Sums of arrays on several cards: NCCL, NVIDIA's library for messages between cards, in one process or several.

It comes from pip's nvidia-nccl-cu12 or -cu13, or from the system, as libnccl.so.2. No card was at hand when this was
written: tests call a stand-in.
"""

import ctypes
import functools
import os

from minigluon.base import MXNetError

from . import driver, paths

__all__ = ["Communicator", "available", "loaded", "unique_id"]

NAME = "libnccl.so.2"
INSTALL = "pip install nvidia-nccl-cu12, or -cu13, brings it"

# Constants of the library's interface, from nccl.h.
TYPES = {"int8": 0, "uint8": 1, "int32": 2, "int64": 4, "float16": 6, "float32": 7, "float64": 8}    # ncclDataType_t
SUM = 0                                                                                              # ncclRedOp_t


class UniqueId(ctypes.Structure):
    """The address at which the processes of a communicator meet: ncclUniqueId, which is passed by value."""

    _fields_ = [("internal", ctypes.c_byte * 128)]


_int, _pointer = ctypes.c_int, ctypes.c_void_p
SIGNATURES = {
    "ncclGetVersion": (_int, [_pointer]), "ncclGetErrorString": (ctypes.c_char_p, [_int]),
    "ncclGetUniqueId": (_int, [_pointer]), "ncclCommInitRank": (_int, [_pointer, _int, UniqueId, _int]),
    "ncclCommDestroy": (_int, [_pointer]), "ncclGroupStart": (_int, []), "ncclGroupEnd": (_int, []),
    "ncclAllReduce": (_int, [_pointer, _pointer, ctypes.c_size_t, _int, _int, _pointer, _pointer]),
}


def available():
    """Returns None if NCCL can be used, or a string that says why not."""
    if driver.emulated():
        return "NCCL needs a real GPU, and this one is emulated"
    if os.environ.get("MINIGLUON_NCCL") == "0":
        return "MINIGLUON_NCCL=0 switches it off"
    library = loaded()
    return library if isinstance(library, str) else None


@functools.cache
def loaded():
    """Returns the library, with its function types declared, or a string that says why there is none."""
    reasons = []
    for path in [*paths.libraries("nccl"), NAME]:
        if path.endswith(NAME):
            try:
                return declared(ctypes.CDLL(path))
            except (OSError, AttributeError) as error:
                reasons += [f"{path} cannot be used: {error}"] if os.sep in path else []
    return "; ".join(reasons) or f"there is no NCCL: {INSTALL}"


def declared(library):
    """Returns the library with its function types declared. Raises AttributeError if a function is missing."""
    for name, (result, arguments) in SIGNATURES.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


def unique_id():
    """Returns the bytes of a new UniqueId. One process calls this, and sends them to the others."""
    unique = UniqueId()
    _call("a new communicator", "ncclGetUniqueId", ctypes.byref(unique))
    return bytes(unique)


class Communicator:
    """The cards of all processes that add up arrays together.

    devices: those of this process. first: the rank of the first one among all cards. count: the number of all cards.
    unique: the bytes of a `unique_id`, the same in all processes, all of which must create it at the same time.
    """

    def __init__(self, devices, first, count, unique):
        self.devices, self._comms = devices, [_pointer() for _ in devices]
        what, unique = f"a communicator of {count} cards", UniqueId.from_buffer_copy(unique)
        _call(what, "ncclGroupStart")
        for rank, (device, comm) in enumerate(zip(devices, self._comms, strict=True), first):
            device.activate()
            _call(what, "ncclCommInitRank", ctypes.byref(comm), count, unique, rank)
        _call(what, "ncclGroupEnd")

    def all_reduce(self, arrays):
        """Returns the sums over all cards, [[buffer of each device]]. They are ready in stream order.

        arrays: for each sum, a contiguous buffer on each device. All processes pass the same shapes and dtypes.
        """
        sums = [[device.memory.empty(x.shape, x.dtype) for device, x in zip(self.devices, of_devices, strict=True)]
                for of_devices in arrays]
        what = f"the sum of {len(arrays)} arrays"
        _call(what, "ncclGroupStart")           # one launch for all
        for of_devices, totals in zip(arrays, sums, strict=True):
            for device, comm, x, total in zip(self.devices, self._comms, of_devices, totals, strict=True):
                _call(what, "ncclAllReduce", x.pointer, total.pointer, x.size, TYPES[x.dtype.name], SUM, comm,
                      device.stream_handle)
        _call(what, "ncclGroupEnd")
        return sums

    def close(self):
        """Frees the communicator's memory on the cards."""
        while self._comms:
            _call("the end of a communicator", "ncclCommDestroy", self._comms.pop())


def _call(what, name, *arguments):
    """Calls a function of the library. Raises MXNetError for a nonzero status."""
    status = getattr(loaded(), name)(*arguments)
    if status:
        text = loaded().ncclGetErrorString(status).decode(errors="replace")
        raise MXNetError(f"NCCL: {what} failed in {name}: {text}. NCCL_DEBUG=WARN prints more; MINIGLUON_NCCL=0 in all "
                         "processes adds up through the CPU's memory.")
