"""Arguments of another kind for metrics, initializers and callbacks: an MXNetError that names the argument."""

import numpy as np
import pytest

import minigluon as mx
from minigluon import nd
from minigluon.base import ArgumentError

TWO = np.array([1, 2])
PERPLEXITY = "Perplexity: axis is 2, but predictions have shape (1, 2)"
CASES = {
    "a metric's axis": (lambda: mx.metric.Accuracy(axis="x"), "Accuracy: axis is 'x', expected a number"),
    "half an axis": (lambda: mx.metric.Accuracy(axis=0.5), "Accuracy: axis is 0.5, expected an integer"),
    "an axis that is true": (lambda: mx.metric.Perplexity(None, axis=True), "Perplexity: axis is True, expected an "
                             "integer"),
    "an axis too far": (lambda: mx.metric.Perplexity(None, axis=2).update([nd.array([1])], [nd.array([[.5, .5]])]),
                        PERPLEXITY),
    "no count": (lambda: mx.metric.TopKAccuracy(top_k=None), "TopKAccuracy: top_k is None, expected a number"),
    "a count of NaN": (lambda: mx.metric.TopKAccuracy(float("nan")), "TopKAccuracy: top_k is nan, expected an integer"),
    "a text as epsilon": (lambda: mx.metric.CrossEntropy("2"), "CrossEntropy: eps is '2', expected a number"),
    "an array as text": (lambda: mx.metric.F1(average=TWO), "F1: average is array([1, 2]), expected a string"),
    "an array as truth": (lambda: mx.metric.CustomMetric(max, allow_extra_outputs=TWO),
                          "CustomMetric: allow_extra_outputs is array([1, 2]), expected True or False"),
    "no list of metrics": (lambda: mx.metric.CompositeEvalMetric(2),
                           "CompositeEvalMetric: metrics is 2, expected a list of metrics"),
    "no scale": (lambda: mx.init.Uniform(None), "Uniform: scale is None, expected a number"),
    "a text as scale": (lambda: mx.init.Uniform("2"), "Uniform: scale is '2', expected a number"),
    "a list as scale": (lambda: mx.init.Orthogonal([]), "Orthogonal: scale is [], expected a number"),
    "a magnitude in words": (lambda: mx.init.Xavier(magnitude="x"), "Xavier: magnitude is 'x', expected a number"),
    "a negative magnitude": (lambda: mx.init.Xavier(magnitude=-1), "Xavier: magnitude is -1, which has no square root"),
    "a slope": (lambda: mx.init.MSRAPrelu(slope={}), "MSRAPrelu: slope is {}, expected a number"),
    "a bias": (lambda: mx.init.LSTMBias(forget_bias=()), "LSTMBias: forget_bias is (), expected a number"),
    "no batches": (lambda: mx.callback.ProgressBar(0), "ProgressBar: total is 0, expected the number of batches, at "
                   "least 1"),
    "batches in words": (lambda: mx.callback.ProgressBar("2"), "ProgressBar: total is '2', expected a number"),
    "half a character": (lambda: mx.callback.ProgressBar(2, length=0.5),
                         "ProgressBar: length is 0.5, expected a number of characters, at most 10000"),
    "a frequency": (lambda: mx.callback.Speedometer(2, frequent=None),
                    "Speedometer: frequent is None, expected a number"),
    "a period": (lambda: mx.callback.do_checkpoint("net", period=None), "do_checkpoint: period is None, expected a "
                 "number"),
    "a period of 0": (lambda: mx.callback.log_train_metric(0), "log_train_metric: period is 0, expected a number of "
                      "batches, at least 1"),
}


@pytest.mark.parametrize("case", CASES)
def test_an_argument_of_another_kind(case):
    call, message = CASES[case]
    with pytest.raises(ArgumentError) as error:
        call()
    assert str(error.value).startswith(message)


def test_what_may_be_text_or_none():
    """As in MXNet: a magnitude as text, no label to ignore, a frequency that is no integer, an array of one number."""
    assert mx.init.Xavier(magnitude="2").magnitude == 2
    assert mx.metric.Perplexity(ignore_label=None).ignore_label is None
    mx.callback.Speedometer(2, frequent=12.5)
    mx.init.Uniform(np.float32(0.1))
    mx.init.Normal(np.array(0.1))
