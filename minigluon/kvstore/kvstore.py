"""KVStore: sums over the devices of this process, and optional updates of the stored weights by an optimizer.

    kv = mx.kv.create("local")
    kv.init("w", mx.nd.zeros((2, 3)))
    kv.push("w", [grad_on_cpu0, grad_on_cpu1])      # stores their sum, or updates "w" with it
    kv.pull("w", out=[w_on_cpu0, w_on_cpu1])        # copies the stored value to all of `out`
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from .. import autograd
from .. import optimizer as opt
from ..base import ArgumentError, DTypeError, MXNetError, ShapeError, listed
from ..ndarray import NDArray, array
from ..optimizer.updater_states import load_states
from ..serialization.atomic_write import replacing
from .base import KVStoreBase
from .compression import from_params

if TYPE_CHECKING:
    from ..optimizer import Optimizer

__all__ = ["KVStore", "pairs_of"]


class KVStore(KVStoreBase):
    """A store for the devices of one process (see `create`).

    Keys are integers or strings; one store does not mix them. Wherever a method takes a key, it also takes a list of
    keys with a list of as many values. A value is an NDArray, or a list with one NDArray for each device. priority is
    accepted but ignored, because operations run in program order.

    name: the value of `type`.

    >>> store = mx.kv.create("local")
    >>> isinstance(store, mx.kv.KVStore)
    True
    >>> store.init("w", nd.array([1, 1]))
    >>> store.push("w", [nd.array([1, 2]), nd.array([10, 20])])         # from two devices
    >>> out = nd.zeros((2,))
    >>> store.pull("w", out=out)
    >>> out.asnumpy().tolist()
    [11.0, 22.0]
    >>> def add(key, total, stored):
    ...     stored += total
    >>> store.set_updater(add)
    >>> store.push("w", nd.array([1, 1]))
    >>> store.pull("w", out=out)
    >>> out.asnumpy().tolist()
    [12.0, 23.0]
    >>> store.barrier()
    """

    def __init__(self, name: str = "local") -> None:
        self._type = name
        self._stored = {}
        self._updater = None
        self._compression = None
        self._stepping = None           # the optimizer that takes a step with the sums; see `gradients_for`
        self._companions = []           # numbers that are summed with the gradients
        self._owners = None             # the rank that needs the sum of each gradient; None if all need all

    def __repr__(self) -> str:
        return f"<KVStore {self._type}: {len(self._stored)} keys>"

    @property
    def type(self) -> str:
        return self._type

    @property
    def rank(self) -> int:
        return 0

    @property
    def num_workers(self) -> int:
        return 1

    @staticmethod
    def is_capable(capability: str) -> bool:
        if capability.lower() == KVStoreBase.OPTIMIZER:
            return True
        raise MXNetError(f"is_capable: unknown capability {capability!r}; there is 'optimizer'")

    # -- values -------------------------------------------------------------------------------------------------

    def init(self, key: Any, value: Any) -> None:
        """Store the initial value of each key, once; with several processes, the value of rank 0 is stored. Raises
        ArgumentError.

        value: the initial value of a key.
        """
        keys, values = pairs_of("init", key, value)
        first = {}
        for k, arrays in zip(keys, values, strict=True):
            if k in self._stored or k in first:
                raise ArgumentError(f"init: key {k!r} has a value already. init and broadcast accept a key once; use "
                                    "push for later values.")
            self._require_kind(k)
            with autograd.pause():
                first[k] = arrays[0].copy()
        self._from_first("init", first)
        self._stored.update(first)

    def push(self, key: Any, value: Any, priority: int = 0) -> None:
        """Sum the value over the devices. The sum replaces the stored value or, if there is an updater, updates it.

        The values of a repeated key are summed.

        priority: has no effect.
        """
        totals = self._totals("push", *pairs_of("push", key, value))
        stored = [self._stored[k] for k in totals]
        sums = [x.as_in_context(s.context) for x, s in zip(totals.values(), stored, strict=True)]
        if self._updater is None:
            for target, total in zip(stored, sums, strict=True):
                _write(target, total)
        elif isinstance(self._updater, opt.Updater):
            self._updater(list(totals), sums, stored)
        else:
            for k, total, target in zip(totals, sums, stored, strict=True):
                self._updater(k, total, target)

    def pull(self, key: Any, out: Any = None, priority: int = 0, ignore_sparse: bool = True) -> None:
        """Copy the stored value to all arrays in `out`. ignore_sparse: if True, skip row_sparse arrays in `out`, for
        which `row_sparse_pull` exists.

        key: the key of the stored value.
        priority: has no effect.
        """
        if out is None:
            raise ArgumentError("pull needs out=, the array or the list of arrays to write to")
        for k, arrays in zip(*pairs_of("pull", key, out), strict=True):
            stored = self._at("pull", k)
            for x in arrays:
                if x.shape != stored.shape:
                    raise ShapeError(f"pull: key {k!r} has shape {stored.shape}, but out has shape {x.shape}")
                if not ignore_sparse or x.stype == "default":
                    _write(x, stored)

    def pushpull(self, key: Any, value: Any, out: Any = None, priority: int = 0) -> None:
        """Combine `push` and `pull`; without `out`, the result is written to `value`.

        Without an updater, the keys need no `init`, and nothing is stored.
        """
        keys, values = pairs_of("pushpull", key, value)
        outs = values if out is None else pairs_of("pushpull", key, out)[1]
        if self._updater is not None:
            self.push(key, value)
            self.pull(key, value if out is None else out)
            return
        totals = self._totals("pushpull", keys, values, initialized=False)
        for k, arrays in zip(keys, outs, strict=True):
            if k in self._stored:
                _write(self._stored[k], totals[k])
            for x in arrays:
                if x.shape != totals[k].shape:
                    raise ShapeError(f"pushpull: the sum for key {k!r} has shape {totals[k].shape}, but out has shape "
                                     f"{x.shape}")
                _write(x, totals[k])

    def broadcast(self, key: Any, value: Any, out: Any, priority: int = 0) -> None:
        """Call `init`, then `pull`."""
        self.init(key, value)
        self.pull(key, out, ignore_sparse=False)

    def row_sparse_pull(self, key: Any, out: Any = None, priority: int = 0, row_ids: Any = None) -> None:
        """Copy some rows of the stored value to row_sparse arrays.

        out: a RowSparseNDArray or a list of them for each key.
        row_ids: the row indices, an NDArray for all arrays, or a list with one NDArray for each.
        priority: has no effect.

        Raises ArgumentError if an argument is missing, or if an array is not row_sparse.

        >>> store, out = mx.kv.create("local"), nd.sparse.zeros("row_sparse", (4, 2))
        >>> store.init("w", nd.ones((4, 2)).tostype("row_sparse"))
        >>> store.row_sparse_pull("w", out=out, row_ids=nd.array([1, 3]))
        >>> out.indices.asnumpy().tolist()
        [1, 3]
        """
        if out is None or row_ids is None:
            raise ArgumentError("row_sparse_pull needs out=, the arrays to write to, and row_ids=, the rows to pull")
        many = isinstance(key, (list, tuple)) and isinstance(row_ids, (list, tuple))
        of_keys = row_ids if many else [row_ids] * (len(key) if isinstance(key, (list, tuple)) else 1)
        for k, arrays, ids in zip(*pairs_of("row_sparse_pull", key, out), of_keys, strict=True):
            stored = self._at("row_sparse_pull", k)
            ids = list(ids) if isinstance(ids, (list, tuple)) else [ids]
            ids = ids * len(arrays) if len(ids) == 1 else ids
            for x, rows in zip(arrays, ids, strict=True):
                for name, kind in (("what is stored", stored.stype), ("out", x.stype)):
                    if kind != "row_sparse":
                        raise ArgumentError(f"row_sparse_pull: key {k!r}: {name} has storage {kind!r}, expected "
                                            "'row_sparse'")
                with autograd.pause():
                    x[:] = stored.retain(rows.reshape((-1,))).as_in_context(x.context)

    # -- the optimizer ------------------------------------------------------------------------------------------

    def set_optimizer(self, optimizer: str | Optimizer) -> None:
        """Make `push` update weights with this Optimizer."""
        if not isinstance(optimizer, opt.Optimizer):
            raise DTypeError(f"set_optimizer needs an Optimizer, found {optimizer!r}. Create one with "
                             "mx.optimizer.create('sgd', learning_rate=0.1).")
        self._set_updater(opt.get_updater(optimizer))

    def set_updater(self, updater: Any) -> None:
        """Make `push` call updater(key, sum, stored), which must change `stored` in place.

        The key is that of the call, an int or a str (MXNet passes bytes for a str).
        """
        if not callable(updater):
            raise DTypeError(f"set_updater needs a function of key, sum and stored array, found {updater!r}")
        self._updater = updater

    _set_updater = set_updater

    def save_optimizer_states(self, fname: str, dump_optimizer: bool = False) -> None:
        """Write the optimizer's states to a file, including the optimizer itself if dump_optimizer=True."""
        states = self._require_optimizer("save").get_states(dump_optimizer)
        with replacing(fname) as file:
            file.write(states)

    def load_optimizer_states(self, fname: str) -> None:
        """Read a file that `save_optimizer_states` wrote, here or in MXNet. Raises FileFormatError."""
        load_states(fname, [self._require_optimizer("load")], [self._stored])

    def _require_optimizer(self, verb):
        if not isinstance(self._updater, opt.Updater):
            raise MXNetError(f"{verb}_optimizer_states: the store has no optimizer. Call set_optimizer first.")
        return self._updater

    def set_gradient_compression(self, compression_params: Mapping[str, Any]) -> None:
        """Round gradients to three values, which travel in two bits: {'type': '2bit', 'threshold': 0.5}. Or let
        processes send them as float16 or bfloat16, with sums in float32: {'type': 'float16'}.

        Gradients are the values that a Trainer or a Module sums, and values for a key with an initial value. Other
        sums, such as the `pushpull` of a metric under its own key, are exact.

        compression_params: a dict like the one above.

        >>> store = mx.kv.create("device")
        >>> store.set_gradient_compression({"type": "2bit", "threshold": 0.5})
        >>> store.init("w", nd.zeros((3,)))
        >>> out = nd.zeros((3,))
        >>> store.push("w", [nd.array([0.7, 0.1, -2]), nd.zeros((3,))])
        >>> store.pull("w", out=out)
        >>> out.asnumpy().tolist()
        [0.5, 0.0, -0.5]
        """
        if "device" not in self._type and "dist" not in self._type:
            raise MXNetError(f"the store {self._type!r} has no gradient compression; 'device' and 'dist_sync' have it")
        self._compression = from_params(compression_params)

    def shard_optimizer_states(self) -> None:
        """Let each process keep the optimizer states of a part of the parameters, as in ZeRO. Call this before the
        Trainer is created.

        The Trainer's gradients are then added up only in the process that takes the step for their parameter, which
        sends the new value to the others: in a step, as many bytes travel as before. In a single process this has no
        effect. Raises MXNetError for stores without processes.

        >>> store = mx.kv.create("local")
        >>> store.shard_optimizer_states()
        Traceback (most recent call last):
        minigluon.base.MXNetError: the store 'local' has no other processes to keep states; 'dist_sync' has them
        """
        raise MXNetError(f"the store {self._type!r} has no other processes to keep states; 'dist_sync' has them")

    def limit_staleness(self, limit: int | None) -> None:
        """Let a pull from the store 'dist_async' wait for processes that have pushed over `limit` gradients less for a
        weight. All processes must make this call.

        Between a pull and the push of the resulting gradient, each other process then takes at most 2 * limit + 1
        steps.

        limit: a number of gradients, from 0 up; None, the default, for no limit.

        Raises ArgumentError, and MXNetError for a store that has no stale gradients.

        >>> mx.kv.create("local").limit_staleness(4)
        Traceback (most recent call last):
        minigluon.base.MXNetError: limit_staleness: this store is 'local'; only 'dist_async' has stale gradients
        """
        raise MXNetError(f"limit_staleness: this store is {self._type!r}; only 'dist_async' has stale gradients")

    def staleness(self) -> dict[int, int]:
        """Return {staleness: number of gradients} for the gradients with which this process has taken steps in the
        store 'dist_async'; for other stores an empty dict.

        The staleness of a gradient is the number of steps that its weight has taken since the process that pushes the
        gradient has pulled it.

        >>> mx.kv.create("local").staleness()
        {}
        """
        return {}

    @contextlib.contextmanager
    def gradients_for(self, optimizer: Optimizer, numbers: Sequence[float] = (),
                      owners: Sequence[int] | None = None) -> Iterator[list[float]]:
        """Context manager in which pushed values are gradients for a step of this optimizer on the devices.

        They are compressed if `set_gradient_compression` was called, and processes compare the optimizer's kind,
        learning rate and rescale_grad.

        numbers: numbers to sum over all processes in the same message. After `pushpull`, the list that the context
            manager returns contains the sums.
        owners: the rank that needs the sum of each pushed value; None if all processes need all sums.

        >>> store, grad = mx.kv.create("device"), nd.array([0.7, 0.1])
        >>> store.set_gradient_compression({"type": "2bit", "threshold": 0.5})
        >>> with store.gradients_for(mx.optimizer.SGD()):
        ...     store.pushpull("w", grad)
        >>> grad.asnumpy().tolist()
        [0.5, 0.0]
        """
        self._stepping, self._companions, self._owners = optimizer, list(map(float, numbers)), owners
        try:
            yield self._companions
        finally:
            self._stepping, self._companions, self._owners = None, [], None

    def accumulate(self) -> AbstractContextManager[None]:
        """Context manager for backward passes whose gradients are not final, and are not sent to other processes.

        >>> store = mx.kv.create("local")
        >>> with store.accumulate():            # in one process it changes nothing
        ...     pass
        """
        return contextlib.nullcontext()

    # -- processes ----------------------------------------------------------------------------------------------

    def sum_over_processes(self, numbers: Sequence[float], what: str = "numbers") -> list[float]:
        """Return the sums of numbers over all processes, all of which must make this call.

        The sums are exact to float64, are not compressed, and leave the stored values unchanged. In a single process
        they are the numbers themselves.

        numbers: the same count in each process.
        what: a noun for the numbers, for messages.

        >>> mx.kv.create("local").sum_over_processes([37.25, 2])
        [37.25, 2.0]
        """
        total = array(numbers, dtype="float64")
        with autograd.pause():
            total = self._over_processes(f"sum of {what}", {what: total})[what]
        return total.asnumpy().tolist()

    def barrier(self) -> None:
        """Wait until all processes have made this call."""

    def _barrier(self):
        self.barrier()

    def _from_first(self, caller, arrays):
        """Overwrite arrays, {key: NDArray}, with the arrays of rank 0. caller: the call, for messages."""

    def _over_processes(self, caller, arrays):
        """Return {key: NDArray}: the sums of arrays over all processes, valid until the next call."""
        return arrays

    # -- helpers ------------------------------------------------------------------------------------------------

    def _totals(self, caller, keys, values, initialized=True):
        """Return {key: sum over devices and processes}, on the first device of each key. Valid until the next call."""
        grouped = {}
        for k, arrays in zip(keys, values, strict=True):
            shape = self._at(caller, k).shape if initialized or k in self._stored else arrays[0].shape
            self._require_kind(k)
            for x in arrays:
                if x.shape != shape:
                    raise ShapeError(f"{caller}: key {k!r} has shape {shape}, but a value of shape {x.shape} was given")
            grouped.setdefault(k, []).extend(arrays)
        with autograd.pause():
            return self._over_processes(caller, {k: self._sum(k, arrays) for k, arrays in grouped.items()})

    def _sum(self, key, arrays):
        if self._compresses(key):
            arrays = [self._compression(key, number, x) for number, x in enumerate(arrays)]
        if len(arrays) == 1 and self._updater is None:      # an updater may change what it is given
            return arrays[0]
        total = arrays[0].copy()
        for x in arrays[1:]:
            total += x.as_in_context(total.context)
        return total

    def _compresses(self, key):
        return self._compression is not None and (self._stepping is not None or key in self._stored)

    def _at(self, caller, key):
        if key not in self._stored:
            raise ArgumentError(f"{caller}: key {key!r} has no value yet; the store has "
                                f"{listed(map(repr, self._stored), none='none')}. Call init({key!r}, value) first.")
        return self._stored[key]

    def _require_kind(self, key):
        other = next(iter(self._stored), key)
        if isinstance(other, str) is not isinstance(key, str):
            raise ArgumentError(f"keys of one store must be all integers or all strings: it has {other!r}, found "
                                f"{key!r}")


