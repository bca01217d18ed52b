"""Operators that create an array from their attributes."""

import numpy as np

from minigluon.ops.numeric import cast

from ...elementwise_codegen import Formula, elementwise_work
from ...expressions import reason_against
from ...launch import THREADS, Launch, Out, SourceFile, Work, blocks, size, types
from ..registry import kernel_for

__all__ = ["fill", "source_work"]

SOURCE = SourceFile("array/sources.cu")


def fill(out, value):
    """Returns the Work that fills an array with a number, converted as NumPy does. The number may change without
    recompiling."""
    value = cast(np.array(value), out.dtype)[()]
    formula = Formula("fill_kernel", "s0, the same everywhere", lambda s: ((), s), "fill", (value,))
    return reason_against(out) or elementwise_work(formula, [], out)


@kernel_for("_zeros", "_ones", "_full")
def filled(op, inputs, outputs):
    return fill(outputs[0], op.value)


def source_work(function, out, *arguments):
    """Returns the Work of one of the kernels of array/sources.cu."""
    if not size(out):
        return reason_against(out) or Work()
    return reason_against(out) or Work(Launch(SOURCE, function, types(out.dtype), blocks(size(out)), THREADS,
                                        [Out(0), *arguments, size(out)]))


@kernel_for("_arange")
def arange(op, inputs, outputs):
    first, step = op.first_and_step
    return source_work("arange", outputs[0], float(first), float(step), op.repeat)


@kernel_for("_linspace")
def linspace(op, inputs, outputs):
    parts = op.num - 1 if op.endpoint else op.num
    step = (op.stop - op.start) / parts if parts > 0 else op.stop - op.start
    last = op.num - 1 if op.endpoint and op.num > 1 else -1
    return source_work("linspace", outputs[0], float(op.start), float(step), float(op.stop), last)


@kernel_for("_eye")
def eye(op, inputs, outputs):
    return source_work("eye", outputs[0], outputs[0].shape[1], op.k)
