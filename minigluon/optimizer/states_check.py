"""Checks that loaded states match the optimizer and its weights."""

from __future__ import annotations

import copy
import warnings
from typing import Any

from .. import autograd
from ..base import FileFormatError
from ..ndarray import NDArray
from ..serialization.pickles import excerpt

__all__ = ["check_state", "check_states"]


def check_states(states: Any, optimizer: Any, weights: Any) -> None:
    """Call `check_state` for all states, and check the gradient sums. weights: {index: weight}, if known."""
    for index, state in states.items():
        check_state(index, state, optimizer, weights.get(index))
    for index, own in getattr(optimizer, "cumgrads", {}).items():
        total, weight = own["cum_grad"], weights.get(index)
        if isinstance(total, NDArray) and weight is not None and total.shape != weight.shape:
            raise FileFormatError(f"the sum of gradients of {excerpt(index)} is {_described(total)}, but its weight "
                                  f"{_described(weight)}")


def check_state(index: Any, state: Any, optimizer: Any, weight: Any = None) -> None:
    """Raise FileFormatError unless this state is valid for a step of this weight.

    Without a weight, only properties common to all of this package's optimizers are checked. For a custom class with
    its own states, nothing is checked, because it is unknown how the class uses them.
    """
    if not _makes_our_states(type(optimizer)):
        return
    if weight is None:
        if not _is_state(state):
            raise FileFormatError(f"the state of {excerpt(index)} is {_described(state)}, expected an array, None, or "
                                  "a tuple of them")
        return
    expected = _forms(optimizer, index, weight)
    if not any(_is_like(state, form) for form in expected):
        forms = " or ".join(dict.fromkeys(map(_described, expected)))
        raise FileFormatError(
            f"the state of {excerpt(index)} is {_described(state)}. For the weight, {_described(weight)}, "
            f"{type(optimizer).__name__} has {forms}. The states are those of another network or optimizer, or damaged")


def _makes_our_states(cls):
    return all(method.__module__.startswith(__package__ + ".")
               for method in (cls.create_state, cls.create_state_multi_precision))


def _is_state(state, floors=2):
    if isinstance(state, (tuple, list)) and floors:
        return all(_is_state(part, floors - 1) for part in state)
    return state is None or isinstance(state, NDArray)


def _forms(optimizer, index, weight):
    """Return valid states of the optimizer, with and without momentum, which may be changed at any time."""
    others = [optimizer]
    if hasattr(optimizer, "momentum"):
        others = [copy.copy(optimizer) for _ in range(2)]
        others[0].momentum, others[1].momentum = (optimizer.momentum, 0.0) if optimizer.momentum else (0.0, 0.9)
    with autograd.pause(), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)        # it already had a value when the states were created
        return [other.create_state_multi_precision(index, weight) for other in others]


def _is_like(state, form):
    if isinstance(form, NDArray):
        return isinstance(state, NDArray) and state.shape == form.shape and state.dtype == form.dtype
    if isinstance(form, tuple):
        return isinstance(state, (tuple, list)) and len(state) == len(form) and all(map(_is_like, state, form))
    return state is form


def _described(state, floors=2):
    if isinstance(state, NDArray):
        return f"an array {state.shape} of {state.buffer.dtype}"
    if isinstance(state, (tuple, list)) and floors:
        parts = [_described(part, floors - 1) for part in state[:4]] + ["..."] * (len(state) > 4)
        return f"a {type(state).__name__} of " + (", ".join(parts) or "nothing")
    return excerpt(state)
