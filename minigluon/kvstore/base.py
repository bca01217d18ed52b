"""What every store can do, the table of stores that programs add, and `create`."""

import warnings

from ..base import ArgumentError, DTypeError, MXNetError

__all__ = ["KVStoreBase", "create"]


class KVStoreBase:
    """Base of stores. A program's own store defines `broadcast`, `pushpull`, `is_capable`, `type`, `rank` and
    `num_workers`, and `KVStoreBase.register` makes it known: `mx.kv.create('mystore')` for a class MyStore.
    """

    OPTIMIZER = "optimizer"     # a capability: can the store keep the weights and make the steps?
    kv_registry = {}

    def broadcast(self, key, value, out, priority=0):
        """Give the value of rank 0 to all arrays of `out`, in every process."""
        raise NotImplementedError(f"{type(self).__name__} has no broadcast")

    def pushpull(self, key, value, out=None, priority=0):
        """Add up `value` over devices and processes, and write the sum to all of `out`; to `value` itself if None."""
        raise NotImplementedError(f"{type(self).__name__} has no pushpull")

    def set_optimizer(self, optimizer):
        """Let the store make the steps, if it is capable of that."""
        raise NotImplementedError(f"{type(self).__name__} makes no steps: it has no set_optimizer")

    @staticmethod
    def is_capable(capability):
        """Whether the store has a capability, such as KVStoreBase.OPTIMIZER."""
        raise NotImplementedError("this store does not say what it is capable of: it has no is_capable")

    def save_optimizer_states(self, fname, dump_optimizer=False):
        """Write the states of the store's optimizer."""
        raise NotImplementedError(f"{type(self).__name__} has no states: it has no save_optimizer_states")

    def load_optimizer_states(self, fname):
        """Read the states of the store's optimizer."""
        raise NotImplementedError(f"{type(self).__name__} has no states: it has no load_optimizer_states")

    @property
    def type(self):
        """The name it is created by."""
        raise NotImplementedError(f"{type(self).__name__} has no type")

    @property
    def rank(self):
        """This process's number, 0 ... num_workers - 1."""
        raise NotImplementedError(f"{type(self).__name__} has no rank")

    @property
    def num_workers(self):
        """How many processes there are."""
        raise NotImplementedError(f"{type(self).__name__} has no num_workers")

    @staticmethod
    def register(klass):
        """Decorator: enter a store under its class's name, in lower case. An older one of the name is replaced."""
        if not (isinstance(klass, type) and issubclass(klass, KVStoreBase)):
            raise ArgumentError(f"KVStoreBase.register takes a class derived from KVStoreBase, found {klass!r}")
        name = klass.__name__.lower()
        if name in KVStoreBase.kv_registry:
            old = KVStoreBase.kv_registry[name]
            warnings.warn(f"the store {name!r} was {old.__module__}.{old.__qualname__}; from now on it is "
                          f"{klass.__module__}.{klass.__qualname__}", stacklevel=2)
        KVStoreBase.kv_registry[name] = klass
        return klass


LOCAL = ("local", "device", "local_update_cpu", "local_allreduce_cpu", "local_allreduce_device")
DISTRIBUTED = ("dist_sync", "dist_device_sync", "dist_sync_device", "dist")
REFUSED = {
    "nccl": "it is NVIDIA's library for several cards in one process. Use 'device'",
    "dist_async": "processes here work in step. Use 'dist_sync', and start the program with mpirun",
    "p3": "parameters are not cut into slices with priorities. Use 'dist_sync', and start the program with mpirun",
    "horovod": "it is a library of its own. Use 'dist_sync', and start the program with mpirun",
    "byteps": "it is a library of its own. Use 'dist_sync', and start the program with mpirun",
}


def create(name="local"):
    """A new store by its name, in upper or lower case.

    'local', 'device' (and their older names 'local_allreduce_cpu', ...): the devices of this process.
    'dist_sync', 'dist_device_sync': all processes that mpirun has started; it needs the package mpi4py.
    Or one that a program has registered. Raises DTypeError for no text, ArgumentError for an unknown name, MXNetError
    for stores of MXNet's that are not here.
    """
    if not isinstance(name, str):
        raise DTypeError(f"kvstore.create: the name of a store must be a text such as 'local', found {name!r}")
    name = name.lower()
    if name in KVStoreBase.kv_registry:
        return KVStoreBase.kv_registry[name]()
    if name in LOCAL:
        from .kvstore import KVStore
        return KVStore(name)
    if name in DISTRIBUTED:
        from .mpi import DistributedStore
        return DistributedStore(name)
    reason = next((REFUSED[key] for key in ("dist_async", *REFUSED) if name.startswith(key)), None)
    if reason is not None:
        raise MXNetError(f"the store {name!r} is not available: {reason}.")
    raise ArgumentError(f"there is no store {name!r}; expected 'local', 'device', 'dist_sync', 'dist_device_sync'"
                        + "".join(f", {key!r}" for key in sorted(KVStoreBase.kv_registry)))
