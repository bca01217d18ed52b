"""gluon.contrib.estimator. Lines, file names and numbers are those of MXNet 1.9.1 on the same calls."""

import functools
import logging
import re

import numpy as np
import pytest
from helpers import errors

import minigluon as mx
from minigluon import gluon
from minigluon.gluon.contrib.estimator import (
    BatchBegin,
    BatchEnd,
    BatchProcessor,
    CheckpointHandler,
    EarlyStoppingHandler,
    EpochBegin,
    EpochEnd,
    Estimator,
    LoggingHandler,
    MetricHandler,
    TrainBegin,
    TrainEnd,
    ValidationHandler,
)

pytestmark = pytest.mark.once

RANDOM = np.random.RandomState(0)
X = RANDOM.randn(40, 5).astype("float32")
Y = (X.sum(1) > 0).astype("float32")


def loader(batch_size=10):
    return gluon.data.DataLoader(gluon.data.ArrayDataset(X, Y), batch_size)


class Lines(logging.Handler):
    """Keeps what is logged, with T for times."""

    def __init__(self):
        super().__init__()
        self.lines = []

    def emit(self, record):
        self.lines.append(re.sub(r"\d+\.\d{3}s", "T", record.getMessage()))


def estimator(momentum=0.9, **options):
    net = gluon.nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(gluon.nn.Dense(2))
    net.initialize(mx.init.Constant(0.1))
    net.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.5, "momentum": momentum})
    made = Estimator(net, gluon.loss.SoftmaxCrossEntropyLoss(), trainer=trainer, **options)
    made.logger.handlers = [Lines()]
    return made


def lines(made):
    return made.logger.handlers[0].lines


message = functools.partial(errors.message, mx.base.ArgumentError)


# -- training -------------------------------------------------------------------------------------------------------


def test_epochs_with_validation():
    made = estimator()
    made.fit(loader(), loader(), epochs=2)
    assert lines(made) == [
        "Training begin: using optimizer SGD with current learning rate 0.5000 ",
        "Train for 2 epochs.",
        "[Epoch 0] Begin, current learning rate: 0.5000",
        "Validation Begin",
        "[Epoch 0] Finished in T, validation accuracy: 0.9750, validation softmaxcrossentropyloss: 0.1533",
        "[Epoch 0] Finished in T, training accuracy: 0.7250, training softmaxcrossentropyloss: 0.4843",
        "[Epoch 1] Begin, current learning rate: 0.5000",
        "Validation Begin",
        "[Epoch 0] Finished in T, validation accuracy: 0.9750, validation softmaxcrossentropyloss: 0.0682",
        "[Epoch 1] Finished in T, training accuracy: 0.9750, training softmaxcrossentropyloss: 0.0965",
        "Train finished using total 0s with 2 epochs. training accuracy: 0.9750, "
        "training softmaxcrossentropyloss: 0.0965",
    ]


def test_batches_with_a_line_for_each_second():
    made = estimator()
    made.fit(loader(), batches=6, event_handlers=LoggingHandler(2, made.train_metrics[:1]))
    assert lines(made)[1:] == [
        "Train for 6 batches.",
        "[Epoch 0] Begin, current learning rate: 0.5000",
        "[Epoch 0][Batch 0][Samples 10] time/interval: T training accuracy: 0.3000",
        "[Epoch 0][Batch 2][Samples 30] time/interval: T training accuracy: 0.6667",
        "[Epoch 0] Finished in T, training accuracy: 0.7250",
        "[Epoch 1] Begin, current learning rate: 0.5000",
        "[Epoch 1][Batch 0][Samples 50] time/interval: T training accuracy: 1.0000",
        "[Epoch 1] Finished in T, training accuracy: 1.0000",
        "Train finished using total 0s with 2 epochs. training accuracy: 1.0000",
    ]


def test_evaluate():
    made = estimator()
    made.evaluate(loader())
    names, values = zip(*[metric.get() for metric in made.val_metrics], strict=True)
    assert names == ("validation accuracy", "validation softmaxcrossentropyloss")
    assert values == (np.mean(Y == 0), pytest.approx(np.log(2), rel=1e-6))
    assert len(lines(made)) == 2


