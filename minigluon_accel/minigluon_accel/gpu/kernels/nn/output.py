"""Operators that end a network, and the gradients of their losses."""

import math

import numpy as np

from minigluon.backend import Spec

from ...launch import THREADS, In, Launch, Out, Scratch, SourceFile, Work, blocks, size
from ..array.indexing import index_defines
from ..checks import checked
from ..movement import word_of
from ..reductions import copied, ctype, filled, reduce, transform, wide
from ..registry import kernel_for
from .softmax import softmax_work

SOURCE = SourceFile("nn/output.cu")
SOFTMAX_SOURCE = SourceFile("nn/softmax.cu")


def _launch(function, data, label, among, count, arguments):
    defines = {"T": ctype(data.dtype), "LABEL": ctype(label.dtype), "A": ctype(among)}
    return Launch(SOURCE, function, defines, blocks(count), THREADS, arguments)


@kernel_for("SoftmaxOutput")
def softmax_output(op, inputs, outputs):
    return softmax_work(inputs[0], outputs[0], op.rows_shape(inputs[0].shape))


@kernel_for("_softmax_output_grad")
def softmax_output_grad(op, inputs, outputs):
    pred, label = inputs
    n = size(pred)
    if not n:
        return Work()
    if label.shape == pred.shape:
        among = np.result_type(pred.dtype, label.dtype, np.float32)
        return Work(_launch("difference_gradient", pred, label, among, n,
                            [In(0), In(1), Out(0), n, float(op.grad_scale)]))
    items, classes, places = op.rows_shape(pred.shape)
    if size(label) != items * places:
        return "more labels than items"
    count, valid = Work(), op.normalization == "valid"
    if valid:
        counted = Spec((1,), np.dtype("int64"))
        count = reduce(label, range(len(label.shape)), counted, "sum", "differs", number=float(op.ignore_label),
                       among=np.float64, operands=(In(1), Scratch(0)), scratch=1)
        count.scratch.insert(0, counted)
    divisor = 1 if valid else max(1, places * (items if op.normalization == "batch" else 1))
    smoothing = op.smooth_alpha / max(1, classes - 1)
    return Work(*count.launches, _launch(
        "softmax_output_gradient", pred, label, wide(pred.dtype), n,
        [In(0), In(1), Out(0), Scratch(0) if valid else In(0), n, classes, places, op.grad_scale / divisor,
         1 - float(op.smooth_alpha), float(smoothing), float(op.ignore_label), int(op.use_ignore), int(valid)]),
        scratch=count.scratch)


@kernel_for("LinearRegressionOutput", "MAERegressionOutput", "SVMOutput")
def unchanged(op, inputs, outputs):
    return copied(inputs[0], outputs[0])


@kernel_for("LogisticRegressionOutput")
def logistic(op, inputs, outputs):
    data = inputs[0]
    if not size(data):
        return Work()
    among = wide(data.dtype) if data.dtype.kind == "f" else np.float64
    return Work(_launch("sigmoid", data, inputs[1], among, size(data), [In(0), Out(0), size(data)]))


@kernel_for("_item_weight")
def item_weight(op, inputs, outputs):
    return filled(outputs[0], 1 / max(1, math.prod(inputs[0].shape[1:])))


@kernel_for("_svm_output_grad")
def svm_output_grad(op, inputs, outputs):
    data, label = inputs
    if not size(data):
        return Work()
    return Work(_launch("svm_gradient", data, label, np.float64, size(data),
                        [In(0), In(1), Out(0), size(data), data.shape[1], float(op.margin),
                         float(op.regularization_coefficient), int(op.use_linear)]))


@kernel_for("_one_hot_like")
def one_hot_like(op, inputs, outputs):
    label, out = inputs[0], outputs[0]
    if not size(out):
        return Work()
    return Work(_launch("one_hot_rows", out, label, wide(out.dtype), size(out),
                        [In(0), Out(0), size(out), out.shape[1]]))


@kernel_for("softmax_cross_entropy")
def softmax_cross_entropy(op, inputs, outputs, device):
    """Computes the log-softmax, and sums the elements that the labels select."""
    data, label = inputs
    items, classes = data.shape
    if not items:
        return filled(outputs[0], -0.0)
    macros = {**word_of(data.dtype), **index_defines(label, data)}
    check, among = checked(op.name, device, label, In(1), [classes], macros), wide(data.dtype)
    if not size(data):
        return check
    rows, chosen = (Scratch(len(check.scratch) + k) for k in (0, 1))
    scratch = [*check.scratch, Spec(data.shape, among), Spec((items,), among)]
    defines = {"T": ctype(data.dtype), "TO": ctype(among), "A": ctype(among), "LENGTH": "float"}
    normalize = transform(SOFTMAX_SOURCE, "softmax", defines, (items, classes, 1), [In(0), rows, 1.0, 1])
    pick = _launch("picked", data, label, among, items, [rows, In(1), chosen, items, classes])
    total = reduce(Spec((items,), among), (0,), outputs[0], "sum", operands=(chosen, Out(0)), scratch=len(scratch))
    return Work(*check.launches, normalize, pick, *total.launches, scratch=[*scratch, *total.scratch])
