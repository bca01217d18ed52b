"""A Trainer with a store, which sums gradients over devices and processes, or updates the parameters itself."""

from __future__ import annotations

from typing import Any

from .. import autograd
from .. import kvstore as kvstores
from ..base import ArgumentError, MXNetError
from ..kvstore.shards import ShardedUpdater, Shards
from .parameter import Parameter
from .trainer_errors import unreached_error
from .trainer_samples import TrainerSamples

__all__ = ["TrainerStore"]


class TrainerStore(TrainerSamples):
    """Mixin for Trainer that manages its store and splits a step into two halves."""

    _shards: Any = None         # a Shards if each process keeps the states of a part of the parameters

    def share(self, param: Parameter) -> None:
        """In every process, set a newly initialized parameter to the value of rank 0."""
        if isinstance(self._kvstore, kvstores.KVStore) and self._kvstore.num_workers > 1:
            store: Any = self._kvstore
            first, *rest = param._require_data().values()
            index = next(index for index, other in enumerate(self._params) if other is param)
            store._from_first("first value", {index: first})
            with autograd.pause():
                for x in rest:
                    x[:] = first.as_in_context(x.context)

    def _connect_store(self, compression_params: Any) -> None:
        """Pass the optimizer to the store if the store updates the parameters, and set its gradient compression."""
        if self._on_kvstore:
            if not self._kvstore.is_capable(kvstores.KVStoreBase.OPTIMIZER):
                raise ArgumentError(f"Trainer: the store {type(self._kvstore).__name__} does not support an "
                                    "optimizer. Omit update_on_kvstore=True: then the devices update the parameters.")
            self._kvstore.set_optimizer(self._optimizer)
        elif getattr(self._kvstore, "_updater", None) is not None:
            raise MXNetError("Trainer: kvstore already has an optimizer or updater, so it would return updated "
                             "weights instead of sums of gradients. Pass a new store, or update_on_kvstore=True.")
        if getattr(self._kvstore, "shards_states", False):
            self._shard()
        if compression_params and self._kvstore is not None:
            self._kvstore.set_gradient_compression(compression_params)

    def _shard(self) -> None:
        """Let each process keep the optimizer states of a part of the parameters."""
        if self._on_kvstore:
            raise MXNetError("Trainer: the store's optimizer states are sharded, which is not possible with "
                             "update_on_kvstore=True. Omit it.")
        if any(param.stype != "default" for param in self._params):
            raise MXNetError("Trainer: the optimizer states of row_sparse parameters cannot be sharded. Use "
                             "nn.Embedding(sparse_grad=True), or do not call shard_optimizer_states.")
        self._shards = Shards(self._kvstore, self._params)
        last = len(self._updaters) - 1
        self._updaters = [ShardedUpdater(self._optimizer, self._shards, number == last)
                          for number in range(len(self._updaters))]

    def _enter(self) -> None:
        """Initialize values before a step, in a store that keeps them or in the program's own store.

        Parameters without values follow later, once they have values.
        """
        if self._outside is None:
            store = self._kvstore
            takes = store is not None and (self._on_kvstore or not isinstance(store, kvstores.KVStore))
            self._outside = list(enumerate(self._params)) if takes else []
        if self._outside:
            for index, param in self._outside:
                if param._data is not None:
                    arrays = list(param._require_data().values())
                    self._kvstore.broadcast(index, arrays[0], arrays)
            self._outside = [(index, param) for index, param in self._outside if param._data is None]

    def _refuse_on_kvstore(self, caller: str) -> None:
        if self._on_kvstore:
            raise MXNetError(f"Trainer.{caller}: with update_on_kvstore=True the store sums the gradients and updates "
                             "the parameters at once. Create the Trainer with update_on_kvstore=False.")

    def allreduce_grads(self) -> None:
        """Sum the gradients over all devices, unless kvstore is None. Call `update` afterwards.

        >>> layer = nn.Dense(1, in_units=1, use_bias=False)
        >>> layer.initialize(init.One(), ctx=[mx.cpu(0), mx.cpu(1)])
        >>> trainer = gluon.Trainer(layer.collect_params(), "sgd")
        >>> with autograd.record():
        ...     losses = [layer(nd.array([[x]], ctx=mx.cpu(x))) for x in (0, 1)]
        >>> autograd.backward(losses)
        >>> trainer.allreduce_grads()
        >>> [grad.item() for grad in layer.weight.list_grad()]      # 0 + 1, on both
        [1.0, 1.0]
        """
        self._refuse_on_kvstore("allreduce_grads")
        pending = [param for param in self._params if not param.is_initialized]
        if pending:
            raise unreached_error(pending)
        if self._kvstore is not None:
            self._sum_gradients()
            if self._shards is not None:
                self._shards.share("gradients")

    def update(self, batch_size: float, ignore_stale_grad: bool = False) -> None:
        """Take a step without `allreduce_grads`, for programs that change the gradients in between.

        >>> layer = nn.Dense(1, in_units=2, use_bias=False)
        >>> layer.initialize(init.One())
        >>> trainer = gluon.Trainer(layer.collect_params(), "sgd", {"learning_rate": 1})
        >>> with autograd.record():
        ...     loss = layer(nd.array([[3, 4]]))
        >>> loss.backward()
        >>> trainer.allreduce_grads()
        >>> gluon.utils.clip_global_norm([layer.weight.grad()], max_norm=1)
        5.0
        >>> trainer.update(batch_size=1)
        >>> layer.weight.data().asnumpy().round(1)          # 1 - 3/5 and 1 - 4/5
        array([[0.4, 0.2]], dtype=float32)
        """
        self._refuse_on_kvstore("update")
        self.rescale(batch_size, "update")
        self._update(self._fresh_replicas(ignore_stale_grad))

    def _update(self, replicas: list[Any]) -> None:
        """Update the parameters, unless gradients have overflowed."""
        if self._amp_loss_scaler is not None and self._amp_loss_scaler.has_overflow(self._params):
            return
        for updater, replica in zip(self._updaters, replicas, strict=True):
            replica.update(updater)

    def _sum_gradients(self, *numbers: float) -> list[float]:
        """Sum the gradients of these parameters over all processes, including processes without gradients for them.

        Return the sums of numbers, which a KVStore sends with the gradients.
        """
        learned = [(index, list(param._grad.values())) for index, param in enumerate(self._params)
                   if param._grad is not None]
        if not learned:
            return list(numbers)
        self._enter()
        keys, grads = (list(column) for column in zip(*learned, strict=True))
        if isinstance(self._kvstore, kvstores.KVStore):
            owners = None if self._shards is None else self._shards.owners_of(keys)
            with self._kvstore.gradients_for(self._optimizer, numbers, owners) as totals:
                self._kvstore.pushpull(keys, grads)
            return totals
        for key, of_devices in zip(keys, grads, strict=True):
            self._kvstore.pushpull(key, of_devices)
        return list(numbers)

    def _step_in_store(self, replicas: list[Any]) -> None:
        self._enter()
        rows = [(index, list(param._require_grad().values()), list(param._require_data().values()))
                for index, param in enumerate(self._params) if param._grad is not None]
        if isinstance(self._kvstore, kvstores.KVStore):
            if rows:
                self._kvstore.pushpull(*map(list, zip(*rows, strict=True)))
        else:                               # a custom store takes one key at a time
            for index, grads, weights in rows:
                self._kvstore.pushpull(index, grads, out=weights)
        for replica in replicas:
            replica.mark_stale()