def test_two_devices_share_a_batch():
    one, two = estimator(), estimator(context=[mx.cpu(0), mx.cpu(1)])
    two.trainer = gluon.Trainer(two.net.collect_params(), "sgd", {"learning_rate": 0.5, "momentum": 0.9})
    for made in (one, two):
        made.fit(loader(), epochs=2)
    assert two.net[0].weight.list_ctx() == [mx.cpu(0), mx.cpu(1)]
    np.testing.assert_allclose(two.net[0].weight.data(mx.cpu(1)).asnumpy(), one.net[0].weight.data().asnumpy(), 1e-5)


class Witness(TrainBegin, TrainEnd, EpochBegin, EpochEnd, BatchBegin, BatchEnd):
    def __init__(self, calls, priority):
        self.calls, self.priority = calls, priority

    def train_begin(self, estimator, *args, **kwargs):
        self.calls.append(("train_begin", self.priority, sorted(kwargs)))

    def train_end(self, estimator, *args, **kwargs):
        self.calls.append(("train_end", self.priority, sorted(kwargs)))

    def epoch_begin(self, estimator, *args, **kwargs):
        self.calls.append(("epoch_begin", self.priority, sorted(kwargs)))

    def epoch_end(self, estimator, *args, **kwargs):
        self.calls.append(("epoch_end", self.priority, sorted(kwargs)))

    def batch_begin(self, estimator, *args, **kwargs):
        self.calls.append(("batch_begin", self.priority, sorted(kwargs)))

    def batch_end(self, estimator, *args, **kwargs):
        self.calls.append(("batch_end", self.priority, sorted(kwargs)))
        return True


def test_the_order_of_handlers_and_the_end_of_an_epoch():
    calls = []
    estimator().fit(loader(), epochs=1, event_handlers=[Witness(calls, 5), Witness(calls, -3000)])
    ends = ["batch", "label", "loss", "pred"]
    moments = [("train_begin", []), ("epoch_begin", []), ("batch_begin", ["batch"]), ("batch_end", ends),
               ("epoch_end", []), ("train_end", [])]
    assert calls == [(name, priority, given) for name, given in moments for priority in (-3000, 5)]


def test_a_processor_of_ones_own():
    class Twice(BatchProcessor):
        def fit_batch(self, estimator, train_batch, batch_axis=0):
            data, label, pred, loss = super().fit_batch(estimator, train_batch, batch_axis)
            seen.append((data[0].shape, label[0].shape, pred[0].shape, loss[0].shape, len(loss)))
            return data, label, pred, loss
    seen = []
    estimator(batch_processor=Twice()).fit(loader(20), epochs=1)
    assert seen == [((20, 5), (20,), (20, 2), (20,), 1)] * 2


def test_a_processor_that_takes_its_batches_apart():
    class Own(BatchProcessor):
        def fit_batch(self, estimator, train_batch, batch_axis=0):
            data, label = self._get_data_and_label(train_batch, estimator.context, batch_axis)
            seen.append([x.shape for x in data + label])
            return super().fit_batch(estimator, train_batch, batch_axis)
    seen = []
    estimator(batch_processor=Own()).fit(loader(20), epochs=1)
    assert seen == [[(20, 5), (20,)]] * 2
    with pytest.raises(mx.MXNetError, match=r"^Trainer: Parameter 'net_dense0_bias' of Dense 'net_dense0' is on "
                       r"cpu\(0\), cpu\(1\), but was on cpu\(0\) when the Trainer was made\. Make the Trainer "
                       r"after reset_ctx\.$"):
        estimator(batch_processor=Own(), context=[mx.cpu(0), mx.cpu(1)]).fit(loader(20), epochs=1)
    assert seen[2:] == [[(10, 5), (10, 5), (10,), (10,)]]


def test_validation_at_other_times():
    made = estimator()
    counts = []
    made.fit(loader(), epochs=2, event_handlers=[
        ValidationHandler(loader(), lambda **given: counts.append(sorted(given)), epoch_period=2, batch_period=3)])
    assert counts == [["batch_axis", "event_handlers", "val_data"]] * 3     # after batches 3 and 6 of 8, and epoch 2


