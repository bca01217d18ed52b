"""`gluon.loss`: how far predictions are from labels.

Most losses give one number for each item of the batch, the mean over all other axes. `weight` multiplies all of them;
`sample_weight`, an array that broadcasts to the loss before that mean, multiplies each.
"""

from __future__ import annotations

import math
import numbers
from typing import TYPE_CHECKING, Any, overload

from ..base import ArgumentError, ShapeError
from ..common.docstrings import share_docstring, share_sentences
from ..ndarray import NDArray
from ..symbol import Symbol
from .block import Block
from .hybrid_block import HybridBlock

__all__ = ["CTCLoss", "CosineEmbeddingLoss", "HingeLoss", "HuberLoss", "KLDivLoss", "L1Loss", "L2Loss", "LogisticLoss",
           "Loss", "PoissonNLLLoss", "SDMLLoss", "SigmoidBCELoss", "SigmoidBinaryCrossEntropyLoss", "SoftmaxCELoss",
           "SoftmaxCrossEntropyLoss", "SquaredHingeLoss", "TripletLoss"]


def _apply_weighting(F, loss, weight=None, sample_weight=None):
    """`loss` times `sample_weight`, an array that broadcasts to it, and times the number `weight`."""
    if sample_weight is not None:
        loss = F.broadcast_mul(loss, sample_weight)
    if weight is None:
        return loss
    if not isinstance(weight, numbers.Number):
        raise ArgumentError(f"_apply_weighting: weight is {weight!r}, expected a number or None. An array of weights "
                            "is given as sample_weight.")
    return loss * weight


def _reshape_like(F, x, y):
    """x in the shape of y, which has as many elements."""
    return F.reshape_like(x, y)


