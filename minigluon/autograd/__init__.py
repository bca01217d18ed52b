"""Automatic differentiation: mark variables, record, differentiate.

    x.attach_grad()
    with autograd.record():
        y = f(x)
    y.backward()            # fills x.grad

`tape` keeps the record and walks it; this module is the interface for users. `grad`, `Function` and `get_symbol` have
files of their own, and `record` is in `tape/__init__.py`.
"""

from __future__ import annotations

from collections.abc import Sequence

from .. import ndarray as F
from .. import tape
from ..ndarray import NDArray
from ..ndarray.exports import plain_arrays
from ..tape import Scope, mark_variables, record
from .function import Function
from .grad import grad
from .to_symbol import get_symbol

# Includes NDArray, because programs that import everything from MXNet's autograd rely on it.
__all__ = ["Function", "NDArray", "backward", "get_symbol", "grad", "is_recording", "is_training", "mark_variables",
           "pause", "predict_mode", "record", "set_recording", "set_training", "train_mode"]

_state = tape.state


def pause(train_mode: bool = False) -> Scope:
    """Stops recording inside the block.

    train_mode: whether to turn on training mode instead of prediction mode.

    >>> x = nd.array([3])
    >>> x.attach_grad()
    >>> with autograd.record():
    ...     with autograd.pause():
    ...         factor = x * 2
    ...     y = factor * x
    >>> y.backward()
    >>> print(x.grad.asnumpy())                 # factor counts as a constant
    [6.]
    """
    return Scope(False, train_mode)


def train_mode() -> Scope:
    """Turns training mode on inside the block: Dropout drops elements, BatchNorm updates its statistics.

    Recording is unchanged.

    >>> with autograd.train_mode():
    ...     print(autograd.is_training(), autograd.is_recording())
    True False
    """
    return Scope(None, True)


def predict_mode() -> Scope:
    """Turns training mode off inside the block: BatchNorm uses its moving statistics. Recording is unchanged.

    >>> with autograd.record(), autograd.predict_mode():
    ...     print(autograd.is_training(), autograd.is_recording())
    False True
    """
    return Scope(None, False)


def is_recording() -> bool:
    """Returns whether this thread is inside `record()`.

    >>> with autograd.record():
    ...     print(autograd.is_recording())
    True
    """
    return _state.recording


def is_training() -> bool:
    """Returns whether this thread is in training mode.

    >>> with autograd.record():
    ...     print(autograd.is_training())
    True
    """
    _state.mode_queried = True  # a trace that calls this function is valid for only one mode
    return _state.training


def set_recording(is_recording: bool) -> bool:
    """Turns recording on (is_recording=True) or off; returns the previous setting.

    >>> before = autograd.set_recording(True)
    >>> before, autograd.set_recording(before)
    (False, True)
    """
    before, _state.recording = _state.recording, bool(is_recording)
    return before


def set_training(train_mode: bool) -> bool:
    """Turns training mode on (train_mode=True) or off; returns the previous setting.

    >>> before = autograd.set_training(True)
    >>> before, autograd.set_training(before)
    (False, True)
    """
    before, _state.training = _state.training, bool(train_mode)
    return before


def backward(heads: NDArray | Sequence[NDArray], head_grads: NDArray | Sequence[NDArray | None] | None = None,
             retain_graph: bool = False, train_mode: bool = True) -> None:
    """Differentiates the sum of all elements of `heads`, and stores the gradients of all variables that they depend on.

    heads: an array, or a list of arrays.
    head_grads: weights for the heads' elements, one array per head (None: ones).
    retain_graph: whether to keep the graph for another `backward`.
    train_mode: whether to compute the gradients in training mode instead of prediction mode.

    Raises NotRecordedError, GraphFreedError, WrittenInPlaceError, DetachedError; DTypeError and ContextError for head
    gradients whose dtype or device differs from that of their heads.

    >>> x = nd.array([3])
    >>> x.attach_grad()
    >>> with autograd.record():
    ...     y, z = x * x, 10 * x
    >>> autograd.backward([y, z])
    >>> print(x.grad.asnumpy())
    [16.]
    """
    tape.backward(F, plain_arrays(heads), plain_arrays(head_grads), retain_graph, train_mode)
