"""Losses at the end of a network: their gradients, and the messages."""

import numpy as np
import pytest
from helpers.errors import message
from helpers.small_arrays import gradient

from minigluon import nd
from minigluon.base import ShapeError
from minigluon.ops import REGISTRY

SHAPE_MESSAGES = [
    ("SoftmaxOutput", {}, [(4, 3), (3,)], "SoftmaxOutput: label has shape (3,), expected (4,)"),
    ("SoftmaxOutput", {}, [(4,), None], "SoftmaxOutput: data has shape (4,), expected at least 2 dimensions"),
    ("LinearRegressionOutput", {}, [(4, 3), (12,)],
     "LinearRegressionOutput: label has shape (12,), expected (4, 3)"),
    ("SVMOutput", {}, [(4, 3, 2), (4,)], "SVMOutput: data has shape (4, 3, 2), expected 2 dimensions"),
    ("softmax_cross_entropy", {}, [(4, 3), (3,)], "softmax_cross_entropy: label has shape (3,), expected (4,)"),
]


@pytest.mark.parametrize(("name", "attributes", "shapes", "text"), SHAPE_MESSAGES)
def test_messages_of_shape_rules(name, attributes, shapes, text):
    assert message(ShapeError, REGISTRY[name](**attributes).infer_shape, *shapes) == text


ROWS = np.random.default_rng(5).standard_normal((4, 3))
LABELS = np.array([0, 2, 1, -1.0])
ONE_HOT = np.array([[1, 0, 0], [0, 0, 1], [0, 1, 0], [0, 0, 0]])


@pytest.mark.parametrize(("attributes", "factor"), [
    ({}, 1), ({"grad_scale": 2}, 2), ({"normalization": "batch"}, 1 / 4), ({"normalization": "valid"}, 1 / 3),
    ({"use_ignore": True}, [[1], [1], [1], [0]]), ({"use_ignore": True, "ignore_label": 2}, [[1], [0], [1], [1]]),
    ({"use_ignore": True, "normalization": "valid"}, [[1 / 3], [1 / 3], [1 / 3], [0]]),
])
def test_softmax_output_gradient(attributes, factor):
    """It is that of the cross entropy, whatever the head gradient says."""
    head = np.random.default_rng(0).random((4, 3))
    y, grad = gradient(lambda x, n: nd.SoftmaxOutput(x, n, **attributes), ROWS, LABELS, head=head)
    np.testing.assert_allclose(grad, (y - ONE_HOT) * factor, rtol=1e-12)
    _, weighted = gradient(lambda x, n: nd.SoftmaxOutput(x, n, out_grad=True, **attributes), ROWS, LABELS, head=head)
    np.testing.assert_allclose(weighted, grad * head, rtol=1e-12)


def test_softmax_output_smoothing_and_probabilities():
    y, grad = gradient(lambda x, n: nd.SoftmaxOutput(x, n, smooth_alpha=.2), ROWS[:3], LABELS[:3])
    np.testing.assert_allclose(grad, y - (ONE_HOT[:3] * .8 + (1 - ONE_HOT[:3]) * .1), rtol=1e-12)
    wanted = np.full((4, 3), 1 / 3)
    y, grad = gradient(lambda x, p: nd.SoftmaxOutput(x, p, grad_scale=3, normalization="batch"), ROWS, wanted)
    np.testing.assert_allclose(grad, 3 * (y - wanted), rtol=1e-12)


@pytest.mark.parametrize(("normalization", "divisor"), [("null", 2), ("batch", 4), ("valid", 4)])
def test_softmax_output_over_places(normalization, divisor):
    x = np.random.default_rng(5).standard_normal((2, 3, 2))
    labels = np.array([[0, 1], [2, 2]])
    hot = np.eye(3)[labels].transpose(0, 2, 1)
    y, grad = gradient(lambda x, n: nd.SoftmaxOutput(x, n, multi_output=True, normalization=normalization), x, labels)
    np.testing.assert_allclose(y.sum(1), 1)
    np.testing.assert_allclose(grad, (y - hot) / divisor, rtol=1e-12)
    # the two places as an image, 1 high: all labels of an item in one row, or in as many dimensions as data
    for images, same in [(x, labels.reshape(2, 1, 2)), (x.reshape(2, 3, 1, 2), labels),
                           (x.reshape(2, 3, 1, 2), labels.reshape(2, 1, 1, 2))]:
        _, again = gradient(lambda x, n: nd.SoftmaxOutput(x, n, multi_output=True, normalization=normalization),
                            images, same)
        np.testing.assert_array_equal(again.reshape(grad.shape), grad)
    last = x.transpose(0, 2, 1).copy()
    y, grad = gradient(lambda x, n: nd.SoftmaxOutput(x, n, preserve_shape=True, normalization=normalization), last,
                       labels)
    np.testing.assert_allclose(grad, (y - np.eye(3)[labels]) / (1 if normalization == "null" else 4), rtol=1e-12)


@pytest.mark.parametrize(("name", "slope"), [
    ("LinearRegressionOutput", lambda y, t: y - t), ("LogisticRegressionOutput", lambda y, t: y - t),
    ("MAERegressionOutput", lambda y, t: np.sign(y - t)),
])
def test_regression_output_gradient(name, slope):
    targets = np.random.default_rng(8).random((4, 3))
    function = getattr(nd, name)
    y, grad = gradient(lambda x, t: function(x, t, grad_scale=1.5), ROWS, targets, head=np.full((4, 3), 7.0))
    np.testing.assert_allclose(grad, slope(y, targets) * 1.5 / 3, rtol=1e-12)
    _, grad = gradient(function, ROWS[:, :1], targets[:, 0])
    y = function(nd.array(ROWS[:, :1], dtype="float64"), nd.array(targets[:, 0], dtype="float64")).asnumpy()
    np.testing.assert_allclose(grad, slope(y, targets[:, :1]), rtol=1e-12)


def test_svm_output_gradient():
    sign = 2 * ONE_HOT[:3] - 1
    short = np.maximum(.5 - sign * ROWS[:3], 0)
    for linear in (True, False):
        _, grad = gradient(lambda x, n, linear=linear: nd.SVMOutput(
            x, n, margin=.5, regularization_coefficient=.3, use_linear=linear), ROWS[:3], LABELS[:3])
        np.testing.assert_allclose(grad, -.3 * sign * ((short > 0) if linear else 2 * short), rtol=1e-12)
