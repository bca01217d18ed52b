"""Operators on boxes, regions and grids: what the table of cases cannot say, and every message."""

import numpy as np
import pytest

import minigluon as mx
from minigluon import autograd, nd
from minigluon.base import DTypeError, ShapeError
from minigluon.ops import REGISTRY

contrib = nd.contrib


def zeros(*shape):
    return nd.zeros(shape)


def refused(call, message):
    """The first line of the error."""
    with pytest.raises(ShapeError) as caught:
        call()
    assert str(caught.value).splitlines()[0] == message


# -- gradients that are no derivatives ------------------------------------------------------------------------------


def test_suppression_sends_gradients_back_to_the_rows_that_survived():
    """The example of MXNet's documentation."""
    x = nd.array([[0, 0.5, 0.1, 0.1, 0.2, 0.2], [1, 0.4, 0.1, 0.1, 0.2, 0.2], [0, 0.3, 0.1, 0.1, 0.14, 0.14],
                  [2, 0.6, 0.5, 0.5, 0.7, 0.8]])
    x.attach_grad()
    with autograd.record():
        y = contrib.box_nms(x, overlap_thresh=0.1, coord_start=2, score_index=1, id_index=0, force_suppress=True)
    np.testing.assert_array_equal(y.asnumpy(), np.concatenate([x.asnumpy()[[3, 0]], np.full((2, 6), -1)]))
    y.backward(nd.array([[k / 10] * 6 for k in (1, 2, 3, 4)]))
    np.testing.assert_allclose(x.grad.asnumpy()[:, 0], [0.2, 0, 0, 0.1])


@pytest.mark.parametrize(("name", "attributes", "slope"), [
    ("round_ste", {}, 1), ("sign_ste", {}, 1), ("gradientmultiplier", {"scalar": -0.5}, -0.5)])
def test_gradients_pass_steps(name, attributes, slope):
    x = nd.array([-1.5, 0, 0.4])
    x.attach_grad()
    with autograd.record():
        y = (getattr(contrib, name)(x, **attributes) * nd.array([1, 2, 3])).sum()
    y.backward()
    assert x.grad.asnumpy().tolist() == [slope, 2 * slope, 3 * slope]


def test_anchors_in_a_recorded_network_are_constants():
    """As in a detector's forward pass: nothing flows back through anchors and targets."""
    x, label = nd.random.normal(shape=(2, 4, 3, 3)), nd.array([[[0, 0.1, 0.1, 0.5, 0.6]]] * 2)
    x.attach_grad()
    with autograd.record():
        anchors = contrib.MultiBoxPrior(x, sizes=(0.5,))
        offsets, mask, classes = contrib.MultiBoxTarget(anchors, label, nd.zeros((2, 2, 9)))
        loss = ((x.reshape((2, 36)) - offsets) * mask).sum() + classes.sum()
    loss.backward()
    np.testing.assert_array_equal(x.grad.asnumpy().reshape(2, 36), mask.asnumpy())


# -- what must be the same ------------------------------------------------------------------------------------------


def test_straight_windows_are_a_convolution():
    x, w = nd.random.normal(shape=(2, 4, 6, 5)), nd.random.normal(shape=(3, 4, 3, 3))
    how = {"kernel": (3, 3), "pad": (1, 1), "num_filter": 3, "no_bias": True}
    wanted = nd.Convolution(x, w, **how).asnumpy()
    offset = zeros(2, 18, 6, 5)
    np.testing.assert_allclose(contrib.DeformableConvolution(x, offset, w, **how).asnumpy(), wanted, atol=1e-5)
    np.testing.assert_allclose(contrib.ModulatedDeformableConvolution(
        x, offset, nd.ones((2, 9, 6, 5)) / 2, w, **how).asnumpy(), wanted / 2, atol=1e-5)


def test_encoding_and_decoding_are_each_others_reverse():
    rng = np.random.default_rng(0)
    anchors, boxes = (np.sort(rng.uniform(size=(1, 6, 2, 2)), 2).reshape(1, 6, 4) for _ in range(2))
    targets, mask = contrib.box_encode(nd.ones((1, 6)), nd.array([range(6)]), nd.array(anchors), nd.array(boxes),
                                       nd.zeros((4,)), nd.array([0.1, 0.1, 0.2, 0.2]))
    back = contrib.box_decode(targets, nd.array(anchors), 0.1, 0.1, 0.2, 0.2, format="corner")
    np.testing.assert_allclose(back.asnumpy(), boxes, rtol=1e-4, atol=1e-5)
    assert mask.asnumpy().min() == 1


