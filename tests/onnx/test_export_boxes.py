"""Suppression of boxes in onnxruntime: exactly minigluon's rows, in its order, whichever way it is written.

A file with few boxes has a matrix of overlaps and a loop, one with many has NonMaxSuppression.
"""

import numpy as np
import onnx
import pytest
from helpers.onnx_files import run_file
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from minigluon.onnx.exporter.operators.vision import box_nms

import minigluon as mx
from minigluon import nd, sym

pytestmark = pytest.mark.once

WAYS = {"Loop": 1 << 18, "NonMaxSuppression": 0}
FORMS = st.sampled_from(["corner", "center"])


def operators_of(path):
    return {node.op_type for node in onnx.load(path).graph.node}


@st.composite
def rows(draw):
    """(attributes of box_nms, rows): boxes on a grid or not, inverted ones, equal scores, classes, infinity and NaN."""
    random = np.random.default_rng(draw(st.integers(0, 1 << 32)))
    batch, count, width = draw(st.integers(1, 2)), draw(st.integers(1, 30)), draw(st.integers(6, 7))
    on_grid, form = draw(st.booleans()), draw(FORMS)
    size = (batch, count, 2)
    corners, sizes = ((random.integers(low, high, size) if on_grid else random.uniform(low, high, size))
                      for low, high in ((0, 6), (-1, 5)))
    scores = random.integers(0, 4, size[:2]) / 4 if draw(st.booleans()) else random.uniform(-0.2, 1, size[:2])
    data = np.zeros((batch, count, width), np.float32)
    data[..., 0], data[..., 1] = random.integers(-1, 3, size[:2]), scores
    data[..., 2:4], data[..., 4:6] = corners, corners + sizes if form == "corner" else sizes
    data[..., 6:] = random.uniform(size=(batch, count, width - 6))
    if draw(st.booleans()):
        data.reshape(-1)[random.integers(0, data.size, 3)] = np.nan, np.inf, -np.inf
    attributes = {
        "overlap_thresh": draw(st.sampled_from([0.0, 0.25, 1 / 3, 0.5, 0.7, 1.0, 1.5, -0.5])),
        "valid_thresh": draw(st.sampled_from([0.0, 0.01, 0.5, -1.0])), "topk": draw(st.sampled_from([-1, 1, 5, 100])),
        "id_index": draw(st.sampled_from([-1, 0])), "background_id": draw(st.sampled_from([-1, 0])),
        "force_suppress": draw(st.booleans()), "in_format": form, "out_format": draw(FORMS)}
    return attributes, data


def run_nms(way, attributes, data, opened, opset, path, monkeypatch):
    monkeypatch.setattr(box_nms, "MOST_PAIRS", WAYS[way])
    shape = tuple(None if is_open else n for n, is_open in zip(data.shape, opened, strict=True))
    mx.onnx.export_model(sym.contrib.box_nms(sym.var("data"), **attributes), None, [data.shape], np.float32, path,
                         dynamic=True, dynamic_input_shapes=[shape], opset_version=opset)
    return run_file(path, [data])[0]


