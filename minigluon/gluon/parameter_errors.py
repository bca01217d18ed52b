"""The errors of a Parameter that has no value yet, or none where it is asked for."""

# A part of Parameter, in a file of its own.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from typing import Any, NoReturn

from ..base import MXNetError

__all__ = ["DeferredInitializationError", "UninitializedError", "raise_unavailable"]


class UninitializedError(MXNetError, ValueError):
    """The parameter has no value yet, because `initialize` was never called.

    A ValueError, since programs catch that around `reset_ctx`, to move what has a value.

    >>> try:
    ...     gluon.Parameter("weight", shape=(2,)).data()
    ... except gluon.parameter.UninitializedError:
    ...     print("initialize it first")
    initialize it first
    """

    __module__ = "minigluon.gluon.parameter"        # where MXNet's programs import it from


class DeferredInitializationError(UninitializedError):
    """The parameter has no value yet, because its shape waits for the first forward pass.

    >>> layer = nn.Dense(2)
    >>> layer.initialize()
    >>> try:
    ...     layer.weight.data()
    ... except gluon.DeferredInitializationError:
    ...     print(layer.weight.shape)
    (2, 0)
    """

    __module__ = "minigluon.gluon.parameter"


def raise_unavailable(param: Any, ctx: Any, arrays: Any) -> NoReturn:
    """Raise the error that tells why a Parameter has no array on ctx.

    arrays: what the caller has looked at. Another thread may have finished deferred initialization since.
    """
    if arrays is not None:
        raise MXNetError(
            f"{param.described()} is not on {ctx}; it is on {', '.join(map(str, arrays))}. Move the input "
            f"with .as_in_context({next(iter(arrays))}), or the parameters with "
            f"net.collect_params().reset_ctx({ctx}).")
    owner = param._owner() if param._owner else None
    if param._deferred is not None or param._data is not None:        # in this order: see `_finish_deferred_init`
        never = "" if owner is None or owner.was_called else \
            f" {type(owner).__name__} {owner.name!r} was never called."
        raise DeferredInitializationError(
            f"{param.described()} has no value yet: its shape {param.shape} waits for the first forward pass."
            f"{never} Pass one batch through the network first, or give the sizes when the layer is made "
            "(in_units, in_channels, ...).")
    raise UninitializedError(
        f"{param.described()} has not been initialized. Call initialize() on the outermost block, "
        "net.initialize(), and make the Trainer from net.collect_params(), which includes all nested blocks.")
