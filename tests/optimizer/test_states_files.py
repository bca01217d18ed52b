"""Files of optimizers' states: MXNet's are read, MXNet reads these, and no file makes anything happen.

What MXNet wrote, and where its next steps led, is kept in tests/records/data/mxnet_states.zip.
`records.mxnet_states` makes it. MINIGLUON_MXNET_PYTHON=<interpreter with MXNet 1.9.1> runs the real library in both
directions, too.
"""

import os
import pickle
import subprocess
import zipfile

import numpy as np
import pytest
from helpers import TESTS
from helpers.errors import error_of
from records import MXNET, mxnet_states

import minigluon as mx
from minigluon import nd
from minigluon.base import FileFormatError
from minigluon.lr_scheduler import LRScheduler
from minigluon.optimizer import states_file
from minigluon.serialization import pickles

pytestmark = pytest.mark.once


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """The folder with MXNet's files."""
    folder = tmp_path_factory.mktemp("states")
    with zipfile.ZipFile(mxnet_states.ARCHIVE) as archive:
        archive.extractall(folder)
    return folder


def arrays(path):
    with np.load(path) as stored:
        return dict(stored)


def assert_same(found, expected):
    assert found.keys() == expected.keys()
    for name, x in found.items():
        assert x.dtype == expected[name].dtype
        rtol, atol = (1e-5, 1e-6) if x.dtype == np.float32 else (2 ** -10, 2 ** -13)       # one bit of float16
        np.testing.assert_allclose(x, expected[name], rtol, atol, err_msg=name)


def updater(optimizer=None):
    return mx.optimizer.get_updater(optimizer or mx.optimizer.SGD(momentum=0.9))


def test_steps_go_on_from_mxnets_files(recorded):
    expected = arrays(recorded / "next.npz")
    mxnet_states.run(mx, "read", recorded)
    found = arrays(recorded / "next.npz")
    np.savez(recorded / "next.npz", **expected)
    assert_same(found, expected)


@pytest.mark.parametrize("case", [*mxnet_states.OPTIMIZERS, "trainer", "module1-0001"])
def test_mxnets_files_are_written_like_that(recorded, case):
    """Read and written again, a file names the same classes with the same attributes and arrays."""
    content = (recorded / f"{case}.states").read_bytes()
    assert raw(states_file.dump(states_file.load(content))) == raw(content)


def raw(content):
    return plain(pickles.read(content, check=lambda named: None))


def plain(x):
    """Stand-ins as tuples, which can be compared."""
    if isinstance(x, pickles.StandIn):
        return x.made_by, plain(x.args), plain(x.state)
    if isinstance(x, dict):
        return {plain(key): plain(value) for key, value in x.items() if key != "last_lr"}   # LARS writes it first
    if isinstance(x, memoryview):
        return bytes(x)
    return type(x)(map(plain, x)) if type(x) in (tuple, list) else x


@pytest.mark.skipif(not MXNET, reason="MINIGLUON_MXNET_PYTHON does not name a Python with MXNet 1.9.1")
@pytest.mark.parametrize("writer", ["mxnet", "minigluon"])
def test_states_cross(tmp_path, writer):
    """Written by one, read by both, and the next steps have the same results."""
    results = []

    def run(package, what):
        if package == "minigluon":
            mxnet_states.run(mx, what, tmp_path)
        else:
            subprocess.run([MXNET, "-m", "records.mxnet_states", package, what, tmp_path], cwd=TESTS, check=True,
                           capture_output=True)

    run(writer, "write")
    for reader in ("mxnet", "minigluon"):
        run(reader, "read")
        results.append(arrays(tmp_path / "next.npz"))
    assert_same(*results)


# -- what is not made -----------------------------------------------------------------------------------------------


class Evil:
    def __init__(self, *arguments):
        self.arguments = arguments

    def __reduce__(self):
        return self.arguments


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("where", [lambda x: x, lambda x: {0: x}, lambda x: {x: 0}, lambda x: ({}, x)])
def test_a_file_cannot_call_anything(tmp_path, protocol, where):
    sign = tmp_path / "sign"
    content = pickle.dumps(where(Evil(os.mkdir, (str(sign),))), protocol=protocol)
    before = updater()
    states = before.states
    assert error_of(lambda: before.set_states(content), FileFormatError) == (
        f"the {len(content)} bytes are not states of an Updater, or are damaged: they name "
        f"{os.mkdir.__module__}.mkdir. "
        "Only arrays, optimizers and schedulers are created from such a file. If this is a custom class derived from "
        "Optimizer or LRScheduler, import its module first")
    assert not sign.exists()
    assert before.states is states


def test_a_file_cannot_change_a_class():
    content = b"\x80\x04(}cmxnet.lr_scheduler\nLRScheduler\nN}\x8c\x08after_upI\x31\ns\x86bt."
    before = vars(LRScheduler).copy()
    with pytest.raises(FileFormatError):
        updater().set_states(content)
    assert vars(LRScheduler) == before


def test_sparse_states(recorded):
    """States of row_sparse weights are dense here."""
    states = updater()
    states.set_states((recorded / "sparse.states").read_bytes())
    assert (states.states[0].stype, states.states[0].asnumpy().tolist()) == ("default", [[0, 0], [1, 2]])


def halved(num_update):
    return 0.1 / 2 ** num_update


class Halved(LRScheduler):
    def __call__(self, num_update):
        return self.base_lr / 2 ** num_update


class Slow(mx.optimizer.SGD):
    """A program's own."""


def test_a_function_as_a_scheduler_is_refused_when_it_is_written():
    owner = updater()
    owner.optimizer.lr_scheduler = halved
    assert error_of(lambda: owner.get_states(dump_optimizer=True)) == (
        f"states of an optimizer: {halved!r} cannot be written. Such a file can contain arrays, optimizers, "
        f"schedulers derived from mx.lr_scheduler.LRScheduler, numbers, strings, and lists, tuples and dicts of them.")
    assert states_file.load(owner.get_states()) == {}


def test_classes_of_the_programs_own_come_back():
    owner = updater(Slow(momentum=0.5, lr_scheduler=Halved(0.5), rescale_grad=np.float32(0.25)))
    weight = nd.array([1.0, 2.0])
    owner(0, nd.ones(2), weight)
    again = updater()
    again.set_states(owner.get_states(dump_optimizer=True))
    assert type(again.optimizer) is Slow
    assert type(again.optimizer.lr_scheduler) is Halved
    assert (again.optimizer.momentum, again.optimizer.num_update, again.optimizer.lr) == (0.5, 1, None)
    assert type(again.optimizer.rescale_grad) is np.float32
    assert again.optimizer._index_update_count is again.optimizer._all_index_update_counts[0]
    ends = [weight.copy(), weight.copy()]
    for each, end in zip((owner, again), ends, strict=True):
        each(0, nd.ones(2), end)
    assert np.array_equal(*[end.asnumpy() for end in ends])


def test_a_class_that_is_not_imported():
    content = states_file.dump(({}, Slow())).replace(b"test_states_files", b"test_states_filez")
    assert "they name test_states_filez.Slow. Only" in error_of(lambda: updater().set_states(content))
