"""The errors for a Parameter without a value, or without a value on the requested device."""

# This module contains a part of Parameter.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import weakref
from typing import Any, NoReturn

from ..base import MXNetError

__all__ = ["DeferredInitializationError", "ParameterErrors", "UninitializedError"]


class UninitializedError(MXNetError, ValueError):
    """Raised if a parameter has no value yet, because `initialize` was never called.

    It is a ValueError because programs catch ValueError around `reset_ctx` to move only parameters with values.

    >>> try:
    ...     gluon.Parameter("weight", shape=(2,)).data()
    ... except gluon.parameter.UninitializedError:
    ...     print("initialize it first")
    initialize it first
    """

    __module__ = "minigluon.gluon.parameter"        # the module from which MXNet programs import it


class DeferredInitializationError(UninitializedError):
    """Raised if a parameter has no value yet because its shape is unknown until the first forward pass.

    >>> layer = nn.Dense(2)
    >>> layer.initialize()
    >>> try:
    ...     layer.weight.data()
    ... except gluon.DeferredInitializationError:
    ...     print(layer.weight.shape)
    (2, 0)
    """

    __module__ = "minigluon.gluon.parameter"


class ParameterErrors:
    """Mixin for Parameter that composes error messages."""

    def _set_owner(self: Any, block: Any) -> None:
        """Remember the first block that has this parameter as an attribute, for messages."""
        if self._owner is None:
            self._owner = weakref.ref(block)

    def described(self: Any) -> str:
        """Return a string such as 'Parameter 'dense0_weight' of Dense 'dense0'', for messages."""
        owner = self._owner() if self._owner else None
        block = f" of {type(owner).__name__} {owner.name!r}" if owner is not None else ""
        return f"Parameter {self.name!r}{block}"

    def _raise_unavailable(self: Any, ctx: Any, arrays: Any) -> NoReturn:
        """Raise the error that explains why there is no array on ctx.

        arrays: the arrays that the caller saw. Another thread may have finished deferred initialization since then.
        """
        if arrays is not None:
            raise MXNetError(
                f"{self.described()} is not on {ctx}; it is on {', '.join(map(str, arrays.keys()))}. Move the input "
                f"with .as_in_context({next(iter(arrays.keys()))}), or the parameters with "
                f"net.collect_params().reset_ctx({ctx}).")
        owner = self._owner() if self._owner else None
        if self._deferred is not None or self._data is not None:        # in this order: see `_finish_deferred_init`
            never = "" if owner is None or owner.was_called else \
                f" {type(owner).__name__} {owner.name!r} was never called."
            raise DeferredInitializationError(
                f"{self.described()} has no value yet: its shape {self.shape} waits for the first forward pass."
                f"{never} Pass one batch through the network first, or give the sizes when the layer is made "
                "(in_units, in_channels, ...).")
        raise UninitializedError(
            f"{self.described()} has not been initialized. Call initialize() on the outermost block, "
            "net.initialize(), and make the Trainer from net.collect_params(), which includes all nested blocks.")
