"""The store of several processes, 'dist_sync': `mpirun -n 4 python program.py`, and sums go through MPI.

Every process computes with its part of the data. What a process pushes is added up over its own devices first and then
over all processes (Allreduce), so every one has the same sums, and makes the same steps with them: there is no server.
"""

import atexit
import os
import sys
import time
import traceback

import numpy as np

from .. import autograd
from ..base import MXNetError
from ..extras import require
from .kvstore import KVStore

__all__ = ["DistributedStore", "abort_on_error", "end_the_job", "launched", "world"]

_LEFT = 7031            # tag of the message 'this process has ended'
_SPIN_SECONDS = 0.002   # so long a process waits without sleeping: most sums are there by then
_SLEEP_SECONDS = 0.0002
_GRACE_SECONDS = 3.0    # a process may have ended right after the last sum, of which others still wait for their parts


class DistributedStore(KVStore):
    """A store for all processes that mpirun has started; for this one alone if there was no mpirun.

    All processes must make the same calls with the same keys in the same order, as MPI asks for. If one of them raises
    an error, the job ends with it (`abort_on_error`). If one ends while others wait for it, these raise MXNetError.
    """

    def __init__(self, name="dist_sync"):
        super().__init__(name)
        self._world = world()
        abort_on_error(self._world)

    @property
    def rank(self):
        return self._world.Get_rank()

    @property
    def num_workers(self):
        return self._world.Get_size()

    def barrier(self):
        """Wait until all processes have come here."""
        _wait(self._world, self._world.Ibarrier(), "at a barrier")

    def _from_first(self, arrays):
        if self.num_workers > 1:
            self._in_one_buffer(arrays, lambda x: self._world.Ibcast(x, root=0), "for the values of process 0")

    def _over_processes(self, arrays):
        if self.num_workers > 1:
            mpi = require_mpi()
            self._in_one_buffer(arrays, lambda x: self._world.Iallreduce(mpi.IN_PLACE, x, op=mpi.SUM),
                                "for the sum of what all have pushed")

    def _in_one_buffer(self, arrays, start, purpose):
        """Send arrays of one dtype together: one message costs less than many small ones."""
        for dtype in dict.fromkeys(np.dtype(x.dtype) for x in arrays):
            alike = [x for x in arrays if x.dtype == dtype]
            sent = dtype if dtype.char in "fdbBilq" else np.dtype("float32")    # MPI has no float16
            buffer = np.concatenate([x.asnumpy().ravel().astype(sent, copy=False) for x in alike])
            _wait(self._world, start(buffer), purpose)
            ends = np.cumsum([x.size for x in alike])[:-1]
            for x, part in zip(alike, np.split(buffer, ends), strict=True):
                with autograd.pause():
                    x[:] = part.reshape(x.shape).astype(dtype, copy=False)


def require_mpi():
    """The module mpi4py.MPI. Raises MXNetError that names the extra."""
    require("mpi4py", extra="mpi", user="kvstore='dist_sync'")
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError) as error:        # mpi4py is there, the library of MPI is not
        raise MXNetError(f"mpi4py finds no MPI to load: {error}. Install Open MPI or MPICH (on Debian: apt-get install "
                         "openmpi-bin libopenmpi-dev).") from error
    return MPI


def world():
    """MPI's communicator of all processes of the job."""
    return require_mpi().COMM_WORLD


def _wait(comm, request, purpose):
    """Wait for a request, without taking the processor from others. Raises MXNetError if a process has ended."""
    begin, left, status = time.perf_counter(), None, require_mpi().Status()
    while not request.Test():
        if time.perf_counter() - begin < _SPIN_SECONDS:
            continue
        if left is None and comm.Iprobe(tag=_LEFT, status=status):
            left = time.perf_counter()
        if left is not None and time.perf_counter() - left > _GRACE_SECONDS:
            raise MXNetError(f"process {status.Get_source()} of {comm.Get_size()} has ended, while process "
                             f"{comm.Get_rank()} waits {purpose}. All processes must make the same number of steps: "
                             "give them equal numbers of batches.")
        time.sleep(_SLEEP_SECONDS)


def abort_on_error(comm):
    """From now on an error that nobody catches ends all processes of the job, after its traceback.

    Otherwise the others would wait for this process for ever. A process that ends without an error tells them.
    """
    if comm.Get_size() == 1 or getattr(sys.excepthook, "ends_the_job", False):
        return

    def hook(kind, value, trace):
        lines = traceback.format_exception(kind, value, trace)
        print(f"process {comm.Get_rank()} of {comm.Get_size()} raised an error, which ends the job:\n{''.join(lines)}",
              file=sys.stderr, end="", flush=True)
        sys.stdout.flush()
        comm.Abort(1)

    hook.ends_the_job = True
    sys.excepthook = hook
    atexit.register(_tell_others, comm)


def end_the_job():
    """After an error that the program has shown itself: end the other processes, too, where there are some."""
    if getattr(sys.excepthook, "ends_the_job", False):
        sys.stderr.flush()
        world().Abort(1)


def launched():
    """Has mpirun started this process together with others?"""
    sizes = [os.environ.get(name, "") for name in ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS")]
    return any(size.isdigit() and int(size) > 1 for size in sizes)


def _tell_others(comm):
    if not require_mpi().Is_finalized():
        for other in range(comm.Get_size()):
            if other != comm.Get_rank():
                comm.Isend(np.zeros(1, np.uint8), dest=other, tag=_LEFT)
