"""Pooling in the reference backend: a few images at a time in preallocated memory, tap by tap.

Max pooling handles one spatial axis at a time: k + k comparisons per window instead of k · k. Its adjoint takes the
same steps in reverse.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

__all__ = ["MaxPoolingKernels", "SumPoolingKernels", "bits", "lowest"]

PART = 2 ** 17          # the number of elements processed at a time, so that each tap rereads them from the cache


def lowest(dtype):
    """Returns the smallest finite number of a type: the padding value in max pooling."""
    if dtype.kind == "b":
        return False
    return np.finfo(dtype).min if dtype.kind == "f" else np.iinfo(dtype).min


def bits(array):
    """Returns a view of an array's elements as signed integers, from which a bit mask can select."""
    return array.view(f"i{array.itemsize}")


class PoolingKernels:
    """Pooling of arrays of one shape, a few images at a time. With channels first, each channel counts as an image.

    places: the positions of the windows. Arrays are viewed as (images, *space), followed by channels if these are last.
    """

    def __init__(self, places, shape, last):
        self.places, self.space, self.out = replace(places, first=1), places.space, places.out
        self.padded: tuple[Any, ...] = tuple(n + before + behind for n, (before, behind) in zip(
            places.space, places.widths, strict=True))
        self.is_padded = self.padded != self.space
        self.count = shape[0] if last else shape[0] * shape[1]
        self.channels: tuple[int, ...] = shape[-1:] if last else ()
        self.step: int = min(self.count, max(1, PART // max(1, math.prod(self.space + self.channels))))

    def images(self, array):
        """Returns a view of data."""
        return array.reshape(self.count, *self.space, *self.channels)

    def windows(self, array):
        """Returns a view of results."""
        return array.reshape(self.count, *self.out, *self.channels)

    def slices(self):
        """Yields the parts as slices of the images."""
        for start in range(0, self.count, max(1, self.step)):
            yield slice(start, min(start + self.step, self.count))

    def elements(self, spaces):
        """Returns the number of elements of scratch memory for arrays with these spatial axes."""
        return self.step * math.prod(self.channels) * sum(map(math.prod, spaces))

    def carve(self, scratch, part, spaces):
        """Returns arrays in scratch memory for the images of a part."""
        images, arrays = part.stop - part.start, []
        for space in spaces:
            shape = (images, *space, *self.channels)
            size = math.prod(shape)
            arrays.append(scratch[:size].reshape(shape))
            scratch = scratch[size:]
        return arrays

    def pad(self, data, memory, fill):
        """Returns data padded with `fill`, in the next array of memory, or data itself if its windows stay inside it.
        """
        if not self.is_padded:
            return data
        padded = memory.pop(0)
        padded.fill(fill)
        np.copyto(self.places.inside(padded), data)
        return padded


class MaxPoolingKernels(PoolingKernels):
    """Max pooling and its adjoint. scratch: a vector of `forward_size` or `gradient_size` elements."""

    @property
    def forward_spaces(self):
        levels = [self.out[:i] + self.padded[i:] for i in range(1, len(self.out))]
        return [self.padded] * self.is_padded + levels

    @property
    def forward_size(self):
        return self.elements(self.forward_spaces)

    def forward(self, data, out, scratch):
        """Fills out with the largest element of each window, starting with the first spatial axis."""
        data, out = self.images(data), self.windows(out)
        for part in self.slices():
            memory = self.carve(scratch, part, self.forward_spaces)
            level = self.pad(data[part], memory, lowest(data.dtype))
            for number, target in enumerate([*memory, out[part]]):
                self.largest_along(number, level, target)
                level = target

    def largest_along(self, number, level, target):
        first, *others = self.places.taps_along(number, level)
        if not others:
            np.copyto(target, first)
        for tap in others:
            np.maximum(first, tap, out=target)
            first = target

    @property
    def levels(self):
        """Returns the intermediate spatial shapes between data and results, the last axis first."""
        return [self.padded[:i] + self.out[i:] for i in range(len(self.out) - 1, 0, -1)]

    @property
    def gradient_spaces(self):
        ends = [self.padded] * self.is_padded
        largest = [self.levels[0] if self.levels else self.out] * 2        # reused by all backward steps
        return [*ends, *self.levels, *self.levels, *ends, *largest]

    @property
    def gradient_size(self):
        return self.elements(self.gradient_spaces)

    def gradient(self, grad, data, pooled, out, scratch):
        """Fills out, which is shaped like data: each window's gradient goes to the first of its largest elements.

        "First" is in row-major order, so the forward steps begin with the last axis, and the backward steps find the
        row, then the element in it. In a window with NaN, the gradient goes to an element of the last row: to its last
        element if NaN is in that row.
        """
        d = len(self.out)
        grad, pooled, data, out = self.windows(grad), self.windows(pooled), self.images(data), self.images(out)
        for part in self.slices():
            memory = self.carve(scratch, part, self.gradient_spaces)
            levels = [self.pad(data[part], memory, lowest(data.dtype)), *memory[:d - 1], pooled[part]]
            for number in range(d - 1, 0, -1):
                self.largest_along(number, levels[d - 1 - number], levels[d - number])
            targets = [memory[-3] if self.is_padded else out[part], *memory[d - 1:2 * (d - 1)]]
            above = grad[part]
            for number in range(d):
                i = d - 1 - number
                rest, hit = (a.reshape(a.size)[:above.size].reshape(above.shape) for a in memory[-2:])
                self.hand_back(number, levels[i], levels[i + 1], above, targets[i], rest, hit)
                above = targets[i]
            if self.is_padded:
                np.copyto(out[part], self.places.inside(targets[0]))

    def hand_back(self, number, level, largest, grad, target, rest, hit):
        """Computes, along one axis, the gradient of `level` from that of `largest`. rest, hit: memory of grad's shape.

        Gradients are selected by their bits, with a mask of ones or zeros, because infinity times 0 would be NaN.
        """
        views = list(self.places.taps_along(number, level))
        targets = list(self.places.taps_along(number, target))
        taps, disjoint = len(views), self.places.stride[number] >= self.places.kernel[number]
        if disjoint:
            self.clear_between(number, target)
        else:
            target.fill(0)
        if taps == 1:
            np.copyto(targets[0], grad)
        for t in range(taps - 1):
            mask, grad_bits, remainder = bits(hit), bits(grad), bits(rest)
            np.negative(np.equal(views[t], largest, mask), mask)
            if disjoint:                # the last tap receives the remainder
                won = np.bitwise_and(grad_bits, mask, bits(targets[t]))
                remainder = remainder if t < taps - 2 else bits(targets[-1])
            else:
                won = np.bitwise_and(grad_bits, mask, mask)
                np.add(targets[t], hit, targets[t])
            grad = np.bitwise_xor(grad_bits, won, remainder).view(grad.dtype)
        if not disjoint:
            np.add(targets[-1], grad, targets[-1])

    def clear_between(self, number, target):
        """Writes zeros between windows along one axis. Windows are unchanged, so level and target may be the same
        array. """
        stride, kernel, count = self.places.stride[number], self.places.kernel[number], self.out[number]
        lead = (slice(None),) * (1 + number)
        for t in range(kernel, stride):
            target[(*lead, slice(t, stride * count, stride))] = 0
        target[(*lead, slice(stride * count, None))] = 0


class SumPoolingKernels(PoolingKernels):
    """Sum and average pooling, and their adjoint. weights: the factors of the windows' sums, or None."""

    def __init__(self, places, shape, last, weights):
        super().__init__(places, shape, last)
        self.weights = None if weights is None else weights.reshape(weights.shape[:1] + weights.shape[2:]) \
            if not last else weights

    @property
    def forward_size(self):
        return self.elements([self.padded] * self.is_padded)

    def forward(self, data, out, scratch):
        """Fills out with the sums."""
        data, out = self.images(data), self.windows(out)
        if self.places.is_whole:
            np.add.reduce(data, tuple(range(1, 1 + len(self.space))), data.dtype, out, True)
        else:
            for part in self.slices():
                taps = self.places.taps(self.pad(
                    data[part], self.carve(scratch, part, [self.padded] * self.is_padded), 0))
                target = out[part]
                np.copyto(target, next(taps))
                for tap in taps:
                    np.add(target, tap, target)
        if self.weights is not None:
            np.multiply(out, self.weights, out)

    @property
    def gradient_spaces(self):
        return [self.out] * (self.weights is not None) + [self.padded] * self.is_padded

    @property
    def gradient_size(self):
        return 0 if self.places.is_whole else self.elements(self.gradient_spaces)

    def gradient(self, grad, out, scratch):
        """Fills out, which is shaped like data: each window adds its gradient to all its elements."""
        grad, out = self.windows(grad), self.images(out)
        if self.places.is_whole:
            np.copyto(out, grad) if self.weights is None else np.multiply(grad, self.weights, out)
            return
        for part in self.slices():
            memory = self.carve(scratch, part, self.gradient_spaces)
            weighted = grad[part] if self.weights is None else np.multiply(grad[part], self.weights, memory.pop(0))
            target = memory[0] if self.is_padded else out[part]
            target.fill(0)
            for tap in self.places.taps(target):
                np.add(tap, weighted, tap)
            if self.is_padded:
                np.copyto(out[part], self.places.inside(target))
