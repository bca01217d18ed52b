"""The job started by mpirun: how a process joins it, and how its exit ends the other processes, which would wait.

    MINIGLUON_MPI_TIMEOUT   seconds that a process waits for others in a store call; 0 for no limit. The default is
                            half an hour, because one process may evaluate or save in the meantime
    MINIGLUON_MPI_CHECK     'always': processes compare their calls before they exchange values; 'never'
"""

from __future__ import annotations

import atexit
import contextlib
import faulthandler
import functools
import os
import sys
import threading
import traceback
from types import ModuleType

from ..backend.forgetting import forget_kernels
from ..base import ArgumentError, MXNetError
from ..common.device_generators import seeding
from ..common.optional_packages import require
from .link import Link

__all__ = ["end_the_job", "join", "launched", "rank", "require_mpi"]

TIMEOUT = 1800
MIN_START_SECONDS = 60      # seconds for starting MPI itself, even if the limit is shorter
CHECKS = ("always", "never")
# Open MPI moves long messages through shared memory in fragments. By default three of 32 kB are on their way, so both
# processes must run in turns all the time; with these, 25 MB take half of the time, or a third on a busy machine.
OPTIONS = {"OMPI_MCA_pml_ob1_send_pipeline_depth": "64", "OMPI_MCA_btl_vader_max_send_size": "262144"}


@functools.cache
def join():
    """Return the Link of this process to its job; without mpirun, the job is only this process.

    Raises MXNetError without MPI. From then on, an uncaught error ends the job after its traceback is printed, and a
    process that exits notifies the other processes.
    """
    limit, check = _timeout(), os.environ.get("MINIGLUON_MPI_CHECK", CHECKS[0])
    if check not in CHECKS:
        raise ArgumentError(f"MINIGLUON_MPI_CHECK is {check!r}, expected 'always' or 'never'")
    with _no_longer_than(limit and max(limit, MIN_START_SECONDS)):
        mpi = require_mpi()
    link = Link(mpi, limit, check)
    _require_all(link.size)
    if link.size > 1:
        _end_with_errors(link)
        seeding.rank = link.rank
        forget_kernels()            # prepared operators that draw masks still use the generator of a single process
    return link


def launched() -> bool:
    """Return whether mpirun has started this process together with other processes."""
    sizes = [os.environ.get(name, "") for name in ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS",
                                                "SLURM_STEP_NUM_TASKS")]
    return any(size.isdigit() and int(size) > 1 for size in sizes)


def rank() -> int:
    """Return this process's rank in the job, or 0 before the first store for several processes is created."""
    return join().rank if join.cache_info().currsize else 0


def end_the_job() -> None:
    """End the job's other processes, if any, after an error that the program itself has reported."""
    if join.cache_info().currsize and join().size > 1:
        _abort()


def require_mpi() -> ModuleType:
    """Return the module mpi4py.MPI. Raises MXNetError that names the extra."""
    require("mpi4py", extra="mpi", user="kvstore='dist_sync'")
    for name, value in OPTIONS.items():
        os.environ.setdefault(name, value)
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError) as error:        # mpi4py is installed, but not the MPI library
        raise MXNetError(f"mpi4py cannot load an MPI library: {error}. Install Open MPI or MPICH (on Debian: apt-get "
                         "install openmpi-bin libopenmpi-dev).") from error
    return MPI


def _require_all(size):
    """Raise MXNetError if Slurm has started several processes that do not know each other."""
    started = os.environ.get("SLURM_STEP_NUM_TASKS", "")
    if size == 1 and started.isdigit() and int(started) > 1:
        raise MXNetError(f"Slurm has started {started} processes, but to MPI this one is alone, so each would train by "
                         "itself. Start them with srun --mpi=NAME, where NAME is one of those that srun --mpi=list "
                         "prints and that the MPI library supports, such as pmix.")


def _timeout():
    text = os.environ.get("MINIGLUON_MPI_TIMEOUT", str(TIMEOUT))
    try:
        limit = float(text)
    except ValueError:
        limit = -1
    if not 0 <= limit < float("inf"):
        raise ArgumentError(f"MINIGLUON_MPI_TIMEOUT is {text!r}, expected a number of seconds, or 0 for no limit")
    return limit


@contextlib.contextmanager
def _no_longer_than(limit):
    """Context manager that ends the process if MPI takes too long to start, because MPI holds the GIL while it waits.
    """
    watched = limit and launched() and sys.__stderr__ is not None
    if watched:
        faulthandler.dump_traceback_later(limit, exit=True, file=sys.__stderr__)
    try:
        yield
    finally:
        if watched:
            faulthandler.cancel_dump_traceback_later()


def _end_with_errors(link):
    """Notify the other processes when this process ends in any way."""
    in_threads = threading.excepthook
    elsewhere = sys.excepthook
    process = os.getpid()

    def end(kind, value, trace):
        if os.getpid() != process:          # a forked process does not belong to the job
            return elsewhere(kind, value, trace)
        _say(f"process {link.rank} of {link.size} raised an error, which ends the job:\n"
             + "".join(traceback.format_exception(kind, value, trace)))
        _abort()

    def end_in_thread(args):
        if link.called_in_this_thread():
            end(args.exc_type, args.exc_value, args.exc_traceback)
        in_threads(args)

    def leave():
        reason = link.leave()
        if reason is not None:
            _say(f"process {link.rank} of {link.size} ends, which ends the job: {reason}\n")
            _abort()

    sys.excepthook, threading.excepthook = end, end_in_thread
    atexit.register(leave)


def _say(text):
    print(text, file=sys.stderr, end="", flush=True)


def _abort():
    sys.stderr.flush()
    sys.stdout.flush()
    require_mpi().COMM_WORLD.Abort(1)