class Loss(HybridBlock):
    """Base of all losses: one number for each item of the batch, mostly the mean over all its other elements.

    weight: a number that multiplies the loss, or None.
    batch_axis: the axis of the items.
    sample_weight: in the call, an array that broadcasts to the loss of each element, and multiplies it.

    Raises ArgumentError where weight is no number, ShapeError where pred and label do not fit.

    >>> class Cubes(gluon.loss.Loss):
    ...     def hybrid_forward(self, F, pred, label, sample_weight=None):
    ...         return F.mean(F.abs(pred - label) ** 3, axis=self._batch_axis, exclude=True)
    >>> Cubes(weight=None, batch_axis=0)(nd.array([[1, 2]]), nd.array([[1, 4]])).item()
    4.0
    """

    def __init__(self, weight: float | None, batch_axis: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if weight is not None and not isinstance(weight, numbers.Number):
            raise ArgumentError(f"{type(self).__name__}: weight is {weight!r}, expected a number or None. Weights for "
                                "the items are given in the call, as sample_weight.")
        self._weight = weight
        self._batch_axis = batch_axis

    if TYPE_CHECKING:       # several inputs, and one result
        @overload
        def __call__(self, x: NDArray, *args: Any) -> NDArray: ...
        @overload
        def __call__(self, x: Symbol, *args: Any) -> Symbol: ...
        def __call__(self, x: Any, *args: Any) -> Any: ...

    def __repr__(self) -> str:
        return f"{type(self).__name__}(batch_axis={self._batch_axis}, w={self._weight})"

    def _weighted(self, F, loss, sample_weight, weight=None):
        return _apply_weighting(F, loss, self._weight if weight is None else weight, sample_weight)

    def _mean(self, F, loss, sample_weight, weight=None):
        """Weighted, and averaged over all axes but the batch's."""
        return F.mean(self._weighted(F, loss, sample_weight, weight), axis=self._batch_axis, exclude=True)

    def _like(self, F, label, pred, name="label"):
        """`label` in the shape of `pred`: (N,) becomes (N, 1). The number of elements must be the same."""
        for which, value in (("pred", pred), (name, label)):
            if not hasattr(value, "reshape_like"):
                raise ArgumentError(f"{type(self).__name__}: {which} must be an NDArray or Symbol, found "
                                    f"{type(value).__name__}. Convert it with nd.array(...).")
        if hasattr(pred, "shape") and label.shape != pred.shape and label.size != pred.size:
            raise ShapeError(f"{type(self).__name__}: {name} has shape {label.shape} and pred has shape {pred.shape}, "
                             "but both must have the same number of elements. The units of the last layer are how many "
                             "numbers it predicts for each item.", name)
        return F.reshape_like(label, pred)


class L2Loss(Loss):
    """weight / 2 · (label - pred)², averaged for each item.

    pred any shape | label the same number of elements | out (N,)

    >>> gluon.loss.L2Loss()(nd.array([[1, 2], [3, 4]]), nd.array([[1, 4], [7, 8]])).asnumpy().tolist()
    [1.0, 8.0]
    """

    def __init__(self, weight: Any = 1.0, batch_axis: int = 0, **kwargs: Any) -> None:
        super().__init__(weight, batch_axis, **kwargs)

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        """pred any shape, label the same number of elements, loss (N,)"""
        label = self._like(F, label, pred)
        return self._mean(F, F.square(label - pred), sample_weight, self._weight / 2)


class L1Loss(Loss):
    """|label - pred|, averaged for each item.

    pred any shape | label the same number of elements | out (N,)

    >>> gluon.loss.L1Loss()(nd.array([[1, 2], [3, 4]]), nd.array([[1, 4], [7, 8]])).asnumpy().tolist()
    [1.0, 4.0]
    """

    def __init__(self, weight: Any = None, batch_axis: int = 0, **kwargs: Any) -> None:
        super().__init__(weight, batch_axis, **kwargs)

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        """pred any shape, label the same number of elements, loss (N,)"""
        label = self._like(F, label, pred)
        return self._mean(F, F.abs(label - pred), sample_weight)


def _softplus_of_minus_abs(F, x):
    """log(1 + e^-|x|), which no x can make overflow."""
    return F.Activation(-F.abs(x), act_type="softrelu")


class SigmoidBinaryCrossEntropyLoss(Loss):
    """- label · log p · pos_weight - (1 - label) · log(1 - p), with p = sigmoid(pred), averaged for each item.

    pred any shape | label in [0, 1], the same number of elements | out (N,)

    from_sigmoid: is pred p already?
    pos_weight, in the call: weights of the positive class, to broadcast.

    >>> loss = gluon.loss.SigmoidBinaryCrossEntropyLoss()
    >>> loss(nd.array([0, 20, -20]), nd.array([1, 1, 1])).asnumpy().round(3)       # log 2, 0 and 20
    array([ 0.693,  0.   , 20.   ], dtype=float32)
    """

    def __init__(self, from_sigmoid: bool = False, weight: Any = None, batch_axis: int = 0, **kwargs: Any) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._from_sigmoid = from_sigmoid

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None, pos_weight: Any = None) -> Any:
        """pred any shape, label in [0, 1] and of the same number of elements, loss (N,)"""
        label = self._like(F, label, pred)
        loss = self._from_probability if self._from_sigmoid else self._from_logit
        return self._mean(F, loss(F, pred, label, pos_weight), sample_weight)

    @staticmethod
    def _from_logit(F, pred, label, pos_weight):
        # -log sigmoid(x) = log(1 + e^-|x|) + max(-x, 0), and -log(1 - sigmoid(x)) is x more
        if pos_weight is None:
            return F.relu(pred) - pred * label + _softplus_of_minus_abs(F, pred)
        positive = 1 + F.broadcast_mul(label, pos_weight - 1)
        return pred - pred * label + positive * (_softplus_of_minus_abs(F, pred) + F.relu(-pred))

    @staticmethod
    def _from_probability(F, pred, label, pos_weight):
        tiny = 1e-12        # so that log(0) stays finite
        positive = F.log(pred + tiny) * label
        if pos_weight is not None:
            positive = F.broadcast_mul(positive, pos_weight)
        return -(positive + F.log(1.0 - pred + tiny) * (1.0 - label))


