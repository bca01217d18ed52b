"""Trainer: an optimizer applied to a set of parameters, on one device or the same on several."""

import os

from .. import optimizer as opt
from ..base import ArgumentError, FileFormatError, MXNetError
from ..files import replacing
from .parameter import DeferredInitializationError, Parameter

__all__ = ["StaleGradientError", "Trainer"]

_KVSTORES = (None, "local", "device", "local_allreduce_cpu", "local_allreduce_device", "nccl")


class StaleGradientError(MXNetError, UserWarning):
    """A gradient has not been computed since the last step. MXNet raises its UserWarning here."""


class Trainer:
    """Updates parameters with their gradients.

    params: a ParameterDict, a dict or a list of Parameters. optimizer: an Optimizer, or its name with
    `optimizer_params` for its arguments. kvstore: 'local' or 'device', which both mean that the copies of a parameter
    on several devices get the sum of their gradients; None leaves that to the program; distributed ones are refused.

        with autograd.record():
            loss = loss_fn(net(data), label)
        loss.backward()
        trainer.step(batch_size)
    """

    def __init__(self, params, optimizer, optimizer_params=None, kvstore="device", compression_params=None,
                 update_on_kvstore=None):
        _check_kvstore(kvstore, compression_params)
        self._sums = kvstore is not None
        self._params = _as_parameters(params)
        for param in self._params:
            param._trainer = self
        self._contexts = self._common_contexts()
        self._optimizer = self._make_optimizer(optimizer, optimizer_params or {})
        self._scale = self._optimizer.rescale_grad
        self._updaters = [opt.get_updater(self._optimizer) for _ in self._contexts]

    def _common_contexts(self):
        """The devices of all parameters, which must be the same."""
        contexts, first = None, None
        for param in self._params:
            found = param.list_ctx()
            if contexts is None:
                contexts, first = found, param
            elif found != contexts:
                raise MXNetError(f"Trainer: all parameters must be on the same devices, but {first._described()} is on "
                                 f"{_listed(contexts)} and {param._described()} is on {_listed(found)}. Move them with "
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
    def optimizer(self):
        """The Optimizer."""
        return self._optimizer

    @property
    def learning_rate(self):
        """The learning rate; with a scheduler, the present one."""
        return self._optimizer.learning_rate

    def set_learning_rate(self, lr):
        """Set another learning rate. Raises MXNetError where a scheduler sets it."""
        self._optimizer.set_learning_rate(lr)

    # -- a step -------------------------------------------------------------------------------------------------

    def step(self, batch_size, ignore_stale_grad=False):
        """Update all parameters with their gradients divided by `batch_size`.

        ignore_stale_grad=True leaves parameters alone whose gradient was not computed since the last step; otherwise
        they raise StaleGradientError. Raises DeferredInitializationError for parameters without a value.
        """
        pairs = self._pairs(ignore_stale_grad)
        self._optimizer.rescale_grad = self._scale / batch_size
        self._sum_over_devices()
        self._apply(pairs)

    def allreduce_grads(self):
        """Give every device the sum of the gradients of all, unless kvstore is None. `update` does the rest."""
        self._require_values()
        self._sum_over_devices()

    def update(self, batch_size, ignore_stale_grad=False):
        """A step without `allreduce_grads`, for programs that change the gradients in between."""
        pairs = self._pairs(ignore_stale_grad)
        self._optimizer.rescale_grad = self._scale / batch_size
        self._apply(pairs)

    def _pairs(self, ignore_stale_grad):
        """[(index, value, gradient)] for each device. Checks that gradients are there and were computed anew."""
        self._require_values()
        pairs = [[] for _ in self._contexts]
        stale = []
        for index, param in enumerate(self._params):
            if param._grad is None:
                continue
            for number, (ctx, value) in enumerate(param._data.items()):
                if value._entry.fresh:
                    pairs[number].append((index, value, param._grad[ctx]))
                else:
                    stale.append((param, ctx))
        if stale and not ignore_stale_grad:
            raise _stale_error(stale)
        return pairs

    def _require_values(self):
        pending = [param for param in self._params if param._data is None]
        if pending:
            raise DeferredInitializationError("\n".join([
                "parameters have no value yet, because the forward pass that tells their shapes did not reach them:",
                *[f"  {_waiting(param)}" for param in pending],
                "  Pass one batch through the whole network before the first step, give the sizes when the layers are "
                "made (in_units, in_channels, ...), or leave unused layers out of the Trainer."]))

    def _sum_over_devices(self):
        if not self._sums or len(self._contexts) < 2:
            return
        for param in self._params:
            if param._grad is None:
                continue
            grads = list(param._grad.values())
            total = grads[0].copy()
            for grad in grads[1:]:
                total += grad.as_in_context(total.context)
            for grad in grads:
                grad[:] = total.as_in_context(grad.context)

    def _apply(self, pairs):
        for updater, of_device in zip(self._updaters, pairs, strict=True):
            if of_device:
                indices, values, grads = zip(*of_device, strict=True)
                updater(indices, grads, values)         # all at once, as what the updater looks up is looked up once
                for value in values:
                    value._entry.fresh = False

    # -- files --------------------------------------------------------------------------------------------------

    def save_states(self, fname):
        """Write the optimizer and its states (momentum, ...) to a file."""
        states = self._updaters[0].get_states(dump_optimizer=True)
        with replacing(fname) as file:
            file.write(states)

    def load_states(self, fname):
        """Read what `save_states` wrote. lr_mult and wd_mult stay those of the parameters here."""
        with open(fname, "rb") as file:
            states = file.read()
        for updater in self._updaters:
            try:
                updater.set_states(states)
            except FileFormatError as error:
                raise FileFormatError(f"cannot load {os.fspath(fname)!r}: {error}") from error
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


def _check_kvstore(kvstore, compression_params):
    if compression_params is not None:
        raise MXNetError("Trainer: compression_params compress gradients between machines, which minigluon does not "
                         "have. Leave them out.")
    if kvstore not in _KVSTORES:
        raise MXNetError(f"Trainer: kvstore {kvstore!r} is not available: minigluon trains on the devices of one "
                         "machine. Use None, 'local' or 'device'.")


def _stale_error(stale):
    lines = [f"  {param._described()} on {ctx}" for param, ctx in stale]
    return StaleGradientError("\n".join([
        "gradients have not been computed by backward since the last step:", *lines,
        "  Did the loss use only a part of the network? If that is what you want, call "
        "step(batch_size, ignore_stale_grad=True), which leaves these parameters alone."]))


def _waiting(param):
    owner = param._owner() if param._owner else None
    called = "" if owner is None else f" ({'called' if owner._called else 'never called'})"
    return f"{param._described()}{called}, shape {param.shape}"


def _listed(contexts):
    return ", ".join(map(str, contexts))
