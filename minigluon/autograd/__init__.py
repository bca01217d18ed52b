"""Automatic differentiation: mark variables, record, go backward.

    x.attach_grad()
    with autograd.record():
        y = f(x)
    y.backward()            # fills x.grad

`tape` keeps the record and walks it; here is the interface that users see.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import ndarray as F
from .. import tape
from ..base import AutogradError, NotImplementedForSymbol, ShapeError
from ..diagnostics.strictness import refuse
from ..ndarray import NDArray
from ..tape import Scope, list_arrays, mark_variables
from .to_symbol import get_symbol

# NDArray as well: programs that import all of MXNet's autograd count on it.
__all__ = ["Function", "NDArray", "backward", "get_symbol", "grad", "is_recording", "is_training", "mark_variables",
           "pause", "predict_mode", "record", "set_recording", "set_training", "train_mode"]

_state = tape.state


def record(train_mode: bool = True) -> Scope:
    """Record operators for `backward` inside the block.

    train_mode: in training mode, where Dropout drops? False is prediction mode.

    >>> x = nd.array([3])
    >>> x.attach_grad()
    >>> with autograd.record():
    ...     y = x * x
    >>> y.backward()
    >>> print(x.grad.asnumpy())
    [6.]
    """
    return Scope(True, train_mode)


def pause(train_mode: bool = False) -> Scope:
    """Stop recording inside the block.

    train_mode: in training mode? False is prediction mode.

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
    """Dropout drops and BatchNorm learns inside the block; recording stays as it is.

    >>> with autograd.train_mode():
    ...     print(autograd.is_training(), autograd.is_recording())
    True False
    """
    return Scope(None, True)


def predict_mode() -> Scope:
    """Dropout passes and BatchNorm uses its moving statistics; recording stays as it is.

    >>> with autograd.record(), autograd.predict_mode():
    ...     print(autograd.is_training(), autograd.is_recording())
    False True
    """
    return Scope(None, False)


def is_recording() -> bool:
    """Is this thread inside `record()`?

    >>> with autograd.record():
    ...     print(autograd.is_recording())
    True
    """
    return _state.recording


def is_training() -> bool:
    """Is this thread in training mode?

    >>> with autograd.record():
    ...     print(autograd.is_training())
    True
    """
    _state.asked = True         # a trace that asks holds for one mode only
    return _state.training


def set_recording(is_recording: bool) -> bool:
    """Turn recording on (is_recording=True) or off; returns what it was.

    >>> before = autograd.set_recording(True)
    >>> before, autograd.set_recording(before)
    (False, True)
    """
    before, _state.recording = _state.recording, bool(is_recording)
    return before


def set_training(train_mode: bool) -> bool:
    """Turn training mode on (train_mode=True) or off; returns what it was.

    >>> before = autograd.set_training(True)
    >>> before, autograd.set_training(before)
    (False, True)
    """
    before, _state.training = _state.training, bool(train_mode)
    return before


def backward(heads: NDArray | Sequence[NDArray], head_grads: NDArray | Sequence[NDArray | None] | None = None,
             retain_graph: bool = False, train_mode: bool = True) -> None:
    """Differentiate the sum of all elements of `heads`, and store the gradient of every variable behind them.

    heads: an array, or a list of arrays.
    head_grads: weights for the heads' elements, an array for each head (None: ones).
    retain_graph: True keeps the graph for a further `backward`.
    train_mode: whether gradients are those of training or of prediction.

    Raises NotRecordedError, GraphFreedError, WrittenInPlaceError, DetachedError; DTypeError and ContextError for head
    gradients of another dtype than their heads or on another device.

    >>> x = nd.array([3])
    >>> x.attach_grad()
    >>> with autograd.record():
    ...     y, z = x * x, 10 * x
    >>> autograd.backward([y, z])
    >>> print(x.grad.asnumpy())
    [16.]
    """
    tape.backward(F, heads, head_grads, retain_graph, train_mode)


def grad(heads: NDArray | Sequence[NDArray], variables: NDArray | Sequence[NDArray],
         head_grads: NDArray | Sequence[NDArray | None] | None = None, retain_graph: bool | None = None,
         create_graph: bool = False, train_mode: bool = True) -> list[NDArray]:
    """The gradients of `variables` as a list of new arrays, also for a single one; `.grad` stays untouched.

    heads: an array, or a list of arrays; the sum of their elements is differentiated.
    variables: an array, or a list of arrays.
    head_grads: weights for the heads' elements, an array for each head (None: ones).
    retain_graph: True keeps the graph for a further call; None is create_graph.
    create_graph: True records the computation of the gradients, so that they can be differentiated again.
    train_mode: whether gradients are those of training or of prediction.

    >>> x = nd.array([3])
    >>> x.attach_grad()
    >>> with autograd.record():
    ...     first, = autograd.grad(x ** 3, x, create_graph=True)
    ...     second, = autograd.grad(first, x)
    >>> print(first.asnumpy(), second.asnumpy())
    [27.] [18.]
    """
    heads, head_grads = tape.match_heads(heads, head_grads)
    variables = list_arrays(variables)
    for x in variables:
        if x.entry is None:
            raise AutogradError(f"grad needs variables on the tape, but the array of shape {x.shape} has no "
                                "attach_grad() and was not computed while recording")
    if not variables:
        raise AutogradError("grad needs at least one variable")
    retain_graph = create_graph if retain_graph is None else retain_graph
    with Scope(create_graph, train_mode):
        grads = tape.gradients(F, heads, head_grads, retain_graph, {x.entry for x in variables})
        found = []
        for x in variables:
            if x.entry not in grads:
                raise AutogradError(f"the variable of shape {x.shape} is not part of the graph of the heads")
            g = grads[x.entry][x.output_index]
            # a copy: two variables, or a variable and a head, may have shared theirs
            found.append(F.zeros_like(x) if g is None else g.copy())
    return found


