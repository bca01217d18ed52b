"""What goes wrong around a program: full disks, closed pipes, Ctrl-C, damaged files. And what must not grow or race."""

import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import time
import tracemalloc

import numpy as np
import pytest
from helpers import ROOT, TESTS
from helpers.memory import least
from helpers.threads import run_in_threads

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.gluon import nn
from minigluon.tools.cli import main
from minigluon.tools.cli.training import TOLD

pytestmark = pytest.mark.once

HERE = pathlib.Path(__file__).parent
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "MPLBACKEND": "agg"}
posix = pytest.mark.skipif(os.name != "posix", reason="needs POSIX processes")


def command(*args, **options):
    """Start `minigluon ...` in a process of its own."""
    environment = {**ENVIRONMENT, **options.pop("env", {})}
    return subprocess.Popen([sys.executable, "-m", "minigluon", *args], env=environment, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


def demo():
    for module in ("tqdm", "matplotlib", "sklearn"):
        pytest.importorskip(module)


# -- the command line -----------------------------------------------------------------------------------------------


@posix
def test_a_reader_that_leaves():
    """`minigluon info | head -1` says nothing of a broken pipe."""
    process = command("info", env={"PYTHONUNBUFFERED": "1"})
    process.stdout.close()              # long before the process has imported NumPy
    assert process.stderr.read() == ""
    assert process.wait(60) == 141
    process.stderr.close()


@posix
def test_a_terminal_without_unicode(tmp_path):
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    assert command("info", env=plain).communicate(timeout=60)[1] == ""
    demo()
    out, err = command("train", "--net", "mlp", "--epochs", "1", "--out", str(tmp_path),
                       env=plain).communicate(timeout=120)
    assert "parameters" in out
    assert (tmp_path / "mlp.params").exists(), err


@posix
def test_ctrl_c_while_training(tmp_path):
    demo()
    # A shell's background job, and all that it starts, would not hear of the signal.
    listening = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)
    process = command("train", "--net", "mlp", "--epochs", "100000", "--out", str(tmp_path), preexec_fn=listening)
    while "epoch 2/" not in process.stdout.readline():
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert re.fullmatch(rf"\n{re.escape(TOLD)}\n\n"
                        r"minigluon train: interrupted, saved after epoch \d+( and \d+ batches)?: "
                        rf"minigluon train --resume --out {tmp_path} continues from there\n", err)
    assert process.returncode == 130
    names = sorted(path.name for path in tmp_path.iterdir())
    assert all(name.endswith(".checkpoint") for name in names)
    assert 1 <= len(names) <= 3


@posix
def test_a_full_disk_while_training(tmp_path):
    demo()
    old = tmp_path / "mlp.params"
    old.write_bytes(b"old")
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
    process = command("train", "--net", "mlp", "--epochs", "1", "--out", str(tmp_path), preexec_fn=limit)
    err = process.communicate(timeout=120)[1]
    path = str(tmp_path / "epoch0001-batch000000.checkpoint")
    assert err == (f"minigluon train: error: cannot write {path!r}: File too large. An existing file is "
                   "unchanged.\n")
    assert process.returncode == 1
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("mlp.params", b"old")]


def test_a_folder_that_cannot_be_made(tmp_path, capsys):
    demo()
    (tmp_path / "file").write_bytes(b"")
    assert main(["train", "--out", str(tmp_path / "file")]) == 1
    assert capsys.readouterr().err == (
        f"minigluon train: error: --out {tmp_path / 'file'}: cannot create this folder (File exists). "
        "Name another one.\n")


# -- damaged files --------------------------------------------------------------------------------------------------


def trained(momentum=0.9):
    net = nn.Dense(3, in_units=4)
    net.initialize()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1, "momentum": momentum})
    step(net, trainer, nd.ones((2, 4)))
    return net, trainer


def step(net, trainer, x):
    with autograd.record():
        loss = (net(x) ** 2).sum()
    loss.backward()
    trainer.step(x.shape[0])


