"""Trainer: an optimizer for parameters, with a Replica of them on each device, in one or several processes."""

# Trainer and Parameter belong together but are in several files.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from operator import is_
from typing import Any

from .. import optimizer as opt
from ..base import ArgumentError, MXNetError
from ..common.docstrings import share_sentences
from ..context import Context
from ..diagnostics.suggestions import SuggestsTrainerNames
from ..optimizer import Optimizer
from ..tape import state
from .parameter import Parameter
from .parameter_dict import ParameterDict
from .trainer_arguments import as_parameters, common_contexts, make_optimizer, steps_in_store, store_for
from .trainer_errors import StaleGradientError, listed, stale_error, unreached_error
from .trainer_plans import TrainerPlans
from .trainer_states import TrainerStates
from .trainer_store import TrainerStore

__all__ = ["StaleGradientError", "Trainer"]

Row = tuple[int, Any, Any]          # index in the trainer, value, gradient


class Replica:
    """The values and gradients, on one device, of the parameters that need a gradient.
    rows: [(index in the trainer, value, gradient)]. Valid until the parameters' arrays or memory are replaced."""

    def __init__(self, ctx: Context, rows: Sequence[Row]) -> None:
        self.ctx, self.rows = ctx, rows
        self.indices = tuple([index for index, _, _ in rows])
        self.values = tuple([value for _, value, _ in rows])
        self.grads = tuple([grad for _, _, grad in rows])
        self._memory = [x.buffer for x in (*self.values, *self.grads)]
        self._step: Any = None

    def is_like(self, other: Replica) -> bool:
        """Return whether both Replicas have the same arrays in the same memory."""
        return (self.indices == other.indices and len(self._memory) == len(other._memory)
                and all(map(is_, (*self.values, *self.grads, *self._memory),
                            (*other.values, *other.grads, *other._memory))))

    def is_fresh(self) -> bool:
        """Return whether backward has computed all gradients since the last step."""
        return not [value for value in self.values if not value.entry.fresh]

    def fresh_part(self) -> Replica:
        """Return the Replica of the rows whose gradients are fresh."""
        return Replica(self.ctx, [row for row in self.rows if row[1].entry.fresh])

    def step(self, updater: Any) -> Any:
        """Return the Step for these values, which is prepared once. There must be at least one value."""
        if self._step is None or not self._step.is_current(updater):
            self._step = updater.prepare(self.indices, self.grads, self.values)
        return self._step

    def update(self, updater: Any) -> None:
        """Take the step."""
        if self.rows:
            self.step(updater).run()
            self.mark_stale()

    def mark_stale(self) -> None:
        """Mark the gradients as stale."""
        for value in self.values:
            value.entry.fresh = False


def find_replicas(params: Sequence[Any], contexts: Sequence[Context]) -> list[Replica]:
    """Return a Replica for each device. The Parameters must have values on these devices and on no others."""
    pending = [param for param in params if not param.is_initialized]
    if pending:
        raise unreached_error(pending)
    rows: list[list[Row]] = [[] for _ in contexts]
    for index, param in enumerate(params):
        if param._grad is None:
            continue
        if len(param._data) > len(rows):
            raise MXNetError(f"Trainer: {param.described()} is on {listed(param._data.keys())}, but was on "
                             f"{listed(contexts)} when the Trainer was made. Make the Trainer after reset_ctx.")
        for of_device, (ctx, value) in zip(rows, param._data.items(), strict=False):
            of_device.append((index, value, param._grad[ctx]))
    return [Replica(*device) for device in zip(contexts, rows, strict=True)]


