"""The checks of step 8, with expected values computed by NumPy."""

import numpy as np

from ..... import ndarray as nd
from .....gluon import loss
from .....ops.nn.softmax import _log_softmax_grad, log_normalized
from ...checking import check, expect, same

PRED = np.array([[2.0, 1.0, 0.0], [0.0, 3.0, 0.0]], "float32")


def _logs(x, axis=-1):
    x = np.asarray(x, "float64")
    return (x - np.log(np.exp(x).sum(axis, keepdims=True))).astype("float32")


@check("log_normalized", "the log-probabilities")
def normalizes() -> None:
    for axis in (1, 0):
        same(f"log_normalized of {PRED.tolist()} along axis {axis}", log_normalized(PRED, axis), _logs(PRED, axis),
             "x - log Σ eˣ, so that the exponentials of the result add up to 1")
    same("the array afterwards", PRED, np.array([[2, 1, 0], [0, 3, 0]], "float32"), "x is only read")
    large = np.array([[1000.0, 0.0], [-1000.0, -1000.0]], "float32")
    same("log_normalized of [[1000, 0], [-1000, -1000]]", log_normalized(large, 1),
         np.array([[0, -1000], [-np.log(2), -np.log(2)]], "float32"), "e^1000 is too large for a float; subtract the "
         "largest element first")


@check("_log_softmax_grad.write", "the gradient of the scores")
def differentiates() -> None:
    g = np.array([[-1.0, 0.0, 0.5], [0.25, -1.0, 3.0]], "float32")
    for axis in (1, 0):
        y = _logs(PRED, axis)
        expected = g - np.exp(y) * g.sum(axis, keepdims=True)
        target = np.zeros_like(g)
        actual = _log_softmax_grad.write(g, y, axis, target, None)
        case = f"log_softmax along axis {axis} of scores {PRED.tolist()} with g = {g.tolist()}: the gradient"
        same(case, actual, expected, "g - eʸ · Σ g")
        same(f"{case}, in target", target, expected, "it is written into target")
        row = np.full_like(g.sum(axis, keepdims=True), 7)
        same(f"{case} with memory for the sum", _log_softmax_grad.write(g, y, axis, target, row), expected,
             "the old content of row does not matter")
        same("the content of row afterwards", row, g.sum(axis, keepdims=True), "the sum is written into the given "
             "memory")
        same(f"{case}, where target is the memory of y", _log_softmax_grad.write(g, y, axis, y, None), expected,
             "g is needed until the end, and only target may be written")


@check("_apply_weighting", "weights multiply")
def weights() -> None:
    values, weight = nd.array([[1, 2], [3, 4]]), nd.array([[1], [0.5]])
    same("loss [[1, 2], [3, 4]] with sample_weight [[1], [0.5]]", loss._apply_weighting(nd, values, None, weight),
         np.array([[1, 2], [1.5, 2]], "float32"), "each row is multiplied by its weight")
    same("the same with weight=2", loss._apply_weighting(nd, values, 2, weight), np.array([[2, 4], [3, 4]], "float32"),
         "and everything is multiplied by the number")
    same("loss [[1, 2], [3, 4]] without weights", loss._apply_weighting(nd, values), values.asnumpy(),
         "None changes nothing")


@check("Loss._mean", "one number per item")
def averages() -> None:
    values = nd.array(np.arange(12).reshape(2, 3, 2))
    same("loss (2, 3, 2) with batch_axis=0: the mean", loss.Loss(None, 0)._mean(nd, values, None),
         values.asnumpy().mean((1, 2)), "over all axes except the batch axis")
    same("loss (2, 3, 2) with batch_axis=1: the mean", loss.Loss(None, 1)._mean(nd, values, None),
         values.asnumpy().mean((0, 2)), "the items are along batch_axis")
    weight = nd.array(np.array([1, 0.5]).reshape(2, 1, 1))
    same("the mean with weight=3 and sample_weight [1, 0.5]", loss.Loss(3, 0)._mean(nd, values, weight),
         values.asnumpy().mean((1, 2)) * np.array([3, 1.5], "float32"), "weights multiply before the mean")
    same("the mean with weight=3, when the call passes 5", loss.Loss(3, 0)._mean(nd, values, None, 5),
         values.asnumpy().mean((1, 2)) * 5, "the weight of the call goes to self._weighted")


@check("L2Loss.hybrid_forward", "half the squared difference")
def squares() -> None:
    pred, label = nd.array([[1, 2], [3, 4]]), nd.array([[1, 4], [7, 8]])
    same("L2Loss of [[1, 2], [3, 4]] and [[1, 4], [7, 8]]", loss.L2Loss()(pred, label), np.array([1, 8], "float32"),
         "(0 + 4) / 2 / 2 and (16 + 16) / 2 / 2: the mean, and half of it")
    same("the same with weight=3", loss.L2Loss(weight=3)(pred, label), np.array([3, 24], "float32"),
         "three times as much")
    same("the same with sample_weight [1, 0]", loss.L2Loss()(pred, label, nd.array([[1], [0]])),
         np.array([1, 0], "float32"), "sample_weight goes to self._mean")
    same("L2Loss of pred (2, 1) and label (2,)", loss.L2Loss()(nd.array([[1], [2]]), nd.array([1, 4])),
         np.array([0, 2], "float32"), "the label takes the shape of pred first; (2, 1) against (2,) would broadcast to "
         "(2, 2)")


