"""The store 'dist_async': each process takes its own steps, without waiting for others.

Each weight belongs to one process, which keeps it with its optimizer's states (see `servers.py`). A push sends a
gradient to the weight's owner, which takes a step at once. A pull returns the weight as it is at its owner then. So
gradients may be *stale*: others have taken steps since the weights were pulled from which a gradient was computed.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base import ArgumentError, MXNetError
from ..optimizer import Updater, states_file
from ..optimizer.updater_states import load_states
from ..serialization.atomic_write import replacing
from .agreement import Call
from .job import require_mpi
from .kvstore import pairs_of
from .mpi import DistributedStore
from .servers import REPLIES, REQUESTS, Server, Shelf, message_of

if TYPE_CHECKING:
    from ..optimizer import Optimizer

__all__ = ["AsynchronousStore"]

MESSAGE_BYTES = 8 << 20             # messages are about this long, or contain a single array
MAX_BYTES = (1 << 31) - 8           # the maximum length of a message of MPI
_SPIN_SECONDS, _SLEEP_SECONDS = 0.0005, 0.0002


class AsynchronousStore(DistributedStore):
    """A store for all processes started by mpirun, in which each process takes its own steps.

    It needs `set_optimizer`, which a Trainer and a Module call. All processes must make the same calls of `init`,
    `set_optimizer`, `limit_staleness`, `load_optimizer_states`, `barrier` and `sum_over_processes`; they may push and
    pull different keys at different times. Until all processes have ended, those that have ended still serve.
    """

    is_asynchronous, _sends_early = True, False

    def __init__(self, name: str = "dist_async") -> None:
        super().__init__(name)
        mpi = require_mpi()
        if self.num_workers > 1 and mpi.Query_thread() < mpi.THREAD_MULTIPLE:
            raise MXNetError(f"the store {name!r} needs an MPI library that several threads may call "
                             "(MPI_THREAD_MULTIPLE). Use 'dist_sync'.")
        self._mpi = mpi
        self._shelf = Shelf(self.num_workers)
        self._server: Any = None
        self._homes: dict[Any, int] = {}
        self._loads = [0] * self.num_workers
        self._sending: list[Any] = []

    # -- values -------------------------------------------------------------------------------------------------

    def init(self, key: Any, value: Any) -> None:
        keys, values = pairs_of("init", key, value)
        for k, (x, *_) in zip(keys, values, strict=True):
            if x.stype != "default":
                raise MXNetError(f"init: key {k!r} has storage {x.stype!r}, but {self.type!r} keeps weights of storage "
                                 "'default'. Gradients may be row_sparse: use nn.Embedding(sparse_grad=True).")
            if _bytes(x) > MAX_BYTES:
                raise MXNetError(f"init: key {k!r} has {_bytes(x)} bytes, which is more than "
                                 f"a message of MPI may have ({MAX_BYTES}). Use 'dist_sync'.")
        super().init(key, value)
        if self.num_workers > 1 and self._server is None:
            self._server = Server.start_one(self._mpi, self._link)
            self._server.shelves[self._number] = self._shelf
            self._server.outboxes.append(self._sending)
        for k in sorted(keys, key=lambda k: -self._stored[k].size):         # stable, so the same in all processes
            owner = self._homes[k] = self._loads.index(min(self._loads))
            self._loads[owner] += self._stored[k].size
            if owner == self.rank:
                self._shelf.add(k, self._stored[k])

    def push(self, key: Any, value: Any, priority: int = 0) -> None:
        """Send the value, summed over the devices, to the owner of each key, which takes a step with it at once."""
        optimizer = self._require_optimizer("push").optimizer
        totals = self._totals("push", *pairs_of("push", key, value))
        self._wait(lambda: all(request.Test() for request, _ in self._sending), None, "push")
        self._sending.clear()
        for owner, keys in self._messages(totals):
            grads = {k: totals[k].astype(self._stored[k].dtype, copy=False) for k in keys}
            if owner == self.rank:
                self._shelf.push(owner, grads, optimizer.lr, optimizer.rescale_grad)
            else:
                rows = [len(x.indices) if x.stype == "row_sparse" else None for x in grads.values()]
                self._send(owner, "push", keys, [_content(x) for x in grads.values()], rows=rows, lr=optimizer.lr,
                           rescale_grad=optimizer.rescale_grad)

    def pull(self, key: Any, out: Any = None, priority: int = 0, ignore_sparse: bool = True) -> None:
        """Copy the values that the owners have now to all arrays in `out`. This process's pushes have been applied.

        With `limit_staleness`, it waits for processes that are too far behind.
        """
        keys = [k for k in pairs_of("pull", key, out)[0] if self._at("pull", k) is not None] if out is not None else []
        messages = self._messages(dict.fromkeys(keys))
        others = [(owner, keys) for owner, keys in messages if owner != self.rank]
        for owner, keys in others:
            self._send(owner, "pull", keys)
        for owner, keys in messages:
            if owner == self.rank:
                self._wait(lambda keys=keys: not self._shelf.slow_for(self.rank, keys), None, "pull")
                self._keep(keys, self._shelf.pull(self.rank, keys))
        for owner, keys in others:
            content = self._reply(owner, "pull")
            parts = np.split(content, np.cumsum([_bytes(self._stored[k]) for k in keys])[:-1])
            self._keep(keys, [part.view(np.dtype(self._stored[k].dtype)) for k, part in zip(keys, parts, strict=True)])
        super().pull(key, out, priority, ignore_sparse)

    def pushpull(self, key: Any, value: Any, out: Any = None, priority: int = 0) -> None:
        """Combine `push` and `pull`; without `out`, the result is written to `value`."""
        self.push(key, value)
        self.pull(key, value if out is None else out, ignore_sparse=False)

    def limit_staleness(self, limit: int | None) -> None:
        if limit is not None and (not isinstance(limit, int) or isinstance(limit, bool) or limit < 0):
            raise ArgumentError(f"limit_staleness: the limit is {limit!r}, expected None or an integer from 0 up")
        self._shelf.limit = limit
        self._agree(f"limit_staleness({limit})")

    def staleness(self) -> dict[int, int]:
        return dict(sorted(self._shelf.staleness.items()))

    # -- the optimizer ------------------------------------------------------------------------------------------

    def set_optimizer(self, optimizer: str | Optimizer) -> None:
        """Let the owners take steps with copies of this Optimizer. All processes must make this call.

        Learning rate and rescale_grad may change later: a push sends those of its process.
        """
        super().set_optimizer(optimizer)
        self._shelf.serve(self._updater.optimizer)
        self._agree(f"set_optimizer of {type(optimizer).__name__}")

    def set_updater(self, updater: Any) -> None:
        raise MXNetError(f"set_updater: the owners of weights cannot call a function of another process in the store "
                         f"{self.type!r}. Use set_optimizer.")

    def set_gradient_compression(self, compression_params: Mapping[str, Any]) -> None:
        """Round gradients to three values, as other stores do. They are sent in full."""
        if isinstance(compression_params, dict) and compression_params.get("type") != "2bit":
            raise MXNetError(f"set_gradient_compression: the store {self.type!r} has only type '2bit', found "
                             f"{compression_params.get('type')!r}. Use 'dist_sync'.")
        super().set_gradient_compression(compression_params)

    def shard_optimizer_states(self) -> None:
        """Do nothing: each process keeps the states of its weights anyway."""

    def save_optimizer_states(self, fname: str, dump_optimizer: bool = False) -> None:
        """Write the states of all owners. Any process may call this, while others go on."""
        self._require_optimizer("save_optimizer_states")
        others = [rank for rank in range(self.num_workers) if rank != self.rank and rank in self._homes.values()]
        for rank in others:
            self._send(rank, "states", [])
        with self._shelf.lock:
            whole = copy.deepcopy(self._shelf.updater)
        for rank in others:
            states, optimizer = states_file.load(self._reply(rank, "states").tobytes())
            whole.states.update(states)
            whole.optimizer.num_update = max(whole.optimizer.num_update, optimizer.num_update)
            for device, counts in optimizer._all_index_update_counts.items():
                whole.optimizer._all_index_update_counts.setdefault(device, {}).update(counts)
        with replacing(fname) as file:
            file.write(whole.get_states(dump_optimizer))

    def load_optimizer_states(self, fname: str) -> None:
        """Read a file that `save_optimizer_states` wrote, here or in MXNet. All processes must make this call.

        Raises FileFormatError."""
        self._require_optimizer("load_optimizer_states")
        load_states(fname, [self._updater], [self._stored])
        states, optimizer = self._updater.states, self._updater.optimizer
        with self._shelf.lock:
            params = self._shelf.updater.optimizer.param_dict
            self._shelf.serve(optimizer)
            self._shelf.updater.optimizer.param_dict = params
            self._shelf.updater.take_states(({key: state for key, state in states.items()
                                              if self._homes.get(key, self.rank) == self.rank},
                                             self._shelf.updater.optimizer))
        self._updater.states = {}
        self._agree("load_optimizer_states")

    def _require_optimizer(self, verb: str) -> Updater:
        if self._updater is None:
            raise MXNetError(f"{verb}: the store {self.type!r} takes steps, but has no optimizer. Call set_optimizer "
                             "first. For sums, use 'dist_sync' or sum_over_processes.")
        return self._updater

    # -- messages -----------------------------------------------------------------------------------------------

    def _over_processes(self, caller, arrays):
        return arrays if caller == "push" else super()._over_processes(caller, arrays)

    def _messages(self, keys):
        """Return [(owner, keys of one message)]."""
        messages, lengths = [], {}
        for k in sorted(keys, key=self._homes.__getitem__):        # stable
            owner, length = self._homes[k], _bytes(self._stored[k])
            if owner not in lengths or lengths[owner] + length > MESSAGE_BYTES:
                messages.append((owner, []))
                lengths[owner] = 0
            messages[-1][1].append(k)
            lengths[owner] += length
        return messages

    def _send(self, owner: int, kind: str, keys: Sequence[Any], arrays: Sequence[Any] = (), **more: Any) -> None:
        content = message_of({"kind": kind, "store": self._number, "keys": keys, **more},
                             [x for group in arrays for x in group])
        self._sending.append((self._server.comm.Isend([content, self._mpi.BYTE], owner, REQUESTS), content))

    def _reply(self, owner: int, caller: str) -> Any:
        """Return the next reply of an owner, an array of bytes."""
        status, found = self._mpi.Status(), []

        def arrives():
            if not found:
                message = self._server.comm.Improbe(owner, REPLIES, status)
                if message is None:
                    return False
                content = np.empty(status.Get_count(self._mpi.BYTE), np.uint8)
                found[:] = content, message.Irecv([content, self._mpi.BYTE])
            return found[1].Test()

        self._wait(arrives, owner, caller)
        return found[0]

    def _keep(self, keys, values):
        """Replace the last values that were pulled."""
        for k, x in zip(keys, values, strict=True):
            self._stored[k][:] = x.reshape(self._stored[k].shape)

    def _wait(self, is_done: Callable[[], bool], owner: int | None, caller: str) -> None:
        """Wait until `is_done` returns True. Raises MXNetError that names the process for which this one waits."""
        self._link.require_usable()
        begin, limit = time.perf_counter(), self._link.limit
        while not is_done():
            waited = time.perf_counter() - begin
            if limit and waited > limit:
                slow = self._shelf.slow_for(self.rank, list(self._shelf.weights))
                late = slow if owner is None or slow else [owner]
                raise self._link.missing_error(late, Call(f"{caller} in the store {self.type!r}"), waited)
            if waited > _SPIN_SECONDS:
                time.sleep(_SLEEP_SECONDS)

    def _agree(self, action: str) -> None:
        """Wait until all processes have made this call. Raises MXNetError if they make different calls."""
        self._link.begun += 1
        if self.num_workers > 1:
            call = Call(action + (f" in store {self._number}" if self._number > 1 else ""))
            with self._link.call(call) as comm:
                self._link.wait(comm.Ibarrier(), call)


def _bytes(x):
    return x.size * np.dtype(x.dtype).itemsize


def _content(x):
    """Return the arrays of a gradient."""
    if x.stype != "row_sparse":
        return [x.asnumpy()]
    return [np.concatenate([part.reshape(-1).view(np.uint8) for part in (
        x.indices.asnumpy().astype("int64"), np.ascontiguousarray(x.data.asnumpy()))])]


