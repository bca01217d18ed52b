"""Methods of NDArray that mark it as a variable, whose gradient `backward` stores, detach it from the tape, or keep
programs from writing to it while the tape needs it."""

from __future__ import annotations

from typing import cast

from .. import tape
from ..base import MXNetError
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
    return cast(NDArray, getattr(self.entry, "grad", None))         # only a Variable on the tape has a gradient


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


@method
def _forbid_write_on_tape(self: NDArray) -> None:
    """Raises MXNetError if the array is part of a graph that is being recorded."""
    if tape.state.recording and tape.is_recorded(self):
        raise write_while_recording()


def write_while_recording() -> MXNetError:
    """Returns the error for writing to an array that belongs to the graph being recorded."""
    return MXNetError(
        "writing in place (+=, x[:]=, out=) to an array that is part of the recorded graph is not supported inside "
        "autograd.record(). Write x = x + y instead of x += y.")
