"""A network's output layers: forward predicts, and the gradient is that of a loss, regardless of the head gradient."""

import math
from typing import Literal

import numpy as np

from ..array.indexing import integers
from ..kinds import View
from ..op import Op
from ..registry import define, register
from ..shapes import is_known, size_of
from .softmax import log_normalized, normalized

__all__ = ["SVMOutput", "SoftmaxOutput", "softmax_cross_entropy"]


class _SoftmaxLoss(Op):
    """The attributes of `SoftmaxOutput`, and the axis of its classes.

    grad_scale: the factor of the gradient.
    ignore_label: the label that is ignored with use_ignore and not counted with normalization='valid'.
    multi_output: if True, axis 1 of data contains the classes, and each position in the other axes has a label.
    use_ignore: if True, set the gradient of items with ignore_label to 0.
    preserve_shape: if True, the last axis of data contains the classes, and each position in the other axes has a
        label.
    normalization: the divisor of the gradient, which is the number of labels (batch), the number of labels not ignored
    (valid), or 1 (null).
    out_grad: if True, multiply the gradient by the head gradient.
    smooth_alpha: the share of a label's probability that is spread equally over the other classes.
    """

    grad_scale: float = 1.0
    ignore_label: float = -1.0
    multi_output: bool = False
    use_ignore: bool = False
    preserve_shape: bool = False
    normalization: Literal["batch", "null", "valid"] = "null"
    out_grad: bool = False
    smooth_alpha: float = 0.0

    def infer_shape(self, data, label):
        self.require_least_rank("data", data, 1)
        if data is None or (is_known(label) and is_known(data) and label == data):
            return [data, label], [data]
        self.require_least_rank("data", data, 2)
        expected = data[:-1]
        if label is not None and len(label) == 1 and not self.preserve_shape:
            expected = data[:1]
        if self.multi_output:
            expected = data[:1] + data[2:]
            others = [data[:1] + (1,) + data[2:]]
            if is_known(data):
                others.append((data[0], math.prod(data[2:])))
                if label is None:
                    label = others[-1]
            if label in others:
                return [data, label], [data]
        return [data, self.require("label", label, expected)], [data]

    def infer_dtype(self, data, label):
        return [data, label or data], [data]

    def rows(self, data):
        """Returns data as (items, classes, positions), because softmax is over the middle axis."""
        return data.reshape(self.rows_shape(data.shape))

    def rows_shape(self, shape):
        """Returns (items, classes, positions) for the shape of data."""
        if self.preserve_shape:
            return math.prod(shape[:-1]), shape[-1], 1
        if self.multi_output:
            return shape[0], shape[1], math.prod(shape[2:])
        return shape[0], math.prod(shape[1:]), 1


@register("data", "label", aliases=["Softmax"])
class SoftmaxOutput(_SoftmaxLoss):
    """softmax(data); the gradient is that of the cross entropy with label: softmax(data) - one_hot(label).

    data (N, classes); or (N, ...), with the other axes as the classes
         with multi_output (N, classes, *positions), with preserve_shape (*positions, classes)
    label (N,), or (N, ...) without the last axis of data; only the first N are used, as in MXNet;
         with multi_output (N, *positions), (N, 1, *positions) or (N, number of positions), with preserve_shape
         (*positions): class indices, where an invalid index stands for no class; or probabilities, shaped like data
    out  like data

    The gradient does not depend on the head gradient, unless out_grad=True. With multi_output it is also divided by the
    number of positions, except for normalization='valid'.

    >>> data = nd.array([[0, 0]])
    >>> data.attach_grad()
    >>> with autograd.record():
    ...     out = nd.SoftmaxOutput(data, nd.array([1]))
    >>> out.backward()
    >>> print(out.asnumpy(), data.grad.asnumpy())
    [[0.5 0.5]] [[ 0.5 -0.5]]
    """

    keeps = ("inputs", "outputs")
    in_place = ("data",)

    def index_ranges(self, data, label):
        if data == label:
            return {}           # probabilities
        others = (self.ignore_label,) if self.use_ignore else ()
        return {"label": (0, self.rows_shape(data)[1] - 1, *others)}

    def forward(self, data, label):
        rows = self.rows(data)
        wide = rows.astype(np.promote_types(data.dtype, np.float32), copy=False)
        return normalized(wide, 1).reshape(data.shape).astype(data.dtype, copy=False)

    def gradient(self, F, out_grads, inputs, outputs):
        grad = F._softmax_output_grad(outputs[0], inputs[1], **self.attributes)
        return [grad * out_grads[0] if self.out_grad else grad, None]


