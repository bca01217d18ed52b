"""The errors of a Trainer with stale gradients or parameters without a value."""

from __future__ import annotations

from collections.abc import Iterable

from ..base import MXNetError
from ..context import Context
from .parameter import DeferredInitializationError, Parameter

__all__ = ["StaleGradientError", "listed", "stale_error", "unreached_error"]


class StaleGradientError(MXNetError, UserWarning):
    """Raised for a gradient that has not been computed since the last step. MXNet raises a UserWarning.

    >>> layer = nn.Dense(1, in_units=2)
    >>> layer.initialize()
    >>> trainer = gluon.Trainer(layer.collect_params(), "sgd")
    >>> try:
    ...     trainer.step(batch_size=1)
    ... except gluon.trainer.StaleGradientError:
    ...     print("there was no backward")
    there was no backward
    """

    __module__ = "minigluon.gluon.trainer"          # the module from which MXNet programs import it


def stale_error(stale: Iterable[tuple[Parameter, Context]]) -> StaleGradientError:
    stale = list(stale)
    lines = [f"  {param.described()} on {ctx}" for param, ctx in stale]
    trainer = stale[0][0]._trainer()
    if len(stale) == sum(len(param._data) for param in trainer._params if param._grad is not None):
        question = ("  These are all: was backward called? Before each step, call loss.backward() on a loss that was "
                    "computed inside autograd.record().")
    else:
        question = ("  Did the loss use only a part of the network? If this is intended, call "
                    "step(batch_size, ignore_stale_grad=True), which does not change these parameters.")
    return StaleGradientError("\n".join([
        "gradients have not been computed by backward since the last step:", *lines, question]))


def unreached_error(pending: Iterable[Parameter]) -> DeferredInitializationError:
    """Return the error for parameters without a value."""
    return DeferredInitializationError("\n".join([
        "parameters have no value yet, because the forward pass that tells their shapes did not reach them:",
        *[f"  {_waiting(param)}" for param in pending],
        "  Pass one batch through the whole network before the first step, give the sizes when the layers are "
        "made (in_units, in_channels, ...), or leave unused layers out of the Trainer."]))


def _waiting(param: Parameter) -> str:
    owner = param._owner() if param._owner else None
    called = "" if owner is None else f" ({'called' if owner.was_called else 'never called'})"
    return f"{param.described()}{called}, shape {param.shape}"



def listed(contexts: Iterable[Context]) -> str:
    """Return a string such as 'cpu(0), cpu(1)', for messages."""
    return ", ".join(map(str, contexts))
