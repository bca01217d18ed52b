"""Operators that extend an array: they repeat all of it, repeat each element, or add a border."""

from typing import Literal

import numpy as np

from ..fields import Shape
from ..linear import Linear, linear
from ..numeric import sum_along

__all__ = ["Pad", "repeat", "tile"]


@linear("data")
class tile(Linear):
    """The array repeated reps[i] times along axis i. The shorter of shape and reps is padded with ones at the front.

    data (d1 … dN) | out (d1 · reps[0] … dN · reps[N-1])

    reps: the number of repetitions along each axis.

    >>> nd.tile(nd.array([[1, 2]]), reps=(2, 2)).asnumpy()
    array([[1., 2., 1., 2.],
           [1., 2., 1., 2.]], dtype=float32)
    """

    reps: Shape

    def factors(self, ndim):
        """Returns (new axes in front, repetitions of each axis)."""
        extra = max(0, len(self.reps) - ndim)
        return extra, (1,) * (ndim - len(self.reps)) + self.reps

    def infer_shape(self, data):
        if data is None:
            return [None], [None]
        if any(r < 0 for r in self.reps):
            raise self.shape_clash(f"reps={self.reps} must not be negative")
        extra, reps = self.factors(len(data))
        return [data], [tuple(n and n * r for n, r in zip((1,) * extra + data, reps, strict=True))]

    def forward(self, data):
        return np.tile(data, self.reps)

    def adjoint(self, grad, data):
        extra, reps = self.factors(data.ndim)
        pairs = [n for pair in zip(reps, (1,) * extra + data.shape, strict=True) for n in pair]
        summed = sum_along(grad.reshape(pairs), tuple(range(0, len(pairs), 2)), grad.dtype)
        return np.asarray(summed).reshape(data.shape)


@linear("data")
class repeat(Linear):
    """Each element repeated `repeats` times in a row.

    data (any shape) | out: data's shape with that axis `repeats` times as long; (repeats · elements,) with axis=None

    repeats: how many times each element is repeated.
    axis: the axis to repeat along; None flattens first.

    >>> nd.repeat(nd.array([[1, 2]]), repeats=2, axis=1).asnumpy()
    array([[1., 1., 2., 2.]], dtype=float32)
    """

    repeats: int
    axis: int | None = None

    def infer_shape(self, data):
        if self.repeats < 0:
            raise self.shape_clash(f"repeats={self.repeats} must not be negative")
        if data is None or (self.axis is None and None in data):
            return [data], [None]
        if self.axis is None:
            return [data], [(int(np.prod(data)) * self.repeats,)]
        axis = self.normalize_axis(self.axis, len(data))
        return [data], [(*data[:axis], data[axis] and data[axis] * self.repeats, *data[axis + 1:])]

    def forward(self, data):
        if not data.size:           # NumPy would count the repetitions individually
            return np.empty(self.infer_shape(data.shape)[1][0], data.dtype)
        return np.repeat(data, self.repeats, self.axis)

    def adjoint(self, grad, data):
        axis = data.ndim - 1 if self.axis is None else self.normalize_axis(self.axis, data.ndim)
        pairs = (*data.shape[:axis + 1], self.repeats, *data.shape[axis + 1:])
        return sum_along(grad.reshape(pairs), axis + 1, grad.dtype)


@linear("data", aliases=["pad"])
class Pad(Linear):
    """Adds elements around the array. Gradients of added constants are dropped; gradients of copies are added to those
    of the originals.

    data (d1 … dN) | out: each axis longer by its two values in pad_width

    mode: 'constant' adds `constant_value`, 'edge' repeats the outermost element, and 'reflect' mirrors the elements
        next to the outermost one.
    pad_width: how many elements to add before and after each axis, as one flat tuple.
    constant_value: the value that 'constant' adds.

    >>> nd.pad(nd.array([[1, 2, 3]]), mode="reflect", pad_width=(0, 0, 1, 2)).asnumpy()
    array([[2., 1., 2., 3., 2., 1.]], dtype=float32)
    """

    mode: Literal["constant", "edge", "reflect"]
    pad_width: Shape
    constant_value: float = 0.0

    @property
    def widths(self):
        return list(zip(self.pad_width[::2], self.pad_width[1::2], strict=True))

    def infer_shape(self, data):
        if data is None:
            return [None], [None]
        if len(self.pad_width) != 2 * len(data) or min(self.pad_width) < 0:
            raise self.shape_clash(f"pad_width={self.pad_width} needs two numbers, not negative, for each of the "
                                   f"{len(data)} axes of data {data}", "data")
        for axis, (n, pair) in enumerate(zip(data, self.widths, strict=True)):
            if n is not None and max(pair) >= n and self.mode == "reflect" and max(pair):
                raise self.shape_clash(f"mode='reflect' must pad axis {axis} of data {data} with fewer than {n} "
                                       f"elements, found {max(pair)}", "data")
            if n == 0 and max(pair) and self.mode == "edge":
                raise self.shape_clash(f"mode='edge' has no element of axis {axis} of data {data} to repeat", "data")
        return [data], [tuple(n if n is None else a + n + b for n, (a, b) in zip(data, self.widths, strict=True))]

    def forward(self, data):
        if self.mode == "constant":
            return np.pad(data, self.widths, constant_values=self.constant_value)
        return np.pad(data, self.widths, self.mode)

    def adjoint(self, grad, data):
        for axis, (n, (before, after)) in enumerate(zip(data.shape, self.widths, strict=True)):
            lead = (np.s_[:],) * axis
            if before == after == 0:
                continue
            inner = grad[(*lead, np.s_[before:before + n])].copy()
            if self.mode != "constant":
                origin = np.pad(np.arange(n), (before, after), self.mode)
                for i in [*range(before), *range(before + n, before + n + after)]:
                    inner[(*lead, origin[i])] += grad[(*lead, i)]
            grad = inner
        return grad.copy()

    def gradient(self, F, out_grads, inputs, outputs):
        # without constant_value, because the adjoint is that of the linear part only
        return F._Pad_grad(out_grads[0], inputs[0], mode=self.mode, pad_width=self.pad_width)
