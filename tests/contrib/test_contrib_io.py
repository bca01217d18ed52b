"""mx.contrib.io and mx.contrib.tensorboard: a DataLoader for Module, and metrics for TensorBoard."""

import numpy as np
import pytest
from helpers.events import scalars

import minigluon as mx
from minigluon import gluon, nd
from minigluon.contrib.io import DataLoaderIter

pytestmark = pytest.mark.once

X, Y = np.arange(20).reshape(10, 2).astype("float32"), np.arange(10)


def test_a_loader_as_an_iterator():
    batches = DataLoaderIter(gluon.data.DataLoader(gluon.data.ArrayDataset(X, Y), 4), label_name="y")
    assert str(batches.provide_data + batches.provide_label) == \
        "[DataDesc[data,(4, 2),float32,NCHW], DataDesc[y,(4,),float32,NCHW]]"
    for _ in range(2):
        found = list(batches)
        assert [batch.pad for batch in found] == [0, 0, 2]
        assert {batch.data[0].shape for batch in found} == {(4, 2)}
        labels = np.concatenate([batch.label[0].asnumpy() for batch in found])
        assert labels.tolist() == [*range(10), 0, 0]
        assert found[0].label[0].dtype == np.float32
        batches.reset()


@pytest.mark.parametrize(("dataset", "found"), [
    (gluon.data.ArrayDataset(X, Y, Y), "batches of 3 arrays"), (gluon.data.SimpleDataset([]), "no batch"),
])
def test_loaders_of_something_else(dataset, found):
    with pytest.raises(mx.base.ArgumentError) as caught:
        DataLoaderIter(gluon.data.DataLoader(dataset, 4))
    assert str(caught.value) == f"DataLoaderIter: the loader gives {found}, expected batches of two, data and label"


def test_metrics_for_tensorboard(tmp_path):
    pytest.importorskip("tensorboardX")
    metric = mx.metric.Accuracy()
    metric.update([nd.array([1, 0])], [nd.array([[0, 1], [0, 1]])])

    class Param:
        eval_metric, epoch, nbatch = metric, 3, 7
    prefixed = mx.contrib.tensorboard.LogMetricsCallback(str(tmp_path / "train"), prefix="train")
    prefixed(Param)
    plain = mx.contrib.tensorboard.LogMetricsCallback(str(tmp_path / "plain"))
    plain(Param)
    Param.eval_metric = None
    plain(Param)
    for callback in (prefixed, plain):
        callback.summary_writer.close()
    assert scalars(next((tmp_path / "train").iterdir())) == [(3, "train-accuracy", 0.5)]
    assert scalars(next((tmp_path / "plain").iterdir())) == [(3, "accuracy", 0.5)]
