"""Pooling and its gradients: one thread per result. With one window over the whole image, pooling is a reduction."""

import math

import numpy as np

from minigluon.backend import Spec
from minigluon.backend.wide import wide_dtype
from minigluon.ops.nn.pooling_kernels import lowest

from ...launch import THREADS, TYPES, In, Launch, Out, Scratch, SourceFile, Work, blocks, dims, limit_of_32_bits, size
from ..movement import inverse
from ..reductions import ctype, reduce, wide
from ..registry import kernel_for

# An average of integers is truncated, so the last bit of an unrounded product would matter.
SOURCE = SourceFile("nn/pooling.cu", fmad=False)
SUM, AVERAGE, AVERAGE_WITH_PADDING, NORM = range(4)         # as in nn/pooling.cu
SMALL = limit_of_32_bits(2 ** 31)        # with fewer elements, 32-bit indices are used
MANY = 2 ** 18          # with at least this many elements, kernels are compiled for their particular windows
INT_LIMIT = 2 ** 31     # limits on positions along an axis and in space, which use 32 bits


class Windows:
    """The kernels' window arguments for data of a given shape, and the launches."""

    def __init__(self, op, data, out, among=None):
        self.places = places = op.places(data.shape)
        last, self.count = op.last, max(size(data), size(out))
        more = 3 - len(places.space)
        one, none = (1,) * more, (0,) * more
        shape = [*one, *places.kernel, *one, *places.stride, *none, *places.pad]
        self.arguments = [
            dims(shape), _lengths([*one, *places.space, *one, *places.out, data.shape[-1] if last else 1])]
        self.defines = {
            "T": ctype(data.dtype), "A": TYPES[data.dtype.name][1] if among is None else ctype(among),
            "INDEX": "unsigned int" if self.count < SMALL else "long long"}
        if self.count >= MANY:
            self.defines.update(zip([f"{what}{d}" for what in "KSP" for d in range(3)], shape, strict=True))

    @property
    def refused(self):
        """Returns the reason why there is no kernel, or None."""
        places = self.places
        ends = [n + 2 * pad + kernel + stride for n, kernel, stride, pad in zip(
            places.space, places.kernel, places.stride, places.pad, strict=True)]
        if max(ends) >= INT_LIMIT or math.prod(places.space) >= INT_LIMIT:
            return f"windows {places.kernel} in steps {places.stride} on space {places.space} reach 2**31 places"
        return None

    def launch(self, function, target, operands, *more):
        """Returns the launch of a kernel with one thread for each element of `target`."""
        return Launch(SOURCE, function, self.defines, blocks(size(target)), THREADS,
                      [*operands, size(target), *self.arguments, *more])

    def work(self, *launches, scratch=()):
        return self.refused or Work(*launches, scratch=scratch)


def _lengths(numbers):
    """Returns struct Lengths of nn/pooling.cu."""
    inverses = [inverse(n) if 0 < n < SMALL else (0, 0) for n in numbers]
    return np.frombuffer(np.int64(numbers).tobytes() + np.uint32(list(zip(*inverses, strict=True))).tobytes(), np.uint8)


def _kind(op):
    if op.pool_type == "avg":
        return AVERAGE_WITH_PADDING if op.count_include_pad in (True, None) else AVERAGE
    return NORM if op.pool_type == "lp" else SUM


def _lowest(data):
    return float(lowest(wide_dtype(data.dtype)))


@kernel_for("Pooling")
def pooling(op, inputs, outputs):
    data, out = inputs[0], outputs[0]
    if not size(out):
        return Work()
    keeps_type = op.pool_type == "sum" and data.dtype.kind in "iub"
    among = data.dtype if keeps_type else wide(data.dtype)
    windows = Windows(op, data, out, None if op.pool_type == "max" or keeps_type else among)
    if windows.places.is_whole and op.pool_type != "lp" and size(data):
        return _whole(op, windows.places, data, out, among)
    if op.pool_type == "max":
        return windows.work(windows.launch("largest", out, [In(0), Out(0)], _lowest(data)))
    return windows.work(windows.launch("window_sums", out, [In(0), Out(0)], _kind(op), op.p_value or 1))


def _whole(op, places, data, out, among):
    axes = range(places.first, places.first + len(places.space))
    if op.pool_type == "max":
        return reduce(data, axes, out, "max")
    if op.pool_type == "sum":
        return reduce(data, axes, out, "sum", among=None if data.dtype.kind in "iub" else among)
    return reduce(data, axes, out, "sum", finish="divided", number=math.prod(places.space), among=among)


@kernel_for("_sum_pooling_grad")
def sum_pooling_grad(op, inputs, outputs):
    grad, out = inputs[0], outputs[0]
    if not size(out):
        return Work()
    windows = Windows(op, Spec(out.shape, grad.dtype), grad, wide(grad.dtype))
    return windows.work(windows.launch("window_sums_gradient", out, [In(0), Out(0)], _kind(op)))


@kernel_for("_max_pooling_grad")
def max_pooling_grad(op, inputs, outputs):
    """Finds the argmax of each window, then the gradient of each element, which may overwrite data."""
    _, data, pooled = inputs
    if not size(outputs[0]):
        return Work()
    windows, winners = Windows(op, data, pooled), Scratch(0)
    find = windows.launch("winners_of", pooled, [In(1), winners], _lowest(data), 1)
    return windows.work(*[find][:size(pooled)], windows.launch("to_winners", data, [In(0), winners, Out(0)]),
                        scratch=[Spec(pooled.shape, np.dtype("int32"))])


@kernel_for("_pick_largest")
def pick_largest(op, inputs, outputs):
    _, data, pooled = inputs
    if not size(pooled):
        return Work()
    windows, winners = Windows(op, data, pooled), Scratch(0)
    return windows.work(windows.launch("winners_of", pooled, [In(1), winners], _lowest(data), 0),
                        windows.launch("from_winners", pooled, [In(0), winners, Out(0)]),
                        scratch=[Spec(pooled.shape, np.dtype("int32"))])