def test_a_grid_that_changes_nothing():
    x = nd.random.normal(shape=(1, 2, 4, 5))
    identity = nd.array([[1, 0, 0, 0, 1, 0]])
    grid = nd.GridGenerator(identity, transform_type="affine", target_shape=(4, 5))
    np.testing.assert_allclose(nd.BilinearSampler(x, grid).asnumpy(), x.asnumpy(), atol=1e-5)
    np.testing.assert_allclose(contrib.BilinearResize2D(x, height=4, width=5).asnumpy(), x.asnumpy())


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


@pytest.mark.parametrize(("op", "shapes"), [
    (REGISTRY["_contrib_box_nms"](), [(1, 2 ** 31, 6)]),
    (REGISTRY["ROIPooling"](pooled_size=(2, 2), spatial_scale=1), [(1, 1, 2 ** 16, 2 ** 15), (1, 5)])])
def test_numbers_that_int32_cannot_hold_are_refused(op, shapes):
    with pytest.raises(ShapeError, match="are int32: at most 2147483647"):
        op.infer_shape(*shapes)
    op.infer_shape(*[tuple(n - (n == 2 ** 31 or n == 2 ** 15) for n in shape) for shape in shapes])


def test_nan_is_never_the_most_probable_class():
    """As in MXNet, whose search begins below all numbers; NaN in all classes is no detection."""
    nan = np.nan
    probabilities = np.array([[[0, 0, 0, 0], [0.5, nan, nan, 0.3], [nan, 0.4, nan, 0.2]]], "float32")
    anchors = np.array([[[0, 0, 0.1, 0.1], [0.2, 0.2, 0.3, 0.3], [0.4, 0.4, 0.5, 0.5], [0.6, 0.6, 0.7, 0.7]]])
    for threshold in 0.5, -1.0:
        rows = contrib.MultiBoxDetection(nd.array(probabilities), zeros(1, 16), nd.array(anchors, dtype="float32"),
                                         nms_threshold=threshold).asnumpy()
        np.testing.assert_array_equal(rows[0, :, :2], np.array([[0, 0.5], [1, 0.4], [0, 0.3], [-1, -1]], "float32"))


# -- messages -------------------------------------------------------------------------------------------------------

