"""Outputs that are losses: probabilities in the forward pass, their difference from the label in the backward pass."""

import numpy as np

from ....ops.nn.output import Regression, SoftmaxOutput, _item_weight, _softmax_output_grad, _svm_output_grad
from ....ops.nn.softmax import write_normalized
from ....ops.shapes import Spec, size_of
from ..blocks import by_blocks
from ..table import Writer, kernel_for
from .softmax import not_plain, row_spec


@kernel_for(SoftmaxOutput)
def softmax_output(op, inputs, outputs):
    """Returns the kernel, whose scratch buffer holds the largest element and then the sum of each row."""
    shape = op.rows_shape(inputs[0].shape)

    def run(inputs, targets):
        write_normalized(inputs[0].reshape(shape), 1, targets[0].reshape(shape), targets[1])
    return not_plain(inputs, outputs) or Writer(run, [row_spec(Spec(shape, inputs[0].dtype), 1)])


@kernel_for(_softmax_output_grad)
def softmax_output_grad(op, inputs, outputs):
    pred, label = inputs
    if label.shape == pred.shape or op.smooth_alpha:
        return "labels that are probabilities"
    items, classes, places = shape = op.rows_shape(pred.shape)
    if size_of(label.shape) != items * places:
        return "more labels than items"
    numbers = np.arange(classes).reshape(1, -1, 1).astype(np.promote_types(label.dtype, np.int64))
    zero, ignored, scale = np.zeros((), pred.dtype), op.ignore_label, op.grad_scale

    def run(inputs, targets):
        rows, out = inputs[0].reshape(shape), targets[0].reshape(shape)
        label = inputs[1].reshape(items, 1, places)
        np.equal(label, numbers, out)
        np.subtract(rows, out, out)
        np.multiply(out, scale / op.divisor(label), out)
        if op.use_ignore:
            np.copyto(out, zero, where=label == ignored)
    return not_plain(inputs, outputs) or run


@kernel_for(Regression)
def regression(op, inputs, outputs):
    run = by_blocks(op.predict)
    return lambda inputs, targets: run(inputs[:1], targets)


@kernel_for(_item_weight)
def item_weight(op, inputs, outputs):
    value = np.array(1 / max(1, size_of(inputs[0].shape[1:]))).astype(inputs[0].dtype)
    return lambda inputs, targets: targets[0].fill(value)


@kernel_for(_svm_output_grad)
def svm_output_grad(op, inputs, outputs):
    return "several passes over the classes"
