"""Operators without inputs: they make an array from their attributes, on the device named by `ctx`."""

import math

import numpy as np

from ..fields import Device, DType, Shape
from ..op import Op
from ..registry import register

__all__ = ["Filled"]


class _Source(Op):
    """What they share: no inputs, the output's dtype is the attribute."""

    keeps = ()
    gradient = None

    def infer_dtype(self):
        return [], [np.dtype(self.dtype)]


class Filled(_Source):
    """One value everywhere. In a graph, its shape may be left to what the users of the output require."""

    value = 0.0

    def infer_shape(self):
        shape = None if self.shape is None else tuple(None if n == -1 else n for n in self.shape)
        return [], [shape]

    @property
    def default_shape(self):
        """The output's shape, with None for dimensions that the graph decides; None if all are given.

        Such a dimension is a 0 in `shape`: the first state of a recurrent net has it for the batch.
        """
        return tuple([n or None for n in self.shape]) if 0 in (self.shape or ()) else None

    def with_shape(self, shape):
        """The same operator with another shape: what the graph runs in its place."""
        return type(self)(**{**self.attributes, "shape": shape})

    def forward(self):
        return np.full(self.shape, np.array(self.value).astype(self.dtype))


@register()
class _zeros(Filled):
    """Zeros."""

    shape: Shape = ()
    ctx: Device = ""
    dtype: DType = "float32"


@register()
class _ones(Filled):
    """Ones."""

    shape: Shape = ()
    ctx: Device = ""
    dtype: DType = "float32"
    value = 1.0


@register()
class _full(Filled):
    """`value` everywhere."""

    shape: Shape | None = None
    ctx: Device = ""
    dtype: DType = "float32"
    value: float


@register()
class _eye(_Source):
    """Ones on the k-th diagonal, zeros elsewhere. out (N, M), (N, N) when M is 0"""

    N: int
    M: int = 0
    k: int = 0
    ctx: Device = ""
    dtype: DType = "float32"

    def infer_shape(self):
        return [], [(self.N, self.M or self.N)]

    def forward(self):
        return np.eye(self.N, self.M or self.N, self.k, self.dtype)


@register()
class _arange(_Source):
    """start, start + step, ... below stop, each `repeat` times. With stop=None the numbers from 0 to start."""

    start: float
    stop: float | None = None
    step: float = 1.0
    repeat: int = 1
    infer_range: bool = False
    ctx: Device = ""
    dtype: DType = "float32"

    def bounds(self):
        return (0.0, self.start) if self.stop is None else (self.start, self.stop)

    def infer_shape(self):
        if self.infer_range and self.stop is None:
            return [], [(None,)]
        start, stop = self.bounds()
        if self.step == 0:
            raise self.shape_clash("step must not be 0")
        if self.repeat < 1:
            raise self.shape_clash(f"repeat={self.repeat} must be at least 1")
        if not all(map(math.isfinite, (start, stop, self.step))):
            raise self.shape_clash(f"start={start}, stop={stop} and step={self.step} must be finite")
        return [], [(max(0, math.ceil((stop - start) / self.step)) * self.repeat,)]

    def forward(self):
        count = self.infer_shape()[1][0][0] // self.repeat
        # each number from its own product: adding up step after step would add up the rounding, too
        numbers = self.bounds()[0] + np.arange(count) * self.step
        return np.repeat(numbers, self.repeat).astype(self.dtype)


@register()
class _linspace(_Source):
    """`num` numbers at equal distances from start to stop, without stop when endpoint=False."""

    start: float
    stop: float
    num: int
    endpoint: bool = True
    ctx: Device = ""
    dtype: DType = "float32"

    def infer_shape(self):
        return [], [(self.num,)]

    def forward(self):
        return np.linspace(self.start, self.stop, self.num, self.endpoint).astype(self.dtype)