SigmoidBCELoss = SigmoidBinaryCrossEntropyLoss


class SoftmaxCrossEntropyLoss(Loss):
    """- log softmax(pred)[label], averaged for each item.

    pred (N, classes) or more axes | label pred's shape without `axis`, or pred's shape | out (N,)

    axis: the classes.
    sparse_label: labels are class numbers, in pred's shape without `axis`; otherwise they are distributions in pred's
        shape, and the loss is - Σ label · log softmax(pred).
    from_logits: is pred log softmax already?

    >>> loss = gluon.loss.SoftmaxCrossEntropyLoss()
    >>> loss(nd.array([[0, 0], [20, 0]]), nd.array([1, 1])).asnumpy().round(3)      # log 2 and 20
    array([ 0.693, 20.   ], dtype=float32)
    """

    def __init__(self, axis: int = -1, sparse_label: bool = True, from_logits: bool = False, weight: Any = None,
                 batch_axis: int = 0, **kwargs: Any) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._axis, self._sparse_label, self._from_logits = axis, sparse_label, from_logits

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        """pred (N, classes) or more axes, label as sparse_label says, loss (N,)"""
        if hasattr(pred, "shape"):
            self._check(pred.shape, label.shape)
        if not self._from_logits:
            pred = F.log_softmax(pred, axis=self._axis)
        if self._sparse_label:
            loss = -F.pick(pred, label, axis=self._axis, keepdims=True)
        else:
            loss = -F.sum(pred * F.reshape_like(label, pred), axis=self._axis, keepdims=True)
        return self._mean(F, loss, sample_weight)

    def _check(self, pred, label):
        """Class numbers where distributions are expected, or the reverse, must not pass by way of broadcasting."""
        if self._sparse_label:
            axis = self._axis % len(pred)
            numbers_ = (*pred[:axis], *pred[axis + 1:])
            if label in (numbers_, (*pred[:axis], 1, *pred[axis + 1:])):
                return
            hint = ("For labels that are distributions over the classes (one-hot vectors, for example), pass "
                    "sparse_label=False." if label == pred else
                    "With sparse_label=True, labels are class numbers: one for each prediction.")
            expected = f"expected {numbers_}"
        else:
            if math.prod(label) == math.prod(pred):
                return
            hint = "For labels that are class numbers, pass sparse_label=True."
            expected = f"expected {pred}, pred's own, with sparse_label=False"
        raise ShapeError(f"{type(self).__name__}: label has shape {label} and pred has shape {pred}, {expected}. "
                         + hint, "label")


SoftmaxCELoss = SoftmaxCrossEntropyLoss


class KLDivLoss(Loss):
    """label · (log label - pred), summed for each item: the Kullback-Leibler divergence.

    pred any shape | label the same shape | out (N,)

    from_logits: is pred a logarithm of probabilities? Otherwise its log softmax along `axis` is taken first.
    axis: the classes, for from_logits=False.

    >>> loss = gluon.loss.KLDivLoss(from_logits=False)
    >>> loss(nd.zeros((1, 2)), nd.array([[0.5, 0.5]])).item(), loss(nd.zeros((1, 2)), nd.array([[1, 0]])).item() > 0
    (0.0, True)
    """

    def __init__(self, from_logits: bool = True, axis: int = -1, weight: Any = None, batch_axis: int = 0,
                 **kwargs: Any) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._from_logits, self._axis = from_logits, axis

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        """pred and label of the same shape, loss (N,)"""
        if hasattr(pred, "shape") and pred.shape != label.shape:
            raise ShapeError(f"KLDivLoss: label has shape {label.shape} and pred has shape {pred.shape}, but both must "
                             "have the same shape.", "label")
        if not self._from_logits:
            pred = F.log_softmax(pred, axis=self._axis)
        loss = self._weighted(F, label * (F.log(label + 1e-12) - pred), sample_weight)
        return F.sum(loss, axis=self._batch_axis, exclude=True)


