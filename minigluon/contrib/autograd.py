"""`mx.contrib.autograd`: the automatic differentiation API that preceded `mx.autograd`."""

from __future__ import annotations

import functools
from typing import Any

from .. import autograd
from ..autograd import mark_variables
from ..base import ArgumentError
from ..ndarray import NDArray, zeros_like

__all__ = ["TrainingStateScope", "backward", "compute_gradient", "grad", "grad_and_loss", "mark_variables",
           "set_is_training", "test_section", "train_section"]


class TrainingStateScope:
    """Context manager for `set_is_training`.

    enter_state: whether to record in training mode within the block; if False, both are off.

    >>> from minigluon.contrib import autograd as old
    >>> with old.TrainingStateScope(True):
    ...     autograd.is_training()
    True
    """

    def __init__(self, enter_state: Any):
        self._scope = autograd.record() if enter_state else autograd.pause()

    def __enter__(self) -> None:
        self._scope.__enter__()

    def __exit__(self, *exc_info: Any) -> None:
        self._scope.__exit__(*exc_info)


def set_is_training(is_train: bool) -> bool:
    """Switch recording and training mode on or off. Returns whether this thread was in training mode.

    is_train: whether to turn both on; if False, both are turned off.

    >>> from minigluon.contrib import autograd as old
    >>> old.set_is_training(True), old.set_is_training(False)
    (False, True)
    """
    before = autograd.is_training()
    autograd.set_recording(is_train)
    autograd.set_training(is_train)
    return before


def train_section() -> TrainingStateScope:
    """Return a context manager; the newer form is `autograd.record()`.

    >>> from minigluon.contrib import autograd as old
    >>> with old.train_section():
    ...     autograd.is_recording()
    True
    """
    return TrainingStateScope(True)


def test_section() -> TrainingStateScope:
    """Return a context manager; the newer form is `autograd.pause()`.

    >>> from minigluon.contrib import autograd as old
    >>> with old.test_section():
    ...     autograd.is_recording()
    False
    """
    return TrainingStateScope(False)


def backward(outputs: Any, out_grads: Any = None, retain_graph: bool = False) -> None:
    """Compute gradients; the newer form is `autograd.backward`. outputs: a list of NDArrays; out_grads: their
    gradients, ones by default.

    retain_graph: whether to keep the graph for a second pass.

    >>> from minigluon.contrib import autograd as old
    >>> x = nd.array([3])
    >>> x.attach_grad()
    >>> with old.train_section():
    ...     y = x * x
    >>> old.backward([y])
    >>> x.grad.item()
    6.0
    """
    if not isinstance(outputs, (list, tuple)):
        raise ArgumentError(f"backward: outputs is a {type(outputs).__name__}, expected a list of NDArrays")
    autograd.backward(list(outputs), out_grads, retain_graph)


def compute_gradient(outputs: Any) -> None:
    """Call `backward(outputs)`.

    >>> from minigluon.contrib import autograd as old
    >>> x = nd.array([3])
    >>> x.attach_grad()
    >>> with old.train_section():
    ...     y = x * x
    >>> old.compute_gradient([y])
    >>> x.grad.item()
    6.0
    """
    backward(outputs)


def grad_and_loss(func: Any, argnum: Any = None) -> Any:
    """Return a function that returns (gradients of the arguments, result of `func`).

    argnum: the position of the argument to differentiate, or a list of positions; by default all.

    >>> grads, loss = mx.contrib.autograd.grad_and_loss(lambda x: x * x)(nd.array([3]))
    >>> grads[0].item(), loss.item()
    (6.0, 9.0)
    """
    @functools.wraps(func)
    def wrapped(*args):
        positions = range(len(args)) if argnum is None else argnum if isinstance(argnum, (list, tuple)) else [argnum]
        variables = [args[number] for number in positions]
        for number, variable in zip(positions, variables, strict=True):
            if not isinstance(variable, NDArray):
                raise ArgumentError(f"argument {number} of {func.__name__} is a {type(variable).__name__}; only "
                                    "NDArrays have gradients. Select them with argnum.")
        grads = [zeros_like(variable) for variable in variables]
        mark_variables(variables, grads)
        with train_section():
            outputs = func(*args)
        compute_gradient([outputs] if isinstance(outputs, NDArray) else outputs)
        return grads, outputs
    return wrapped


def grad(func: Any, argnum: Any = None) -> Any:
    """Return a function that returns only the gradients of its arguments, like `grad_and_loss`.

    func: takes NDArrays and returns the loss.
    argnum: the position of the argument to differentiate, or a list of positions; None for all.

    >>> mx.contrib.autograd.grad(lambda x: x * x)(nd.array([3]))[0].item()
    6.0
    """
    with_loss = grad_and_loss(func, argnum)

    @functools.wraps(with_loss)
    def wrapped(*args):
        return with_loss(*args)[0]
    return wrapped
