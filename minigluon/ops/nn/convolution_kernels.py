"""Convolutions in the reference backend: windows are copied into columns, then multiplied as matrices.

A convolution and its two adjoints are the partial derivatives of one sum over batch n, groups, channels and taps,

    Σ  grad[n, o, p] · weight[o, c, tap] · data[n, c, p · stride + tap · dilate - pad]

`convolve` computes the factor that multiplies grad, `data_gradient` the factor of data, and `weight_gradient` the
factor of weight. Each is linear in both of its arguments, so the three are derivatives of each other.

A few images at a time are copied into columns, in scratch memory that stays in the processor's cache. The spatial axes
are unrolled one after another, starting with the last, for n images:

    images (C, n, H, W)  ->  (C, kw, n, H, windows of W)  ->  columns (C, kh, kw, n, windows of H, windows of W)

Each step copies long runs of memory, whereas copying entire windows would copy many short runs. Similarly, the adjoint,
which takes the same steps in reverse, adds up long runs. Then there is one product per image, whose other factor and
result are views of the arrays.

If there are few windows, n is the last axis instead: all runs are n times as long, and one product handles all n
images. Its result has the images as the last axis; adding the bias also moves them back to the front.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["Blocks", "Geometry", "convolve", "convolve_direct", "data_gradient", "data_gradient_direct",
           "weight_gradient", "weight_gradient_direct"]

COLUMNS = 2 ** 18           # the maximum number of column elements at a time, unless one image needs more
IMAGES = 16                 # the number of images at a time: enough for runs of 64 bytes in float32
PAGE = 1024                 # a distance in float32 elements at which rows compete for the same cache lines


@dataclass(frozen=True)
class Geometry:
    """The positions of a convolution's windows: one number per spatial axis. last: True if channels are the last axis.
    """

    kernel: tuple
    stride: tuple
    dilate: tuple
    pad: tuple
    groups: int = 1
    last: bool = False

    def out_space(self, space):
        """Returns the number of windows along each axis; None for an unknown size; zero or negative if no window fits.
        """
        return tuple(None if n is None else (n + 2 * p - d * (k - 1) - 1) // s + 1
                     for n, k, s, d, p in zip(space, self.kernel, self.stride, self.dilate, self.pad, strict=True))

    def space(self, shape):
        """Returns the spatial axes of an array's shape."""
        return tuple(shape[1:-1] if self.last else shape[2:])

    def shape(self, n, channels, space):
        """Returns a shape in this layout."""
        return (n, *space, channels) if self.last else (n, channels, *space)

    def channels_first(self, array):
        """Returns a view (batch, channels, *space)."""
        return np.moveaxis(array, -1, 1) if self.last else array

    def taps(self, out):
        """Yields the index of each tap of the kernel and the slices of the padded space that it reads."""
        for tap in itertools.product(*map(range, self.kernel)):
            yield tap, tuple(slice(t * d, t * d + s * (n - 1) + 1, s)
                             for t, s, d, n in zip(tap, self.stride, self.dilate, out, strict=True))

    @property
    def is_pointwise(self):
        """Returns whether this is a 1x1 kernel on every element, which is a plain matrix product."""
        return set(self.kernel) == set(self.stride) == {1} and not any(self.pad) and not self.last


