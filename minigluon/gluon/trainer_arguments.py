"""The resolution of a Trainer's arguments to parameters, an optimizer and a store, with errors for invalid ones."""

from __future__ import annotations

from typing import Any

from .. import kvstore as kvstores
from .. import optimizer as opt
from ..base import ArgumentError, DTypeError, MXNetError
from ..context import Context
from .parameter import Parameter
from .trainer_errors import listed

__all__ = ["as_parameters", "common_contexts", "make_optimizer", "steps_in_store", "store_for"]


def as_parameters(params: Any) -> list[Parameter]:
    """Return a list of Parameters, sorted by name if `params` is a dict."""
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


def common_contexts(params: list[Parameter]) -> list[Context]:
    """Return the devices that all parameters have in common."""
    contexts, first = None, None
    for param in params:
        own = param.list_ctx()
        if contexts is None:
            contexts, first = own, param
        elif own != contexts:
            raise MXNetError(f"Trainer: all parameters must be on the same devices, but {first.described()} is on "
                             f"{listed(contexts)} and {param.described()} is on {listed(own)}. Move them with "
                             "net.collect_params().reset_ctx(...).")
    return contexts or []


def make_optimizer(optimizer: Any, arguments: Any, params: list[Parameter]) -> opt.Optimizer:
    """Return the Optimizer for a Trainer's `optimizer` and `optimizer_params`, for these Parameters."""
    param_dict = dict(enumerate(params))
    if not isinstance(arguments, dict):
        raise ArgumentError(f"Trainer: optimizer_params is {arguments!r}, expected a dict such as "
                            "{'learning_rate': 0.1}")
    if not isinstance(optimizer, (str, type, opt.Optimizer)):
        raise ArgumentError(f"Trainer: optimizer is {optimizer!r}, expected an Optimizer or the name of one, as in "
                            "Trainer(params, 'sgd', {'learning_rate': 0.1})")
    if not isinstance(optimizer, opt.Optimizer):
        return opt.create(optimizer, param_dict=param_dict, **arguments)
    if arguments:
        raise ArgumentError("Trainer: optimizer_params require an optimizer's name. Pass them to the "
                            f"{type(optimizer).__name__} itself.")
    optimizer.param_dict = param_dict
    return optimizer


def store_for(kvstore: Any, devices: int) -> Any:
    """Return a store if there is something to sum, otherwise None."""
    if kvstore is None or isinstance(kvstore, kvstores.KVStoreBase):
        return kvstore
    if not isinstance(kvstore, str):
        raise DTypeError(f"Trainer: kvstore must be a store, its name or None, found {type(kvstore).__name__}")
    if kvstore.lower() == "nccl" and devices < 2:
        return None                 # there is nothing to sum, so no store is needed
    store = kvstores.create(kvstore)
    is_for_devices = type(store) is kvstores.KVStore
    return None if is_for_devices and devices < 2 else store


def steps_in_store(update_on_kvstore: bool | None, store: Any) -> bool:
    """Return whether a store takes the steps of a Trainer. store: a store or None."""
    if not getattr(store, "is_asynchronous", False):
        return bool(update_on_kvstore) and store is not None
    if update_on_kvstore is not None and not update_on_kvstore:
        raise MXNetError(f"Trainer: the store {store.type!r} takes the steps itself, so update_on_kvstore=False is not "
                         "possible. Omit it, or use 'dist_sync'.")
    return True