class CTCLoss(Loss):
    """- log of the probability of the label, summed over all its alignments with the prediction.

    pred (N, T, C) | label (N, L) | out (N,)

    layout: the axes of pred, time T and classes C, the last of which is the blank.
    label_layout: those of label, whose rows end in -1 where they are shorter.
    pred_lengths, label_lengths, in the call: (N,), where not all times or labels count.

    Source: Graves et al. 2006, Connectionist Temporal Classification.

    >>> pred = nd.zeros((1, 2, 2))                  # two times, class 0 and the blank, all equally probable
    >>> np.exp(-gluon.loss.CTCLoss()(pred, nd.array([[0]])).asnumpy()).round(3)     # '00', '0_' and '_0' of 4
    array([0.75], dtype=float32)
    """

    def __init__(self, layout: str = "NTC", label_layout: str = "NT", weight: Any = None, **kwargs: Any) -> None:
        for name, value, known in (("layout", layout, ("NTC", "TNC")), ("label_layout", label_layout, ("NT", "TN"))):
            if value not in known:
                raise ArgumentError(f"CTCLoss: {name} is {value!r}, expected {known[0]!r} or {known[1]!r}")
        self._layout, self._label_layout = layout, label_layout
        super().__init__(weight, label_layout.index("N"), **kwargs)

    def hybrid_forward(self, F: Any, pred: Any, label: Any, pred_lengths: Any = None, label_lengths: Any = None,
                       sample_weight: Any = None) -> Any:
        """pred (N, T, C), label (N, L), loss (N,)"""
        if self._layout == "NTC":
            pred = F.swapaxes(pred, dim1=0, dim2=1)
        if self._label_layout == "TN":
            label = F.swapaxes(label, dim1=0, dim2=1)
        lengths = {"data_lengths": pred_lengths, "label_lengths": label_lengths}
        given = {name: x for name, x in lengths.items() if x is not None}
        loss = F.CTCLoss(pred, label, **given, use_data_lengths=pred_lengths is not None,
                         use_label_lengths=label_lengths is not None, blank_label="last")
        return self._weighted(F, loss, sample_weight)


class HuberLoss(Loss):
    """(label - pred)² / (2 rho) where |label - pred| ≤ rho, |label - pred| - rho / 2 beyond; averaged for each item.

    pred any shape | label the same number of elements | out (N,)

    rho: where the parabola goes over into a line.

    >>> gluon.loss.HuberLoss(rho=2)(nd.array([0, 0]), nd.array([2, 10])).asnumpy().tolist()
    [1.0, 9.0]
    """

    def __init__(self, rho: float = 1, weight: Any = None, batch_axis: int = 0, **kwargs: Any) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._rho = rho

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        """pred any shape, label the same number of elements, loss (N,)"""
        distance = F.abs(self._like(F, label, pred) - pred)
        loss = F.where(distance > self._rho, distance - 0.5 * self._rho, (0.5 / self._rho) * F.square(distance))
        return self._mean(F, loss, sample_weight)


class HingeLoss(Loss):
    """max(margin - pred · label, 0), averaged for each item.

    pred any shape | label -1 or 1, the same number of elements | out (N,)

    margin: how far on the right side a prediction must be to cost nothing.

    >>> gluon.loss.HingeLoss()(nd.array([3, 0, -3]), nd.array([1, 1, 1])).asnumpy().tolist()
    [0.0, 1.0, 4.0]
    """

    def __init__(self, margin: float = 1, weight: Any = None, batch_axis: int = 0, **kwargs: Any) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._margin = margin

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        """pred any shape, label the same number of elements, loss (N,)"""
        return self._mean(F, F.relu(self._margin - pred * self._like(F, label, pred)), sample_weight)