class Function:
    """A function with a gradient of your own. Derive from it, and call an instance once.

    Neither method is recorded, and both may leave NDArrays for NumPy and come back.

    >>> class Sigmoid(autograd.Function):
    ...     def forward(self, x):
    ...         y = 1 / (1 + nd.exp(-x))
    ...         self.save_for_backward(y)
    ...         return y
    ...     def backward(self, dy):
    ...         y, = self.saved_tensors
    ...         return dy * y * (1 - y)
    >>> x = nd.array([0])
    >>> x.attach_grad()
    >>> with autograd.record():
    ...     y = Sigmoid()(x)
    >>> y.backward()
    >>> print(y.asnumpy(), x.grad.asnumpy())
    [0.5] [0.25]
    """

    saved_tensors: tuple[Any, ...] = ()
    _used = False

    def forward(self, *inputs: Any) -> Any:
        """The result, or a list of them, from the inputs.

        >>> class Twice(autograd.Function):
        ...     def forward(self, x):
        ...         return 2 * x
        >>> print(Twice().forward(nd.array([3])).asnumpy())
        [6.]
        """
        raise NotImplementedError(f"{type(self).__name__} has no forward")

    def backward(self, *output_grads: Any) -> Any:
        """The gradient of each input (None: no gradient), from output_grads, the gradient of each result.

        >>> class Straight(autograd.Function):
        ...     def forward(self, x):
        ...         return nd.sign(x)
        ...     def backward(self, dy):
        ...         return dy
        >>> print(Straight().backward(nd.array([3])).asnumpy())
        [3.]
        """
        raise NotImplementedError(f"{type(self).__name__} has no backward")

    def save_for_backward(self, *args: Any) -> None:
        """Keep arrays for `backward`, which finds them in `self.saved_tensors`.

        args: the arrays.
        """
        self.saved_tensors = args

    def __call__(self, *inputs: NDArray) -> Any:
        if self._used:
            raise AutogradError(f"this {type(self).__name__} was called before; make a new one for each call")
        self._used = True
        if any(hasattr(x, "list_arguments") for x in inputs):       # a graph would keep forward, and forget backward
            refuse(NotImplementedForSymbol(
                f"{type(self).__name__} is an autograd.Function, which takes arrays and was given a Symbol: a "
                "hybridized block cannot hold it. Write it as an mx.operator.CustomOp, or leave the block imperative."))
            return self.forward(*inputs)
        with pause(train_mode=is_training()):
            results = self.forward(*inputs)
        if is_recording():
            # A result may be an input itself: the tape needs an array of its own for each.
            outputs = [y._view(y.buffer) for y in list_arrays(results)]
            tape.record_op(_FunctionOp(self, [(x.shape, x.dtype, x.context) for x in inputs]), inputs, outputs)
            return outputs[0] if isinstance(results, NDArray) else outputs
        return results


class _FunctionOp:
    """A called `Function`, in the role of an operator on the tape."""

    keeps = ()
    mutates = ()
    differentiable = True

    def __init__(self, function, specs):
        self.function = function
        self.specs = specs              # of the inputs
        self.name = type(function).__name__

    def gradient(self, F, out_grads, inputs, outputs):
        if is_recording():
            raise AutogradError(f"{self.name} is an autograd.Function: its backward is not recorded, so grad with "
                                "create_graph=True cannot go through it")
        grads = self.function.backward(*out_grads)
        grads = list(grads) if isinstance(grads, (list, tuple)) else [grads]
        if len(grads) != len(inputs):
            raise AutogradError(f"{self.name}.backward returned {len(grads)} gradients, but forward took "
                                f"{len(inputs)} inputs")
        for grad in grads:
            if grad is not None and not isinstance(grad, NDArray):
                raise AutogradError(f"{self.name}.backward must return NDArrays, found {type(grad).__name__}")
        return [None if grad is None else self._like(number, grad) for number, grad in enumerate(grads)]

    def _like(self, number, grad):
        """The gradient of an input in its shape and dtype and on its device, as if it were assigned to such an array.
        """
        shape, dtype, ctx = self.specs[number]
        if (grad.shape, grad.dtype, grad.context) == (shape, dtype, ctx):
            return grad
        try:
            out = F.empty(shape, ctx=ctx, dtype=dtype)
            out[...] = grad
        except ShapeError:
            raise AutogradError(f"{self.name}.backward returned a gradient of shape {grad.shape} for input {number}, "
                                f"which has shape {shape}") from None
        return out
