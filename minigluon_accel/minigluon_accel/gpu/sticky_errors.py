"""Sticky errors: kernel errors, such as an illegal address, that CUDA returns for every later call in the process.

A context with such an error can no longer be used, nor can the process create a new one: the process must be restarted.
So the first call that receives the error reports its origin, and each later call repeats this report without calling
the driver. A program that runs many tasks in one process, such as tests or benchmarks, calls `poisoned()` after each
task, and exits.
"""

import ctypes

from minigluon.base import MXNetError

__all__ = ["StickyError", "is_sticky", "poisoned", "record"]

NOT_READY = 600
CAPTURES = range(900, 1000)     # errors about a capture in progress, which disappear when the capture ends

_poisoned = {}          # device id -> the first StickyError


class StickyError(MXNetError):
    """The error of a device whose context has failed permanently.

    what: the work that first received the error; reason: the driver's text.
    """

    def __init__(self, text, what, reason):
        super().__init__(text)
        self.what, self.reason = what, reason

    def __reduce__(self):
        return type(self), (str(self), self.what, self.reason)


def poisoned():
    """Returns {device id: its first StickyError} for the devices that this process has lost."""
    return dict(_poisoned)


def is_sticky(api, stream):
    """Returns whether a stream answers a mere status query with an error, as it does after a sticky error."""
    status = api.cuStreamQuery(ctypes.c_void_p(stream))
    return status not in (0, NOT_READY) and status not in CAPTURES


def record(device, what, reason):
    """Returns the StickyError for a device whose context has failed; later calls no longer reach the driver."""
    first = _poisoned.setdefault(device.number, StickyError(
        f"{device}: {what} failed: {reason}\n  This error stays: no call of this process can use {device} any more, "
        "and what its arrays held is lost. Kernels run after the calls that launch them, so the faulty one is this "
        "one or an earlier one.\n  remedy: restart the program from its last checkpoint. "
        "CUDA_LAUNCH_BLOCKING=1 names the kernel; MINIGLUON_GPU=emulate finds the thread and the address.",
        what, reason))

    def refuse():
        raise StickyError(f"{device} cannot be used any more: {first.what} failed before: {first.reason}\n  remedy: "
                          "restart the program from its last checkpoint", first.what, first.reason)
    device.activate = refuse            # replaces the method, so that the check costs nothing before an error occurs
    return first
