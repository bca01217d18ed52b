"""Operators on batches of sequences with different lengths."""

import math

import numpy as np

from ....strides import placeholder
from ... import launch
from ...launch import In, Launch, Out, SourceFile, Work, blocks, types
from ..movement import one_view, word_of
from ..registry import kernel_for

__all__ = []

SOURCE = SourceFile("array/sequence.cu")


def _work(function, op, data, lengths, place, out, *more):
    """Returns the launch that writes `out`.

    place: the input index of the lengths; without lengths, all sequences have full length.
    """
    if not math.prod(out.shape):
        return Work()
    steps, batch = data.shape[op.axis], data.shape[1 - op.axis]
    inner = math.prod(data.shape[2:])
    lengths_operand = In(place) if lengths else np.uint64(0)
    index = types("int32" if not lengths else lengths[0].dtype)["T"]
    return Work(Launch(SOURCE, function, {**word_of(out.dtype), "TI": index}, blocks(math.prod(out.shape)),
                       launch.THREADS, [Out(0), In(0), lengths_operand, steps, batch, inner, op.axis, *more]))


@kernel_for("SequenceMask")
def mask(op, inputs, outputs):
    data, *lengths = inputs
    if not lengths:
        return one_view(outputs[0], placeholder(data.shape))
    with np.errstate(all="ignore"):
        word = np.array([op.value]).astype(data.dtype).view(f"u{data.dtype.itemsize}")[0]
    return _work("sequence_mask", op, data, lengths, 1, outputs[0], word)


@kernel_for("SequenceReverse")
def reverse(op, inputs, outputs):
    data, *lengths = inputs
    if not lengths:
        return one_view(outputs[0], np.flip(placeholder(data.shape), op.axis))
    return _work("sequence_reverse", op, data, lengths, 1, outputs[0])


@kernel_for("SequenceLast")
def last(op, inputs, outputs):
    data, *lengths = inputs
    return _work("sequence_last", op, data, lengths, 1, outputs[0])


@kernel_for("_SequenceLast_grad")
def last_grad(op, inputs, outputs):
    _, data, *lengths = inputs
    return _work("sequence_last_grad", op.operator, data, lengths, 2, outputs[0])
