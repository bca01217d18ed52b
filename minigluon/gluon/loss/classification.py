"""Classification losses: scores or probabilities against class indices, signs, or class distributions."""

from __future__ import annotations

import math
from typing import Any

from ...base import ArgumentError, ShapeError
from ...ndarray import NDArray
from .base import Loss

__all__ = ["CTCLoss", "HingeLoss", "KLDivLoss", "LogisticLoss", "SigmoidBCELoss", "SigmoidBinaryCrossEntropyLoss",
           "SoftmaxCELoss", "SoftmaxCrossEntropyLoss", "SquaredHingeLoss"]


class SigmoidBinaryCrossEntropyLoss(Loss):
    """- label · log p · pos_weight - (1 - label) · log(1 - p), with p = sigmoid(pred), averaged per item.

    pred any shape | label in [0, 1], the same number of elements | out (N,)

    from_sigmoid: True if pred is already p.
    pos_weight, in the call: weights of the positive class, which are broadcast.

    >>> loss = gluon.loss.SigmoidBinaryCrossEntropyLoss()
    >>> loss(nd.array([0, 20, -20]), nd.array([1, 1, 1])).asnumpy().round(3)       # log 2, 0 and 20
    array([ 0.693,  0.   , 20.   ], dtype=float32)
    """

    def __init__(self, from_sigmoid: bool = False, weight: Any = None, batch_axis: int = 0, **kwargs: Any) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._from_sigmoid = from_sigmoid

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None, pos_weight: Any = None) -> Any:
        """Return the loss (N,) for pred of any shape and label in [0, 1] with the same number of elements."""
        label = self._like(F, label, pred)
        loss = self._from_probability if self._from_sigmoid else self._from_logit
        return self._mean(F, loss(F, pred, label, pos_weight), sample_weight)

    @staticmethod
    def _from_logit(F, pred, label, pos_weight):
        # -log sigmoid(x) is softrelu(-x), and -log(1 - sigmoid(x)) is softrelu(x). This avoids cancellation: the
        # gradient of the shorter formula max(x, 0) - x · label + log(1 + e^-|x|) at x = 20 is 1 - 1 - 2e-9, which
        # rounds to 0
        positive = label if pos_weight is None else F.broadcast_mul(label, pos_weight)
        negative = 1.0 - label
        return positive * F.Activation(-pred, act_type="softrelu") + negative * F.Activation(pred, act_type="softrelu")

    @staticmethod
    def _from_probability(F, pred, label, pos_weight):
        tiny = 1e-12        # this keeps log(0) finite
        positive = F.log(pred + tiny) * label
        if pos_weight is not None:
            positive = F.broadcast_mul(positive, pos_weight)
        return -(positive + F.log(1.0 - pred + tiny) * (1.0 - label))


SigmoidBCELoss = SigmoidBinaryCrossEntropyLoss


class SoftmaxCrossEntropyLoss(Loss):
    """- log softmax(pred)[label], averaged per item.

    pred (N, classes) or more axes | label pred's shape without `axis`, or pred's shape | out (N,)

    axis: the axis of the classes.
    sparse_label: True if labels are class indices, in pred's shape without `axis`; otherwise they are distributions in
        pred's shape, and the loss is - Σ label · log softmax(pred).
    from_logits: True if pred is already the log softmax.

    >>> loss = gluon.loss.SoftmaxCrossEntropyLoss()
    >>> loss(nd.array([[0, 0], [20, 0]]), nd.array([1, 1])).asnumpy().round(3)      # log 2 and 20
    array([ 0.693, 20.   ], dtype=float32)
    """

    def __init__(self, axis: int = -1, sparse_label: bool = True, from_logits: bool = False, weight: Any = None,
                 batch_axis: int = 0, **kwargs: Any) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._axis = self._integer("axis", axis)
        self._sparse_label, self._from_logits = sparse_label, from_logits

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        """Return the loss (N,) for pred (N, classes) or with more axes, and label as specified by sparse_label."""
        if isinstance(pred, NDArray):
            self._check(pred.shape, label.shape)
        if not self._from_logits:
            pred = F.log_softmax(pred, axis=self._axis)
        if self._sparse_label:
            loss = -F.pick(pred, label, axis=self._axis, keepdims=True)
        else:
            loss = -F.sum(pred * F.reshape_like(label, pred), axis=self._axis, keepdims=True)
        return self._mean(F, loss, sample_weight)

    def _check(self, pred, label):
        """Raise ShapeError for class indices instead of distributions, or vice versa, which may broadcast silently."""
        if self._sparse_label:
            axis = self._axis % len(pred)
            numbers_ = (*pred[:axis], *pred[axis + 1:])
            if label in (numbers_, (*pred[:axis], 1, *pred[axis + 1:])):
                return
            hint = ("For labels that are distributions over the classes (one-hot vectors, for example), pass "
                    "sparse_label=False." if label == pred else
                    "With sparse_label=True, labels are class indices, one per prediction.")
            expected = f"expected {numbers_}"
        else:
            if math.prod(label) == math.prod(pred):
                return
            hint = "For labels that are class indices, pass sparse_label=True."
            expected = f"expected {pred}, pred's own, with sparse_label=False"
        raise ShapeError(f"{type(self).__name__}: label has shape {label} and pred has shape {pred}, {expected}. "
                         + hint, "label")


SoftmaxCELoss = SoftmaxCrossEntropyLoss


