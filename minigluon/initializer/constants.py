"""Deterministic initializers: zeros, ones, and given values."""

from __future__ import annotations

import json
import zlib
from typing import Any

import numpy as np

from .initializer import Initializer, alias, given_values, register

__all__ = ["Constant", "One", "Zero"]


@alias("zeros")
@register
class Zero(Initializer):
    """Zeros.

    >>> array = nd.ones((2,))
    >>> init.Zero()(init.InitDesc("weight"), array)
    >>> array.asnumpy().tolist()
    [0.0, 0.0]
    """

    def __init__(self) -> None:
        super().__init__()

    def _init_weight(self, name, arr):
        arr[:] = 0


@alias("ones")
@register
class One(Initializer):
    """Ones.

    >>> array = nd.zeros((2,))
    >>> init.One()(init.InitDesc("weight"), array)
    >>> array.asnumpy().tolist()
    [1.0, 1.0]
    """

    def __init__(self) -> None:
        super().__init__()

    def _init_weight(self, name, arr):
        arr[:] = 1


@register
class Constant(Initializer):
    """Initializer that fills the array with one number, or with the elements of an array of the same shape.

    value: a number, an NDArray, or nested lists.

    >>> array = nd.zeros((2,))
    >>> init.Constant([1, 2])(init.InitDesc("weight"), array)
    >>> array.asnumpy().tolist()
    [1.0, 2.0]
    """

    def __init__(self, value: Any) -> None:
        super().__init__(value=value)
        self.value = value

    def _init_weight(self, name, arr):
        arr[:] = np.asarray(self.value) if isinstance(self.value, (list, tuple)) else self.value

    def dumps(self) -> str:
        value = self._kwargs["value"]
        if hasattr(value, "asnumpy"):
            value = value.asnumpy()
        return json.dumps(["constant", {"value": value.tolist() if hasattr(value, "tolist") else value}])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Constant) and self.dumps() == other.dumps()

    __hash__ = None


class GivenValue(Constant):
    """The value of a gluon.Constant, with a short string form, so that a network's symbols do not contain all its
    elements.

    As in MXNet, the text refers to the value as long as this process holds it; otherwise a file must provide it. value:
    an NDArray.
    """

    def __init__(self, name, value):
        super().__init__(value)
        self._text = f"Constant_{name}_{zlib.crc32(value.asnumpy().tobytes()):08x}"
        self._meant = given_values.setdefault(self._text, Constant(value))     # shared, and kept alive by its users

    def dumps(self):
        """Return the constant's name and a checksum of its value."""
        return self._text
