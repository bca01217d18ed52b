"""The start of a tape: arrays whose gradients are needed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..base import AutogradError
from .checks import list_arrays
from .constants import next_number
from .head_gradients import require_alike

__all__ = ["Variable", "mark_variables"]

Array = Any                                         # an NDArray


class Variable:
    """The start of a tape: an array marked by `attach_grad`, and the array that receives its gradient."""

    __slots__ = ("fresh", "grad", "number", "req")
    parents: Sequence[Any] = ()
    versions = ()                   # never freed

    def __init__(self, grad: Array, req: str):
        self.grad = grad            # the array that backward fills
        self.req = req              # 'write', 'add' or 'null'
        self.fresh = False          # whether backward has filled it since a Trainer last reset this to False
        self.number = next_number()


def mark_variables(variables: Any, gradients: Any, grad_reqs: str | Sequence[str] = "write") -> None:
    """Make arrays variables whose gradients `backward` stores in `gradients`. Their history is dropped.

    variables: an array, or a list of arrays.
    gradients: an array for each variable, with its shape, dtype and device.
    grad_reqs: 'write', 'add' or 'null'; one for all, or a list.

    >>> x, gradient = nd.array([3]), nd.zeros(1)
    >>> autograd.mark_variables(x, gradient)
    >>> with autograd.record():
    ...     y = x * x
    >>> y.backward()
    >>> print(gradient.asnumpy())
    [6.]
    """
    variables, gradients = list_arrays(variables, "variable"), list_arrays(gradients, "gradient")
    reqs: list[Any] = list(grad_reqs) if isinstance(grad_reqs, (list, tuple)) else [grad_reqs] * len(variables)
    if not len(variables) == len(gradients) == len(reqs):
        raise AutogradError(f"{len(variables)} variables, {len(gradients)} gradients and {len(reqs)} grad_reqs")
    for x, grad, req in zip(variables, gradients, reqs, strict=True):
        require_alike("variable", x, "gradient array", grad)
        if req not in ("write", "add", "null"):
            raise AutogradError(f"grad_req is {req!r}, expected one of 'write', 'add', 'null'")
        x.entry, x.output_index = Variable(grad.as_nd_ndarray(), req), 0
