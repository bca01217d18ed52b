"""Shape and stride arithmetic shared by the CPU and GPU kernels."""

import math

import numpy as np

from minigluon.ops.array.slicing import span

__all__ = ["StridedView", "collapse", "dot_factors", "heads_place", "layer_rows", "neighbours", "placeholder",
           "row_major", "start", "stretched", "view_at"]


# -- strides ----------------------------------------------------------------------------------------------------------

def row_major(shape, itemsize=1):
    """Returns the strides of a contiguous array."""
    strides, step = [], itemsize
    for n in reversed(shape):
        strides.append(step)
        step *= max(n, 1)
    return tuple(reversed(strides))


def stretched(shape, strides, to_shape):
    """Returns the strides with which an array is broadcast to a given shape: 0 along repeated axes."""
    extra = len(to_shape) - len(shape)
    if extra < 0:               # leading axes of length 1
        shape, strides, extra = shape[-extra:], strides[-extra:], 0
    return (0,) * extra + tuple(0 if n == 1 else s for n, s in zip(shape, strides, strict=True))


def neighbours(shape):
    """Returns the distance between neighbors along each axis of a contiguous array; 0 along axes of length 1."""
    return stretched(shape, row_major(shape), shape)


def heads_place(layout, parts, which, sizes):
    """Returns the location of query, key or value of attention in an array: (its first element, strides to the next
    item of the batch, the next head and the next row).

    layout, parts, which: see `AttentionOp.roles`. sizes: (batch, heads, length, size of a head).
    """
    batch, heads, length, size = sizes
    width = heads * parts * size
    return {"PTC": (0, heads * length * size, length * size, size),
            "NTC": (which * size, length * width, parts * size, width),
            "TNC": (which * size, width, parts * size, batch * width)}[layout]


def collapse(shape, operands):
    """Returns (lengths, strides of each operand) after merging the axes that can be traversed as one axis.

    operands: for each array, its strides along `shape`, in elements; 0 where it is repeated.
    """
    lengths, joined = [], [[] for _ in operands]
    for d, n in enumerate(shape):
        if n == 1:
            continue
        if lengths and all(strides[-1] == steps[d] * n for strides, steps in zip(joined, operands, strict=True)):
            lengths[-1] *= n
            for strides, steps in zip(joined, operands, strict=True):
                strides[-1] = steps[d]
            continue
        lengths.append(n)
        for strides, steps in zip(joined, operands, strict=True):
            strides.append(steps[d])
    return tuple(lengths), [tuple(strides) for strides in joined]


# -- placeholders -----------------------------------------------------------------------------------------------------

_ONE_BYTE = np.zeros(1, np.uint8)


def placeholder(shape):
    """Returns an array that has the shape and strides of a whole array, but only one byte of memory.

    Never read it. Its axes can be permuted, sliced and repeated; do not reshape it in a way that makes NumPy copy.
    """
    strides = [math.prod(shape[axis + 1:]) for axis in range(len(shape))]
    return np.lib.stride_tricks.as_strided(_ONE_BYTE, shape, strides)


class StridedView:
    """A placeholder that does not use NumPy, for the CPU kernels; its lengths may be SymbolicDims. Never read it."""

    def __init__(self, shape, strides=None, first=0):
        self.shape, self.first = tuple(shape), first
        self.strides = row_major(shape) if strides is None else tuple(strides)

    def transpose(self, order):
        """Returns the view with its axes in this order."""
        return StridedView([self.shape[a] for a in order], [self.strides[a] for a in order], self.first)

    def swapaxes(self, a, b):
        """Returns the view with two axes swapped."""
        order = list(range(len(self.shape)))
        order[a], order[b] = order[b], order[a]
        return self.transpose(order)

    def flip(self, axes):
        """Returns the view with these axes reversed."""
        key = [slice(None, None, -1) if a in axes else slice(None) for a in range(len(self.shape))]
        return self[tuple(key)]

    def __getitem__(self, key):
        shape, strides, first = [], [], self.first
        for axis, (n, stride) in enumerate(zip(self.shape, self.strides, strict=True)):
            part = key[axis] if axis < len(key) and key[axis] is not ... else slice(None)
            if isinstance(part, slice):
                begin, count, step = span(part, n)
                shape.append(count)
                strides.append(stride * step)
                first += begin * stride if count else 0
            else:
                first += (part + n if part < 0 else part) * stride
        return StridedView(shape, strides, first)


def view_at(whole, key):
    """Returns the view `whole[key]` of a placeholder, even for one element, which NumPy's indexing would copy."""
    return whole[(*key, ...)]


def start(view):
    """Returns the index of the element at which a view of a placeholder begins."""
    if isinstance(view, StridedView):
        return view.first
    return view.__array_interface__["data"][0] - _ONE_BYTE.__array_interface__["data"][0]


# -- products ---------------------------------------------------------------------------------------------------------

def layer_rows(op, shape):
    """Returns the number of rows of a fully connected layer's data with this shape, viewed as a matrix."""
    return shape[0] if op.flatten else math.prod(shape[:-1])


def dot_factors(op, lhs, rhs):
    """Returns ((rows, depth, columns), lhs, rhs): the matrices that `dot` multiplies for arrays of these shapes.

    lhs (rows, depth) and rhs (depth, columns) are given as (row stride, column stride).
    """
    depth = lhs[0] if op.transpose_a else lhs[-1]
    rows = math.prod(lhs[1:] if op.transpose_a else lhs[:-1])
    columns = math.prod(rhs[:-1] if op.transpose_b else rhs[1:])
    return ((rows, depth, columns), (1, rows) if op.transpose_a else (depth, 1),
            (1, depth) if op.transpose_b else (columns, 1))