def test_early_stopping():
    made = estimator(momentum=0)
    stopping = EarlyStoppingHandler(made.train_metrics[0], patience=1, min_delta=0.2)
    made.fit(loader(), epochs=5, event_handlers=stopping)
    assert (stopping.stopped_epoch, stopping.current_epoch) == (2, 3)
    assert lines(made)[-2] == \
        "[Epoch 2] EarlyStoppingHandler: early stopping due to training accuracy not improving"
    worse = EarlyStoppingHandler(made.train_metrics[1], mode="max", baseline=100, patience=2)
    made.fit(loader(), epochs=5, event_handlers=worse)
    assert worse.stopped_epoch == 1
    made.train_metrics[0].update = lambda labels, preds: None
    with pytest.warns(RuntimeWarning, match="training accuracy is nan, so EarlyStoppingHandler ignores this"):
        made.fit(loader(), epochs=1, event_handlers=EarlyStoppingHandler(made.train_metrics[0]))


# -- checkpoints ----------------------------------------------------------------------------------------------------


def files(folder, suffix=".params"):
    return sorted(path.name for path in folder.iterdir() if path.suffix == suffix)


def test_checkpoints_after_epochs_and_going_on(tmp_path):
    made = estimator()
    made.fit(loader(), epochs=3, event_handlers=CheckpointHandler(tmp_path, verbose=1))
    assert files(tmp_path) == [f"model-epoch{e}batch{4 * e + 4}.params" for e in range(3)]
    assert files(tmp_path, ".states") == [f"model-epoch{e}batch{4 * e + 4}.states" for e in range(3)]
    assert (tmp_path / "model-symbol.json").exists()
    assert (f"[Epoch 1] CheckpointHandler: trained total 8 batches, saving model at {tmp_path} with prefix: "
            "model-epoch1batch8") in lines(made)
    missing = (f"CheckpointHandler: {tmp_path / 'model-symbol.json'} is not saved, because the net has no graph. Use "
               "a HybridBlock and call net.hybridize() before fit.")
    assert missing not in lines(made)
    plain = estimator()
    plain.net.hybridize(False)
    plain.fit(loader(), epochs=2, event_handlers=CheckpointHandler(tmp_path))
    assert lines(plain).count(missing) == 1
    whole = estimator()
    whole.fit(loader(), epochs=5)
    resumed = estimator()
    resumed.fit(loader(), epochs=5, event_handlers=CheckpointHandler(tmp_path, resume_from_checkpoint=True))
    assert lines(resumed)[0] == \
        "CheckpointHandler: Checkpoint resumed from epoch 2 batch 12, continue to train for 2 epochs "
    assert files(tmp_path)[-1] == "model-epoch4batch20.params"
    np.testing.assert_array_equal(resumed.net[0].weight.data().asnumpy(), whole.net[0].weight.data().asnumpy())
    assert message(estimator().fit, loader(), epochs=5,
                   event_handlers=CheckpointHandler(tmp_path, resume_from_checkpoint=True)) == (
        f"CheckpointHandler: {tmp_path}/model-epoch4batch20 was saved after 5 epochs, but only 5 were requested: "
        f"nothing is left to train. Request more, or omit resume_from_checkpoint=True to start over.")


def test_checkpoints_after_batches(tmp_path):
    def handler(**options):
        return CheckpointHandler(tmp_path, epoch_period=None, batch_period=3, **options)
    scratch = estimator()
    scratch.fit(loader(), batches=7, event_handlers=handler(resume_from_checkpoint=True))
    assert lines(scratch)[0] == "CheckpointHandler: No checkpoint found, training from scratch for 7 batches"
    assert files(tmp_path) == ["model-epoch0batch2.params", "model-epoch1batch5.params"]
    resumed = estimator()
    resumed.fit(loader(), batches=10, event_handlers=handler(resume_from_checkpoint=True))
    assert lines(resumed)[0].endswith("resumed from epoch 1 batch 5, continue to train for 4 batches ")
    assert files(tmp_path)[-1] == "model-epoch2batch8.params"
    assert message(estimator().fit, loader(), epochs=2, event_handlers=handler(resume_from_checkpoint=True)) == (
        "CheckpointHandler: resume_from_checkpoint=True needs checkpoints in the unit of fit's limit, "
        "epochs, but epoch_period is None and batch_period is 3. Set the other one to None.")


