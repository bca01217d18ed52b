"""Calls to `update` with lists of weights, for optimizers that update them one by one; MXNet's take lists for speed."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..base import ArgumentError, CheckError

__all__ = ["require_one_weight", "takes_lists"]


def takes_lists(update: Callable[..., None]) -> Callable[..., None]:
    """Decorate an `update` for one weight, so that it also takes lists of indices, weights, gradients and states.

    update: the method.

    Raises ArgumentError for lists of different lengths.
    """
    @functools.wraps(update)
    def each(self: Any, index: Any, weight: Any, grad: Any, state: Any) -> None:
        if not isinstance(index, (list, tuple)):
            update(self, index, weight, grad, state)
            return
        lists: list[Any] = [index, weight, grad, state]
        lengths = [len(x) if isinstance(x, (list, tuple)) else None for x in lists]
        if len(set(lengths)) > 1:
            raise ArgumentError(f"{type(self).__name__}.{update.__name__}: expected four lists of one length, found "
                                f"lengths {lengths} of index, weight, grad and state; None is not a list")
        for one in zip(*lists, strict=True):
            update(self, *one)
    return each


def require_one_weight(optimizer: Any, index: Any) -> None:
    """Raise CheckError for a list of indices, which this optimizer does not take.

    optimizer: the optimizer.
    index: the first argument of its `update`.
    """
    if isinstance(index, (list, tuple)):
        raise CheckError(f"{type(optimizer).__name__}: update takes one weight, found an index of type "
                         f"{type(index).__name__}. Call it for each weight; SGD, LAMB and LARS also take lists.")
