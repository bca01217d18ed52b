"""The servers of 'dist_async'. Each process keeps a part of the weights on a `Shelf`. A thread, the `Server`, takes a
step with each gradient as soon as it has arrived from another process, and answers with the weights as they are then.

A message is a head in JSON, padded to a multiple of 8 bytes, between its length and the bytes of arrays. Messages from
one process are handled in the order in which it has sent them.
"""

from __future__ import annotations

import atexit
import copy
import json
import os
import threading
import time
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .. import autograd
from ..context import cpu
from ..ndarray import NDArray
from ..ndarray.sparse import row_sparse_array
from ..optimizer import Updater
from .agreement import Call
from .link import Link

__all__ = ["REPLIES", "REQUESTS", "Server", "Shelf", "content_of", "message_of"]

REQUESTS, REPLIES = 1, 2                # tags
_MIN_SLEEP_SECONDS, _MAX_SLEEP_SECONDS = 0.00005, 0.001


class Shelf:
    """The weights of one store that this process keeps, and their optimizer.

    workers: the number of processes.

    updater: None before `set_optimizer`. limit: None, or how many gradients for a weight a process may be ahead of the
    slowest one when it pulls. staleness: how many gradients had how many steps between the pull and the push.
    """

    def __init__(self, workers: int) -> None:
        self.weights: dict[Any, NDArray] = {}
        self.updater: Updater | None = None
        self.limit: int | None = None
        self.staleness: Counter[int] = Counter()
        self.lock = threading.RLock()
        self._active = np.ones(workers, bool)
        self._pushes: dict[Any, Any] = {}       # key -> the number of gradients from each process
        self._pulled: dict[Any, Any] = {}       # key -> the number of all gradients when each process pulled

    def add(self, key: Any, weight: NDArray) -> None:
        """Keep a weight."""
        self._pushes[key], self._pulled[key] = (np.zeros(len(self._active), "int64") for _ in range(2))
        self.weights[key] = weight.copy()

    def serve(self, optimizer: Any) -> None:
        """Take steps with a copy of an optimizer, because the program changes its own."""
        own = copy.deepcopy(optimizer)
        own.param_dict = optimizer.param_dict
        self.updater = Updater(own)

    def push(self, worker: int, grads: Mapping[Any, NDArray], lr: Any, rescale_grad: float) -> None:
        """Take a step with the gradients of a process, with its learning rate and rescale_grad."""
        assert self.updater is not None
        with self.lock, autograd.pause():
            for key in grads:
                self.staleness[int(self._pushes[key].sum() - self._pulled[key][worker])] += 1
                self._pushes[key][worker] += 1
            optimizer = self.updater.optimizer
            optimizer.lr, optimizer.rescale_grad = lr, rescale_grad
            weights = [self.weights[key] for key in grads]
            values = [x.as_in_context(w.context) for x, w in zip(grads.values(), weights, strict=True)]
            self.updater(list(grads), values, weights)

    def slow_for(self, worker: int, keys: Sequence[Any]) -> list[int]:
        """Return the processes for which a pull of these keys must wait."""
        if self.limit is None:
            return []
        with self.lock:
            behind = [self._active & (self._pushes[key] < self._pushes[key][worker] - self.limit) for key in keys]
        return np.flatnonzero(np.any(behind, axis=0)).tolist()

    def pull(self, worker: int, keys: Sequence[Any]) -> list[Any]:
        """Return copies of weights, arrays of NumPy."""
        with self.lock:
            for key in keys:
                self._pulled[key][worker] = self._pushes[key].sum()
            return [self.weights[key].asnumpy() for key in keys]

    def leave(self, worker: int) -> None:
        """Wait for this process no longer."""
        self._active[worker] = False

    def gradient(self, key: Any, count: int | None, content: Any) -> tuple[NDArray, int]:
        """Return (a gradient at the start of an array of bytes, the number of its bytes).

        count: the number of rows of a row_sparse gradient, whose indices precede them; None for a dense one.
        """
        weight = self.weights[key]
        dtype, shape = np.dtype(weight.dtype), weight.shape
        if count is None:
            size = weight.size * dtype.itemsize
            return NDArray(content[:size].view(dtype).reshape(shape), cpu()), _padded(size)
        begin, rows = 8 * count, (count, *shape[1:])
        size = begin + int(np.prod(rows)) * dtype.itemsize
        indices, values = content[:begin].view("int64"), content[begin:size].view(dtype).reshape(rows)
        return row_sparse_array((values, indices), shape=shape, dtype=weight.dtype), _padded(size)


