"""Trainer: an optimizer applied to a set of parameters, on one device, on several, and in several processes."""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from typing import Any

from .. import autograd
from .. import kvstore as kvstores
from .. import optimizer as opt
from ..base import ArgumentError, DTypeError, MXNetError
from ..common.docstrings import share_sentences
from ..context import Context
from ..diagnostics.suggestions import TrainerHabits
from ..optimizer import Optimizer
from ..optimizer.updater import load_states
from ..serialization.whole_files import replacing
from ..tape import state
from .parameter import Parameter
from .parameter_dict import ParameterDict
from .replica import Replica, find_replicas, listed, require_values

__all__ = ["StaleGradientError", "Trainer"]


class StaleGradientError(MXNetError, UserWarning):
    """A gradient has not been computed since the last step. MXNet raises its UserWarning here.

    >>> layer = nn.Dense(1, in_units=2)
    >>> layer.initialize()
    >>> trainer = gluon.Trainer(layer.collect_params(), "sgd")
    >>> try:
    ...     trainer.step(batch_size=1)
    ... except gluon.trainer.StaleGradientError:
    ...     print("there was no backward")
    there was no backward
    """


class Trainer(TrainerHabits):
    """Updates parameters with their gradients.

    params: a ParameterDict, a dict or a list of Parameters.
    optimizer: an Optimizer, or its name with `optimizer_params` for its arguments.
    kvstore: 'local' or 'device', which both mean that the copies of a parameter on several devices get the sum of their
        gradients; 'dist_sync', the sum over all processes that mpirun has started as well, and the values of rank 0 to
        begin with; a store of the program's own; None leaves it to the program.
    update_on_kvstore: are the steps made in the store, on weights of its own?
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
        self._kvstore: Any = None
        self._amp_loss_scaler: Any = None       # given by contrib.amp.init_trainer
        self._params = _as_parameters(params)
        for param in self._params:
            param._trainer = weakref.ref(self)
        self._contexts = self._common_contexts()
        self._optimizer = self._make_optimizer(optimizer, optimizer_params or {})
        self._scale = self._optimizer.rescale_grad
        self._updaters = [opt.get_updater(self._optimizer) for _ in self._contexts]
        self._kvstore = _store_for(kvstore, len(self._contexts))
        self._on_kvstore = bool(update_on_kvstore) and self._kvstore is not None
        self._outside = None            # (index, parameter) whose values the store lacks; None before the first step
        self._replicas, self._replacements = (), None       # see `replicas`
        if self._on_kvstore:
            if not self._kvstore.is_capable(kvstores.KVStoreBase.OPTIMIZER):
                raise ArgumentError(f"Trainer: the store {type(self._kvstore).__name__} is not capable of an "
                                    "optimizer. Leave out update_on_kvstore=True: the devices make the steps then.")
            self._kvstore.set_optimizer(self._optimizer)
        elif getattr(self._kvstore, "_updater", None) is not None:
            raise MXNetError("Trainer: kvstore makes steps of its own already, with an optimizer or an updater that "
                             "was set, and would give them back in place of sums of gradients. Pass a new store, or "
                             "update_on_kvstore=True.")
        if compression_params and self._kvstore is not None:
            self._kvstore.set_gradient_compression(compression_params)
        for param in self._params:
            if param._data is not None:
                self.share(param)

    def _repr_html_(self) -> str:
        from ..display.training import trainer_html
        return trainer_html(self)

    def _common_contexts(self):
        """The devices of all parameters, which must be the same."""
        contexts, first = None, None
        for param in self._params:
            found = param.list_ctx()
            if contexts is None:
                contexts, first = found, param
            elif found != contexts:
                raise MXNetError(f"Trainer: all parameters must be on the same devices, but {first.described()} is on "
                                 f"{listed(contexts)} and {param.described()} is on {listed(found)}. Move them with "
                                 "net.collect_params().reset_ctx(...).")
        return contexts or []

    def _make_optimizer(self, optimizer, arguments):
        param_dict = dict(enumerate(self._params))
        if not isinstance(arguments, dict):
            raise ArgumentError(f"Trainer: optimizer_params is {arguments!r}, expected a dict such as "
                                "{'learning_rate': 0.1}")
        if not isinstance(optimizer, opt.Optimizer):
            return opt.create(optimizer, param_dict=param_dict, **arguments)
        if arguments:
            raise ArgumentError("Trainer: optimizer_params go with an optimizer's name. Give them to the "
                                f"{type(optimizer).__name__} itself.")
        optimizer.param_dict = param_dict
        return optimizer

    # -- the optimizer ------------------------------------------------------------------------------------------

    @property
    def optimizer(self) -> Optimizer:
        """The Optimizer."""
        return self._optimizer

    @property
    def learning_rate(self) -> float:
        """The learning rate; with a scheduler, the present one."""
        return self._optimizer.learning_rate

    def set_learning_rate(self, lr: float) -> None:
        """Set another learning rate.

        lr: the learning rate of the next steps.

        Raises MXNetError where a scheduler sets it.
        """
        self._optimizer.set_learning_rate(lr)

    # -- the store ----------------------------------------------------------------------------------------------

    def share(self, param: Parameter) -> None:
        """Give a parameter that has just got its value that of rank 0, in every process."""
        store = self._kvstore
        if isinstance(store, kvstores.KVStore) and store.num_workers > 1:
            first, *rest = param.list_data()
            index = next(index for index, other in enumerate(self._params) if other is param)
            store._from_first("first value", {index: first})
            with autograd.pause():
                for x in rest:
                    x[:] = first.as_in_context(x.context)

    def _enter(self):
        """Before a step: give values to a store that keeps them, or that the program has written.

        Parameters that have none yet follow when they have.
        """
        if self._outside is None:
            store = self._kvstore
            takes = store is not None and (self._on_kvstore or not isinstance(store, kvstores.KVStore))
            self._outside = list(enumerate(self._params)) if takes else []
        if self._outside:
            for index, param in self._outside:
                if param._data is not None:
                    arrays = param.list_data()
                    self._kvstore.broadcast(index, arrays[0], arrays)
            self._outside = [(index, param) for index, param in self._outside if param._data is None]

    def _refuse_on_kvstore(self, caller):
        if self._on_kvstore:
            raise MXNetError(f"Trainer.{caller}: with update_on_kvstore=True the store adds the gradients up and makes "
                             "the step at once. Make the Trainer with update_on_kvstore=False.")

    # -- a step -------------------------------------------------------------------------------------------------

    def step(self, batch_size: float, ignore_stale_grad: bool = False) -> None:
        """Update all parameters with their gradients divided by `batch_size`.

        batch_size: how many samples the gradients are sums over.
        ignore_stale_grad: leave parameters alone whose gradient was not computed since the last step?

        Raises StaleGradientError for such a gradient otherwise, DeferredInitializationError for parameters without a
        value.
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

    def allreduce_grads(self) -> None:
        """Give every device the sum of the gradients of all, unless kvstore is None. `update` does the rest.

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
        require_values(self._params)
        if self._kvstore is not None:
            self._sum_gradients()

    def update(self, batch_size: float, ignore_stale_grad: bool = False) -> None:
        """A step without `allreduce_grads`, for programs that change the gradients in between.

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
        if self._amp_loss_scaler is not None and self._amp_loss_scaler.has_overflow(self._params):
            return
        for updater, replica in zip(self._updaters, self._fresh_replicas(ignore_stale_grad), strict=True):
            replica.update(updater)

    share_sentences(step, update)

    def rescale(self, batch_size: int, caller: str = "step") -> None:
        """Let the optimizer divide the next gradients by `batch_size`; what a step begins with, and its errors."""
        if state.recording and not self._on_kvstore:
            raise MXNetError(f"Trainer.{caller}: the step would write to weights that are on the tape, inside "
                             "autograd.record(). Call it behind the `with` block, after backward.")
        try:
            self._optimizer.rescale_grad = self._scale / batch_size
        except (TypeError, ZeroDivisionError):
            raise ArgumentError(f"Trainer.{caller}: batch_size is {batch_size!r}, expected the number of samples whose "
                                "gradients were added up, at least 1") from None

    # -- what is prepared for a step ----------------------------------------------------------------------------

    def parameters(self) -> list[Parameter]:
        """All parameters, as a list."""
        return self._params

    def contexts(self) -> list[Context]:
        """The devices that they are on."""
        return self._contexts

    def plan_obstacle(self) -> Any:
        """Why a step cannot be part of a plan together with what precedes it, or None."""
        if type(self) is not Trainer or len(self._contexts) != 1:
            return "the trainer is one for several devices, or of a class of its own"
        if self._amp_loss_scaler is not None:
            return "mixed precision looks at the gradients before each step"
        return None if self._kvstore is None else "the trainer's gradients go to a store"

    def sole_step(self) -> Any:
        """(Replica, Step) where there is no `plan_obstacle`; new ones when arrays, states or settings have changed."""
        replica, = self.replicas()
        return replica, replica.step(self._updaters[0])

    def _fresh_replicas(self, ignore_stale_grad):
        """A Replica for each device, of the gradients that backward has computed since the last step."""
        replicas = self.replicas()
        if all(map(Replica.is_fresh, replicas)):
            return replicas
        if not ignore_stale_grad:
            raise _stale_error([(param, ctx) for param in self._params if param._grad is not None
                                for ctx, value in param._data.items() if not value.entry.fresh])
        return [replica.fresh_part() for replica in replicas]

    def replicas(self) -> Any:
        """A Replica for each device: the learned values and their gradients. New ones when these get other memory.

        Raises DeferredInitializationError for parameters without a value.
        """
        if self._replacements != Parameter.replacements:
            replacements, found = Parameter.replacements, find_replicas(self._params, self._contexts)
            if len(found) != len(self._replicas) or not all(map(Replica.is_like, self._replicas, found)):
                self._replicas = found
            self._replacements = replacements
        return self._replicas

    def _sum_gradients(self):
        """Sum over the same parameters in all processes: one without gradients for them still takes part."""
        learned = [(index, param.list_grad()) for index, param in enumerate(self._params) if param._grad is not None]
        if not learned:
            return
        self._enter()
        keys, grads = (list(column) for column in zip(*learned, strict=True))
        if isinstance(self._kvstore, kvstores.KVStore):
            self._kvstore.pushpull(keys, grads)
        else:
            for key, of_devices in zip(keys, grads, strict=True):
                self._kvstore.pushpull(key, of_devices)

    def _step_in_store(self, replicas):
        self._enter()
        for index, param in enumerate(self._params):
            if param._grad is not None:
                self._kvstore.pushpull(index, param.list_grad(), out=param.list_data())
        for replica in replicas:
            replica.use_up()

    # -- files --------------------------------------------------------------------------------------------------

    def save_states(self, fname: str) -> None:
        """Write the optimizer and its states (momentum, ...) to a file.

        fname: the path of the file.

        >>> layer = nn.Dense(1, in_units=2)
        >>> layer.initialize()
        >>> trainer = gluon.Trainer(layer.collect_params(), "adam")
        >>> trainer.save_states("adam.states")
        >>> trainer.load_states("adam.states")
        """
        if self._on_kvstore:
            self._kvstore.save_optimizer_states(fname, dump_optimizer=True)
            return
        states = self._updaters[0].get_states(dump_optimizer=True)
        with replacing(fname) as file:
            file.write(states)

    def load_states(self, fname: str) -> None:
        """Read what `save_states` wrote, here or in MXNet. lr_mult and wd_mult stay those of the parameters here.

        fname: the path of the file.

        Raises FileFormatError for a file that is damaged, or whose states are not those of the parameters here; then
        nothing is changed.

        >>> layer = nn.Dense(1, in_units=2)
        >>> layer.initialize()
        >>> trainer = gluon.Trainer(layer.collect_params(), "adam")
        >>> trainer.save_states("adam.states")
        >>> trainer.load_states("adam.states")
        """
        if self._on_kvstore:
            self._kvstore.load_optimizer_states(fname)
            self._optimizer = self._kvstore._updater.optimizer
            self._optimizer.param_dict = dict(enumerate(self._params))
            return
        weights = [{} for _ in self._updaters]
        for index, param in enumerate(self._params):
            for of_device, value in zip(weights, (param._data or {}).values(), strict=False):
                of_device[index] = value
        load_states(fname, self._updaters, weights)
        for updater in self._updaters:
            updater.optimizer = self._updaters[0].optimizer
        self._optimizer = self._updaters[0].optimizer
        self._optimizer.param_dict = dict(enumerate(self._params))


