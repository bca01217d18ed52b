"""gluon.resume, and ResumeHandler: what was interrupted goes on as if it had not been."""

import os
import pathlib
import random
import signal
import threading
import types
import zipfile

import numpy as np
import pytest
from helpers import errors, resumed_training

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.base import ArgumentError, FileFormatError, MXNetError
from minigluon.common import generators as rng
from minigluon.gluon import nn
from minigluon.gluon.contrib.estimator import EpochEnd, Estimator, ResumeHandler
from minigluon.gluon.resume import Checkpoint, Checkpoints, Interrupts, Pass

pytestmark = pytest.mark.once


@pytest.fixture(autouse=True)
def _listening():
    """Ctrl-C is Python's own, also where the tests run in the background of a shell."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(autouse=True)
def _global_generators():
    state = random.getstate()
    yield
    random.setstate(state)


def press():
    os.kill(os.getpid(), signal.SIGINT)


def small(optimizer="sgd", units=2, ctx=None, **options):
    net = nn.Dense(units, in_units=3, prefix="net_")
    net.initialize(mx.init.One(), ctx=ctx)
    return net, gluon.Trainer(net.collect_params(), optimizer, {"learning_rate": 0.1, **options})


# -- a whole training -----------------------------------------------------------------------------------------------


class Presser:
    """Presses Ctrl-C as some samples are read, counted from the first one of the process."""

    def __init__(self, *moments):
        self.count, self.moments = 0, moments

    def __call__(self, what):
        self.count += 1
        if self.count in self.moments:
            press()


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """What each kind of training comes to."""
    found = {}

    def of(**how):
        key = tuple(how.items())
        if key not in found:
            found[key] = resumed_training.train(str(tmp_path_factory.mktemp("whole")), epochs=3, **how)
        return found[key]
    return of


@pytest.mark.parametrize(("how", "moments"), [
    ({"workers": 0, "hybridize": False}, [5, 90]), ({"workers": 0, "hybridize": True}, [70, 71]),
    ({"workers": 2, "hybridize": True}, None)], ids=["imperative", "hybridized", "with workers"])
def test_ctrl_c_twice_and_the_same_to_the_bit(tmp_path, undisturbed, monkeypatch, how, moments):
    wanted = undisturbed(**how)
    if moments is None:                 # samples are read in other processes: after so many batches
        step, presser = gluon.Trainer.step, Presser(7, 20)
        monkeypatch.setattr(gluon.Trainer, "step", lambda *args: presser("step") or step(*args))
        watches = [None, None]
    else:
        watches = [Presser(moment) for moment in moments]
    folder, resume = str(tmp_path), False
    for watch in watches:
        with pytest.raises(KeyboardInterrupt):
            resumed_training.train(folder, resume=resume, watch=watch, epochs=3, **how)
        resume = True
    assert resumed_training.train(folder, resume=True, epochs=3, **how) == wanted


def test_ctrl_c_while_the_checkpoint_is_written_does_not_lose_it(tmp_path, undisturbed, monkeypatch):
    wanted, write = undisturbed(workers=0, hybridize=False), Checkpoint.write

    def pressed(*args):
        press()
        press()
        press()
        write(*args)
    monkeypatch.setattr(Checkpoint, "write", staticmethod(pressed))
    with pytest.raises(KeyboardInterrupt):
        resumed_training.train(str(tmp_path), epochs=3)
    monkeypatch.undo()
    assert Checkpoints(tmp_path).newest().state["batches"] == 8         # an epoch, whose last six samples roll over
    assert resumed_training.train(str(tmp_path), resume=True, epochs=3) == wanted


def test_longer_training_goes_on_and_a_finished_one_does_nothing(tmp_path, undisturbed):
    first = resumed_training.train(str(tmp_path), epochs=2)
    again = resumed_training.train(str(tmp_path), resume=True, epochs=2)
    assert {name for name in first if first[name] != again[name]} == set()
    assert resumed_training.train(str(tmp_path), resume=True, epochs=3) == undisturbed(workers=0, hybridize=False)


def fit(folder, epochs=3, resume=False, handlers=(), context=None, on=None, batches=None, **options):
    net, trainer = on or small(ctx=context)
    estimator = Estimator(net, gluon.loss.SoftmaxCrossEntropyLoss(), trainer=trainer, context=context)
    lines = []
    estimator.logger.handlers = []
    estimator.logger.addFilter(lambda record: lines.append(record.getMessage()))
    data = gluon.data.ArrayDataset(nd.arange(24).reshape((8, 3)), nd.array([0, 1] * 4))
    handlers = [ResumeHandler(folder, resume=resume, **options), *handlers]
    estimator.fit(gluon.data.DataLoader(data, 2), epochs=None if batches else epochs, batches=batches,
                  event_handlers=handlers)
    return [line for line in lines if line.startswith("ResumeHandler")], estimator


class Enough(EpochEnd):
    """Ends training after an epoch."""

    def epoch_end(self, estimator, *args, **kwargs):
        return True


def test_a_training_that_a_handler_has_ended_is_over(tmp_path):
    fit(tmp_path, handlers=[Enough()])
    _, estimator = fit(tmp_path, resume=True, epochs=5)
    assert Checkpoints(tmp_path).names() == ["epoch0001-batch000000.checkpoint"]


def test_batches_are_counted_from_the_beginning(tmp_path):
    whole = fit(tmp_path / "whole", batches=11)[1]
    fit(tmp_path / "parts", batches=8)
    parts = fit(tmp_path / "parts", batches=11, resume=True)[1]
    assert Checkpoints(tmp_path / "parts").names() == [f"epoch000{n}-batch000000.checkpoint" for n in (1, 2, 3)]
    assert [made.train_metrics[0].num_inst for made in (whole, parts)] == [6, 6]
    assert parts.net.weight.data().asnumpy().tolist() == whole.net.weight.data().asnumpy().tolist()


def test_what_it_tells(tmp_path):
    folder = str(tmp_path / "run")
    assert fit(folder, resume=True)[0] == [f"ResumeHandler: {folder!r} has no checkpoint, training from scratch"]
    path = os.path.join(folder, "epoch0003-batch000000.checkpoint")
    assert fit(folder, epochs=4, resume=True)[0] == [
        f"ResumeHandler: continues after 3 epochs and 0 batches, from {path!r}"]
    assert fit(folder, epochs=1)[0] == [
        f"ResumeHandler: {folder!r} has a checkpoint of an earlier training, epoch0004-batch000000.checkpoint. The "
        "first one of this training replaces it; resume=True continues from it"]
    assert Checkpoints(folder).names() == ["epoch0001-batch000000.checkpoint"]


def test_periods_and_how_many_are_kept(tmp_path):
    fit(tmp_path, epoch_period=None, batch_period=3, keep=2)
    assert Checkpoints(tmp_path).names() == ["epoch0002-batch000004.checkpoint", "epoch0003-batch000000.checkpoint"]
    assert errors.message(MXNetError, ResumeHandler, tmp_path, keep=0) == "Checkpoints: keep is 0, expected at least 1"


def test_statistics_of_several_devices_stay_apart(tmp_path):
    """A file of parameters has their mean."""
    devices = [mx.cpu(0), mx.cpu(1)]

    def made():
        net = nn.HybridSequential(prefix="net_")
        net.add(nn.Dense(4, in_units=3), nn.BatchNorm(in_channels=4), nn.Dense(2, in_units=4))
        net.initialize(mx.init.One(), ctx=devices)
        return net, gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1, "momentum": 0.9})

    def values(estimator):
        return [x.asnumpy().tolist() for p in estimator.net.collect_params().values() for x in p.list_data()]
    whole = values(fit(tmp_path / "whole", context=devices, on=made())[1])
    fit(tmp_path / "parts", epochs=1, context=devices, on=made())
    assert values(fit(tmp_path / "parts", resume=True, context=devices, on=made())[1]) == whole
    path = str(tmp_path / "parts" / "epoch0003-batch000000.checkpoint")
    assert zipfile.ZipFile(path).namelist() == ["parameters.params", "devices.params", "trainer.states", "run.json"]
    net = made()[0]
    net.collect_params().reset_ctx(mx.cpu(0))
    trainer = gluon.Trainer(net.collect_params(), "sgd")
    assert errors.message(MXNetError, Checkpoint(path).load, net, trainer) == (
        f"{path!r} is of a training on 2 devices, but here are 1")


def test_gradients_that_are_added_up_are_kept(tmp_path):
    net, trainer = small()
    net.collect_params().setattr("grad_req", "add")
    with autograd.record():
        loss = net(nd.ones((1, 3))).sum()
    loss.backward()
    Checkpoint.write(tmp_path / "c", net, trainer, {})
    other, its_trainer = small()
    other.collect_params().setattr("grad_req", "add")
    Checkpoint(tmp_path / "c").load(other, its_trainer)
    assert other.weight.grad().asnumpy().tolist() == [[1.0] * 3] * 2


def test_the_scale_of_amp_is_kept(tmp_path):
    net, trainer = small()
    trainer._amp_loss_scaler = types.SimpleNamespace(_loss_scale=512.0, _unskipped=7)
    Checkpoint.write(tmp_path / "c", net, trainer, {})
    other, its_trainer = small()
    assert errors.message(MXNetError, Checkpoint(tmp_path / "c").load, other, its_trainer) == (
        f"{str(tmp_path / 'c')!r} is of a training with amp.init_trainer(trainer), unlike the one here")
    its_trainer._amp_loss_scaler = types.SimpleNamespace(_loss_scale=1.0, _unskipped=0)
    Checkpoint(tmp_path / "c").load(other, its_trainer)
    assert vars(its_trainer._amp_loss_scaler) == {"_loss_scale": 512.0, "_unskipped": 7}


# -- files ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def saved(tmp_path):
    net, trainer = small("adam")
    return pathlib.Path(Checkpoints(tmp_path / "run").save(net, trainer, 1, 2, {"loss": 0.5}))


def test_damage_is_refused(saved):
    content = saved.read_bytes()
    cases = [content[:size] for size in (0, 10, len(content) // 2, len(content) - 1)]
    for place in range(0, len(content), 37):
        changed = bytearray(content)
        changed[place] ^= 0x40
        cases.append(bytes(changed))
    texts = []
    for case in cases:
        saved.write_bytes(case)
        try:
            state = Checkpoint(saved).state
        except FileFormatError as error:
            texts.append(str(error))
        else:
            assert state == {"loss": 0.5}       # a byte that nothing depends on, such as one of a date
    refused = sum(repr(str(saved)) in text for text in texts)
    assert refused == len(texts)
    assert refused > 0.8 * len(cases)


def test_the_remedy_for_a_damaged_checkpoint(saved, tmp_path):
    net, trainer = small("adam")
    checkpoints = Checkpoints(tmp_path / "run")
    checkpoints.newest()
    path = pathlib.Path(checkpoints.save(net, trainer, 2, 0, {}))
    path.write_bytes(b"")
    begin = f"{str(path)!r} is not a checkpoint of a training, or it is damaged: File is not a zip file."
    assert errors.message(FileFormatError, checkpoints.newest) == \
        f"{begin} Remove it to resume from 'epoch0001-batch000002.checkpoint'."
    saved.unlink()
    assert errors.message(FileFormatError, checkpoints.newest) == f"{begin} Remove it to start over."
    path.unlink()
    assert checkpoints.newest() is None


def test_other_files_are_refused(tmp_path):
    path = tmp_path / "x"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.txt", "a")
    assert errors.message(FileFormatError, Checkpoint, path) == (
        f"{str(path)!r} is not a checkpoint of a training: it is an archive of a.txt")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("run.json", '{"format": "minigluon checkpoint 9"}')
    assert errors.message(FileFormatError, Checkpoint, path) == (
        f"{str(path)!r} is not a checkpoint of a training: it is a 'minigluon checkpoint 9', expected "
        "'minigluon checkpoint 1'")
    assert errors.message(MXNetError, Checkpoint, tmp_path / "none").startswith(
        f"cannot read {str(tmp_path / 'none')!r}: No such file or directory")


def test_another_training_is_refused(saved, tmp_path):
    checkpoint = Checkpoint(saved)
    assert errors.message(MXNetError, checkpoint.load, *small("sgd")) == (
        f"{str(saved)!r} is of a training with the optimizer Adam, but this trainer has SGD")
    text = errors.message(MXNetError, checkpoint.load, *small("adam", units=5))
    assert text.startswith(f"{str(saved)!r} is the checkpoint of another training: ")
    assert "shape (5, 3)" in text
    folder = tmp_path / "fit"
    fit(folder)
    net, trainer = small()
    path = str(folder / "epoch0003-batch000000.checkpoint")
    estimator = Estimator(net, gluon.loss.SoftmaxCrossEntropyLoss(), trainer=trainer, train_metrics=mx.metric.MAE())
    estimator.logger.setLevel("ERROR")
    data = gluon.data.DataLoader(gluon.data.ArrayDataset(nd.ones((4, 3)), nd.ones((4,))), 2)
    assert errors.message(MXNetError, estimator.fit, data, epochs=5,
                          event_handlers=[ResumeHandler(folder, resume=True)]) == (
        f"{path!r} is the checkpoint of another training: its metrics are ['training accuracy', 'training "
        "softmaxcrossentropyloss', 'validation accuracy', 'validation softmaxcrossentropyloss'], but here they are "
        "['training mae', 'validation mae']")


# -- the place in the data ------------------------------------------------------------------------------------------


def again(loader, count, other=None):
    """What is left after `count` batches, and what a second Pass gives from its state on."""
    first = Pass(loader)
    batches = iter(first)
    for _ in range(count):
        next(batches)
    state, here = first.state(), rng.state()
    rest = [batch.asnumpy().tolist() for batch in batches]
    second = Pass(other or loader)
    second.restore(state)
    assert second.state() == state
    rng.restore(here)
    return rest, [batch.asnumpy().tolist() for batch in second]


class Lazy(gluon.data.Sampler):
    """Draws each index when it is asked for it."""

    def __iter__(self):
        for _ in range(12):
            yield int(np.random.randint(12))

    def __len__(self):
        return 12


class Drawing:
    def __len__(self):
        return 12

    def __getitem__(self, index):
        return index + np.random.rand()


@pytest.mark.parametrize("threads", [0, 2])
def test_a_sampler_that_draws_as_it_goes_is_exact_where_nothing_else_draws(threads):
    loader = gluon.data.DataLoader(nd.arange(12), 3, sampler=Lazy(), num_workers=threads, thread_pool=True)
    rest, found = again(loader, 2)
    assert found == rest


def test_and_refused_where_something_else_does():
    text = errors.message(MXNetError, again, gluon.data.DataLoader(Drawing(), 3, sampler=Lazy()), 2)
    assert text == (
        "the training cannot be resumed exactly: the sampler yields the samples of this pass in another order than "
        "before the checkpoint. Is the data the same? A sampler must draw its order at once, or from a separate "
        "random generator.")


def test_other_data_is_refused():
    loader = gluon.data.DataLoader(nd.arange(12), 3, shuffle=True)
    with pytest.raises(MXNetError, match="Is the data the same"):
        again(loader, 2, gluon.data.DataLoader(nd.arange(14), 3, shuffle=True))


def test_a_loader_with_a_loop_of_its_own_makes_its_batches_once_more():
    class Doubled(gluon.data.DataLoader):
        def __iter__(self):
            for batch in super().__iter__():
                yield 2 * batch
    rest, found = again(Doubled(Drawing(), 3, shuffle=True), 2)
    assert found == rest
    assert len(rest) == 2


# -- Ctrl-C ---------------------------------------------------------------------------------------------------------


def test_the_third_press_does_not_wait(capfd):
    with Interrupts("saving") as interrupts:
        press()
        press()
        assert interrupts.asked
        with pytest.raises(KeyboardInterrupt):
            press()
    assert capfd.readouterr().err == "\nsaving\n"
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_program_with_a_handler_of_its_own_and_other_threads_are_left_alone():
    heard = []
    signal.signal(signal.SIGINT, lambda *args: heard.append(1))
    with Interrupts() as interrupts:
        press()
    assert (heard, interrupts.asked) == ([1], False)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    in_thread = []
    thread = threading.Thread(target=lambda: in_thread.append(Interrupts().__enter__().asked))
    thread.start()
    thread.join()
    assert in_thread == [False]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_the_handler_of_fit_is_gone_after_an_error(tmp_path):
    class Broken(EpochEnd):
        def epoch_end(self, estimator, *args, **kwargs):
            raise ArgumentError("broken")
    with pytest.raises(ArgumentError, match="broken"):
        fit(tmp_path, handlers=[Broken()])
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
