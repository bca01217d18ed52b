"""Remedies for mismatched shapes: the last line of a ShapeError, or None if no remedy is known."""

from __future__ import annotations

from itertools import combinations

from .shapes import FullShape, PartialShape, broadcast, is_known, merge

__all__ = ["to_broadcast", "to_convolve", "to_fit", "to_join", "to_multiply", "to_reshape"]


def to_broadcast(lhs: PartialShape, rhs: PartialShape) -> str:
    """Returns advice on how to change two shapes so that they broadcast.

    >>> to_broadcast((2, 3), (2,))
    'rhs.reshape((2, 1)) goes with lhs'
    """
    if is_known(lhs) and is_known(rhs):
        if len(lhs) == len(rhs) == 2 and broadcast(lhs, rhs[::-1]):
            return "rhs.T goes with lhs"
        few, many = ("rhs", "lhs") if len(rhs) < len(lhs) else ("lhs", "rhs")
        short, long = sorted((lhs, rhs), key=len)
        for axes in combinations(range(len(long)), len(short)):
            wider = [1] * len(long)
            for axis, n in zip(axes, short, strict=True):
                wider[axis] = n
            if broadcast(tuple(wider), long):
                return f"{few}.reshape({tuple(wider)}) goes with {many}"
    return "make the lengths equal, or one of them 1: reshape, expand_dims and x[:, i:j] change a shape"


def to_multiply(lhs: FullShape, rhs: FullShape, left: tuple[int, int], right: tuple[int, int],
                transposed: tuple[bool, bool]) -> str:
    """Returns the flags that make a product run over axes of equal length.

    left, right: the axis of each factor that the product sums over, without and with its flag. transposed: the flags.

    >>> to_multiply((2, 3), (4, 3), (-1, 0), (0, -1), (False, False))
    'transpose_b=True runs over axes of equal length'
    """
    for flags in (False, True), (True, False), (True, True), (False, False):
        n, m = lhs[left[flags[0]]], rhs[right[flags[1]]]
        if n is not None and n == m:
            changed = [f"transpose_{name}={flag}" for name, flag, before in zip("ab", flags, transposed, strict=True)
                       if flag != before]
            return f"{' and '.join(changed)} runs over axes of equal length"
    return "change one of the shapes; transpose_a=True and transpose_b=True take the other axis"


def to_convolve(data: PartialShape, weight: PartialShape, last: bool) -> str | None:
    """Returns the order of axes in which data has as many channels as a convolution's weight requires.

    last: True if channels are the last axis.

    >>> to_convolve((8, 32, 32, 3), (4, 3, 5, 5), last=False)
    'data has its channels in another axis; data.transpose((0, 3, 1, 2)) has shape (8, 3, 32, 32)'
    """
    if data is None or weight is None or len(weight) != len(data):
        return None
    channels = weight[-1 if last else 1]
    if channels is None or data[1 if last else -1] != channels:
        return None
    axes = range(1, len(data))
    order = (0, *axes[1:], 1) if last else (0, len(data) - 1, *axes[:-1])
    return f"data has its channels in another axis; data.transpose({order}) has shape {tuple(data[i] for i in order)}"


def to_fit(kernel: FullShape, space: PartialShape, pad: FullShape) -> str:
    """Returns the padding with which the windows fit. kernel: the windows' size, including dilation.

    >>> to_fit((5, 5), (4, 4), (0, 0))
    'a smaller kernel, larger data, or pad=(1, 1)'
    """
    needed = tuple(max(p, -((n - k) // 2)) if n is not None else p
                   for k, n, p in zip(kernel, space or (), pad, strict=True))
    return f"a smaller kernel, larger data, or pad={needed}"


def to_join(first: PartialShape, other: PartialShape) -> str | None:
    """Returns the axis along which two arrays can be joined.

    >>> to_join((2, 3), (2, 4))
    'dim=1 joins them, as all other axes are equal'
    """
    if first is None or other is None or len(first) != len(other):
        return None
    for axis in range(len(first)):
        if merge(first[:axis] + first[axis + 1:], other[:axis] + other[axis + 1:]):
            return f"dim={axis} joins them, as all other axes are equal"
    return None


def to_reshape(size: int, shape: FullShape) -> str:
    """Returns a shape like the requested one, with -1 for one length.

    >>> to_reshape(6, (4, 2))
    'shape=(-1, 2) has 6 elements; -1 stands for the length that follows'
    """
    for axis, n in enumerate(shape):
        product = 1
        for m in shape[:axis] + shape[axis + 1:]:
            product *= m
        if product > 0 and size % product == 0 and len(shape) > 1 and n > 0:
            target = (*shape[:axis], -1, *shape[axis + 1:])
            return f"shape={target} has {size} elements; -1 stands for the length that follows"
    return f"the lengths must have the product {size}; -1 stands for one that follows from the others"
