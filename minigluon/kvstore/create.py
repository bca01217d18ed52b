"""`create`: creates a store by name."""

from __future__ import annotations

from ..base import ArgumentError, DTypeError, MXNetError, nearest
from .base import KVStoreBase
from .kvstore import KVStore

__all__ = ["create"]

LOCAL = ("local", "device", "local_update_cpu", "local_allreduce_cpu", "local_allreduce_device")
ASYNCHRONOUS = ("dist_async", "dist_device_async", "dist_async_device")
DISTRIBUTED = ("dist_sync", "dist_device_sync", "dist_sync_device", "dist")
REFUSED = {
    "nccl": "it is NVIDIA's library for several cards in one process. Use 'device'",
    "p3": "parameters are not cut into slices with priorities. Use 'dist_sync', and start the program with mpirun",
    "horovod": "it is a separate library. Use 'dist_sync', and start the program with mpirun",
    "byteps": "it is a separate library. Use 'dist_sync', and start the program with mpirun",
}


def create(name: str = "local") -> KVStore:
    """Create a store by its name, in upper or lower case.

    'local', 'device' (and their older names 'local_allreduce_cpu', ...): the devices of this process.
    'dist_sync', 'dist_device_sync': all processes started by mpirun; needs the package mpi4py.
    'dist_async', 'dist_device_async': the same, but each process takes its own steps, without waiting for others.
    Or a registered custom store. Raises DTypeError for anything except a string, ArgumentError for an unknown name, and
    MXNetError for MXNet stores that are not supported.

    >>> store = mx.kv.create("local")
    >>> store.type, store.rank, store.num_workers
    ('local', 0, 1)
    """
    if not isinstance(name, str):
        raise DTypeError(f"kvstore.create: the name of a store must be a string such as 'local', found {name!r}")
    name = name.lower()
    if name in KVStoreBase.kv_registry:
        return KVStoreBase.kv_registry[name]()
    if name in LOCAL:
        return KVStore(name)
    if name in DISTRIBUTED:
        from .mpi import DistributedStore
        return DistributedStore(name)
    if name in ASYNCHRONOUS:
        from .asynchronous import AsynchronousStore
        return AsynchronousStore(name)
    reason = next((text for key, text in REFUSED.items() if name.startswith(key)), None)
    if reason is not None:
        raise MXNetError(f"the store {name!r} is not available: {reason}.")
    names = ["local", "device", "dist_sync", "dist_device_sync", "dist_async", *sorted(KVStoreBase.kv_registry)]
    raise ArgumentError(f"there is no store {name!r}; expected {', '.join(map(repr, names))}." + nearest(name, names))
