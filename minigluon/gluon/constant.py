"""Constant: a parameter that is never learned."""

from __future__ import annotations

from typing import Any

from .. import ndarray as nd
from ..initializer.constants import GivenValue
from .parameter import Parameter

__all__ = ["Constant"]


class Constant(Parameter):
    """A parameter that is never learned: grad_req stays 'null' and initialization restores its value.

    name: the full name, including the prefix.
    value: an NDArray, or anything that `nd.array` accepts.

    >>> weight = gluon.Constant("weight", [1, 2])
    >>> weight.initialize()
    >>> weight.data().asnumpy().tolist(), weight.grad_req
    ([1.0, 2.0], 'null')
    """

    def __init__(self, name: str, value: Any) -> None:
        if not isinstance(value, nd.NDArray):
            value = nd.array(value)
        self.value = value
        super().__init__(name, grad_req="null", shape=value.shape, dtype=value.dtype, init=GivenValue(name, value))

    def __repr__(self) -> str:
        return f"Constant {self.name} (shape={self.shape}, dtype={self._dtype})"