def _write(target, source):
    with autograd.pause():
        target[...] = source.as_in_context(target.context)


def pairs_of(caller, key, value):
    """Return ([key], [[NDArray]]) from a key and its value, or from lists of keys and values."""
    many = isinstance(key, (list, tuple))
    keys, values = (list(key), value) if many else ([key], [value])
    if many and (not isinstance(values, (list, tuple)) or len(values) != len(keys)):
        actual = f"{len(values)}" if isinstance(values, (list, tuple)) else f"a single {type(values).__name__}"
        raise ArgumentError(f"{caller}: {len(keys)} keys need a list of as many values, found {actual}")
    for k in keys:
        if not isinstance(k, (int, str)):
            raise DTypeError(f"{caller}: a key must be an integer or a string, found {type(k).__name__} {k!r}")
    keys = [str(k) if isinstance(k, str) else int(k) for k in keys]     # as an updater receives them
    if len({isinstance(k, str) for k in keys}) > 1:
        raise ArgumentError(f"{caller}: keys of one call must be all integers or all strings, found {keys!r}")
    values = [list(v) if isinstance(v, (list, tuple)) else [v] for v in values]
    for k, arrays in zip(keys, values, strict=True):
        if not arrays or not all(isinstance(x, NDArray) for x in arrays):
            actual = listed(dict.fromkeys(type(x).__name__ for x in arrays), none="an empty list")
            raise DTypeError(f"{caller}: the value of key {k!r} must be an NDArray or a list of them, found {actual}")
    return keys, values