class Server(threading.Thread):
    """The thread that serves the shelves of all stores of this process until all processes have ended.

    mpi: the module mpi4py.MPI. link: the link of this process. comm: a communicator for messages of servers only.
    shelves: {number of the store: Shelf}. outboxes: for each store, the list of (request, bytes) that it is sending.
    """

    _only: Server | None = None

    def __init__(self, mpi: Any, link: Link, comm: Any) -> None:
        super().__init__(name="minigluon server", daemon=True)
        self.comm, self.shelves, self.outboxes = comm, dict[int, Shelf](), list[list[Any]]()
        self._mpi, self._link, self._process = mpi, link, os.getpid()
        self._queues: list[deque[Any]] = [deque() for _ in range(link.size)]    # (bytes, request) from each process
        self._ended = [False] * link.size
        self._sending: list[Any] = []

    @classmethod
    def start_one(cls, mpi: Any, link: Link) -> Server:
        """Return the server of this process. All processes must call this in the same call of a store."""
        if cls._only is None:
            call = Call("start of servers")
            with link.call(call) as comm:
                own, request = comm.Idup()
                link.wait(request, call)
            cls._only = cls(mpi, link, own)
            cls._only.start()
            atexit.register(cls._only.leave)
        return cls._only

    def leave(self) -> None:
        """Serve until all processes have called this, when their programs end, and this one's messages have been sent:
        MPI may read their memory until then, and Python frees it before MPI ends."""
        if os.getpid() != self._process or self._link.leave() is not None:
            return
        end = message_of({"kind": "end"})
        ends = [(self.comm.Isend([end, self._mpi.BYTE], other, REQUESTS), end)
                for other in range(self._link.size) if other != self._link.rank]
        while not all(request.Test() for box in (ends, *self.outboxes) for request, _ in box):
            time.sleep(_MIN_SLEEP_SECONDS)
        self._end(self._link.rank)
        self.join()

    def run(self) -> None:
        """Handle messages."""
        self._link.mark_thread()
        sleep = _MIN_SLEEP_SECONDS
        while not all(self._ended) or any(self._queues) or self._sending:
            sleep = _MIN_SLEEP_SECONDS if self._advance() else min(2 * sleep, _MAX_SLEEP_SECONDS)
            time.sleep(sleep)

    def _advance(self) -> bool:
        """Do what can be done without waiting. Returns whether a message was handled or has begun to arrive."""
        status, moved = self._mpi.Status(), False
        while (arriving := self.comm.Improbe(self._mpi.ANY_SOURCE, REQUESTS, status)) is not None:
            content = np.empty(status.Get_count(self._mpi.BYTE), np.uint8)
            self._queues[status.Get_source()].append((content, arriving.Irecv([content, self._mpi.BYTE])))
            moved = True
        for worker, queue in enumerate(self._queues):
            while queue and queue[0][1].Test() and self._handle(worker, *content_of(queue[0][0])):
                queue.popleft()
                moved = True
        self._sending = [(request, content) for request, content in self._sending if not request.Test()]
        return moved

    def _handle(self, worker: int, head: Any, content: Any) -> bool:
        """Handle a message of a process. Returns False if it is too early."""
        if head["kind"] == "end":
            self._end(worker)
            return True
        shelf = self.shelves.get(head["store"])
        if shelf is None or not all(key in shelf.weights for key in head["keys"]):
            return False
        if head["kind"] == "pull":
            if shelf.slow_for(worker, head["keys"]):
                return False
            self._send(np.concatenate([_bytes_of(x) for x in shelf.pull(worker, head["keys"])]), worker)
        elif shelf.updater is None:
            return False
        elif head["kind"] == "push":
            grads = {}
            for key, count in zip(head["keys"], head["rows"], strict=True):
                grads[key], size = shelf.gradient(key, count, content)
                content = content[size:]
            shelf.push(worker, grads, head["lr"], head["rescale_grad"])
        else:
            with shelf.lock:
                states = shelf.updater.get_states(dump_optimizer=True)
            self._send(np.frombuffer(states, np.uint8), worker)
        return True

    def _end(self, worker: int) -> None:
        for shelf in self.shelves.values():
            shelf.leave(worker)
        self._ended[worker] = True

    def _send(self, content: Any, worker: int) -> None:
        self._sending.append((self.comm.Isend([content, self._mpi.BYTE], worker, REPLIES), content))


def message_of(head: Mapping[str, Any], arrays: Sequence[Any] = ()) -> Any:
    """Return a message: uint8, (bytes,). arrays: arrays of NumPy."""
    text = json.dumps(head).encode()
    text += b" " * (-len(text) % 8)
    start = np.frombuffer(np.int64(len(text)).tobytes() + text, np.uint8)
    parts = [start]
    for x in arrays:
        flat = _bytes_of(x)
        parts += [flat, np.zeros(_padded(flat.size) - flat.size, np.uint8)]
    return np.concatenate(parts)


def content_of(message: Any) -> tuple[Any, Any]:
    """Return (head, bytes of the arrays) of a message."""
    end = 8 + int(message[:8].view("int64")[0])
    return json.loads(message[8:end].tobytes()), message[end:]


def _bytes_of(x):
    return np.ascontiguousarray(x).reshape(-1).view(np.uint8)


def _padded(size):
    return size + -size % 8