@pytest.mark.parametrize("way", WAYS)
def test_rows_of_box_nms(way, tmp_path, monkeypatch):
    @settings(max_examples=12, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(rows(), st.tuples(st.booleans(), st.booleans(), st.just(False)), st.sampled_from([13, 17, 23]))
    def run(drawn, opened, opset):
        found = run_nms(way, *drawn, opened, opset, str(tmp_path / "net.onnx"), monkeypatch)
        attributes, data = drawn
        np.testing.assert_array_equal(found, nd.contrib.box_nms(nd.array(data), **attributes).asnumpy())
    run()


def test_rows_of_one_class_and_of_many_images(tmp_path, monkeypatch):
    """topk limits the work: of 5,000 rows 400 take part, in a matrix for one image, in NonMaxSuppression for eight."""
    random = np.random.default_rng(0)
    for images, operator in ((1, "Loop"), (8, "NonMaxSuppression")):
        data = random.uniform(0, 1, (images, 5000, 6)).astype(np.float32)
        data[..., 0], data[..., 4:] = random.integers(0, 3, (images, 5000)), data[..., 2:4] + data[..., 4:]
        attributes = {"topk": 400, "id_index": 0, "overlap_thresh": 0.45, "valid_thresh": 0.01}
        path = str(tmp_path / "net.onnx")
        found = run_nms("Loop", attributes, data, (False, False, False), 17, path, monkeypatch)
        assert operator in operators_of(path)
        np.testing.assert_array_equal(found, nd.contrib.box_nms(nd.array(data), **attributes).asnumpy())


@pytest.mark.parametrize("count", [16, 17, 400])
def test_only_a_few_boxes_are_a_loop(count, tmp_path):
    """In onnxruntime, the loop takes 50 times as long as NonMaxSuppression for the 400 boxes of GluonCV's SSD."""
    path = mx.onnx.export_model(sym.contrib.box_nms(sym.var("data"), id_index=0, topk=count), None, [(1, 500, 6)],
                                np.float32, str(tmp_path / "net.onnx"))
    assert ("Loop" in operators_of(path)) == (count == 16) != ("NonMaxSuppression" in operators_of(path))


@pytest.mark.parametrize("way", WAYS)
def test_rows_of_multibox_detection(way, tmp_path, monkeypatch):
    """Overlaps from the threshold on suppress, and rows that lose keep their box."""
    monkeypatch.setattr(box_nms, "MOST_PAIRS", WAYS[way])
    path = str(tmp_path / "net.onnx")

    @settings(max_examples=6, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(st.integers(0, 1 << 32), st.booleans(), st.booleans(), st.sampled_from([-1, 3, 100]),
           st.sampled_from([0.01, 0.5, 0.0]), st.sampled_from([0.25, 0.5, 0.7]))
    def run(seed, clip, force, topk, threshold, overlap):
        random = np.random.default_rng(seed)
        batch, classes, count = random.integers(1, 3), random.integers(2, 5), random.integers(1, 25)
        corners, sizes = random.integers(0, 6, (1, count, 2)), random.integers(1, 4, (1, count, 2))
        arrays = [nd.array(random.integers(0, 5, (batch, classes, count)) / 4),
                  nd.array(random.choice([0, 0, 1], (batch, 4 * count)), dtype="float32"),
                  nd.array(np.concatenate([corners, corners + sizes], 2) / 8, dtype="float32")]
        attributes = {"clip": clip, "force_suppress": force, "nms_topk": topk, "threshold": threshold,
                      "nms_threshold": overlap}
        names = ["cls_prob", "loc_pred", "anchor"]
        mx.onnx.export_model(sym.contrib.MultiBoxDetection(*map(sym.var, names), **attributes), None,
                             [x.shape for x in arrays], np.float32, path)
        found, = run_file(path, [x.asnumpy() for x in arrays])
        wanted = nd.contrib.MultiBoxDetection(*arrays, **attributes).asnumpy()
        np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-6)
    run()


def test_a_threshold_of_float64_is_compared_in_float64(tmp_path):
    """NonMaxSuppression is float32, so that other types always use the loop."""
    data = np.array([[[0, 0.9, 0, 0, 3, 1], [0, 0.8, 0, 0, 1, 1]]], np.float64)
    for threshold in (1 / 3, np.nextafter(1 / 3, 0)):
        path = mx.onnx.export_model(sym.contrib.box_nms(sym.var("data", dtype="float64"), overlap_thresh=threshold),
                                    None, [data.shape], np.float64, str(tmp_path / "net.onnx"))
        np.testing.assert_array_equal(run_file(path, [data])[0], nd.contrib.box_nms(
            nd.array(data, dtype="float64"), overlap_thresh=threshold).asnumpy())
