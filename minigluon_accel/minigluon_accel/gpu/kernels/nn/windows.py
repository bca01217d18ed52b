"""im2col and col2im: one thread per element of the result."""

import math

import numpy as np

from ...launch import THREADS, In, Launch, Out, SourceFile, Work, blocks, dims, size, types
from ..registry import kernel_for

__all__ = []

SOURCE = SourceFile("nn/windows.cu")


@kernel_for("im2col")
def im2col(op, inputs, outputs):
    return _work("windows_to_columns", op, inputs[0].shape, outputs[0])


@kernel_for("col2im", "_im2col_grad")
def col2im(op, inputs, outputs):
    return _work("columns_to_windows", op, outputs[0].shape, outputs[0])


def _work(function, op, data, out):
    """Returns the Work of a function of nn/windows.cu. data: the shape (N, C, *size) of the array that has windows."""
    space = data[2:]
    kernel, stride, dilate, pad = op.settings()
    counts = op.counts(space)
    if not size(out):
        return Work()
    numbers = np.concatenate([dims(part) for part in (space, kernel, counts, stride, dilate, pad)])    # struct Windows
    return Work(Launch(SOURCE, function, types(out.dtype), blocks(size(out)), THREADS,
                       [Out(0), In(0), size(out), np.int32(len(space)), math.prod(kernel), math.prod(counts),
                        math.prod(space), numbers]))