@register("pred", "label")
class _softmax_output_grad(_SoftmaxLoss):
    """The gradient of the cross entropy between the probabilities `pred` and label. See `SoftmaxOutput`."""

    keeps = ()

    def forward(self, pred, label):
        if label.shape == pred.shape:
            return ((pred - label) * self.grad_scale).astype(pred.dtype)
        rows = self.rows(pred)
        items, classes, places = rows.shape
        divisor = self.divisor(label.reshape(-1, 1, places))
        label = label.ravel()[:items * places].reshape(items, 1, places)
        wide = np.promote_types(pred.dtype, np.float32).type
        share = self.smooth_alpha / max(1, classes - 1)
        target = np.where(label == np.arange(classes).reshape(1, -1, 1), wide(1 - self.smooth_alpha), wide(share))
        grad = (rows - target) * wide(self.grad_scale / divisor)
        if self.use_ignore:
            grad = np.where(label == self.ignore_label, wide(0), grad)
        return grad.reshape(pred.shape).astype(pred.dtype)

    def divisor(self, label):
        """Returns the divisor of the gradient."""
        if self.normalization == "valid":
            return max(1, np.count_nonzero(label != self.ignore_label))
        return max(1, label.size if self.normalization == "batch" else label.shape[-1])

    def gradient(self, F, out_grads, inputs, outputs):
        return [None, None]


class Regression(Op):
    """predict(data); the gradient is slope(out - label) · grad_scale / (label elements per item).

    data (N, ...) | label like data, or with another shape and as many elements | out like data

    grad_scale: the factor of the gradient.
    """

    grad_scale: float = 1.0
    keeps = ("inputs", "outputs")

    def infer_shape(self, data, label):
        if not is_known(data):
            return [data, label], [data]
        if is_known(label) and data[0] == label[0] and size_of(data) == size_of(label):
            return [data, label], [data]
        if label is None and len(data) == 2 and data[1] == 1:
            return [data, data[:1]], [data]         # with one element per item, the label need not have a second axis
        return [data, self.require("label", label, data)], [data]

    def infer_dtype(self, data, label):
        if not self.is_view:
            self.require_float("data", data)
        return super().infer_dtype(data, label)

    @property
    def is_view(self):
        return self.predict is np.copy

    @property
    def in_place(self):
        return self.arguments[:1]

    def forward(self, data, label):
        return self.predict(data)

    def gradient(self, F, out_grads, inputs, outputs):
        difference = outputs[0] - F.reshape_like(inputs[1], outputs[0])
        grad = self.slope(F, difference) * self.grad_scale
        return [F.broadcast_mul(grad, F._item_weight(inputs[1])), None]


@register("data")
class _item_weight(Op):
    """1 / (number of elements in an item), with shape (1,)."""

    keeps = ()

    def infer_shape(self, data):
        return [data], [(1,)]

    def forward(self, data):
        return np.full((1,), 1 / max(1, size_of(data.shape[1:])), data.dtype)

    def gradient(self, F, out_grads, inputs, outputs):
        return None


def _sigmoid(x):
    e = np.exp(-np.abs(x))
    return np.where(x >= 0, 1 / (1 + e), e / (1 + e)).astype(x.dtype, copy=False)


def _regression(name, doc, numbers, predict, slope):
    """Registers a row of the table. numbers: an example, data and label -> the gradient."""
    arrays, grad = numbers.split(" -> ")
    define(name, ["data", "label"], Regression, f"""{doc}

    data (N, ...) | label like data, or another shape with as many elements | out like data

    >>> data, label = nd.array({arrays})
    >>> data.attach_grad()
    >>> with autograd.record():
    ...     out = nd.{name}(data, label)
    >>> out.backward()
    >>> print(data.grad.asnumpy())
    {grad}
    """, predict=predict, slope=slope)


_regression("LinearRegressionOutput",
            "out = data; the gradient is that of the squared error, (out - label) / (elements of an item).",
            "[[[8, 1]], [[4, 1]]] -> [[2. 0.]]", np.copy, lambda F, d: d)
