"""The end of a process of tests whose GPU has failed for good: no later test of the GPU could tell anything."""

import os
import sys

__all__ = ["STATUS", "status_at_the_end", "stop_if_poisoned"]

STATUS = 86             # of a process that ended so


def poisoned():
    """The StickyErrors of the GPUs that this process has lost."""
    sticky = sys.modules.get("minigluon_accel.gpu.sticky_errors")
    return list(sticky.poisoned().values()) if sticky else []


def stop_if_poisoned(session):
    """A worker of xdist ends at once, and another takes its place and its tests; without xdist the run stops here."""
    for error in poisoned():
        if hasattr(session.config, "workerinput"):
            os._exit(STATUS)
        session.shouldstop = (f"{str(error).partition(': ')[0]} cannot be used any more: {error.what} failed: "
                              f"{error.reason}. Start the tests that are left in another process.")


def status_at_the_end(session):
    """The exit status of such a run is its own, when what its tests say has been told."""
    if poisoned():
        session.exitstatus = STATUS