def test_damaged_trainer_states_are_refused_or_harmless(tmp_path):
    """Cut off anywhere, or with one bit flipped: an MXNetError, or states; never another error."""
    path = tmp_path / "trainer.states"
    trainer = trained()[1]
    trainer.save_states(str(path))
    whole = path.read_bytes()
    rng = np.random.default_rng(0)
    for length in {0, 1, len(whole) - 1, *rng.integers(0, len(whole), 40).tolist()}:
        path.write_bytes(whole[:length])
        with pytest.raises(mx.MXNetError, match=r"trainer\.states"):
            trainer.load_states(str(path))
    refused = 0
    for bit in rng.integers(0, 8 * len(whole), 200).tolist():
        damaged = bytearray(whole)
        damaged[bit // 8] ^= 1 << bit % 8
        path.write_bytes(damaged)
        try:
            trainer.load_states(str(path))
        except mx.MXNetError:
            refused += 1
    assert refused > 0
    path.write_bytes(whole)
    trainer.load_states(str(path))


# -- load -----------------------------------------------------------------------------------------------------------


def grown(work, count):
    """By how many bytes the memory that Python knows of grows over `count` calls, after as many to warm up."""
    for _ in range(count):
        work()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(count):
            work()
        return tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()


def test_training_does_not_grow():
    net = nn.HybridSequential()
    net.add(nn.Conv2D(4, 3, activation="relu"), nn.MaxPool2D(), nn.Dense(3))
    net.initialize()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"momentum": 0.9})
    x = nd.ones((2, 1, 8, 8))
    assert least(lambda: grown(lambda: step(net, trainer, x), 500), 100_000) < 100_000


def test_loading_data_does_not_grow():
    loader = gluon.data.DataLoader(gluon.data.ArrayDataset(np.ones((8, 3)), np.ones(8)), 4, shuffle=True)
    assert least(lambda: grown(lambda: list(loader), 100), 50_000) < 50_000


def test_ever_new_shapes_and_numbers_are_forgotten_again():
    mx.cpu(0).kernels.clear()
    for i in range(1, 25_000):
        (nd.zeros((i % 999 + 1, 1)) * (i / 7)).size       # noqa: B018
    from minigluon.dispatch import MAX_KERNELS
    from minigluon.frontend.arithmetic_table import ARITHMETIC
    assert len(mx.cpu(0).kernels) <= MAX_KERNELS
    assert len(ARITHMETIC["multiply"]._right) <= 10_000


def test_training_in_threads_is_training():
    """Eight threads, each with a net of its own from one set of numbers, end where one alone ends."""
    rng = np.random.default_rng(0)
    weight, x = nd.array(rng.normal(size=(3, 4))), nd.array(rng.normal(size=(5, 4)))

    def train(i):
        net = nn.Dense(3, in_units=4, prefix=f"thread{i}_")
        net.initialize()
        net.weight.set_data(weight)
        trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.01})
        for _ in range(100):
            step(net, trainer, x)
        return net.weight.data().asnumpy()

    alone = train(99)
    for found in run_in_threads(train, 8):
        np.testing.assert_array_equal(found, alone)


@posix
def test_a_process_killed_while_it_saves_states(tmp_path):
    """The file is the old one or a new one, never a part of one."""
    path = tmp_path / "trainer.states"
    trained()[1].save_states(str(path))
    program = (
        "import sys\nsys.path[:0] = sys.argv[2:]\n"
        "from test_faults import trained\ntrainer = trained()[1]\nprint('ready', flush=True)\n"
        "while True:\n    trainer.save_states(sys.argv[1])\n")
    for delay in (0.0, 0.003, 0.01):
        with subprocess.Popen([sys.executable, "-c", program, str(path), HERE, TESTS], env=ENVIRONMENT,
                              stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout.readline() == "ready\n"
            time.sleep(delay)
            process.kill()
        trained()[1].load_states(str(path))


def test_states_that_are_none(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"\x80\x04N.")
    with pytest.raises(mx.MXNetError) as caught:
        trained()[1].load_states(str(path))
    assert str(caught.value) == (f"cannot load {str(path)!r}: the 4 bytes are not states of an Updater, but a NoneType "
                                 "and a SGD")
    path.write_bytes(b"")
    with pytest.raises(mx.MXNetError) as caught:
        trained()[1].load_states(str(path))
    assert str(caught.value) == (f"cannot load {str(path)!r}: the 0 bytes are not states of an Updater, or are "
                                 f"damaged: at byte 0: 1 more bytes are needed, but 0 are left")