_regression("LogisticRegressionOutput",
            "out = sigmoid(data); the gradient is that of the cross entropy, (out - label) / (elements of an item).",
            "[[[0, 0]], [[1, 0]]] -> [[-0.25  0.25]]", _sigmoid, lambda F, d: d)
_regression("MAERegressionOutput",
            "out = data; the gradient is that of the absolute error, sign(out - label) / (elements of an item).",
            "[[[8, 1]], [[4, 1]]] -> [[0.5 0. ]]", np.copy, lambda F, d: F.sign(d))


@register("data", "label")
class SVMOutput(View):
    """data unchanged; the gradient is that of each class's hinge loss against all others.

    data (N, classes) | label (N,) | out like data

    With t = 1 for the label's class and -1 for the others, and short = margin - t · score, the loss of a score is
    regularization_coefficient · short² where short > 0.

    margin: a score has a loss if t · score is below margin.
    regularization_coefficient: the factor of the loss.
    use_linear: if True, use short instead of its square.

    >>> data = nd.array([[0.5, -2]])
    >>> data.attach_grad()
    >>> with autograd.record():
    ...     out = nd.SVMOutput(data, nd.array([0]), use_linear=True)
    >>> out.backward()
    >>> print(data.grad.asnumpy())
    [[-1.  0.]]
    """

    margin: float = 1.0
    regularization_coefficient: float = 1.0
    use_linear: bool = False
    keeps = ("inputs",)

    def infer_shape(self, data, label):
        if data is None:
            return [data, label], [data]
        self.require_rank("data", data, 2)
        return [data, self.require("label", label, data[:1])], [data]

    def infer_dtype(self, data, label):
        return [data, label or data], [data]

    def forward(self, data, label):
        return data.copy()

    def gradient(self, F, out_grads, inputs, outputs):
        return [F._svm_output_grad(*inputs, **self.attributes), None]


@register("data", "label")
class _svm_output_grad(SVMOutput):
    """The gradient of `SVMOutput`'s loss."""

    keeps = ()
    is_view = False
    in_place = ()

    def infer_dtype(self, data, label):
        self.require_numbers(data)
        return super().infer_dtype(data, label)

    def forward(self, data, label):
        one = data.dtype.type(1)            # Python integers would convert everything to float64
        target = np.where(label[:, None] == np.arange(data.shape[1]), one, -one)
        short = self.margin - target * data
        cost = (short > 0) if self.use_linear else 2 * np.maximum(short, 0)
        return (-target * cost * self.regularization_coefficient).astype(data.dtype)

    def gradient(self, F, out_grads, inputs, outputs):
        return [None, None]


@register("data", "label")
class softmax_cross_entropy(Op):
    """The sum over items of -log softmax(data)[label].

    data (N, classes) | label (N,) | out (1,)

    Raises OutOfRangeError for a label that is not a class.

    >>> print(nd.softmax_cross_entropy(nd.zeros((3, 4)), nd.array([0, 1, 3])).asnumpy().round(3))    # 3 log 4
    [4.159]
    """

    keeps = ("inputs",)

    def infer_shape(self, data, label):
        if data is None:
            return [data, label], [(1,)]
        self.require_rank("data", data, 2)
        return [data, self.require("label", label, data[:1])], [(1,)]

    def infer_dtype(self, data, label):
        self.require_numbers(data)
        return [data, label or data], [data]

    def forward(self, data, label):
        log = log_normalized(data.astype(np.promote_types(data.dtype, np.float32), copy=False), 1)
        picked = log[np.arange(len(log)), integers(label, data.shape[1], "raise", self.name)]
        return -np.add.reduce(picked, dtype=log.dtype, keepdims=True).astype(data.dtype)

    def gradient(self, F, out_grads, inputs, outputs):
        data, label = inputs
        return [F.broadcast_mul(F.softmax(data) - F._one_hot_like(label, data), out_grads[0]), None]


@register("label", "like")
class _one_hot_like(Op):
    """1 at the label of each row of like, 0 elsewhere. label (N,), like (N, classes)."""

    keeps = ()
    shape_only = ("like",)

    def infer_shape(self, label, like):
        self.require_rank("like", like, 2)
        return [label if like is None else self.require("label", label, like[:1]), like], [like]

    def infer_dtype(self, label, like):
        return [label, like], [like]

    def forward(self, label, like):
        return (label[:, None] == np.arange(like.shape[1])).astype(like.dtype)

    def gradient(self, F, out_grads, inputs, outputs):
        return [None, None]