class Blocks:
    """A convolution with `filters` filters that maps arrays of shape `data` to `out` windows, and its adjoints.

    The methods fill `target`. scratch is a vector of `size` elements of the arrays' type; its contents are overwritten.
    """

    out: tuple[Any, ...]
    windows: int
    matrix: tuple[Any, Any, Any]

    def __init__(self, geometry, data, filters, out):
        self.geometry, self.filters, self.out, self.space = geometry, filters, tuple(out), geometry.space(data)
        self.batch, self.channels = data[0], data[-1 if geometry.last else 1]
        self.windows, self.rows = math.prod(out), self.channels * math.prod(geometry.kernel)
        self.padded: tuple[Any, ...] = tuple(n + 2 * p for n, p in zip(self.space, geometry.pad, strict=True))
        groups = geometry.groups
        self.matrix = groups, filters // groups, self.rows // groups        # the weight as one matrix per group
        self.by_image: bool = not geometry.last and self.out[-1] >= IMAGES and self.windows >= filters
        self.step = self._images_at_a_time()

    def _images_at_a_time(self):
        # The product reads all weights for each block, so a block should contain at least as much other work.
        elements = max(COLUMNS, 2 * math.prod(self.matrix))
        fitting = elements // max(1, self.rows * self.windows)
        most = max(1, min(fitting, max(IMAGES, PAGE // max(1, self.windows))))
        parts = max(1, math.ceil(self.batch / most))
        return math.ceil(self.batch / parts)

    def size(self, weights=False):
        """Returns the number of elements of scratch memory. weights: whether it is for `weight_gradient`."""
        weight = math.prod(self.matrix)
        total = sum(math.prod(shape) for shape in self.levels(self.step)) + self.rows * self.row_length(self.step)
        total += self.step * weight * weights if self.by_image else self.filters * self.row_length(self.step)
        return total + weight * (weights or self.geometry.last)

    def levels(self, images):
        """Returns the intermediate shapes between images and columns."""
        kernel, d = self.geometry.kernel, len(self.out)
        return [(self.channels, *kernel[a:], *self.placed(images, self.padded[:a] + self.out[a:]))
                for a in range(d, 0, -1)]

    def placed(self, images, space):
        """Returns the spatial axes, with the image axis before or after them."""
        return (images, *space) if self.by_image else (*space, images)

    def row_length(self, images):
        """Returns the distance between rows of the columns."""
        used = self.windows * images
        return used + 16 if used % PAGE == 0 else used

    def blocks(self, scratch):
        """Yields (slice of the batch, its `_Block`). All blocks reuse the same memory."""
        block = None
        for start in range(0, self.batch, max(1, self.step)):
            part = slice(start, min(start + self.step, self.batch))
            if block is None or block.images != part.stop - part.start:
                block = _Block(self, scratch, part.stop - part.start)
            yield part, block

    def convolve(self, data, weight, bias, target, scratch):
        """Computes the convolution. bias: a vector with one number per filter, or None."""
        filters, bias = self._matrices(weight, scratch), None if bias is None else bias[:, None]
        out = self._flat(target)
        if self.geometry.is_pointwise:
            np.matmul(filters, self._grouped(data), self._grouped(target))
            if bias is not None:
                np.add(out, bias, out)
            return
        data = self.geometry.channels_first(data)
        for part, block in self.blocks(scratch):
            block.unroll(data[part])
            if self.by_image:
                np.matmul(filters, block.columns_by_image, self._grouped(target)[part])
                results = out[part]
            else:
                np.matmul(filters, block.columns, block.results)
                results = block.results_by_image
            if bias is not None:
                np.add(results, bias, out[part])
            elif not self.by_image:
                np.copyto(out[part], results)

    def data_gradient(self, grad, weight, target, scratch):
        """Computes the gradient of the data from `grad`, the gradient of the windows."""
        filters = self._matrices(weight, scratch).transpose(0, 2, 1)
        if self.geometry.is_pointwise:
            np.matmul(filters, self._grouped(grad), self._grouped(target))
            return
        target = self.geometry.channels_first(target)
        for part, block in self.blocks(scratch):
            if self.by_image:
                np.matmul(filters, self._grouped(grad)[part], block.columns_by_image)
            else:
                np.copyto(block.results_by_image, self._flat(grad)[part])
                np.matmul(filters, block.results, block.columns)
            target[part] = block.fold()

    def weight_gradient(self, grad, data, target, scratch):
        """Computes the gradient of the weights, summed over all windows."""
        groups, filters, rows = self.matrix
        # The product is faster with its long side first, so the transpose is computed. The terms are written to the
        # result's memory and their sum to scratch memory.
        term = target.reshape(groups, rows, filters)
        total = scratch[scratch.size - target.size:].reshape(groups, rows, filters)
        total.fill(0)
        data = self.geometry.channels_first(data)
        for part, block in self.blocks(scratch):
            block.unroll(data[part])
            if self.by_image:
                terms = block.rest[:block.images * target.size].reshape(block.images, groups, rows, filters)
                np.matmul(block.columns_by_image, self._grouped(grad)[part].transpose(0, 1, 3, 2), terms)
                np.add.reduce(terms, 0, None, term)
            else:
                np.copyto(block.results_by_image, self._flat(grad)[part])
                np.matmul(block.columns, block.results.transpose(0, 2, 1), term)
            np.add(total, term, total)
        total = total.reshape(groups, rows // math.prod(self.geometry.kernel), *self.geometry.kernel, filters)
        self._by_group(target)[...] = np.moveaxis(total, -1, 1)

    def _flat(self, array):
        """Returns a result array as a view (batch, filters, windows)."""
        if self.geometry.last:
            return array.reshape(self.batch, self.windows, self.filters).transpose(0, 2, 1)
        return array.reshape(self.batch, self.filters, self.windows)

    def _grouped(self, array):
        """Returns data or results as a view (batch, groups, channels per group, windows), with channels first."""
        groups = self.geometry.groups
        return array.reshape(self.batch, groups, array.shape[1] // groups, self.windows)

    def _by_group(self, weight):
        """Returns a weight as a view (groups, filters per group, channels per group, *kernel)."""
        weight = weight.reshape(*self.matrix[:2], *weight.shape[1:])
        return np.moveaxis(weight, -1, 2) if self.geometry.last else weight

    def _matrices(self, weight, scratch):
        """Returns the weight as (groups, filters per group, channels per group · taps), copied if channels are last.
        """
        if not self.geometry.last:
            return weight.reshape(self.matrix)
        matrices, weight = scratch[scratch.size - weight.size:], self._by_group(weight)
        np.copyto(matrices.reshape(weight.shape), weight)
        return matrices.reshape(self.matrix)


class _Block:
    """The memory for several images, with a view for each step."""

    def __init__(self, blocks, scratch, images):
        self.images, self.geometry = images, blocks.geometry
        self.rest, d = scratch, len(blocks.out)
        levels = [self._take(math.prod(shape)).reshape(shape) for shape in blocks.levels(images)]
        groups, filters, channels = blocks.matrix
        columns = self._rows(blocks, blocks.rows)
        self.levels = [*levels, columns.reshape(
            blocks.channels, *self.geometry.kernel, *blocks.placed(images, blocks.out))]
        if blocks.by_image:
            self.columns_by_image = columns.reshape(groups, channels, images, blocks.windows).transpose(2, 0, 1, 3)
        else:
            results = self._rows(blocks, blocks.filters)
            self.results_by_image = results.reshape(blocks.filters, blocks.windows, images).transpose(2, 0, 1)
            length = blocks.windows * images
            self.columns = columns.reshape(groups, channels, length)
            self.results = results.reshape(groups, filters, length)
        self.images_inside = np.moveaxis(levels[0], 1 if blocks.by_image else -1, 0)[
            _inside(self.geometry, blocks.space)]
        if any(self.geometry.pad):
            levels[0].fill(0)
        # The axis to unroll has the same index at each level: each later axis has moved one axis of taps to the front.
        number = d + 1 if blocks.by_image else d
        self.axes = [(number, self.geometry.kernel[a], self.geometry.stride[a], self.geometry.dilate[a], blocks.out[a])
                     for a in range(d - 1, -1, -1)]
        self.seen = [_windows(level, *axis) for level, axis in zip(self.levels, self.axes, strict=False)]

    def _take(self, size):
        """Returns the next elements of the scratch memory."""
        part, self.rest = self.rest[:size], self.rest[size:]
        return part

    def _rows(self, blocks, count):
        """Returns `count` rows for the windows of all images."""
        reserved = blocks.row_length(self.images)
        return self._take(count * reserved).reshape(count, reserved)[:, :blocks.windows * self.images]

    def unroll(self, data):
        """Converts images to columns."""
        np.copyto(self.images_inside, data)
        for level, view in zip(self.levels[1:], self.seen, strict=True):
            np.copyto(level, view)

    def fold(self):
        """Converts columns back to images; each element is the sum of its copies."""
        for level, whole, axis in zip(self.levels[:0:-1], self.levels[-2::-1], self.axes[::-1], strict=True):
            position, kernel, stride, dilate, count = axis
            lead = (slice(None),) * position
            whole[(*lead, slice(count if stride == 1 else 0, None))] = 0
            for t in range(kernel):
                under = whole[(*lead, slice(t * dilate, t * dilate + stride * (count - 1) + 1, stride))]
                if t:
                    np.add(under, level[:, t], under)
                else:
                    np.copyto(under, level[:, t])
        return self.images_inside


def _windows(level, position, kernel, stride, dilate, count):
    """Returns a view in which an axis is replaced with its windows, and their taps are a new axis 1."""
    shape, strides = level.shape, level.strides
    step = strides[position]
    # faster than `as_strided`, and verifies that the view stays within the memory
    return np.ndarray((shape[0], kernel, *shape[1:position], count, *shape[position + 1:]), level.dtype, level, 0,
                      (strides[0], step * dilate, *strides[1:position], step * stride, *strides[position + 1:]))


def _inside(geometry, space):
    """Returns the index of the part of padded images (n, channels, *space) that is not padding."""
    return (slice(None), slice(None), *(slice(p, p + n) for p, n in zip(geometry.pad, space, strict=True)))


# -- the same, as functions that return a new array ------------------------------------------------------------------

def convolve(data, weight, geometry, out, bias=None):
    """Returns the convolution. out: the number of windows along each axis. bias: one number per filter."""
    shape = geometry.shape(data.shape[0], weight.shape[0], out)
    blocks = Blocks(geometry, data.shape, weight.shape[0], out)
    return _new_array(blocks, Blocks.convolve, shape, data, weight, bias)


def data_gradient(grad, weight, geometry, space):
    """Returns the gradient of the data, whose spatial shape is `space`, from `grad`, the gradient of the windows."""
    channels = weight.shape[-1 if geometry.last else 1] * geometry.groups
    shape = geometry.shape(grad.shape[0], channels, space)
    blocks = Blocks(geometry, shape, weight.shape[0], geometry.space(grad.shape))
    return _new_array(blocks, Blocks.data_gradient, shape, grad, weight)


def weight_gradient(grad, data, geometry):
    """Returns the gradient of the weights, summed over all windows."""
    filters, channels = (a.shape[-1 if geometry.last else 1] for a in (grad, data))
    blocks = Blocks(geometry, data.shape, filters, geometry.space(grad.shape))
    shape = geometry.shape(filters, channels // geometry.groups, geometry.kernel)
    return _new_array(blocks, Blocks.weight_gradient, shape, grad, data)


def _new_array(blocks, fill, shape, *arrays):
    """Returns a new array filled by a method of `Blocks`. float16 is computed in float32 for speed and precision."""
    dtype = arrays[0].dtype
    if dtype == np.float16:
        arrays = [None if a is None else a.astype(np.float32) for a in arrays]
    result = np.empty(shape, arrays[0].dtype)
    fill(blocks, *arrays, result, np.empty(blocks.size(fill is Blocks.weight_gradient), result.dtype))
    return result.astype(dtype, copy=False)


# -- the same three in their simplest form: tap by tap, with channels first ---------------------------------------
# The tests compare the fast versions with these.

def convolve_direct(data, weight, geometry, out):
    """Computes out[n, o, p] = Σ over c and taps of weight[o, c, tap] · data[n, c, p · stride + tap · dilate - pad]."""
    padded = np.pad(data, [(0, 0), (0, 0), *((p, p) for p in geometry.pad)])
    result = np.zeros((data.shape[0], weight.shape[0], *out), data.dtype)
    for outs, ins in _groups(geometry, weight):
        for tap, under in geometry.taps(out):
            view = padded[(slice(None), ins, *under)]
            result[:, outs] += np.einsum("oc,nc...->no...", weight[(outs, slice(None), *tap)], view)
    return result


def data_gradient_direct(grad, weight, geometry, space):
    """Computes the adjoint of `convolve_direct`: each window's gradient is added to the elements that it reads."""
    out = geometry.space(grad.shape)
    reach = [n + 2 * p for n, p in zip(space, geometry.pad, strict=True)]
    padded = np.zeros((grad.shape[0], weight.shape[1] * geometry.groups, *reach), grad.dtype)
    for outs, ins in _groups(geometry, weight):
        for tap, under in geometry.taps(out):
            sent = np.einsum("oc,no...->nc...", weight[(outs, slice(None), *tap)], grad[:, outs])
            padded[(slice(None), ins, *under)] += sent
    return padded[_inside(geometry, space)]


def weight_gradient_direct(grad, data, geometry):
    """Returns, for each tap, the product of `grad` and the elements that the windows read at this tap."""
    out = geometry.space(grad.shape)
    padded = np.pad(data, [(0, 0), (0, 0), *((p, p) for p in geometry.pad)])
    weight = np.zeros((grad.shape[1], data.shape[1] // geometry.groups, *geometry.kernel), grad.dtype)
    summed = [0, *range(2, grad.ndim)]
    for outs, ins in _groups(geometry, weight):
        for tap, under in geometry.taps(out):
            view = padded[(slice(None), ins, *under)]
            weight[(outs, slice(None), *tap)] = np.tensordot(grad[:, outs], view, axes=(summed, summed))
    return weight


def _groups(geometry, weight):
    """Yields the output channels that each group computes and the input channels that it reads."""
    outs, ins = weight.shape[0] // geometry.groups, weight.shape[1]
    return [(slice(g * outs, (g + 1) * outs), slice(g * ins, (g + 1) * ins)) for g in range(geometry.groups)]