def _as_parameters(params):
    if hasattr(params, "keys"):
        params = [params[key] for key in sorted(params.keys())]
    if not isinstance(params, (list, tuple)):
        raise ArgumentError("Trainer takes a ParameterDict, a dict or a list of Parameters, found "
                            f"{type(params).__name__}. Pass net.collect_params().")
    for param in params:
        if not isinstance(param, Parameter):
            raise ArgumentError(f"Trainer takes Parameters, found {type(param).__name__} {param!r} among them. Pass "
                                "net.collect_params().")
    return list(params)


def _store_for(kvstore, devices):
    """A store where there is something to add up, or None."""
    if kvstore is None or isinstance(kvstore, kvstores.KVStoreBase):
        return kvstore
    if not isinstance(kvstore, str):
        raise DTypeError(f"Trainer: kvstore must be a store, its name or None, found {type(kvstore).__name__}")
    if kvstore.lower() == "nccl" and devices < 2:
        return None                 # nothing to add up, so nothing is missing
    store = kvstores.create(kvstore)
    is_for_devices = type(store) is kvstores.KVStore
    return None if is_for_devices and devices < 2 else store


def _stale_error(stale):
    lines = [f"  {param.described()} on {ctx}" for param, ctx in stale]
    return StaleGradientError("\n".join([
        "gradients have not been computed by backward since the last step:", *lines,
        "  Did the loss use only a part of the network? If that is what you want, call "
        "step(batch_size, ignore_stale_grad=True), which leaves these parameters alone."]))