MESSAGES = [
    (lambda: contrib.box_iou(zeros(2, 3), zeros(2, 4)), "_contrib_box_iou: lhs has shape (2, 3), expected (2, 4)"),
    (lambda: contrib.box_nms(zeros(3, 5)), "_contrib_box_nms: coord_start=2 does not fit into rows of 5 numbers"),
    (lambda: contrib.box_nms(zeros(6)), "_contrib_box_nms: data has shape (6,), expected rows of boxes"),
    (lambda: contrib.bipartite_matching(zeros(6), threshold=1),
     "_contrib_bipartite_matching: data has shape (6,), expected rows and columns of scores"),
    (lambda: contrib.MultiBoxPrior(zeros(1, 1, 2, 2), steps=(0.1, -1)),
     "_contrib_MultiBoxPrior: steps=(0.1, -1.0) must both be positive, or both be left to the shape"),
    (lambda: contrib.MultiBoxTarget(zeros(1, 3, 4), zeros(2, 1, 4), zeros(2, 2, 3)),
     "_contrib_MultiBoxTarget: label has shape (2, 1, 4), expected rows of at least 5: class and corners"),
    (lambda: contrib.MultiBoxTarget(zeros(1, 3, 4), zeros(2, 1, 5), zeros(2, 0, 3)),
     "_contrib_MultiBoxTarget: cls_pred has shape (2, 0, 3), expected a class at least"),
    (lambda: contrib.MultiBoxDetection(zeros(1, 2, 3), zeros(1, 8), zeros(1, 3, 4)),
     "_contrib_MultiBoxDetection: loc_pred has shape (1, 8), expected (1, 12)"),
    (lambda: nd.ROIPooling(zeros(1, 1, 4, 4), zeros(2, 4), pooled_size=(2, 2), spatial_scale=1),
     "ROIPooling: rois has shape (2, 4), expected (?, 5)"),
    (lambda: contrib.ROIAlign(zeros(1, 3, 4, 4), zeros(2, 5), pooled_size=(2, 2), spatial_scale=1,
                              position_sensitive=True),
     "_contrib_ROIAlign: data has 3 channels, expected a multiple of 4, one for each bin of pooled_size=(2, 2)"),
    (lambda: contrib.PSROIPooling(zeros(1, 3, 4, 4), zeros(2, 5), pooled_size=2, output_dim=1, spatial_scale=1),
     "_contrib_PSROIPooling: data has 3 channels, expected output_dim · group_size² = 4"),
    (lambda: contrib.DeformablePSROIPooling(zeros(1, 3, 4, 4), zeros(2, 5), zeros(2, 2, 2, 2), pooled_size=2,
                                            output_dim=1, group_size=2, spatial_scale=1),
     "_contrib_DeformablePSROIPooling: data has shape (1, 3, 4, 4), expected (?, 4, ?, ?)"),
    (lambda: contrib.DeformablePSROIPooling(zeros(1, 4, 4, 4), zeros(2, 5), zeros(2, 4, 2, 2), pooled_size=2,
                                            output_dim=1, group_size=2, spatial_scale=1),
     "_contrib_DeformablePSROIPooling: trans has 4 channels, expected 2 for each class, in a number of classes that "
     "divides output_dim=1"),
    (lambda: contrib.DeformablePSROIPooling(zeros(1, 4, 4, 4), zeros(2, 5), pooled_size=0, output_dim=1,
                                            group_size=2, spatial_scale=1, no_trans=True),
     "_contrib_DeformablePSROIPooling: pooled_size=0 must be 1 or more"),
    (lambda: contrib.Proposal(zeros(2, 24, 2, 2), zeros(2, 48, 2, 2), zeros(2, 3)),
     "_contrib_Proposal: cls_prob has shape (2, 24, 2, 2): Proposal is for one image, MultiProposal for more"),
    (lambda: nd.GridGenerator(zeros(1, 6), transform_type="affine"),
     "GridGenerator: target_shape=(0, 0) must be two positive numbers, (h, w), for transform_type='affine'"),
    (lambda: nd.BilinearSampler(zeros(1, 1, 2, 2), zeros(1, 3, 2, 2)),
     "BilinearSampler: grid has shape (1, 3, 2, 2), expected (1, 2, ?, ?)"),
    (lambda: nd.Correlation(zeros(1, 1, 2, 2), zeros(1, 1, 2, 2)),
     "Correlation: data1 (1, 1, 2, 2) is too small for max_displacement=1 and kernel_size=1: pad it with pad_size"),
    (lambda: contrib.BilinearResize2D(zeros(1, 1, 2, 2), mode="odd_scale"),
     "_contrib_BilinearResize2D: mode='odd_scale' needs scale_height and scale_width"),
    (lambda: contrib.AdaptiveAvgPooling2D(zeros(1, 1, 2, 2), output_size=(1, 2, 3)),
     "_contrib_AdaptiveAvgPooling2D: output_size=(1, 2, 3) must be one or two positive numbers"),
    (lambda: contrib.DeformableConvolution(zeros(1, 3, 4, 4), zeros(1, 16, 2, 2), zeros(2, 3, 3, 3), zeros(2),
                                           kernel=(3, 3), num_filter=2, num_deformable_group=2),
     "_contrib_DeformableConvolution: num_deformable_group=2 does not divide the channels of data (1, 3, 4, 4)"),
    (lambda: contrib.interleaved_matmul_selfatt_qk(zeros(3, 2, 10), heads=2),
     "_contrib_interleaved_matmul_selfatt_qk: queries_keys_values has shape (3, 2, 10), expected a last axis of "
     "heads · 3 · head_dim, with heads=2"),
    (lambda: contrib.ifft(zeros(2, 5)),
     "_contrib_ifft: data has shape (2, 5), expected an even last axis: real and imaginary parts"),
    (lambda: contrib.count_sketch(zeros(2, 3), zeros(1, 2), zeros(1, 3), out_dim=4),
     "_contrib_count_sketch: h has shape (1, 2), expected (1, 3)"),
    (lambda: contrib.SyncBatchNorm(zeros(2, 3), *[zeros(3)] * 4, key="a", ndev=2),
     "_contrib_SyncBatchNorm: ndev=2: statistics over several devices are not available. Use BatchNorm, which takes "
     "those of each device's part of the batch."),
]


@pytest.mark.parametrize(("call", "message"), MESSAGES, ids=lambda x: x.split(":")[0] if isinstance(x, str) else "")
def test_messages(call, message):
    refused(call, message)


def test_whole_numbers_are_refused():
    with pytest.raises(DTypeError) as caught:
        contrib.box_iou(nd.zeros((2, 4), dtype="int32"), nd.zeros((2, 4), dtype="int32"))
    assert str(caught.value).splitlines()[0] == (
        "_contrib_box_iou: lhs is int32, expected a floating-point dtype. Convert with .astype('float32').")
