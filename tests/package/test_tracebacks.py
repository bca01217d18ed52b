"""What a person sees of a traceback: the program's frames, and how many of this package's are hidden."""

import logging
import sys
import textwrap
import traceback
import unittest

import pytest
from helpers.frames import count_frames, frames_of, printed
from helpers.processes import environment, run_code

import minigluon as mx
from minigluon import autograd, gluon, nd, sym
from minigluon.diagnostics import tracebacks
from minigluon.gluon import nn


class Net(gluon.HybridBlock):
    """The product of what two layers give, which do not fit."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.body = nn.HybridSequential()
            self.body.add(nn.Dense(4), nn.HybridSequential())
            self.body[1].add(nn.Dense(3))

    def hybrid_forward(self, F, x):
        h = self.body(x)
        return F.dot(h, h)


class Items(gluon.data.Dataset):
    """A dataset whose second item does not exist."""

    def __len__(self):
        return 4

    def __getitem__(self, index):
        if index == 1:
            raise KeyError("no such item")
        return nd.ones((2,))


def call(hybridized, layers=None):
    net = Net() if layers is None else layers
    net.initialize()
    if hybridized:
        net.hybridize()
    net(nd.ones((2, 5)))
    net(nd.ones((2, 6)))


def imperative():
    call(False)


def hybridized():
    call(True)


def library_layers():
    net = nn.HybridSequential()
    net.add(nn.Dense(4), nn.Conv2D(2, 3))
    call(True, net)


def another_shape():
    call(True, nn.Dense(3))


def backward():
    x = nd.ones((2,))
    x.attach_grad()
    with autograd.record():
        y = x * x
    y.backward()
    y.backward()


def stale_gradient():
    net = nn.Dense(3, in_units=2)
    net.initialize()
    trainer = gluon.Trainer(net.collect_params(), "sgd")
    trainer.step(1)


def a_step_that_does_not_fit():
    net = nn.Dense(3, in_units=2)
    net.initialize()
    trainer = gluon.Trainer(net.collect_params(), "sgd")
    step = gluon.TrainStep(net, gluon.loss.L2Loss(), trainer)
    step(nd.ones((4, 7)), nd.ones((4, 3)))


def worker_thread():
    for _ in gluon.data.DataLoader(Items(), batch_size=2, num_workers=1, thread_pool=True):
        pass


def worker_process():
    for _ in gluon.data.DataLoader(Items(), batch_size=2, num_workers=1):
        pass


def no_worker():
    for _ in gluon.data.DataLoader(Items(), batch_size=2):
        pass


def module():
    net = mx.mod.Module(sym.dot(sym.var("data"), sym.var("w")), label_names=None)
    net.bind([("data", (2, 5))])
    net.init_params()
    net.forward(mx.io.DataBatch([nd.ones((2, 3, 4))]))


def bind():
    x = sym.FullyConnected(sym.var("x"), num_hidden=3, name="fc")
    sym.dot(x, x).simple_bind(mx.cpu(), x=(2, 5))


@pytest.mark.parametrize(("action", "count"), [
    (imperative, 3), (hybridized, 2), (library_layers, 2), (another_shape, 2), (backward, 1), (stale_gradient, 1),
    (a_step_that_does_not_fit, 1), (no_worker, 2), (worker_thread, 2), (module, 1), (bind, 1)])
def test_the_programs_frames_alone_are_shown(action, count):
    """At most 7, as the program has no more than 3 of its own here."""
    assert frames_of(action) == count


@pytest.mark.once
def test_an_error_in_a_worker_process_shows_the_programs_frames_on_both_sides():
    assert frames_of(worker_process) == 2


def caught(action):
    with pytest.raises(Exception) as found:
        action()
    return found.value


def test_the_exception_keeps_its_frames_and_its_chain():
    error = caught(imperative)
    before = error.__traceback__
    text = printed(error)
    assert error.__traceback__ is before
    assert "minigluon/" in "".join(traceback.format_exception(error))
    assert "frames of minigluon hidden: MINIGLUON_TRACEBACK=full shows them)" in text.splitlines()[0]
    assert "minigluon/ops" not in text
    assert [frame.name for frame in tracebacks.shown(error)][-1] == "hybrid_forward"
    record = logging.LogRecord("a", 40, "b", 1, "c", (), (type(error), error, error.__traceback__))
    assert "minigluon/" in logging.Formatter().format(record)


def test_causes_are_shortened_and_shown():
    def mistake():
        try:
            imperative()
        except mx.MXNetError as error:
            raise ValueError("the net does not fit the data") from error
    error = caught(mistake)
    text = printed(error)
    assert text.count("dot: the last axis of lhs") == 1
    assert "minigluon/" not in text
    assert error.__cause__.__traceback__.tb_next.tb_next.tb_next is not None


@pytest.mark.parametrize("hybrid", [False, True])
def test_a_mistake_inside_hybrid_forward_is_shown_like_one(hybrid):
    def forward(F, x):
        return undefined_name(F, x)         # noqa: F821
    net = nn.HybridLambda(forward)
    assert [f.name for f in tracebacks.shown(caught(lambda: call(hybrid, net)))][-3:] == ["<lambda>", "call", "forward"]


def test_an_error_of_the_packages_own_is_shown_whole(monkeypatch):
    monkeypatch.setattr(sys.modules["minigluon.ndarray.imperative"], "find_kernel", None)
    error = caught(lambda: nd.ones((3,)) * nd.ones((3,)) + nd.ones((17, 4, 1, 3)))
    assert isinstance(error, TypeError)
    assert "minigluon/ndarray" in printed(error)
    assert "hidden" not in printed(error)


def test_full_shows_all(monkeypatch):
    error = caught(imperative)
    short = count_frames(error)
    monkeypatch.setenv("MINIGLUON_TRACEBACK", "full")
    assert count_frames(error) > short + 5
    assert "hidden" not in printed(error)
    assert len(tracebacks.shown(error)) == len(traceback.extract_tb(error.__traceback__))


def test_another_value_is_refused_at_the_import(monkeypatch):
    monkeypatch.setenv("MINIGLUON_TRACEBACK", "none")
    assert str(caught(tracebacks.install)) == "MINIGLUON_TRACEBACK must be short or full, found 'none'"


def test_unittest_shows_the_same():
    class Test(unittest.TestCase):
        def test_it(self):
            imperative()
    result = unittest.TestResult()
    Test("test_it").run(result)
    (_, text), = result.errors
    assert text.count('  File "') == 4      # the test, and three
    assert "minigluon/" not in text


PROGRAM = """
    import threading
    import minigluon as mx

    def work():
        mx.nd.dot(mx.nd.ones((2, 3)), mx.nd.ones((2, 3)))

    def test_work():
        work()

    if __name__ == "__main__":
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        work()
"""


@pytest.mark.once
def test_a_program_and_its_threads():
    lines = run_code(PROGRAM).stderr.splitlines()
    own = [line for line in lines if line.startswith("  File") and "threading.py" not in line]
    assert [line.rpartition(" ")[2] for line in own] == ["work", "<module>", "work"]
    assert sum(line.endswith("frames of minigluon hidden: MINIGLUON_TRACEBACK=full shows them)") for line in lines) == 2


@pytest.mark.once
def test_pytest_shows_the_same(tmp_path):
    import subprocess
    (tmp_path / "test_it.py").write_text(textwrap.dedent(PROGRAM))
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_it.py"], cwd=tmp_path,
                          env=environment(PYTEST_ADDOPTS=""), capture_output=True, text=True, timeout=120)
    places = [line for line in done.stdout.splitlines() if ".py:" in line and "FAILED" not in line]
    assert [line.partition(":")[0] for line in places] == ["test_it.py", "test_it.py"]


@pytest.mark.once
def test_ipython_shows_the_same():
    pytest.importorskip("IPython")
    done = run_code("""
        from IPython.core.interactiveshell import InteractiveShell
        shell = InteractiveShell.instance(colors="NoColor")
        shell.run_cell("import minigluon as mx")
        shell.run_cell("def work():\\n    mx.nd.dot(mx.nd.ones((2, 3)), mx.nd.ones((2, 3)))")
        shell.run_cell("work()")
    """)
    text = done.stdout + done.stderr
    assert "dot: the last axis of lhs" in text
    assert "minigluon/" not in text
    assert "frames of minigluon hidden" in text
