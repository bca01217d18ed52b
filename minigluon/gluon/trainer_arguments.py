"""What a Trainer's arguments stand for: parameters, an optimizer and a store. And the errors where they do not fit."""

from __future__ import annotations

from typing import Any

from .. import kvstore as kvstores
from .. import optimizer as opt
from ..base import ArgumentError, DTypeError, MXNetError
from ..context import Context
from .parameter import Parameter
from .replica import listed

__all__ = ["as_parameters", "common_contexts", "make_optimizer", "store_for"]


def as_parameters(params: Any) -> list[Parameter]:
    """The list of Parameters, those of a dict in the order of their names."""
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
    """The devices of all parameters, which must be the same."""
    contexts, first = None, None
    for param in params:
        found = param.list_ctx()
        if contexts is None:
            contexts, first = found, param
        elif found != contexts:
            raise MXNetError(f"Trainer: all parameters must be on the same devices, but {first.described()} is on "
                             f"{listed(contexts)} and {param.described()} is on {listed(found)}. Move them with "
                             "net.collect_params().reset_ctx(...).")
    return contexts or []


def make_optimizer(optimizer: Any, arguments: Any, params: list[Parameter]) -> opt.Optimizer:
    """The Optimizer that `optimizer` and `optimizer_params` of a Trainer name, for these Parameters."""
    param_dict = dict(enumerate(params))
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


def store_for(kvstore: Any, devices: int) -> Any:
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
