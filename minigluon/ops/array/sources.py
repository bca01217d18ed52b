"""Operators without inputs, which create an array from their attributes on the device `ctx`."""

import math

import numpy as np

from ...common.shape_semantics import read
from ..fields import Device, DType, Shape
from ..op import Op
from ..registry import register

__all__ = ["ConstantSource", "Source"]


class Source(Op):
    """Base class of the operators without inputs, for which the output's dtype is an attribute.

    In a graph, the shape may be inferred from the operators that use the output.
    """

    keeps = ()
    gradient = None

    @property
    def graph_shape(self):
        """Returns the output's shape in a graph, with None for dimensions that are not inferred yet."""
        return self.infer_shape()[1][0]

    def with_shape(self, shape):
        """Returns the operator to run once the shape has been inferred."""
        raise NotImplementedError

    def infer_dtype(self):
        return [], [np.dtype(self.dtype)]


class ConstantSource(Source):
    """An array filled with one value."""

    value = 0.0

    def infer_shape(self):
        shape = None if self.shape is None else tuple(None if n == -1 else n for n in self.shape)
        return [], [shape]

    @property
    def graph_shape(self):
        """Returns `shape`, with 0 and -1 as unknown lengths: the initial state of a recurrent net has batch size 0."""
        return read(self.shape)

    def with_shape(self, shape):
        return type(self)(**{**self.attributes, "shape": shape})

    def forward(self):
        return np.full(self.shape, np.array(self.value).astype(self.dtype))


@register()
class _zeros(ConstantSource):
    """Zeros."""

    shape: Shape = ()
    ctx: Device = ""
    dtype: DType = "float32"


@register()
class _ones(ConstantSource):
    """Ones."""

    shape: Shape = ()
    ctx: Device = ""
    dtype: DType = "float32"
    value = 1.0


@register()
class _full(ConstantSource):
    """`value` everywhere."""

    shape: Shape | None = None
    ctx: Device = ""
    dtype: DType = "float32"
    value: float


@register()
class _eye(Source):
    """Ones on the k-th diagonal, zeros elsewhere. out (N, M), (N, N) if M is 0"""

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
class _arange(Source):
    """start, start + step, ... below stop, each repeated `repeat` times. With stop=None the range is from 0 to start.

    In a graph, infer_range=True without stop makes the range begin at start and extend as far as the operators that use
    the output require. For an integer dtype, start and step are truncated, but only after the number of values has been
    computed.
    """

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

    def with_shape(self, shape):
        count, remainder = divmod(shape[0], self.repeat)
        if remainder:
            raise self.shape_clash(f"{shape[0]} numbers are needed, which is not a multiple of repeat={self.repeat}")
        # in the middle of a step, so that rounding errors neither add nor drop a value
        return type(self)(**{**self.attributes, "stop": self.start + (count - 0.5) * self.step})

    @property
    def first_and_step(self):
        """Returns the first number and the step in the dtype, as Python integers if it is an integer dtype."""
        number = int if np.dtype(self.dtype).kind in "iu" else float
        return number(self.bounds()[0]), number(self.step)

    def forward(self):
        count = self.infer_shape()[1][0][0] // self.repeat
        first, step = self.first_and_step
        # each value is computed as a product, because repeated addition would accumulate rounding errors
        numbers = first + np.arange(count) * step
        return np.repeat(numbers, self.repeat).astype(self.dtype)


@register()
class _linspace(Source):
    """`num` evenly spaced values from start to stop; endpoint=False excludes stop."""

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
