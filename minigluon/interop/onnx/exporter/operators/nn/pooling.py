"""Pooling: MaxPool, AveragePool, LpPool, and their global forms."""

import numpy as np

from ......ops.symbolic_dimensions import SymbolicDim
from ...helpers import permuted
from ...table import translates
from ...values import UntranslatableError
from .convolution import as_before, channels_first, is_last

__all__ = []


@translates("Pooling")
def pooling(g, op, data):
    """Writes ONNX's pooling. Replaces rounding up with more padding at the end, so that all runtimes agree."""
    x = channels_first(g, op, data)
    y = _whole(g, op, x) if op.global_pool else _windows(g, op, x)
    if g.specs[0][0] is not None:
        rank = data.rank
        y.shape = permuted(g.specs[0][0], [0, rank - 1, *range(1, rank - 1)]) if is_last(op) else g.specs[0][0]
    return as_before(g, op, y, data)


def _whole(g, op, x):
    """Writes a pooling with one window over the entire space."""
    if op.pool_type == "max":
        return g.GlobalMaxPool(x)
    if op.pool_type == "avg":
        return g.GlobalAveragePool(x)
    if op.pool_type == "sum":
        return g.reduce("Sum", x, range(2, x.rank), keepdims=True)
    return _signed(g, op, x, lambda powers: g.reduce("Sum", powers, range(2, x.rank), keepdims=True))


def _windows(g, op, x):
    space = x.shape[2:]
    places = op.places(x.shape if not is_last(op) else (x.shape[0], *space, x.shape[1]))
    before = list(places.pad)
    behind = [_behind(n, k, s, p, o) for n, k, s, p, o in
              zip(space, places.kernel, places.stride, places.pad, places.out, strict=True)]
    windows = {"kernel_shape": list(places.kernel), "strides": list(places.stride)}
    if any(pad >= kernel for pad, kernel in zip(before + behind, (*places.kernel, *places.kernel), strict=True)):
        if op.pool_type == "avg" and op.count_include_pad is False:
            raise UntranslatableError("a window contains only padding, which its mean does not count")
        x, before, behind = _padded(g, op, x, before, behind), [0] * len(before), [0] * len(behind)
        if op.pool_type == "avg":
            whole = _sums(g, op, x, places, before, behind, windows)
            return whole / _counts(g, x, places, list(places.pad), op, space)
    if op.pool_type == "max":
        return g.MaxPool(x, pads=before + behind, **windows)
    if op.pool_type == "lp":
        return _signed(g, op, x, lambda powers: _sums(g, op, powers, places, before, behind, windows))
    if op.pool_type == "sum":
        return _sums(g, op, x, places, before, behind, windows)
    if op.count_include_pad is False:
        return g.AveragePool(x, pads=before + behind, count_include_pad=0, **windows)
    beyond = [extra > pad for extra, pad in zip(behind, before, strict=True)]
    if not any(beyond):
        return g.AveragePool(x, pads=before + behind, count_include_pad=1, **windows)
    # Elements beyond the padding are not counted, so the counts differ from window to window.
    return _sums(g, op, x, places, before, behind, windows) / _counts(g, x, places, before, op, space)


def _behind(n, kernel, stride, pad, out):
    """Returns the padding at the end for this number of windows; an open length is padded equally on both sides."""
    if isinstance(n, SymbolicDim):
        padding = (out - 1) * stride + kernel - n - pad
        if isinstance(padding, SymbolicDim):
            if isinstance(out - ((n + 2 * pad - kernel) // stride + 1), SymbolicDim):
                raise UntranslatableError("the number of windows is rounded up, but the size is left open")
            return pad
        return max(int(padding), 0)
    return max((out - 1) * stride + kernel - n - pad, 0)


def _sums(g, op, x, places, before, behind, windows):
    """Returns the sum of each window: its mean times its size."""
    mean = g.AveragePool(x, pads=before + behind, count_include_pad=1, **windows)
    return mean * float(np.prod(places.kernel))


def _padded(g, op, x, before, behind):
    """Writes the padding as a separate operator, because runtimes require padding to be smaller than a window."""
    value = np.finfo(x.dtype).min if op.pool_type == "max" else 0
    return g.Pad(x, g.ints(0, 0, *before, 0, 0, *behind), g.constant(np.array(value, x.dtype)))


def _counts(g, x, places, before, op, space):
    """Returns how many elements of each window are data or padding."""
    if any(isinstance(n, SymbolicDim) for n in space):
        raise UntranslatableError("windows reach beyond the padding, but the size is left open")
    counts = np.ones((1, 1, *places.out), x.dtype)
    windows = zip(space, places.kernel, places.stride, before, places.out, strict=True)
    for axis, (n, k, s, p, o) in enumerate(windows, 2):
        starts = np.arange(o) * s - p
        along = np.maximum(np.minimum(starts + k, n + p) - starts, 1)
        counts = counts * along.reshape([-1 if i == axis else 1 for i in range(len(space) + 2)])
    return g.constant(counts.astype(x.dtype))


def _signed(g, op, x, total):
    """Returns (sum of x^p)^(1/p) with the sign of the sum, which an odd p preserves."""
    total_of_powers = total(x ** float(op.p_value))
    return g.Sign(total_of_powers) * g.Abs(total_of_powers) ** (1.0 / op.p_value)


@translates("_contrib_AdaptiveAvgPooling2D")
def adaptive_average_pooling(g, op, data):
    """Writes cells of equal size if the output size divides the image size, otherwise a matrix for each axis."""
    height, width = data.shape[2:]
    rows, columns = (tuple(op.output_size) or (1,)) * (2 if len(op.output_size) < 2 else 1)
    if (rows, columns) == (1, 1):
        return g.GlobalAveragePool(data)
    if isinstance(height, SymbolicDim) or isinstance(width, SymbolicDim):
        raise UntranslatableError("the image's size is left open")
    if height % rows == 0 and width % columns == 0:
        cell = [height // rows, width // columns]
        return g.AveragePool(data, kernel_shape=cell, strides=cell)
    down, across = _cells(height, rows, data.dtype), _cells(width, columns, data.dtype)
    return g.MatMul(g.MatMul(g.constant(down), data), g.constant(across.T))


def _cells(length, count, dtype):
    """Returns the matrix (count, length) that computes the mean of each cell."""
    matrix = np.zeros((count, length), dtype)
    for cell in range(count):
        begin, end = cell * length // count, -(-(cell + 1) * length // count)
        matrix[cell, begin:end] = 1 / (end - begin)
    return matrix
