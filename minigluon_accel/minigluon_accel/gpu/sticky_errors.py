"""Sticky errors: those of a kernel that CUDA answers to every later call of the process, such as an illegal address.

The context that had one cannot be used any more, nor can the process make a better one: it has to be started again. So
the first call that meets the error says where, and each later one repeats that and does not ask the driver. Whoever
runs many things in one process, tests or measurements, asks `poisoned()` after each, and ends the process.
"""

import ctypes

from minigluon.base import MXNetError

__all__ = ["StickyError", "is_sticky", "poisoned", "record"]

NOT_READY = 600
CAPTURES = range(900, 1000)     # errors about a capture under way, which end with it

_poisoned = {}          # number of the device -> the first StickyError


class StickyError(MXNetError):
    """A device whose context has failed for good. what: the work that met it first; reason: the driver's words."""

    def __init__(self, text, what, reason):
        super().__init__(text)
        self.what, self.reason = what, reason

    def __reduce__(self):
        return type(self), (str(self), self.what, self.reason)


def poisoned():
    """{number of a device: the StickyError that it was first met with}, of devices that this process has lost."""
    return dict(_poisoned)


def is_sticky(api, stream):
    """Does a stream answer with an error when it is asked for nothing but how far it is? A sticky error does that."""
    status = api.cuStreamQuery(ctypes.c_void_p(stream))
    return status not in (0, NOT_READY) and status not in CAPTURES


def record(device, what, reason):
    """The StickyError for a device in whose context an error was met; no later call comes to the driver."""
    first = _poisoned.setdefault(device.number, StickyError(
        f"{device}: {what} failed: {reason}\n  This error stays: no call of this process can use {device} any more, "
        "and what its arrays held is lost. Kernels run behind the calls that launch them, so that the one at fault is "
        "this one or one before it.\n  remedy: start the program again, from its last checkpoint. "
        "CUDA_LAUNCH_BLOCKING=1 names the kernel; MINIGLUON_GPU=emulate finds the thread and the address.",
        what, reason))

    def refuse():
        raise StickyError(f"{device} cannot be used any more: {first.what} failed before: {first.reason}\n  remedy: "
                          "start the program again, from its last checkpoint", first.what, first.reason)
    device.activate = refuse            # in the place of the method: who does not meet an error pays nothing
    return first
