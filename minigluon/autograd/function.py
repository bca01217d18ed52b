"""`autograd.Function`: a function with a user-defined gradient."""

from __future__ import annotations

from typing import Any

from .. import ndarray as F
from .. import tape
from ..base import AutogradError, NotImplementedForSymbol, ShapeError
from ..diagnostics.strictness import refuse
from ..ndarray import NDArray
from ..tape import Scope, state
from ..tape.checks import list_arrays

__all__ = ["Function"]


class Function:
    """A function with a user-defined gradient. Derive from it, and call each instance only once.

    Neither method is recorded, and both may use NumPy for intermediate steps.

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
        """Returns the result for the inputs, or a list of results.

        >>> class Twice(autograd.Function):
        ...     def forward(self, x):
        ...         return 2 * x
        >>> print(Twice().forward(nd.array([3])).asnumpy())
        [6.]
        """
        raise NotImplementedError(f"{type(self).__name__} has no forward")

    def backward(self, *output_grads: Any) -> Any:
        """Returns the gradient of each input (None: no gradient), given output_grads, the gradients of the results.

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
        """Saves arrays for `backward`, which finds them in `self.saved_tensors`.

        args: the arrays.
        """
        self.saved_tensors = args

    def __call__(self, *inputs: NDArray) -> Any:
        if self._used:
            raise AutogradError(f"this {type(self).__name__} was called before; make a new one for each call")
        self._used = True
        if any(hasattr(x, "list_arguments") for x in inputs):       # a graph would contain forward but not backward
            refuse(NotImplementedForSymbol(
                f"{type(self).__name__} is an autograd.Function, which takes arrays and was given a Symbol: a "
                "hybridized block cannot hold it. Write it as an mx.operator.CustomOp, or leave the block imperative."))
            return self.forward(*inputs)
        state.mode_queried = True   # like `autograd.is_training`
        with Scope(False, state.training):
            results = self.forward(*inputs)
        if state.recording:
            # A result may be an input: the tape needs a separate array for each.
            outputs = [y._view(y.buffer) for y in list_arrays(results)]
            specs = [(x.shape, x.buffer.dtype.type, x.context) for x in inputs]
            op = _FunctionOp(self, specs, outputs[0]._to_own_class)
            tape.record_op(op, inputs, outputs)
            return outputs[0] if isinstance(results, NDArray) else outputs
        return results


class _FunctionOp:
    """An operator on the tape that stands for a called `Function`."""

    keeps = ()
    mutates = ()
    differentiable = True

    def __init__(self, function, specs, to_own_class):
        self.function = function
        self.to_own_class = to_own_class    # converts a gradient to the class of the program's arrays
        self.specs = specs              # the Specs of the inputs
        self.name = type(function).__name__

    def gradient(self, F, out_grads, inputs, outputs):
        if state.recording:
            raise AutogradError(f"{self.name} is an autograd.Function: its backward is not recorded, so grad with "
                                "create_graph=True cannot go through it")
        grads = self.function.backward(*map(self.to_own_class, out_grads))
        grads = list(grads) if isinstance(grads, (list, tuple)) else [grads]
        if len(grads) != len(inputs):
            raise AutogradError(f"{self.name}.backward returned {len(grads)} gradients, but forward took "
                                f"{len(inputs)} inputs")
        for grad in grads:
            if grad is not None and not isinstance(grad, NDArray):
                raise AutogradError(f"{self.name}.backward must return NDArrays, found {type(grad).__name__}")
        return [None if grad is None else self._like(number, grad) for number, grad in enumerate(grads)]

    def _like(self, number, grad):
        """Returns the gradient of an input, converted to the input's shape, dtype and device as an assignment would.
        """
        grad, (shape, dtype, ctx) = grad.as_nd_ndarray(), self.specs[number]
        if (grad.shape, grad.dtype, grad.context) == (shape, dtype, ctx):
            return grad
        try:
            out = F.empty(shape, ctx=ctx, dtype=dtype)
            out[...] = grad
        except ShapeError:
            raise AutogradError(f"{self.name}.backward returned a gradient of shape {grad.shape} for input {number}, "
                                f"which has shape {shape}") from None
        return out