@check("SigmoidBinaryCrossEntropyLoss._from_logit", "binary classification from a score")
def decides() -> None:
    pred, label = np.array([0.0, 2.0, -1.0, 3.0, -2.0]), np.array([1.0, 1.0, 0.0, 0.25, 1.0])
    p = 1 / (1 + np.exp(-pred))
    measure = loss.SigmoidBinaryCrossEntropyLoss()
    for weight in (None, np.array([2.0, 3.0, 4.0, 0.5, 1.0]), np.array([3.0])):
        factor = 1 if weight is None else weight
        expected = -label * np.log(p) * factor - (1 - label) * np.log(1 - p)
        actual = measure._from_logit(nd, nd.array(pred), nd.array(label), None if weight is None else nd.array(weight))
        same(f"scores {pred.tolist()} with labels {label.tolist()} and pos_weight "
             f"{None if weight is None else weight.tolist()}: the loss", actual, expected.astype("float32"),
             "- label · log p · pos_weight - (1 - label) · log(1 - p)", 1e-4)
    for weight in (None, nd.array([2, 2, 2, 2])):
        actual = measure._from_logit(nd, nd.array([200, 200, -200, -200]), nd.array([1, 0, 0, 1]), weight)
        factor = 1 if weight is None else 2
        same(f"scores 200, 200, -200, -200 with labels 1, 0, 0, 1, pos_weight {None if weight is None else 2}: the "
             "loss", actual, np.array([0, 200, 0, 200 * factor], "float32"), "e^200 is too large for a float: use "
             "log(1 + e^-|x|) and max(-x, 0)")


@check("SoftmaxCrossEntropyLoss.hybrid_forward", "minus the log-probability of the correct class")
def classifies() -> None:
    pred, logs = nd.array(PRED), _logs(PRED)
    Measure = loss.SoftmaxCrossEntropyLoss
    case = f"scores {PRED.tolist()}"
    same(f"{case} with labels [0, 2]: the loss", Measure()(pred, nd.array([0, 2])), -logs[[0, 1], [0, 2]],
         "minus the log-probability of the label's class")
    same("log-probabilities with from_logits=True and labels [0, 2]: the loss",
         Measure(from_logits=True)(nd.array(logs * 2), nd.array([0, 2])), -2 * logs[[0, 1], [0, 2]],
         "with from_logits, pred is already log_softmax")
    shares = np.array([[0.5, 0.5, 0.0], [0.0, 0.75, 0.25]], "float32")
    expected = -(logs * shares).sum(1)
    same(f"{case} with probabilities {shares.tolist()} as labels: the loss",
         Measure(sparse_label=False)(pred, nd.array(shares)), expected, "minus the sum of probability times logarithm")
    deep = nd.array(np.stack([PRED, PRED * 2, PRED - 1], 2))        # (2, 3 classes, 3)
    logs = _logs(deep.asnumpy(), 1)
    labels = np.array([[0, 1, 2], [2, 1, 1]])
    picked = -np.take_along_axis(logs, labels[:, None], 1)[:, 0].mean(1)
    same("scores (2, 3, 3) with the classes along axis 1: the loss", Measure(axis=1)(deep, nd.array(labels)), picked,
         "the classes are along self._axis; then the mean over all other positions")
    weight = np.array([[[1.0, 0.5, 0.0]], [[2.0, 1.0, 1.0]]], "float32")
    weighted = (-np.take_along_axis(logs, labels[:, None], 1) * weight).mean((1, 2))
    same("the same with sample_weight (2, 1, 3): the loss", Measure(axis=1)(deep, nd.array(labels), nd.array(weight)),
         weighted, "the axis of the classes stays, with length 1, so that sample_weight broadcasts")
    soft = np.abs(np.stack([PRED, PRED + 1, PRED * 0], 2)) / 7
    same("scores (2, 3, 3), probabilities along axis 1 as labels: the loss",
         Measure(axis=1, sparse_label=False)(deep, nd.array(soft)), -(logs * soft).sum(1).mean(1),
         "the sum runs over self._axis")
    same("the same with sample_weight (2, 1, 3): the loss",
         Measure(axis=1, sparse_label=False)(deep, nd.array(soft), nd.array(weight)),
         (-(logs * soft).sum(1, keepdims=True) * weight).mean((1, 2)), "here, the axis of the classes also stays")
    expect(Measure()(pred, nd.array([0, 2])).shape == (2,), "a loss has one number per item")
