"""Operations on all parameters in a ParameterDict."""

from __future__ import annotations

from typing import Any

from .. import initializer
from ..base import ArgumentError, nearest
from ..common.types import Contexts
from ..context import Context
from ..diagnostics.keywords import ChecksKeywords
from ..diagnostics.strictness import refuse
from ..initializer.checks import require_initializer
from .parameter_snapshots import replace_together

__all__ = ["ParameterDictActions"]


class ParameterDictActions(ChecksKeywords):
    """Mixin for ParameterDict that defines operations on all parameters."""

    def initialize(self, init: Any = None, ctx: Any = None, verbose: bool = False, force_reinit: bool = False) -> None:
        """Initialize all parameters.

        init: the Initializer for parameters without one of their own; Uniform() if None.
        ctx: a device or a list of devices.
        verbose: if True, print how each parameter is initialized.
        force_reinit: if True, also reinitialize parameters with values.
        """
        choice = require_initializer(init, "initialize: init")
        init = initializer.create(choice) if choice else initializer.Uniform()        # raises an error for a wrong name
        if verbose and hasattr(init, "set_verbosity"):
            init.set_verbosity(verbose=verbose)
        with replace_together():
            for param in self.values():
                param.initialize(None, ctx, init, force_reinit=force_reinit)

    def zero_grad(self) -> None:
        """Set all gradients to zero."""
        for param in self.values():
            param.zero_grad()

    def reset_ctx(self, ctx: Contexts) -> None:
        """Move all parameters to other devices.

        ctx: a device or a list of devices.
        """
        with replace_together():
            for param in self.values():
                param.reset_ctx(ctx)

    def list_ctx(self) -> list[Context]:
        """Return the devices of all parameters."""
        return list(dict.fromkeys(ctx for param in self.values() for ctx in param.list_ctx()))

    def setattr(self, name: str, value: Any) -> None:
        """Set an attribute on every parameter.

        name: the attribute, such as 'grad_req' or 'lr_mult'.
        value: its new value.

        Raises ArgumentError for an attribute that parameters do not have.

        >>> layer = nn.Dense(2)
        >>> layer.params.setattr("grad_req", "null")
        >>> layer.weight.grad_req
        'null'
        """
        for param in self.values():
            if not hasattr(param, name):
                refuse(ArgumentError(f"setattr: a Parameter has no attribute {name!r}." + nearest(name, dir(param))))
            setattr(param, name, value)
