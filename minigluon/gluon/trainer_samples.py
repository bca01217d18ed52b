"""The batch size for a Trainer's step if several processes share the batch."""

# Trainer's mixins belong together.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from .. import kvstore as kvstores

__all__ = ["TrainerSamples"]


class TrainerSamples:
    """Mixin for Trainer that adds up the samples of all processes."""

    _kvstore: Any
    _on_kvstore: bool
    _is_plain: bool

    def count_samples(self, own: int) -> int:
        """Return the number of samples in all processes, which is the batch size for `step`; with 'dist_async', where
        each process takes its own steps, `own`.

        own: the number of samples in this process, which may be 0 and differ between processes.

        >>> layer = nn.Dense(1, in_units=1)
        >>> layer.initialize()
        >>> gluon.Trainer(layer.collect_params(), "sgd").count_samples(32)      # one process
        32
        """
        if self._kvstore is None or self._kvstore.num_workers == 1 or self._kvstore.is_asynchronous:
            return own
        return int(self._kvstore.sum_over_processes([own], "samples")[0])

    def accumulate(self) -> AbstractContextManager[None]:
        """Context manager for all backward passes of a step except the last one: their gradients are not sent yet.

        With several processes, gradients are sent during backward, so without this a step with several backward passes
        is correct, but sends them again. Its parameters have grad_req='add'.

        >>> layer = nn.Dense(1, in_units=1, use_bias=False)
        >>> layer.initialize(init.One())
        >>> layer.weight.grad_req = "add"
        >>> trainer = gluon.Trainer(layer.collect_params(), "sgd", {"learning_rate": 1})
        >>> def backward(x):
        ...     with autograd.record():
        ...         loss = layer(x)
        ...     loss.backward()
        >>> with trainer.accumulate():
        ...     backward(nd.array([[1]]))
        >>> backward(nd.array([[2]]))
        >>> trainer.step(2)                         # 1 - (1 + 2) / 2
        >>> layer.weight.data().item()
        -0.5
        """
        return self._kvstore.accumulate() if isinstance(self._kvstore, kvstores.KVStore) else nullcontext()

    def step_share(self, own: int, ignore_stale_grad: bool = False) -> None:
        """Do what `step(count_samples(own))` does, but send the number of samples in the gradients' message.

        own: the number of samples in this process, which may be 0 and differ between processes.
        ignore_stale_grad: see `step`.

        >>> layer = nn.Dense(1, in_units=1, use_bias=False)
        >>> layer.initialize(init.One())
        >>> trainer = gluon.Trainer(layer.collect_params(), "sgd", {"learning_rate": 1})
        >>> with autograd.record():
        ...     loss = layer(nd.array([[1], [2]]))
        >>> loss.backward()
        >>> trainer.step_share(2)                   # 1 - (1 + 2) / 2
        >>> layer.weight.data().item()
        -0.5
        """
        trainer: Any = self
        alone = self._kvstore is None or self._kvstore.num_workers == 1
        if alone or self._on_kvstore or not self._is_plain or not isinstance(self._kvstore, kvstores.KVStore):
            trainer.step(self.count_samples(own), ignore_stale_grad)
            return
        trainer.rescale(1)                          # processes compare rescale_grad, which is not known yet
        replicas = trainer._fresh_replicas(ignore_stale_grad)
        total, = trainer._sum_gradients(own)
        trainer.rescale(total)
        trainer._update(replicas)