class Trainer(TrainerStore, TrainerStates, TrainerPlans, SuggestsTrainerNames):
    """Updates parameters with their gradients.

    params: a ParameterDict, a dict or a list of Parameters.
    optimizer: an Optimizer, or its name with `optimizer_params` for its arguments.
    kvstore: 'local' or 'device' (equivalent) sum the gradients of a parameter's copies on several devices; 'dist_sync'
        also sums over all processes started by mpirun, and initially sends them the values from rank 0. A program may
        pass its own store; None leaves the summation to the program.
    update_on_kvstore: whether the store takes the steps, on its own weights; by default only 'dist_async' does.
    compression_params: see `KVStore.set_gradient_compression`.

    >>> layer = nn.Dense(1, in_units=2, use_bias=False)
    >>> layer.initialize(init.One())
    >>> trainer = gluon.Trainer(layer.collect_params(), "sgd", {"learning_rate": 0.5})
    >>> with autograd.record():
    ...     loss = layer(nd.array([[1, 2], [3, 4]]))
    >>> loss.backward()
    >>> trainer.step(batch_size=2)                      # 1 - 0.5 (1 + 3) / 2 and 1 - 0.5 (2 + 4) / 2
    >>> layer.weight.data().asnumpy().tolist()
    [[0.0, -0.5]]
    >>> trainer.set_learning_rate(0.1)
    >>> trainer.learning_rate, type(trainer.optimizer).__name__
    (0.1, 'SGD')
    """

    def __init__(self, params: ParameterDict | Mapping[str, Parameter] | Sequence[Parameter],
                 optimizer: str | Optimizer, optimizer_params: Mapping[str, Any] | None = None, kvstore: Any = "device",
                 compression_params: Mapping[str, Any] | None = None, update_on_kvstore: bool | None = None) -> None:
        self._is_plain = type(self) is Trainer
        self._kvstore: Any = None
        self._amp_loss_scaler: Any = None       # set by contrib.amp.init_trainer
        self._params: list[Any] = as_parameters(params)
        for param in self._params:
            param._trainer = weakref.ref(self)
        self._contexts = common_contexts(self._params)
        self._optimizer = make_optimizer(optimizer, optimizer_params or {}, self._params)
        self._scale = self._optimizer.rescale_grad
        self._updaters = [opt.get_updater(self._optimizer) for _ in self._contexts]
        self._kvstore = store_for(kvstore, len(self._contexts))
        self._on_kvstore = steps_in_store(update_on_kvstore, self._kvstore)
        self._outside = None            # [(index, parameter)] whose values the store lacks; None before the first step
        self._replicas: list[Replica] = []              # see `replicas`
        self._replacements: int | None = None
        self._connect_store(compression_params)
        for param in self._params:
            if param._data is not None:
                self.share(param)

    def _repr_html_(self) -> str:
        from ..display.training import trainer_html
        return trainer_html(self)

    def step(self, batch_size: float, ignore_stale_grad: bool = False) -> None:
        """Update all parameters with their gradients divided by `batch_size`.

        batch_size: the number of samples in all processes over which the gradients are summed (`count_samples`).
        ignore_stale_grad: if True, skip parameters whose gradient has not been computed since the last step.

        Otherwise, they raise StaleGradientError. Raises DeferredInitializationError for parameters without a value.
        """
        self.rescale(batch_size)
        replicas = self._fresh_replicas(ignore_stale_grad)
        if self._on_kvstore:
            self._step_in_store(replicas)
            return
        if self._kvstore is not None:
            self._sum_gradients()
        if self._amp_loss_scaler is not None and self._amp_loss_scaler.has_overflow(self._params):
            return
        for updater, replica in zip(self._updaters, replicas, strict=True):
            replica.update(updater)

    def rescale(self, batch_size: float, caller: str = "step") -> None:
        """Make the optimizer divide the next gradients by `batch_size`. A step begins with this call and its checks."""
        if state.recording and not self._on_kvstore:
            raise MXNetError(f"Trainer.{caller}: the step would write to weights that are on the tape, inside "
                             "autograd.record(). Call it behind the `with` block, after backward.")
        try:
            self._optimizer.rescale_grad = self._scale / batch_size
        except (TypeError, ZeroDivisionError):
            raise ArgumentError(f"Trainer.{caller}: batch_size is {batch_size!r}, expected the number of samples whose "
                                "gradients were added up, at least 1") from None

    def _fresh_replicas(self, ignore_stale_grad: bool) -> list[Replica]:
        """Return, for each device, a Replica with the gradients that backward has computed since the last step."""
        replicas = self.replicas()
        if all(map(Replica.is_fresh, replicas)):
            return replicas
        if not ignore_stale_grad:
            raise stale_error([(param, ctx) for param in self._params if param._grad is not None
                                for ctx, value in param._data.items() if not value.entry.fresh])
        return [replica.fresh_part() for replica in replicas]

    def replicas(self) -> list[Replica]:
        """Return a Replica for each device, a new one if memory was replaced. Raises DeferredInitializationError."""
        if self._replacements != Parameter.replacements:
            replacements, latest = Parameter.replacements, find_replicas(self._params, self._contexts)
            if len(latest) != len(self._replicas) or not all(map(Replica.is_like, self._replicas, latest)):
                self._replicas = latest
            self._replacements = replacements
        return self._replicas


share_sentences(Trainer.step, Trainer.update)
