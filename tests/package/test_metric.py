"""Metrics: values against MXNet 1.9.1's, composites, dicts, global sums, configurations, messages."""

import json
import math

import numpy as np
import pytest
from records import DATA
from records.metric_cases import CASES, run

import minigluon as mx
from minigluon import nd
from minigluon.base import ArgumentError, MXNetError

pytestmark = pytest.mark.once

RECORDED = json.loads((DATA / "mxnet_metrics.json").read_text())


@pytest.mark.parametrize("case", CASES)
def test_values_are_those_of_mxnet(case):
    found = run(mx, case)
    assert [name for name, _ in found] == [name for name, _ in RECORDED[case]]
    np.testing.assert_allclose([v for _, v in found], [v for _, v in RECORDED[case]], rtol=2e-6)


def test_before_the_first_update_it_is_nan():
    for kind in ("acc", "f1", "mcc", "mae", "ce", "pearsonr", "loss", "pcc"):
        assert math.isnan(mx.metric.create(kind).get()[1])


def test_several_devices_and_single_arrays():
    metric = mx.metric.Accuracy()
    metric.update([nd.array([0, 1]), nd.array([1])], [nd.array([[3, 1], [3, 1]]), nd.array([[1, 3]], ctx=mx.cpu(1))])
    assert metric.get() == ("accuracy", 2 / 3)
    assert metric.get_name_value() == [("accuracy", 2 / 3)]
    metric.reset()
    metric.update(nd.array([1]), nd.array([[1, 3]]))
    assert metric.get() == ("accuracy", 1.0)
    assert str(metric) == "EvalMetric: {'accuracy': 1.0}"


def test_update_dict_takes_the_named_arrays():
    metric = mx.metric.MAE(output_names=["y"], label_names=["t"])
    metric.update_dict({"t": nd.array([1.0]), "u": nd.array([9.0])}, {"y": nd.array([3.0]), "z": nd.array([9.0])})
    assert metric.get() == ("mae", 2.0)


def test_composite():
    metric = mx.metric.create(["acc", mx.metric.CrossEntropy(), lambda label, pred: float(len(label))])
    metric.update([nd.array([0, 1])], [nd.array([[0.5, 0.5], [0.25, 0.75]])])
    names, values = metric.get()
    assert names == ["accuracy", "cross-entropy", "custom(<lambda>)"]
    assert values == pytest.approx([1.0, (math.log(2) - math.log(0.75)) / 2, 2.0])
    assert metric.get_name_value()[0] == ("accuracy", 1.0)
    assert metric.get_metric(0).get()[1] == 1.0
    metric.reset()
    assert all(math.isnan(v) for v in metric.get()[1])
    nested = mx.metric.CompositeEvalMetric([metric, "mae"])
    assert nested.get()[0] == ["accuracy", "cross-entropy", "custom(<lambda>)", "mae"]


def test_custom_metric_with_a_sum_and_a_count():
    def wrong(label, pred):
        return int((label != pred).sum()), label.size
    metric = mx.metric.np(wrong)
    metric.update([nd.array([1, 2, 3])], [nd.array([1, 0, 0])])
    metric.update([nd.array([1])], [nd.array([1])])
    assert metric.get() == ("wrong", 0.5)
    extra = mx.metric.CustomMetric(wrong, name="first", allow_extra_outputs=True)
    extra.update([nd.array([1])], [nd.array([1]), nd.array([5])])
    assert extra.get() == ("first", 0.0)


@pytest.mark.parametrize("metric", [mx.metric.Accuracy(axis=2, name="a"), mx.metric.TopKAccuracy(3),
                                    mx.metric.Perplexity(-1), mx.metric.F1(average="micro"),
                                    mx.metric.CrossEntropy(0.1)])
def test_a_configuration_makes_the_metric_again(metric):
    config = metric.get_config()
    again = mx.metric.create(config)
    assert type(again) is type(metric)
    assert again.get_config() == config
    assert again.name == metric.name


def test_own_metric():
    @mx.metric.register
    @mx.metric.alias("biggest")
    class MyMax(mx.metric.EvalMetric):
        def __init__(self):
            super().__init__("my max")

        def update(self, labels, preds):
            self.num_inst = 1
            self.sum_metric = max(self.sum_metric, float(preds[0].asnumpy().max()))
    metric = mx.metric.create("biggest")
    metric.update(None, [nd.array([3, 4])])
    assert metric.get() == ("my max", 4.0)
    assert metric.get_global() == ("my max", 4.0)


@pytest.mark.parametrize(("call", "text"), [
    (lambda: mx.metric.Accuracy().update([nd.ones((2,))], [nd.ones((2, 3)), nd.ones((2, 3))]),
     "labels and predictions do not fit together: 1 against 2"),
    (lambda: mx.metric.Accuracy().update([nd.ones((2,))], [nd.ones((3, 3))]),
     "labels and predictions do not fit together: 2 against 3"),
    (lambda: mx.metric.TopKAccuracy(1), "TopKAccuracy: top_k is 1; use Accuracy for top_k=1"),
    (lambda: mx.metric.TopKAccuracy(2).update([nd.ones((2,))], [nd.ones((2,))]),
     "TopKAccuracy needs predictions (N, classes), found shape (2,)"),
    (lambda: mx.metric.F1(average="no"), "F1: average is 'no', expected 'macro' or 'micro'"),
    (lambda: mx.metric.PearsonCorrelation(average="no"), "PearsonCorrelation: average is 'no', expected 'macro' or "
     "'micro'"),
    (lambda: mx.metric.F1().update([nd.array([0, 1, 2])], [nd.ones((3, 2))]),
     "F1 is for two classes, found labels 0.0, 1.0, 2.0"),
    (lambda: mx.metric.Perplexity(None).update([nd.ones((3,))], [nd.ones((2, 2))]),
     "Perplexity: 3 labels for 2 predictions (2, 2)"),
    (lambda: mx.metric.PearsonCorrelation().update([nd.ones((3,))], [nd.ones((3, 1))]),
     "labels and predictions do not fit together: (3,) against (3, 1)"),
    (lambda: mx.metric.MAE(label_names=["a"]).update_dict({"b": nd.ones((1,))}, {"c": nd.ones((1,))}),
     "no array is called 'a'; there are b"),
    (lambda: mx.metric.CompositeEvalMetric().get_metric(2), "there is no metric 2 among 0"),
])
def test_messages(call, text):
    with pytest.raises(ArgumentError) as caught:
        call()
    assert str(caught.value) == text


def test_a_custom_metric_has_no_configuration():
    with pytest.raises(MXNetError, match="^CustomMetric 'max' cannot be serialized: it contains a Python function$"):
        mx.metric.np(max).get_config()
