"""Metric learning losses, which pull matching vectors together and push the others apart."""

from __future__ import annotations

from typing import Any

from ...base import ShapeError
from .base import Loss
from .classification import KLDivLoss

__all__ = ["CosineEmbeddingLoss", "SDMLLoss", "TripletLoss"]


class TripletLoss(Loss):
    """max(|positive - pred|² - |negative - pred|² + margin, 0), with squares summed per item.

    pred, positive, negative the same number of elements | out (N,)

    margin: how much closer the positive must be than the negative for a loss of 0.

    >>> loss = gluon.loss.TripletLoss()
    >>> loss(nd.array([[0, 0]]), nd.array([[1, 2]]), nd.array([[0, 2]])).item()     # 5 - 4 + 1
    2.0
    """

    def __init__(self, margin: float = 1, weight: Any = None, batch_axis: int = 0, **kwargs: Any) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._margin = self._number("margin", margin)

    def hybrid_forward(self, F: Any, pred: Any, positive: Any, negative: Any) -> Any:
        """Return the loss (N,) for pred, positive and negative with the same number of elements."""
        positive = self._like(F, positive, pred, "positive")
        negative = self._like(F, negative, pred, "negative")
        gap = F.sum(F.square(positive - pred) - F.square(negative - pred), axis=self._batch_axis, exclude=True)
        return self._weighted(F, F.relu(gap + self._margin), None)


class CosineEmbeddingLoss(Loss):
    """1 - cos(input1, input2) for items labeled 1, max(cos(input1, input2) - margin, 0) for those labeled -1.

    input1, input2 (N, K) | label (N,) | out (N, 1)

    margin: inputs labeled -1 have a loss of 0 if their cosine is at most this.

    >>> loss = gluon.loss.CosineEmbeddingLoss()
    >>> loss(nd.array([[1, 0], [3, 4]]), nd.array([[0, 1], [3, 4]]), nd.array([1, -1])).asnumpy().tolist()
    [[1.0], [1.0]]
    """

    def __init__(self, weight: Any = None, batch_axis: int = 0, margin: float = 0, **kwargs: Any) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._margin = self._number("margin", margin)

    def hybrid_forward(self, F: Any, input1: Any, input2: Any, label: Any, sample_weight: Any = None) -> Any:
        """Return the loss (N, 1) for input1 and input2 (N, K) and label (N,)."""
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
    """Smoothed deep metric learning: each row of x1 should be closer to the same row of x2 than to the others.

    The loss is the divergence between the softmax of the negative squared distances and a distribution that is 1 -
    smoothing_parameter at the matching row, with the remainder spread over the other rows.

    x1, x2 (N, K) | out (N,)

    smoothing_parameter: from 0 to 1.

    Source: Bonadiman et al. 2019, Large Scale Question Paraphrase Retrieval with Smoothed Deep Metric Learning.

    >>> loss, x, y = gluon.loss.SDMLLoss(), nd.array([[0, 0], [3, 4]]), nd.array([[3, 4], [0, 0]])
    >>> bool((loss(x, x) < loss(x, y)).asnumpy().all())
    True
    """

    def __init__(self, smoothing_parameter: float = 0.3, weight: Any = 1.0, batch_axis: int = 0, **kwargs: Any) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self.kl_loss: KLDivLoss = KLDivLoss(from_logits=True)
        self.smoothing_parameter = self._number("smoothing_parameter", smoothing_parameter)

    def hybrid_forward(self, F: Any, x1: Any, x2: Any) -> Any:
        """Return the loss (N,) for x1 and x2 (N, K)."""
        if hasattr(x1, "shape") and x1.shape != x2.shape:
            raise ShapeError(f"SDMLLoss: x2 has shape {x2.shape} and x1 has shape {x1.shape}, but both must have the "
                             "same shape.", "x2")
        differences = F.broadcast_sub(F.expand_dims(x1, axis=1), F.expand_dims(x2, axis=0))
        distances = F.sum(F.square(differences), axis=2)
        return self.kl_loss(F.log_softmax(-distances, axis=1), self._labels(F, distances))

    def _labels(self, F, distances):
        """Return labels (N, N): 1 - smoothing on the diagonal, smoothing / (N - 1) elsewhere."""
        ones = F.BlockGrad(F.ones_like(distances))
        row = F.cumsum(ones, axis=0)
        pairs = F.broadcast_equal(row, F.transpose(row))
        others = F.broadcast_sub(F.sum(ones, axis=1, keepdims=True), F.ones_like(F.sum(ones, axis=1, keepdims=True)))
        return pairs * (1 - self.smoothing_parameter) + F.broadcast_div(
            (1 - pairs) * self.smoothing_parameter, others)
