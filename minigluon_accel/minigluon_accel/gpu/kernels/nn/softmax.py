"""Softmax and related operators: a line is read once for its maximum and its sum, and again for the result."""

import numpy as np

from minigluon.ops.shapes import around

from ...launch import In, Out, SourceFile, Work, size
from ..reductions import copied, ctype, transform, wide
from ..registry import kernel_for

__all__ = ["softmax_work"]

SOURCE = SourceFile("nn/softmax.cu")


def softmax_work(data, out, lines, factor=1.0, logarithm=False):
    """Returns the Work of softmax, or of its logarithm, on data · factor along lines (outer, rows, inner)."""
    if not size(out):
        return Work()
    return Work(transform(SOURCE, "softmax", _defines(data, out), lines,
                          [In(0), Out(0), float(factor), int(logarithm)]))


def _defines(data, out, length="float"):
    return {"T": ctype(data.dtype), "TO": ctype(out.dtype), "A": ctype(wide(data.dtype)), "LENGTH": length}


@kernel_for("softmax", "softmin", "log_softmax")
def softmax(op, inputs, outputs):
    data, out = inputs[0], outputs[0]
    lines, factor = around(data.shape, op.axis), op.factor
    if not op.use_length or not size(out):
        return softmax_work(data, out, lines, factor, op.name == "log_softmax")
    least = float(np.finfo(wide(data.dtype)).min)
    return Work(transform(SOURCE, "softmax_length", _defines(data, out, ctype(inputs[1].dtype)), lines,
                          [In(0), Out(0), float(factor), In(1), least]))


@kernel_for("SoftmaxActivation")
def softmax_activation(op, inputs, outputs):
    return softmax_work(inputs[0], outputs[0], around(op.flat_shape(inputs[0].shape), 1))


@kernel_for("_softmax_grad", "_log_softmax_grad")
def softmax_grad(op, inputs, outputs):
    if not size(outputs[0]):
        return Work()
    return Work(transform(SOURCE, "softmax_grad", _defines(inputs[0], outputs[0]),
                          around(inputs[0].shape, op.axis),
                          [In(0), In(1), Out(0), int(op.name == "_log_softmax_grad")]))


@kernel_for("_astype_like")
def astype_like(op, inputs, outputs):
    return copied(inputs[0], outputs[0])
