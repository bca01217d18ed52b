"""Warnings carry the file and line of the program that caused them, however deep in the package they arise."""

import ast
import logging
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from helpers import ROOT

import minigluon as mx
from minigluon import gluon, nd
from minigluon.diagnostics import strictness
from minigluon.gluon import nn
from minigluon.recordio import MXRecordIO

pytestmark = pytest.mark.once


def test_all_warnings_go_through_one_function():
    """`warnings.warn` counts frames, whose number depends on the way to it; `strictness.warn` looks for the program."""
    places = []
    for path in [*(ROOT / "minigluon").rglob("*.py"), *(ROOT / "minigluon_accel" / "minigluon_accel").rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and node.attr in ("warn", "warn_explicit") \
                    and isinstance(node.value, ast.Name) and node.value.id == "warnings":
                places.append(path.name)
    assert set(places) == {"strictness.py"}


DATA = mx.sym.var("data")
NET = mx.sym.SoftmaxOutput(mx.sym.FullyConnected(DATA, num_hidden=2, name="fc"), name="softmax")


def batches(label_name="softmax_label"):
    return mx.io.NDArrayIter(np.ones((4, 3), "float32"), np.zeros(4, "float32"), 2, label_name=label_name)


def other_labels():
    mx.mod.Module(NET, label_names=("other_label",))


def other_labels_in_buckets():
    mx.mod.BucketingModule(lambda key: (NET, ("data",), ("other_label",)), default_bucket_key=3)


def other_labels_bound():
    mx.mod.Module(NET).bind([("data", (2, 3))], [("softmax_label", (2,)), ("other_label", (2,))])


def initialized_twice():
    module = mx.mod.Module(NET)
    module.bind([("data", (2, 3))], [("softmax_label", (2,))])
    module.init_params()
    module.init_params()


def other_rescaling():
    optimizer = mx.optimizer.create("sgd", rescale_grad=3.0)
    module = mx.mod.Module(NET)
    module.logger = logging.getLogger("quiet")
    module.fit(batches(), num_epoch=1, optimizer=optimizer)


def feed_forward():
    mx.model.FeedForward(NET)


def hybrid_children():
    net = nn.Sequential()
    net.add(nn.Dense(2))
    net.hybridize()


def plain_children():
    net = nn.Sequential()
    net.add(gluon.Block())
    net.hybridize()


def replaced():
    mx.init.register(type("TwiceNamed", (mx.init.Initializer,), {}))
    mx.init.register(type("TwiceNamed", (mx.init.Initializer,), {}))


def truncated_records():
    with MXRecordIO("cut.rec", "w") as file:
        file.write(b"whole")
        file.write(b"cut off")
    path = Path("cut.rec")
    path.write_bytes(path.read_bytes()[:-4])
    with MXRecordIO("cut.rec", "r") as file:
        while file.read() is not None:
            pass


def infinite_norm():
    gluon.utils.clip_global_norm([nd.array([float("inf")])], 1)


def unused_attribute():
    nd.zeros_like(nd.ones(2), foo=1)


@pytest.mark.parametrize("action", [
    other_labels, other_labels_in_buckets, other_labels_bound, initialized_twice, other_rescaling, feed_forward,
    hybrid_children, plain_children, replaced, truncated_records, infinite_norm, unused_attribute],
    ids=lambda action: action.__name__)
def test_places(action, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        warnings.filterwarnings("ignore", category=RuntimeWarning, module="minigluon")   # NumPy's
        action()
    first = action.__code__.co_firstlineno
    lines = {line for *_, line in action.__code__.co_lines()}
    assert found
    for warning in found:
        assert warning.filename == __file__
        assert warning.lineno in lines - {first}


def test_frames_of_libraries_do_not_count():
    """A call from a thread pool, `sorted` or `contextlib` is still the program's."""
    def warn():
        strictness.warn("from a thread")

    with warnings.catch_warnings(record=True) as found, ThreadPoolExecutor(1) as pool:
        warnings.simplefilter("always")
        pool.submit(warn).result()
        pool.submit(strictness.warn, "without a frame of the program").result()
    assert found[0].filename == __file__
    assert Path(found[1].filename).name == "thread.py"          # the nearest place that there is


def test_a_program_without_a_name():
    """`exec` with a dict of globals: Python drops a warning of the module None."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        exec("strictness.warn('this is likely a mistake')", {"strictness": strictness})
    assert [str(warning.message) for warning in found] == ["this is likely a mistake"]
