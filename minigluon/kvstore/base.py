"""Interface of stores, and the registry of custom stores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..base import ArgumentError
from ..common.class_registry import Class
from ..diagnostics import strictness
from ..diagnostics.keywords import ChecksKeywords

if TYPE_CHECKING:
    from ..optimizer import Optimizer

__all__ = ["KVStoreBase"]


class KVStoreBase(ChecksKeywords):
    """Base class of stores. A custom store defines `broadcast`, `pushpull`, `is_capable`, `type`, `rank` and
    `num_workers`, and is registered by `KVStoreBase.register`: `mx.kv.create('mystore')` then creates a class MyStore.

    >>> @mx.kv.KVStoreBase.register
    ... class Alone(mx.kv.KVStoreBase):
    ...     type, rank, num_workers = "alone", 0, 1
    ...     def broadcast(self, key, value, out, priority=0):
    ...         for array in out:
    ...             array[:] = value
    ...     def pushpull(self, key, value, out=None, priority=0):
    ...         for array in value if out is None else out:
    ...             array[:] = nd.add_n(*value)
    ...     @staticmethod
    ...     def is_capable(capability):
    ...         return False
    >>> store, x, y = mx.kv.create("alone"), nd.array([1]), nd.array([2])
    >>> store.pushpull("w", [x, y])
    >>> store.type, store.rank, store.num_workers, store.is_capable(mx.kv.KVStoreBase.OPTIMIZER)
    ('alone', 0, 1, False)
    """

    OPTIMIZER = "optimizer"     # the capability of storing and updating weights
    kv_registry: dict[Any, Any] = {}
    is_asynchronous = False     # whether each process takes its own steps
    _sends_early = False        # whether it has `_send_early(grads)`, which says that these gradients of a Trainer are
                                # final, so that they may be sent before `pushpull` is called

    def broadcast(self, key: Any, value: Any, out: Any, priority: int = 0) -> Any:
        """Copy the value of rank 0 to all arrays in `out`, in every process.

        key: the key of the value, or a list of keys.
        priority: has no effect.
        """
        raise NotImplementedError(f"{type(self).__name__} has no broadcast")

    def pushpull(self, key: Any, value: Any, out: Any = None, priority: int = 0) -> Any:
        """Sum `value` over devices and processes, and write the sum to all arrays in `out`, or to `value` if `out` is
        None.

        key: the key of the value, or a list of keys.
        priority: has no effect.
        """
        raise NotImplementedError(f"{type(self).__name__} has no pushpull")

    def set_optimizer(self, optimizer: str | Optimizer) -> Any:
        """Make the store update the weights, if it has this capability.

        optimizer: an Optimizer.

        >>> store = mx.kv.create("local")
        >>> store.init("w", nd.array([1]))
        >>> store.set_optimizer(mx.optimizer.SGD(learning_rate=0.1))
        >>> store.push("w", nd.array([5]))                      # a step: 1 - 0.1 · 5
        >>> out = nd.zeros((1,))
        >>> store.pull("w", out=out)
        >>> out.item()
        0.5
        """
        raise NotImplementedError(f"{type(self).__name__} cannot update weights: it has no set_optimizer")

    @staticmethod
    def is_capable(capability: str) -> bool:
        """Return whether the store has a capability, such as KVStoreBase.OPTIMIZER."""
        raise NotImplementedError("this store does not say what it is capable of: it has no is_capable")

    def save_optimizer_states(self, fname: str, dump_optimizer: bool = False) -> Any:
        """Write the states of the store's optimizer.

        fname: the file.

        >>> store = mx.kv.create("local")
        >>> store.set_optimizer(mx.optimizer.SGD(learning_rate=0.1, momentum=0.9))
        >>> store.save_optimizer_states("sgd.states")
        >>> store.load_optimizer_states("sgd.states")
        """
        raise NotImplementedError(f"{type(self).__name__} has no states: it has no save_optimizer_states")

    def load_optimizer_states(self, fname: str) -> Any:
        """Read the states of the store's optimizer.

        fname: the file.

        >>> store = mx.kv.create("local")
        >>> store.set_optimizer(mx.optimizer.SGD(learning_rate=0.1, momentum=0.9))
        >>> store.save_optimizer_states("sgd.states")
        >>> store.load_optimizer_states("sgd.states")
        """
        raise NotImplementedError(f"{type(self).__name__} has no states: it has no load_optimizer_states")

    def sum_over_processes(self, numbers: Sequence[float], what: str = "numbers") -> list[float]:
        """Return the sums of numbers over all processes, all of which must make this call.

        numbers: the same count in each process.
        what: a noun for the numbers, for messages.

        >>> mx.kv.create("local").sum_over_processes([37.25, 2])
        [37.25, 2.0]
        """
        if self.num_workers == 1:
            return list(map(float, numbers))
        raise NotImplementedError(f"{type(self).__name__} has no sum_over_processes, which an Estimator and a "
                                  "TrainStep with several processes need")

    @property
    def type(self) -> str:
        """The name to pass to `create`."""
        raise NotImplementedError(f"{type(self).__name__} has no type")

    @property
    def rank(self) -> int:
        """This process's rank, 0 ... num_workers - 1."""
        raise NotImplementedError(f"{type(self).__name__} has no rank")

    @property
    def num_workers(self) -> int:
        """The number of processes."""
        raise NotImplementedError(f"{type(self).__name__} has no num_workers")

    @staticmethod
    def register(klass: Class) -> Class:
        """Register a store class under its lower-case name, replacing any older class; usable as a decorator.

        klass: the store's class.
        """
        if not (isinstance(klass, type) and issubclass(klass, KVStoreBase)):
            raise ArgumentError(f"KVStoreBase.register takes a class derived from KVStoreBase, found {klass!r}")
        name = klass.__name__.lower()
        if name in KVStoreBase.kv_registry:
            old = KVStoreBase.kv_registry[name]
            strictness.warn(f"the store {name!r} was {old.__module__}.{old.__qualname__}; from now on it is "
                            f"{klass.__module__}.{klass.__qualname__}")
        KVStoreBase.kv_registry[name] = klass
        return klass
