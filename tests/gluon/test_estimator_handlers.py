"""The Estimator's handlers that MXNet does not have: tables, TensorBoard, bars, and the learning-rate finder."""

import csv
import io
import sys

import numpy as np
import pytest
from helpers import errors
from helpers.events import scalars

import minigluon as mx
from minigluon import gluon
from minigluon.base import ArgumentError, MXNetError
from minigluon.common import generators as rng
from minigluon.gluon import nn
from minigluon.gluon.contrib.estimator import (
    CSVLogHandler,
    Estimator,
    LearningRateFinder,
    ProgressBarHandler,
    ResumeHandler,
    TensorBoardHandler,
)

pytestmark = pytest.mark.once

RANDOM = np.random.RandomState(0)
X = RANDOM.randn(40, 5).astype("float32")
LOADER = gluon.data.DataLoader(gluon.data.ArrayDataset(X, (X.sum(1) > 0).astype("float32")), 10, shuffle=True)


def estimator(units=2, optimizer="sgd", **options):
    net = nn.HybridSequential(prefix="net_")
    net.add(nn.Dense(8, activation="relu"), nn.Dropout(0.3), nn.Dense(units))
    net.initialize(mx.init.Xavier())
    trainer = gluon.Trainer(net.collect_params(), optimizer, {"learning_rate": 0.1, **options})
    made = Estimator(net, gluon.loss.SoftmaxCrossEntropyLoss(), trainer=trainer)
    made.logger.setLevel("ERROR")
    return made


def fit(epochs, *handlers, folder=None, resume=False):
    mx.random.seed(1)
    more = [] if folder is None else [ResumeHandler(folder, resume=resume)]
    estimator().fit(LOADER, LOADER, epochs=epochs, event_handlers=[*more, *handlers])


def test_a_table_goes_on_behind_the_rows_of_the_checkpoint(tmp_path):
    path = tmp_path / "log.csv"
    fit(2, CSVLogHandler(path), folder=tmp_path)
    with open(path, "a") as file:
        file.write("3,12,0.1,half a ro")            # of an epoch whose checkpoint was not written any more
    fit(3, CSVLogHandler(path), folder=tmp_path, resume=True)
    with open(path) as file:
        rows = list(csv.DictReader(file))
    assert [(row["epoch"], row["batches"], row["learning rate"]) for row in rows] == [
        ("1", "4", "0.1"), ("2", "8", "0.1"), ("3", "12", "0.1")]
    assert list(rows[0])[3:] == ["seconds", "training accuracy", "training softmaxcrossentropyloss",
                                 "validation accuracy", "validation softmaxcrossentropyloss"]
    whole = tmp_path / "whole.csv"
    fit(3, CSVLogHandler(whole))
    with open(whole) as file:
        for row, other in zip(rows, csv.DictReader(file), strict=True):
            assert {**row, "seconds": 0} == {**other, "seconds": 0}


def test_tensorboard(tmp_path):
    pytest.importorskip("tensorboardX")
    fit(2, TensorBoardHandler(tmp_path / "events"), folder=tmp_path / "run")
    fit(3, TensorBoardHandler(tmp_path / "events"), folder=tmp_path / "run", resume=True)
    points = [point for file in sorted((tmp_path / "events").iterdir()) for point in scalars(file)]
    names = ["learning_rate", "training_accuracy", "training_softmaxcrossentropyloss", "validation_accuracy",
             "validation_softmaxcrossentropyloss"]
    assert [point[:2] for point in points] == [(epoch, name) for epoch in (1, 2, 3) for name in names]


def test_tensorboard_without_its_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "tensorboardX", None)
    assert errors.message(MXNetError, TensorBoardHandler, "events") == (
        "tensorboardX is not installed. Install what TensorBoardHandler needs with: pip install "
        '"minigluon[tensorboard]"')


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("by", ["tqdm", "rich"])
def test_bars(by, monkeypatch, capfd):
    pytest.importorskip(by)
    fit(2, ProgressBarHandler(by=by))
    assert capfd.readouterr() == ("", "")           # no terminal, no bar
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    if by == "rich":
        import rich
        monkeypatch.setattr(rich, "_console", rich.console.Console(file=terminal, force_terminal=True))
    fit(2, ProgressBarHandler(by=by))
    told = terminal.getvalue()
    assert all(text in told for text in ("epoch 1/2", "epoch 2/2", "0/4"))


def test_a_bar_by_something_else_is_refused():
    assert errors.message(ArgumentError, ProgressBarHandler, by="hand") == (
        "ProgressBarHandler: by is 'hand', expected 'tqdm' or 'rich'")


# -- the learning-rate finder ---------------------------------------------------------------------------------------


def all_of(made):
    return ([p.data().asnumpy().tolist() for p in made.net.collect_params().values()],
            made.trainer._updaters[0].get_states(dump_optimizer=True))


def test_after_the_test_all_is_as_before():
    made = estimator(optimizer="adam", lr_scheduler=mx.lr_scheduler.FactorScheduler(5, 0.5, base_lr=0.1))
    made.fit(LOADER, epochs=1)
    before, numbers = all_of(made), rng.state()
    rate = LearningRateFinder(steps=30).run(made, LOADER)
    assert 1e-4 < rate < 5
    assert all_of(made) == before
    assert str(rng.state()) == str(numbers)


def test_the_rates_grow_by_a_factor_and_the_test_ends_where_the_loss_explodes():
    finder = LearningRateFinder(start=1e-3, end=1e5, steps=41)
    with np.errstate(all="ignore"):
        finder.run(estimator(), LOADER)
    assert finder.rates[:6] == pytest.approx([1e-3 * 10 ** (n / 5) for n in range(6)])
    assert len(finder.rates) == len(finder.losses) < 41


def test_a_loss_that_does_not_fall():
    made = estimator()
    made.loss = made.val_loss = gluon.loss.SoftmaxCrossEntropyLoss(weight=0)
    finder = LearningRateFinder(start=0.01, steps=12)
    assert errors.message(MXNetError, finder.run, made, LOADER) == (
        "LearningRateFinder: the loss does not fall with any rate from 0.01 on. Start with a smaller one, or look for "
        "the mistake elsewhere.")


def test_its_arguments():
    assert errors.message(ArgumentError, LearningRateFinder, start=1, end=0.1) == (
        "LearningRateFinder: start is 1, end is 0.1 and steps is 100; expected 0 < start < end and at least 10 steps")
