"""`minigluon train` with checkpoints: Ctrl-C, --resume, --lr find, --tensorboard. In this process, to be quick."""

import os
import re
import shutil
import signal
from types import SimpleNamespace

import pytest
from helpers.events import scalars
from helpers.stripes import png_size, write_stripes

from minigluon.gluon.resume import Checkpoints
from minigluon.tools import cli
from minigluon.tools.cli import plots, train_options, training

pytest.importorskip("tqdm", reason="tqdm is not installed")
pytest.importorskip("matplotlib", reason="matplotlib is not installed")

pytestmark = pytest.mark.once


@pytest.fixture(autouse=True)
def _listening():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="module")
def stripes(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stripes")
    write_stripes(folder)
    return str(folder)


@pytest.fixture
def pressed(monkeypatch):
    """Press Ctrl-C in the batch of this number, of all that are trained from now on."""
    def at(*numbers):
        step, counted = training.Training._step, []
        def _step(self, x, y):
            counted.append(None)
            for number in numbers:
                if len(counted) == number:
                    os.kill(os.getpid(), signal.SIGINT)
            step(self, x, y)
        monkeypatch.setattr(training.Training, "_step", _step)
    return at


@pytest.fixture
def train(stripes, capfd, monkeypatch):
    """Run the command without its plots, which take longer than the rest. Returns (exit status, lines, errors)."""
    monkeypatch.setattr(plots, "learning_curve", lambda *args: None)
    monkeypatch.setattr(plots, "mistakes", lambda *args: [])

    def run(out, *options, data=True):
        given = ["--data", stripes, "--net", "mlp", "--epochs", "3", "--batch-size", "16"] if data else []
        status = cli.main(["train", "--out", str(out), *given, *options])
        told = capfd.readouterr()
        return status, told.out.splitlines(), told.err
    return run


def same(a, b):
    """Are the parameters, and all losses and accuracies, those of an undisturbed run?"""
    histories = [Checkpoints(folder).newest().state["history"] for folder in (a, b)]
    return [(a / "mlp.params").read_bytes() == (b / "mlp.params").read_bytes(), histories[0] == histories[1]]


@pytest.mark.parametrize("options", [[], ["--momentum", "0.9", "--decay"]])
def test_ctrl_c_and_resume(tmp_path, train, pressed, options):
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    assert train(whole, *options)[0] == 0
    pressed(11)
    status, _, err = train(parts, *options)
    assert status == 130
    assert err == (f"\n{training.TOLD}\n\nminigluon train: interrupted, saved after epoch 1 and 3 batches: minigluon "
                   f"train --resume --out {parts} continues from there\n")
    path = parts / "epoch0001-batch000003.checkpoint"
    status, lines, _ = train(parts, "--resume", data=False)
    assert status == 0
    assert lines[1] == f"resuming after epoch 1 and 3 batches, from {path}"
    assert [line.split(":")[0] for line in lines[2:5]] == ["epoch 2/3", "epoch 3/3", "test accuracy 100.00%"]
    assert same(whole, parts) == [True, True]
    assert Checkpoints(parts).names() == [path.name, *(f"epoch000{n}-batch000000.checkpoint" for n in (2, 3))]


def test_longer(tmp_path, train):
    train(tmp_path / "whole", "--epochs", "4")
    train(tmp_path / "parts")
    _, lines, _ = train(tmp_path / "parts", "--resume", "--epochs", "4", data=False)
    assert lines[2].startswith("epoch 4/4: ")
    assert same(tmp_path / "whole", tmp_path / "parts") == [True, True]


def test_nothing_to_resume_and_something_that_is_replaced(tmp_path, train):
    out = tmp_path / "out"
    assert train(out, "--resume", "--epochs", "2")[1][1] == (
        f"{out} has no checkpoint: training starts from the beginning")
    assert train(out, "--epochs", "1")[1][1] == (
        f"{out} has a checkpoint of an earlier run, after epoch 2: --resume would continue it. The first checkpoint of "
        "this run replaces it")
    assert Checkpoints(out).names() == ["epoch0001-batch000000.checkpoint"]


def test_before_the_first_checkpoint(tmp_path, train, monkeypatch):
    def pressed(*args):
        raise KeyboardInterrupt
    monkeypatch.setattr(training.Training, "__init__", pressed)
    status, _, err = train(tmp_path)
    assert (status, err) == (130, "\nminigluon train: interrupted, before the first checkpoint: the same command "
                                  "starts from the beginning\n")


def test_other_options_than_the_checkpoints_are_refused(tmp_path, train):
    train(tmp_path, "--epochs", "1")
    status, _, err = train(tmp_path, "--resume", "--batch-size", "32", data=False)
    path = str(tmp_path / "epoch0001-batch000000.checkpoint")
    assert (status, err) == (1, f"minigluon train: error: --resume: {path!r} was trained with --batch-size 16, not 32. "
                                "Leave out --batch-size, or leave out --resume to start from the beginning.\n")


def test_decay_reduces_the_rate_after_each_epoch(tmp_path, train, monkeypatch):
    rates, step = [], training.Training._step
    monkeypatch.setattr(training.Training, "_step", lambda self, *args: (
        step(self, *args), rates.append(self.trainer.learning_rate)))
    _, lines, _ = train(tmp_path, "--decay", "--lr", "0.06", "--momentum", "0.5", "--epochs", "4")
    assert lines[0].endswith("sgd with learning rate 0.06 (falling) and momentum 0.5, cpu(0)")
    assert rates[::8] == pytest.approx([0.06, 0.045, 0.03, 0.015])


def test_settings_that_are_not_given_depend_on_the_data():
    def settings(*options, checkpoint=None):
        chosen = vars(train_options.chosen(cli._parser().parse_args(["train", *options]), checkpoint))
        return [chosen[name] for name in ("epochs", "lr", "momentum", "decay")]
    assert settings() == [6, 0.05, 0.9, True]
    assert settings("--no-decay", "--lr", "0.1") == [6, 0.1, 0.9, False]
    assert settings("--data", "digits") == [20, 0.2, 0, False]
    assert settings("--data", "mnist", "--momentum", "0.5") == [5, 0.1, 0.5, False]
    early = {"data": "mnist", "net": "lenet", "epochs": 3, "lr": 0.1, "seed": 0}        # without momentum and decay
    assert settings(checkpoint=SimpleNamespace(state={"settings": early}, path="")) == [3, 0.1, 0, False]
    with pytest.raises(SystemExit):
        settings("--momentum", "1")


def test_damage(tmp_path, train):
    train(tmp_path, "--epochs", "2")
    path = tmp_path / "epoch0002-batch000000.checkpoint"
    shutil.copyfile(tmp_path / "mlp.params", path)
    status, _, err = train(tmp_path, "--resume", data=False)
    assert (status, err) == (1, f"minigluon train: error: {str(path)!r} is not a checkpoint of a training, or it is "
                                f"damaged: File is not a zip file. Remove it to resume from "
                                "'epoch0001-batch000000.checkpoint'.\n")


def test_lr_find_trains_as_with_that_rate(tmp_path, train):
    _, lines, _ = train(tmp_path / "found", "--lr", "find", "--epochs", "1")
    path = tmp_path / "found" / "learning-rate.png"
    rate, = re.fullmatch(rf"the loss falls fastest at learning rate ([\d.]+): {path}", lines[0]).groups()
    assert png_size(path) == (480, 840)
    assert 0.001 < float(rate) < 1
    train(tmp_path / "given", "--lr", rate, "--epochs", "1")
    assert same(tmp_path / "found", tmp_path / "given") == [True, True]


def test_tensorboard(tmp_path, train):
    pytest.importorskip("tensorboardX")
    train(tmp_path / "out", "--tensorboard", str(tmp_path / "events"), "--epochs", "2")
    file, = (tmp_path / "events").iterdir()
    assert [(step, name) for step, name, _ in scalars(file)] == [
        (epoch, name) for epoch in (1, 2) for name in ("loss", "accuracy", "test_accuracy")]
