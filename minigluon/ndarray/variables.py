"""Methods of NDArray that mark it as a variable, whose gradient `backward` stores, or detach it from the tape."""

from __future__ import annotations

from typing import cast

from .. import tape
from ..providers import ask
from .ndarray import NDArray, method


@method
@property
def grad(self) -> NDArray:
    """The gradient stored by the last `backward`, or None without `attach_grad`.

    >>> x = nd.array([3])
    >>> x.attach_grad()
    >>> with autograd.record():
    ...     y = x * x
    >>> y.backward()
    >>> print(x.grad.asnumpy())
    [6.]
    """
    return cast(NDArray, getattr(self.entry, "grad", None))         # only a Variable of the tape has a gradient


@method
def attach_grad(self: NDArray, grad_req: str = "write", stype: str | None = None) -> None:
    """Makes this array a variable: `backward` will store its gradient in `.grad`.

    grad_req: 'write' replaces the gradient, 'add' adds to it, 'null' ignores it.
    stype: the storage type of the gradient; dense if None. 'row_sparse' stores only the rows that have a gradient.

    >>> x = nd.array([3])
    >>> x.attach_grad()
    >>> print(x.grad.asnumpy())
    [0.]
    """
    if stype in (None, "default"):
        grad = ask("nd").zeros_like(self.detach())
    else:
        grad = ask("nd.sparse").zeros(stype, self.shape, self.device, self.dtype)
    tape.mark_variables([self], [grad], grad_req)


@method
def detach(self: NDArray) -> NDArray:
    """Returns an array on the same memory, detached from the tape: no gradient passes through it.

    >>> x = nd.array([3])
    >>> x.attach_grad()
    >>> with autograd.record():
    ...     y = x.detach() * x
    >>> y.backward()
    >>> print(x.grad.asnumpy())
    [3.]
    """
    copy = self._view(self.buffer)
    copy._is_detached = True
    return copy
