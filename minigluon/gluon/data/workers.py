"""Workers for `DataLoader`: threads that load batches themselves, or that each manage a process that does.

Both take a task (batch index, seed, indices) and return a `Future` for its batch, so that DataLoader needs only one
loop. A process sends its batch through a pipe (`transport.py`). Shared memory would save one copy but has problems that
pipes do not: killed processes leave segments behind, and containers may have a small /dev/shm, where a write causes a
bus error.
"""

from __future__ import annotations

import atexit
import multiprocessing
import pickle
import queue
import random
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from multiprocessing.connection import wait
from typing import Any

import numpy as np

from ...base import MXNetError
from ...common import generators as rng
from ...context import cpu
from ...diagnostics.tracebacks import formatted
from .batches import read_batch
from .transport import pack, receive, send

__all__ = ["ProcessWorkers", "ThreadWorkers"]


class ThreadWorkers:
    """`count` threads in this process."""

    seeded = False          # threads share this process's generators

    def __init__(self, count: int, dataset: Any, batchify_fn: Callable[..., Any]):
        self._tasks = queue.SimpleQueue()
        self._closed = False
        self._threads = []
        makers = self._start(count, dataset, batchify_fn)
        self._threads = [threading.Thread(target=self._serve, args=(make,), daemon=True) for make in makers]
        for thread in self._threads:
            thread.start()
        atexit.register(self.close)     # a program may exit in the middle of an iteration

    def _start(self, count, dataset, batchify_fn):
        """Return a function for each thread that maps a task to a batch."""
        return [lambda task: read_batch(dataset, task[2], batchify_fn)] * count

    def submit(self, task: Sequence[Any]) -> Future[Any]:
        """Queue a task. Returns the Future for its batch."""
        future = Future()
        self._tasks.put((future, task))
        return future

    def _serve(self, make):
        while (item := self._tasks.get()) is not None:
            future, task = item
            if self._closed:
                continue
            try:
                future.set_result(make(task))
            except BaseException as error:
                future.set_exception(error)
            del item, future, task

    def __enter__(self) -> ThreadWorkers:
        return self

    def __exit__(self, *exc_info: Any) -> None:
        if not self._closed:
            self.close()

    def close(self) -> None:
        """Stop: finish running tasks and drop those that are waiting."""
        self._closed = True
        atexit.unregister(self.close)
        for _ in self._threads:
            self._tasks.put(None)


class ProcessWorkers(ThreadWorkers):
    """`count` processes, each with a thread here that sends tasks and receives batches."""

    seeded = True

    def _start(self, count, dataset, batchify_fn):
        self._processes = []
        try:
            # All processes start before any thread: a process forked while threads run may inherit a lock that is held.
            for number in range(count):
                self._processes.append(_Process(number, dataset, batchify_fn))
        except BaseException:
            self._stop_processes()
            raise
        return [process.make for process in self._processes]

    def close(self) -> None:
        """Terminate the processes, whatever they are doing."""
        super().close()
        self._stop_processes()

    def _stop_processes(self):
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            process.join()
        for thread in self._threads:        # each thread first notices that its process is gone, then receives its None
            thread.join()
        for process in self._processes:
            process.close()


class _Process:
    """A worker process and this process's end of its pipe."""

    def __init__(self, number, dataset, batchify_fn):
        context = multiprocessing.get_context(_start_method())
        self.number = number
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_work, args=(self._pipe, theirs, dataset, batchify_fn), daemon=True,
                                        name=f"DataLoader worker {number}")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)     # Python 3.12 warns about fork with BLAS threads
                self._process.start()
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise MXNetError(
                f"DataLoader: the dataset or batchify_fn cannot be sent to a worker process: {error}. Processes are "
                f"started with {context.get_start_method()!r} here, which needs functions defined at the top of a "
                "module (no lambda). Use such functions, num_workers=0, or thread_pool=True.") from error
        finally:
            theirs.close()      # so that the pipe is closed when the process ends

    def make(self, task):
        """Make the process load a batch. Raises the process's error, or MXNetError if it died."""
        try:
            self._pipe.send_bytes(pickle.dumps(task))
            wait([self._pipe, self._process.sentinel])
            ok, value, text = receive(self._pipe)
        except (EOFError, OSError):
            raise MXNetError(self._obituary(task[0])) from None
        if ok:
            return value
        if value is None:
            raise MXNetError(f"DataLoader: worker {self.number} failed:\n{text}")
        raise value from WorkerTraceback(text)

    def _obituary(self, batch):
        self._process.join(5)
        code = self._process.exitcode
        if code is not None and code < 0:
            cause = f"was killed by signal {-code} ({signal.Signals(-code).name})"
            hint = " SIGKILL usually means that memory ran out: fewer workers or smaller batches need less." \
                if code == -9 else ""
        else:
            cause, hint = f"ended with exit code {code}", ""
        return (f"DataLoader: worker {self.number} (pid {self._process.pid}) {cause} while loading batch "
                f"{batch}.{hint} num_workers=0 runs the same code in this process.")

    def terminate(self):
        self._process.terminate()

    def join(self):
        self._process.join(2)
        if self._process.is_alive():        # the process ignores SIGTERM
            self._process.kill()
            self._process.join()

    def close(self):
        self._pipe.close()
        self._process.close()


class WorkerTraceback(Exception):
    """Carrier of the worker's traceback as text."""

    of_program = True       # for `tracebacks`: this is the cause of an error raised by the program's code

    def __str__(self):
        return f"in the DataLoader worker:\n\n{self.args[0]}"


def _start_method():
    """Return the program's start method. The default on Linux is fork, so that datasets with lambdas work as in MXNet.
    """
    chosen = multiprocessing.get_start_method(allow_none=True)
    return chosen or ("fork" if sys.platform == "linux" else None)


def _work(parents_end, pipe, dataset, batchify_fn):
    """Run a worker process: load a batch for each task until the pipe closes."""
    parents_end.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)        # Ctrl-C is handled by the parent, which ends its workers
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    while True:
        try:
            _, seed, indices = pickle.loads(pipe.recv_bytes())
        except (EOFError, OSError):
            return
        _seed_everything(seed)
        try:
            with cpu():                 # regardless of the default device: batches are sent through a pipe
                message = True, read_batch(dataset, indices, batchify_fn), ""
            parts = pack(message)
        except BaseException as error:
            parts = pack((False, _sendable(error), formatted(error)))
        try:
            send(pipe, parts)
        except OSError:
            return


def _seed_everything(seed):
    rng.seed(seed)
    np.random.seed(seed % 2**32)
    random.seed(seed)


def _sendable(error):
    """Return the exception if it can be pickled and unpickled, otherwise None."""
    try:
        return pickle.loads(pickle.dumps(error))
    except Exception:
        return None