class KLDivLoss(Loss):
    """Kullback-Leibler divergence: label · (log label - pred), summed per item.

    pred any shape | label the same shape | out (N,)

    from_logits: True if pred contains log probabilities; otherwise its log softmax along `axis` is taken first.
    axis: the axis of the classes, for from_logits=False.

    >>> loss = gluon.loss.KLDivLoss(from_logits=False)
    >>> loss(nd.zeros((1, 2)), nd.array([[0.5, 0.5]])).item(), loss(nd.zeros((1, 2)), nd.array([[1, 0]])).item() > 0
    (0.0, True)
    """

    def __init__(self, from_logits: bool = True, axis: int = -1, weight: Any = None, batch_axis: int = 0,
                 **kwargs: Any) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._from_logits, self._axis = from_logits, self._integer("axis", axis)

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        """Return the loss (N,) for pred and label of the same shape."""
        if hasattr(pred, "shape") and pred.shape != label.shape:
            raise ShapeError(f"KLDivLoss: label has shape {label.shape} and pred has shape {pred.shape}, but both must "
                             "have the same shape.", "label")
        if not self._from_logits:
            pred = F.log_softmax(pred, axis=self._axis)
        loss = self._weighted(F, label * (F.log(label + 1e-12) - pred), sample_weight)
        return F.sum(loss, axis=self._batch_axis, exclude=True)


class CTCLoss(Loss):
    """Connectionist temporal classification: - log of the label's probability, summed over all alignments with pred.

    pred (N, T, C) | label (N, L) | out (N,)

    layout: the axes of pred: batch N, time T and classes C; the last class is the blank.
    label_layout: the axes of label, whose shorter rows are padded with -1.
    pred_lengths, label_lengths, in the call: (N,), the number of valid time steps or labels.

    Source: Graves et al. 2006, Connectionist Temporal Classification.

    >>> pred = nd.zeros((1, 2, 2))                  # two times, class 0 and the blank, all equally probable
    >>> np.exp(-gluon.loss.CTCLoss()(pred, nd.array([[0]])).asnumpy()).round(3)     # '00', '0_' and '_0' of 4
    array([0.75], dtype=float32)
    """

    def __init__(self, layout: str = "NTC", label_layout: str = "NT", weight: Any = None, **kwargs: Any) -> None:
        for name, value, choices in (("layout", layout, ("NTC", "TNC")), ("label_layout", label_layout, ("NT", "TN"))):
            if value not in choices:
                raise ArgumentError(f"CTCLoss: {name} is {value!r}, expected {choices[0]!r} or {choices[1]!r}")
        self._layout, self._label_layout = layout, label_layout
        super().__init__(weight, label_layout.index("N"), **kwargs)

    def hybrid_forward(self, F: Any, pred: Any, label: Any, pred_lengths: Any = None, label_lengths: Any = None,
                       sample_weight: Any = None) -> Any:
        """Return the loss (N,) for pred (N, T, C) and label (N, L)."""
        if self._layout == "NTC":
            pred = F.swapaxes(pred, dim1=0, dim2=1)
        if self._label_layout == "TN":
            label = F.swapaxes(label, dim1=0, dim2=1)
        lengths = {"data_lengths": pred_lengths, "label_lengths": label_lengths}
        arguments = {name: x for name, x in lengths.items() if x is not None}
        loss = F.CTCLoss(pred, label, **arguments, use_data_lengths=pred_lengths is not None,
                         use_label_lengths=label_lengths is not None, blank_label="last")
        return self._weighted(F, loss, sample_weight)


class HingeLoss(Loss):
    """max(margin - pred · label, 0), averaged per item.

    pred any shape | label -1 or 1, the same number of elements | out (N,)

    margin: predictions at least this far on the correct side have a loss of 0.

    >>> gluon.loss.HingeLoss()(nd.array([3, 0, -3]), nd.array([1, 1, 1])).asnumpy().tolist()
    [0.0, 1.0, 4.0]
    """

    def __init__(self, margin: float = 1, weight: Any = None, batch_axis: int = 0, **kwargs: Any) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._margin = self._number("margin", margin)

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        """Return the loss (N,) for pred of any shape and label with the same number of elements."""
        return self._mean(F, F.relu(self._margin - pred * self._like(F, label, pred)), sample_weight)


class SquaredHingeLoss(Loss):
    """max(margin - pred · label, 0)², averaged per item.

    pred any shape | label -1 or 1, the same number of elements | out (N,)

    margin: predictions at least this far on the correct side have a loss of 0.

    >>> gluon.loss.SquaredHingeLoss()(nd.array([3, 0, -3]), nd.array([1, 1, 1])).asnumpy().tolist()
    [0.0, 1.0, 16.0]
    """

    def __init__(self, margin: float = 1, weight: Any = None, batch_axis: int = 0, **kwargs: Any) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._margin = self._number("margin", margin)

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        """Return the loss (N,) for pred of any shape and label with the same number of elements."""
        return self._mean(F, F.square(F.relu(self._margin - pred * self._like(F, label, pred))), sample_weight)


class LogisticLoss(Loss):
    """log(1 + e^(-pred · label)), averaged per item.

    pred any shape | label the same number of elements | out (N,)

    label_format: 'signed' (labels -1 and 1) or 'binary' (0 and 1).

    >>> gluon.loss.LogisticLoss()(nd.array([0, 20]), nd.array([1, -1])).asnumpy().round(3)      # log 2 and 20
    array([ 0.693, 20.   ], dtype=float32)
    """

    def __init__(self, weight: Any = None, batch_axis: int = 0, label_format: str = "signed", **kwargs: Any) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        if label_format not in ("signed", "binary"):
            raise ArgumentError(f"LogisticLoss: label_format is {label_format!r}, expected 'signed' or 'binary'")
        self._label_format = label_format

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        """Return the loss (N,) for pred of any shape and label with the same number of elements."""
        label = self._like(F, label, pred)
        if self._label_format == "signed":
            label = (label + 1.0) / 2.0
        return self._mean(F, SigmoidBCELoss._from_logit(F, pred, label, None), sample_weight)
