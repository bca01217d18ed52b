"""Max pooling that saves each window's argmax.

`_max_pooling_grad` searches data and result for the maxima, so both have to be kept. If the windows are disjoint, a
plan with a backward pass keeps the indices of the maxima instead, one byte per window (`hybrid/pooling_argmax.py`).
"""

import math

import numpy as np

from ..registry import register
from ..shapes import Spec
from .pooling import Windows
from .pooling_kernels import PoolingKernels, bits

__all__ = []

MAX_TAPS = 256          # one byte can represent this many indices


class NonOverlappingWindows(Windows):
    """Base class of both operators: kernel, stride and layout of `Pooling` with disjoint windows and no padding."""

    keeps = ()
    gradient = None             # a plan inserts these operators after the gradient pass

    def winners(self, shape):
        """Returns the kernels for data of this shape."""
        return ArgmaxKernels(self.places(shape), shape, self.last)

    def argmax_shape(self, data):
        """Returns the shape of the indices for data of this shape. Raises ShapeError if its windows are not supported.
        """
        if not self.suits(self):
            raise self.shape_clash("the windows must share no element, have no padding, and be of at most "
                                   f"{MAX_TAPS} elements")
        return self.pooled_shape(data)

    @staticmethod
    def suits(pooling):
        """Returns whether the windows of a `Pooling` operator are supported."""
        kernel, stride = pooling.kernel, (pooling.stride or (1,) * len(pooling.kernel))[:len(pooling.kernel)]
        return (pooling.pool_type == "max" and pooling.pooling_convention == "valid" and not pooling.global_pool
                and not any(pooling.pad) and math.prod(kernel) <= MAX_TAPS
                and all(s >= k for s, k in zip(stride, kernel, strict=True)))


@register("data")
class _max_pooling_argmax(NonOverlappingWindows):
    """The largest element of each window, and the index of its tap in row-major order.

    data (N, C, *space) | out (N, C, *windows) | winners like out, uint8
    Among equal elements, the first wins. In a window with NaN, the winner is the element that receives the gradient
    from `_max_pooling_grad`.
    """

    num_outputs = 2

    def infer_shape(self, data):
        out = self.argmax_shape(data)
        return [data], [out, out]

    def infer_dtype(self, data):
        return [data], [data, np.dtype("uint8")]

    def forward(self, data):
        shape = self.infer_shape(data.shape)[1][0]
        outputs = [np.empty(shape, data.dtype), np.empty(shape, np.uint8)]
        winners = self.winners(data.shape)
        winners.forward(data, *outputs, *[np.empty(*spec) for spec in winners.forward_scratch(data.dtype)])
        return tuple(outputs)


@register("grad", "winners", "data")
class _max_pooling_argmax_grad(NonOverlappingWindows):
    """Each window's gradient, at the index of the window's maximum. Only the shape of data is used."""

    shape_only = ("data",)

    def infer_shape(self, grad, winners, data):
        winners = self.require("winners", winners, self.require("grad", grad, self.argmax_shape(data)))
        return [winners, winners, data], [data]

    def infer_dtype(self, grad, winners, data):
        data = self.require_dtype("grad", grad, data)
        return [data, self.require_dtype("winners", winners, np.dtype(np.uint8)), data], [data]

    def forward(self, grad, winners, data):
        out = np.empty(data.shape, grad.dtype)
        kernels = self.winners(data.shape)
        kernels.gradient(grad, winners, out, *[np.empty(*spec) for spec in kernels.gradient_scratch()])
        return out


class ArgmaxKernels(PoolingKernels):
    """The kernels. They process one spatial axis at a time, starting with the last, so that the first row wins a tie.
    """

    @property
    def levels(self):
        """Returns the intermediate spatial shapes between data and results."""
        return [self.space[:i] + self.out[i:] for i in range(len(self.out) - 1, 0, -1)]

    @property
    def widest(self):
        """The largest intermediate shape: the size of the buffer for comparisons."""
        return self.levels[0] if self.levels else self.out

    def forward_scratch(self, dtype):
        """Returns the Specs of `memory` and `numbers`."""
        return [Spec((self.elements(self.levels),), dtype),
                Spec((self.elements([*self.levels, self.widest, self.widest]),), np.dtype("uint8"))]

    def gradient_scratch(self):
        """Returns the Specs of the last arguments of `gradient`."""
        return [Spec((self.elements([self.out]),), np.dtype("uint8"))]

    def forward(self, data, out, winners, memory, numbers):
        """Fills out with the largest elements and winners with their indices. memory and numbers are scratch memory."""
        data, out, winners = self.images(data), self.windows(out), self.windows(winners)
        for part in self.slices():
            values = [data[part], *self.carve(memory, part, self.levels), out[part]]
            *inner, hit, candidate = self.carve(numbers, part, [*self.levels, self.widest, self.widest])
            inner = [None, *inner, winners[part]]
            count = 1
            for step, number in enumerate(reversed(range(len(self.out)))):
                self._win_along(number, count, values[step:step + 2], inner[step:step + 2], hit, candidate)
                count *= self.places.kernel[number]

    def _win_along(self, number, count, values, winners, hit, candidate):
        """Finds the largest tap along one axis, and adds `count` times its index to the index of the winner so far.

        Indices grow from tap to tap, so `maximum` with index · (0 or 1) stores a tap's index where that tap wins. If
        taps contain NaN, the last NaN wins.
        """
        (level, largest), (inner, winner) = values, winners
        views = list(self.places.taps_along(number, level))
        inners = [np.uint8(0)] * len(views) if inner is None else list(self.places.taps_along(number, inner))
        hit, candidate = (a.reshape(-1)[:largest.size].reshape(largest.shape) for a in (hit, candidate))
        np.copyto(winner, inners[0])
        best = views[0]
        for t in range(1, len(views)):
            if inner is None and t == 1:        # with two taps, the comparison (0 or 1) is the winner's index
                np.greater(views[t], best, winner.view(bool))
            else:
                np.greater(views[t], best, hit.view(bool))
                np.add(inners[t], np.uint8(t * count), candidate)
                np.multiply(candidate, hit, candidate)
                np.maximum(winner, candidate, out=winner)
            np.maximum(best, views[t], out=largest)
            best = largest
        if len(views) == 1:
            np.copyto(largest, best)
        elif np.not_equal(largest, largest, hit.view(bool)).any():
            np.add(inners[-1], np.uint8((len(views) - 1) * count), candidate)
            np.copyto(winner, candidate, where=hit.view(bool))

    def gradient(self, grad, winners, out, hit):
        """Fills out, shaped like data, with zeros and, at each window's winner, with its gradient."""
        grad, winners, out = self.windows(grad), self.windows(winners), self.images(out)
        tiled = all(self.places.tile(number, size) for number, size in enumerate(self.space))
        for part in self.slices():
            if not tiled:
                out[part] = 0
            mask, = self.carve(hit, part, [self.out])
            for tap, target in enumerate(self.places.taps(out[part])):
                np.negative(np.equal(winners[part], np.uint8(tap), mask), mask)
                np.bitwise_and(bits(grad[part]), bits(mask), bits(target))
