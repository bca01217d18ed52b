"""Stepper: parameter updates for a Module, performed locally or in a store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ... import kvstore as kvstores
from ... import optimizer as opt
from ...base import DTypeError, MXNetError
from ...diagnostics import strictness

if TYPE_CHECKING:
    from ...kvstore.base import KVStoreBase
    from ...kvstore.kvstore import KVStore
    from ...optimizer.optimizer import Optimizer
    from .executor_group import DataParallelExecutorGroup

__all__ = ["Stepper"]

MAX_STORED = 16 * 1024 * 1024   # a single-machine store does not keep weights if a parameter has more elements


class Stepper:
    """A Module's optimizer, and the choice of where its updates are computed.

    A single device in one process is updated locally. With more devices or processes, the gradients go to a store,
    which sums them and either updates its own weights, whose values are copied back (on_kvstore), or leaves the update
    to each device.
    kvstore: a store, its name or None.
    """

    kvstore: KVStore | KVStoreBase | None
    on_kvstore: bool

    def __init__(self, module: Any, kvstore: str, optimizer: str, arguments: dict[str, float]):
        names, contexts = module._exec_group._learned, module._context
        self.names = names
        self.kvstore, self.on_kvstore = _store_for(kvstore, len(contexts), module._arg_params)
        batch = module._exec_group.batch_size
        if self.kvstore is not None and "dist" in self.kvstore.type and not self.kvstore.is_asynchronous:
            batch *= self.kvstore.num_workers
        keys = self._keys(len(contexts))
        self.optimizer: Optimizer = _make_optimizer(module, optimizer, arguments, 1.0 / batch, keys)
        self.updaters: list[Any] = [opt.get_updater(self.optimizer)]
        if self.kvstore is not None:
            if module._compression_params:
                self.kvstore.set_gradient_compression(module._compression_params)
            if self.on_kvstore:
                self.kvstore.set_optimizer(self.optimizer)
            for name, arrays in zip(names, module._exec_group.param_arrays, strict=True):
                self.kvstore.broadcast(name, module._arg_params[name], arrays)
                module._arg_params[name][:] = arrays[0].as_in_context(module._arg_params[name].context)

    def _keys(self, devices):
        """Return {the optimizer's key for a parameter: the parameter's name}."""
        if self.on_kvstore:
            return dict(enumerate(self.names))
        return {number * devices + k: name for number, name in enumerate(self.names) for k in range(devices)}

    @property
    def states_owner(self):
        """Return the Updater that holds the states."""
        return self.kvstore._updater if self.on_kvstore else self.updaters[0]

    def weights(self, group: Any) -> Any:
        """Return {the optimizer's key for a parameter: its weight}, from a group of executors or the store."""
        if self.on_kvstore:
            return self.kvstore._stored
        devices = len(group.contexts)
        return {number * devices + k: weight for number, weights in enumerate(group.param_arrays)
                for k, weight in enumerate(weights)}

    def step(self, group: DataParallelExecutorGroup) -> None:
        """Update the parameters with the gradients of a group of executors."""
        rows = [(number, name, weights, grads) for number, (name, weights, grads)
                in enumerate(zip(group._learned, group.param_arrays, group.grad_arrays, strict=True))
                if grads[0] is not None]
        if not rows:
            return
        _, names, weights, grads = (list(column) for column in zip(*rows, strict=True))
        if self.on_kvstore:
            self.kvstore.push(names, grads)
            self.kvstore.pull(names, weights, ignore_sparse=False)
            return
        if isinstance(self.kvstore, kvstores.KVStore):
            with self.kvstore.gradients_for(self.optimizer):
                self.kvstore.pushpull(names, grads)
        elif self.kvstore is not None:          # a custom store takes one key at a time
            for name, of_devices in zip(names, grads, strict=True):
                self.kvstore.pushpull(name, of_devices)
        numbers = {name: number for number, name in enumerate(self.names)}
        devices = len(group.contexts)
        for k in range(devices):
            for own in _by_device([w[k] for w in weights]) if group.group2ctxs[k] else [range(len(names))]:
                self.updaters[0]([numbers[names[i]] * devices + k for i in own], [grads[i][k] for i in own],
                                 [weights[i][k] for i in own])


def _by_device(arrays):
    """Return, for each device, a list of the indices of the arrays on it; one operator updates each list."""
    indices = {}
    for number, x in enumerate(arrays):
        indices.setdefault(x.context, []).append(number)
    return indices.values()


def _store_for(kvstore, devices, arg_params):
    """Return (store or None, whether it updates the weights)."""
    if kvstore is None:
        return None, False
    if not isinstance(kvstore, (str, kvstores.KVStoreBase)):
        raise DTypeError(f"kvstore must be a store, its name or None, found {type(kvstore).__name__}")
    if isinstance(kvstore, str):
        if devices == 1 and "dist" not in kvstore:
            return None, False
        kvstore = kvstores.create(kvstore)
    on_kvstore = kvstore.is_capable(kvstores.KVStoreBase.OPTIMIZER)
    if getattr(kvstore, "shards_states", False):
        raise MXNetError("the store's optimizer states are sharded, which only a gluon Trainer supports. Give the "
                         "Module a store without shard_optimizer_states().")
    if kvstore.type == "local" and max((x.size for x in arg_params.values()), default=0) > MAX_STORED:
        on_kvstore = False
    return kvstore, on_kvstore


def _make_optimizer(module, optimizer, arguments, rescale, names):
    if isinstance(optimizer, str):
        arguments.setdefault("rescale_grad", rescale)
        return opt.create(optimizer, sym=module.symbol, param_idx2name=names, **arguments)
    if not isinstance(optimizer, opt.Optimizer):
        raise DTypeError(f"init_optimizer: optimizer must be an Optimizer or its name, found "
                         f"{type(optimizer).__name__}")
    if optimizer.rescale_grad != rescale:
        strictness.warn(f"init_optimizer: the {type(optimizer).__name__} has rescale_grad={optimizer.rescale_grad:g}, "
                        f"but 1 / (batch size) is {rescale:g}. Is that intended?")
    if not optimizer.idx2name:
        optimizer.idx2name = dict(names)
    return optimizer
