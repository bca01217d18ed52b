"""Anchors, targets and detections: names, constants, NaN, and the messages."""

import numpy as np
import pytest
from helpers.errors import assert_refused, operator_of
from helpers.small_arrays import zeros

import minigluon as mx
from minigluon import autograd, nd
from minigluon.base import ShapeError


def test_anchors_in_a_recorded_network_are_constants():
    """As in a detector's forward pass: nothing flows back through anchors and targets."""
    x, label = nd.random.normal(shape=(2, 4, 3, 3)), nd.array([[[0, 0.1, 0.1, 0.5, 0.6]]] * 2)
    x.attach_grad()
    with autograd.record():
        anchors = nd.contrib.MultiBoxPrior(x, sizes=(0.5,))
        offsets, mask, classes = nd.contrib.MultiBoxTarget(anchors, label, nd.zeros((2, 2, 9)))
        loss = ((x.reshape((2, 36)) - offsets) * mask).sum() + classes.sum()
    loss.backward()
    np.testing.assert_array_equal(x.grad.asnumpy().reshape(2, 36), mask.asnumpy())


def test_names_of_the_textbooks():
    assert mx.contrib.nd.MultiBoxPrior is mx.nd.contrib.MultiBoxPrior
    y = mx.contrib.sym.MultiBoxPrior(mx.sym.var("data"), sizes=(0.5, 0.2), ratios=(1, 2, 0.5))
    assert y.infer_shape(data=(2, 3, 4, 5))[1] == [(1, 80, 4)]
    assert mx.sym.contrib.ROIAlign(mx.sym.var("a"), mx.sym.var("b"), pooled_size=(2, 2), spatial_scale=1).infer_shape(
        a=(2, 3, 8, 8), b=(5, 5))[1] == [(5, 3, 2, 2)]


def test_names_of_outputs_are_mxnets():
    s, v = mx.sym.contrib, [mx.sym.var(name) for name in "abcdefgh"]
    names = [s.MultiBoxTarget(*v[:3], name="t"), s.box_nms(v[0], name="n"), s.Proposal(*v[:3], name="p"),
             s.Proposal(*v[:3], output_score=True, name="q"), s.hawkesll(*v, name="h")]
    assert [y.list_outputs() for y in names] == [
        ["t_loc_target", "t_loc_mask", "t_cls_target"], ["n_output0"], ["p_output"], ["q_output", "q_score"],
        ["h_output", "h_out_state"]]


def test_nan_is_never_the_most_probable_class():
    """As in MXNet, whose search begins below all numbers; NaN in all classes is no detection."""
    nan = np.nan
    probabilities = np.array([[[0, 0, 0, 0], [0.5, nan, nan, 0.3], [nan, 0.4, nan, 0.2]]], "float32")
    anchors = np.array([[[0, 0, 0.1, 0.1], [0.2, 0.2, 0.3, 0.3], [0.4, 0.4, 0.5, 0.5], [0.6, 0.6, 0.7, 0.7]]])
    for threshold in 0.5, -1.0:
        rows = nd.contrib.MultiBoxDetection(nd.array(probabilities), zeros(1, 16), nd.array(anchors, dtype="float32"),
                                         nms_threshold=threshold).asnumpy()
        np.testing.assert_array_equal(rows[0, :, :2], np.array([[0, 0.5], [1, 0.4], [0, 0.3], [-1, -1]], "float32"))


MESSAGES = [
    (lambda: nd.contrib.MultiBoxPrior(zeros(1, 1, 2, 2), steps=(0.1, -1)),
     "_contrib_MultiBoxPrior: steps=(0.1, -1.0) must both be positive, or both be left to the shape"),
    (lambda: nd.contrib.MultiBoxTarget(zeros(1, 3, 4), zeros(2, 1, 4), zeros(2, 2, 3)),
     "_contrib_MultiBoxTarget: label has shape (2, 1, 4), expected rows of at least 5: class and corners"),
    (lambda: nd.contrib.MultiBoxTarget(zeros(1, 3, 4), zeros(2, 1, 5), zeros(2, 0, 3)),
     "_contrib_MultiBoxTarget: cls_pred has shape (2, 0, 3), expected a class at least"),
    (lambda: nd.contrib.MultiBoxDetection(zeros(1, 2, 3), zeros(1, 8), zeros(1, 3, 4)),
     "_contrib_MultiBoxDetection: loc_pred has shape (1, 8), expected (1, 12)"),
]


@pytest.mark.parametrize(("call", "message"), MESSAGES, ids=operator_of)
def test_messages(call, message):
    assert_refused(call, message, ShapeError)