class SquaredHingeLoss(Loss):
    """max(margin - pred · label, 0)², averaged for each item.

    pred any shape | label -1 or 1, the same number of elements | out (N,)

    margin: how far on the right side a prediction must be to cost nothing.

    >>> gluon.loss.SquaredHingeLoss()(nd.array([3, 0, -3]), nd.array([1, 1, 1])).asnumpy().tolist()
    [0.0, 1.0, 16.0]
    """

    def __init__(self, margin: float = 1, weight: Any = None, batch_axis: int = 0, **kwargs: Any) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._margin = margin

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        """pred any shape, label the same number of elements, loss (N,)"""
        return self._mean(F, F.square(F.relu(self._margin - pred * self._like(F, label, pred))), sample_weight)


class LogisticLoss(Loss):
    """log(1 + e^(-pred · label)), averaged for each item.

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
        """pred any shape, label the same number of elements, loss (N,)"""
        label = self._like(F, label, pred)
        if self._label_format == "signed":
            label = (label + 1.0) / 2.0
        return self._mean(F, F.relu(pred) - pred * label + _softplus_of_minus_abs(F, pred), sample_weight)


class TripletLoss(Loss):
    """max(|positive - pred|² - |negative - pred|² + margin, 0), squares summed for each item.

    pred, positive, negative the same number of elements | out (N,)

    margin: how much nearer the positive must be than the negative to cost nothing.

    >>> loss = gluon.loss.TripletLoss()
    >>> loss(nd.array([[0, 0]]), nd.array([[1, 2]]), nd.array([[0, 2]])).item()     # 5 - 4 + 1
    2.0
    """

    def __init__(self, margin: float = 1, weight: Any = None, batch_axis: int = 0, **kwargs: Any) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._margin = margin

    def hybrid_forward(self, F: Any, pred: Any, positive: Any, negative: Any) -> Any:
        """pred, positive and negative of the same number of elements, loss (N,)"""
        positive = self._like(F, positive, pred, "positive")
        negative = self._like(F, negative, pred, "negative")
        gap = F.sum(F.square(positive - pred) - F.square(negative - pred), axis=self._batch_axis, exclude=True)
        return self._weighted(F, F.relu(gap + self._margin), None)


class PoissonNLLLoss(Loss):
    """pred - target · log pred, averaged over everything: minus the log likelihood of Poisson counts.

    pred any shape | target the same number of elements | out (1,)

    from_logits: is pred the logarithm of the mean?
    compute_full: add Stirling's formula for log(target!) where target > 1?
    epsilon, in the call: keeps the logarithm finite with from_logits=False.

    >>> gluon.loss.PoissonNLLLoss(from_logits=False)(nd.array([1, 3]), nd.array([5, 0])).asnumpy().round(3)
    array([2.], dtype=float32)
    """

    def __init__(self, weight: Any = None, from_logits: bool = True, batch_axis: int = 0, compute_full: bool = False,
                 **kwargs: Any) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._from_logits, self._compute_full = from_logits, compute_full

    def hybrid_forward(self, F: Any, pred: Any, target: Any, sample_weight: Any = None, epsilon: Any = 1e-08) -> Any:
        """pred any shape, target the same number of elements, loss (1,)"""
        target = self._like(F, target, pred, "target")
        loss = F.exp(pred) - target * pred if self._from_logits else pred - target * F.log(pred + epsilon)
        if self._compute_full:
            stirling = target * F.log(target) - target + 0.5 * F.log(2 * math.pi * target)
            loss = loss + F.where(target > 1, stirling, F.zeros_like(target))
        return F.mean(self._weighted(F, loss, sample_weight))


class CosineEmbeddingLoss(Loss):
    """1 - cos(input1, input2) for items labelled 1, max(cos(input1, input2) - margin, 0) for those labelled -1.

    input1, input2 (N, K) | label (N,) | out (N, 1)

    margin: up to this cosine, inputs that are to differ cost nothing.

    >>> loss = gluon.loss.CosineEmbeddingLoss()
    >>> loss(nd.array([[1, 0], [3, 4]]), nd.array([[0, 1], [3, 4]]), nd.array([1, -1])).asnumpy().tolist()
    [[1.0], [1.0]]
    """

    def __init__(self, weight: Any = None, batch_axis: int = 0, margin: float = 0, **kwargs: Any) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._margin = margin

    def hybrid_forward(self, F: Any, input1: Any, input2: Any, label: Any, sample_weight: Any = None) -> Any:
        """input1 and input2 (N, K), label (N,), loss (N, 1)"""
        input1 = self._like(F, input1, input2, "input1")
        label = F.reshape(label, shape=(-1, 1))
        cos = self._cosine_similarity(F, input1, input2)
        loss = (1 - cos) * (label == 1) + F.relu((label == -1) * (cos - self._margin))
        return self._weighted(F, loss, sample_weight)

    @staticmethod
    def _cosine_similarity(F, x, y):
        norms = F.norm(x, axis=-1) * F.norm(y, axis=-1)
        cos = F.sum(x * y, axis=-1) / F._maximum_scalar(norms, scalar=1e-12)
        return F.reshape(cos, shape=(-1, 1))


class SDMLLoss(Loss):
    """Smoothed deep metric learning: each row of x1 must be nearer to its row of x2 than to the others.

    The loss is the divergence of the softmax over minus the squared distances from a distribution that has
    1 - smoothing_parameter at the pair and the rest spread over the others.

    x1, x2 (N, K) | out (N,)

    smoothing_parameter: from 0 to 1.

    Source: Bonadiman et al. 2019, Large Scale Question Paraphrase Retrieval with Smoothed Deep Metric Learning.

    >>> loss, x, y = gluon.loss.SDMLLoss(), nd.array([[0, 0], [3, 4]]), nd.array([[3, 4], [0, 0]])
    >>> bool((loss(x, x) < loss(x, y)).asnumpy().all())
    True
    """

    def __init__(self, smoothing_parameter: float = 0.3, weight: Any = 1.0, batch_axis: int = 0, **kwargs: Any) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self.kl_loss = KLDivLoss(from_logits=True)
        self.smoothing_parameter = smoothing_parameter

    def hybrid_forward(self, F: Any, x1: Any, x2: Any) -> Any:
        """x1 and x2 (N, K), loss (N,)"""
        if hasattr(x1, "shape") and x1.shape != x2.shape:
            raise ShapeError(f"SDMLLoss: x2 has shape {x2.shape} and x1 has shape {x1.shape}, but both must have the "
                             "same shape.", "x2")
        differences = F.broadcast_sub(F.expand_dims(x1, axis=1), F.expand_dims(x2, axis=0))
        distances = F.sum(F.square(differences), axis=2)
        return self.kl_loss(F.log_softmax(-distances, axis=1), self._labels(F, distances))

    def _labels(self, F, distances):
        """(N, N): 1 - smoothing on the diagonal, smoothing / (N - 1) elsewhere."""
        ones = F.BlockGrad(F.ones_like(distances))
        row = F.cumsum(ones, axis=0)
        pairs = row == F.transpose(row)
        others = F.broadcast_sub(F.sum(ones, axis=1, keepdims=True), F.ones_like(F.sum(ones, axis=1, keepdims=True)))
        return pairs * (1 - self.smoothing_parameter) + F.broadcast_div(
            (1 - pairs) * self.smoothing_parameter, others)


share_sentences(Block, Loss)
share_docstring(Loss, CTCLoss, CosineEmbeddingLoss, HingeLoss, HuberLoss, KLDivLoss, L1Loss, L2Loss, LogisticLoss,
                PoissonNLLLoss, SDMLLoss, SigmoidBinaryCrossEntropyLoss, SoftmaxCrossEntropyLoss, SquaredHingeLoss,
                TripletLoss)