def test_the_best_and_the_last_ones_are_kept(tmp_path):
    made = estimator()
    handler = CheckpointHandler(tmp_path, "mine", made.train_metrics[1], save_best=True, max_checkpoints=2, verbose=1)
    made.fit(loader(), epochs=4, event_handlers=handler)
    assert files(tmp_path) == ["mine-best.params", "mine-epoch2batch12.params", "mine-epoch3batch16.params"]
    assert any(f"training softmaxcrossentropyloss improved from inf to 0.48431, updating best model at {tmp_path} with "
               "prefix: mine-best" in line for line in lines(made))
    best = gluon.nn.HybridSequential()
    best.add(gluon.nn.Dense(2))
    best.load_parameters(str(tmp_path / "mine-best.params"))
    assert best[0].weight.shape == (2, 5)


# -- mistakes and defaults --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("loss", "names"), [
    (gluon.loss.SoftmaxCrossEntropyLoss(), ["accuracy", "softmaxcrossentropyloss"]),
    (gluon.loss.L2Loss(), ["l2loss"]), (gluon.loss.SigmoidBCELoss(), ["sigmoidbinarycrossentropyloss"]),
])
def test_default_metrics(loss, names):
    net = gluon.nn.Dense(2)
    with pytest.warns(UserWarning, match="no trainer was given: SGD with a learning rate of 0.001 is used"):
        made = Estimator(net, loss)
    assert [metric.name for metric in made.train_metrics] == [f"training {name}" for name in names]
    assert [metric.name for metric in made.val_metrics] == [f"validation {name}" for name in names]
    assert made.trainer.learning_rate == 0.001
    with pytest.warns(UserWarning, match="the net is initialized already, so initializer is not used"):
        Estimator(net, loss, initializer=mx.init.One(), trainer=made.trainer)


def test_mistakes():
    net, l2 = gluon.nn.Dense(2), gluon.loss.L2Loss()
    made = estimator()
    assert message(Estimator, net, [l2]) == \
        "Estimator: loss is [L2Loss(batch_axis=0, w=1.0)], expected a gluon.loss.Loss"
    assert message(Estimator, net, l2, train_metrics=[3]) == \
        "Estimator: metrics is 3, expected a metric or a list of metrics"
    assert message(Estimator, net, l2, context=3) == (
        "Estimator: context is 3, expected a device or a list of devices: mx.cpu(), [mx.gpu(0), mx.gpu(1)]")
    assert message(Estimator, net, l2, trainer=3) == "Estimator: trainer is 3, expected a gluon.Trainer"
    for asked in ({}, {"epochs": 1, "batches": 2}):
        assert message(made.fit, loader(), **asked) == (
            f"fit: epochs is {asked.get('epochs')} and batches is {asked.get('batches')}; expected exactly one of "
            "them, a positive number")
    for call in (lambda: made.fit(X, epochs=1), lambda: made.evaluate(X)):
        assert message(call) == ("Estimator: the data is a ndarray, expected a gluon.data.DataLoader. For arrays, use "
                                 "DataLoader(ArrayDataset(x, y), batch_size).")
    assert message(made.fit, loader(), epochs=1, event_handlers=[3]) == \
        "Estimator: event_handlers is 3, expected an EventHandler or a list of them"
    foreign = mx.metric.Accuracy(name="mine")
    for handler in (MetricHandler([foreign]), EarlyStoppingHandler(foreign)):
        assert message(made.fit, loader(), epochs=1, event_handlers=handler) == (
            f"{type(handler).__name__} has the metric 'mine', which is not one of the estimator's. Take it from "
            "estimator.train_metrics or estimator.val_metrics.")
    for wrong in ("foo", 0, 1.5):
        assert message(LoggingHandler, wrong) == (
            f"LoggingHandler: log_interval is {wrong!r}, expected a number of batches, at least 1, or 'epoch'")
    assert message(CheckpointHandler, "x", save_best=True) == (
        "CheckpointHandler with save_best=True: monitor is a NoneType, expected one metric of estimator.train_metrics "
        "or estimator.val_metrics")
    assert message(EarlyStoppingHandler, foreign, mode="most") == \
        "mode is 'most', expected 'min' or 'max', whichever is better, or 'auto'"
    with pytest.raises(mx.MXNetError, match=r"fit: train_data has no batch\. An iterator can be used only once;"):
        made.fit(gluon.data.DataLoader(gluon.data.ArrayDataset(X, Y), 10, batch_sampler=None, sampler=iter([])),
        batches=3)
