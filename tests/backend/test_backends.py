"""The contract with an accelerator, against a small backend made here: finding it, choosing it, falling back."""

import importlib.util
import os
import subprocess
import sys
import textwrap
from importlib.metadata import entry_points

import numpy as np
import pytest

import minigluon as mx
from minigluon import autograd, dispatch, gluon, nd, sym
from minigluon.backend import Kernel, ReferenceBackend, available, discovery, registry, use_backend
from minigluon.base import MXNetError


class Counting(ReferenceBackend):
    """Runs `exp` and `FullyConnected` itself, counts its calls, and declines all else."""

    name = "counting"

    def __init__(self):
        self.prepared, self.runs = [], 0

    def prepare(self, op, inputs, outputs, train, rng):
        if op.name not in ("exp", "FullyConnected"):
            return "not one of the two"
        self.prepared.append((op.name, [tuple(s.shape) for s in inputs], [tuple(s.shape) for s in outputs]))
        reference = super().prepare(op, inputs, outputs, train, rng)

        def run(inputs):
            self.runs += 1
            return reference.run(inputs)
        return Kernel(run)


@pytest.fixture
def counting(monkeypatch):
    backend = Counting()
    available()
    monkeypatch.setitem(discovery.installed, backend.name, backend)
    registry.forget_kernels()
    yield backend
    registry.forget_kernels()


def test_the_latest_backend_of_a_device_is_used_and_prepares_once(counting):
    x = nd.ones((2, 3))
    for _ in range(5):
        y = nd.exp(x)
    assert counting.prepared == [("exp", [(2, 3)], [(2, 3)])]
    assert counting.runs == 5
    np.testing.assert_allclose(y.asnumpy(), np.full((2, 3), np.e), rtol=1e-6)


def test_what_a_backend_declines_the_reference_runs_and_it_is_counted(counting):
    before = dispatch.declined["log", "counting", "not one of the two"]
    assert nd.log(nd.ones((2,))).asnumpy().tolist() == [0, 0]
    assert dispatch.declined["log", "counting", "not one of the two"] == before + 1


def test_gradients_run_on_the_backend(counting):
    x, w, b = nd.ones((2, 3)), nd.ones((4, 3)), nd.zeros((4,))
    w.attach_grad()
    with autograd.record():
        y = nd.exp(nd.FullyConnected(x, w, b, num_hidden=4))
    y.backward()
    assert counting.runs == 2
    np.testing.assert_allclose(w.grad.asnumpy(), np.full((4, 3), 2 * np.exp(3)), rtol=1e-6)


def test_use_backend_switches_and_comes_back(counting):
    x = nd.ones((2,))
    with use_backend("numpy"):
        nd.exp(x)
        assert counting.runs == 0
    nd.exp(x)
    assert counting.runs == 1


def test_nets_and_executors_that_were_planned_before_switch_too(counting):
    x = nd.ones((2, 3))
    net = gluon.nn.HybridLambda("exp")
    net.hybridize()
    executor = sym.exp(sym.var("data")).bind(mx.cpu(), {"data": x})
    for runs in (2, 4):
        net(x)
        executor.forward()
        assert counting.runs == runs
    with use_backend("numpy"):
        net(x)
        executor.forward()
    assert counting.runs == 4
    net(x)
    executor.forward()
    assert counting.runs == 6


def test_a_kernel_makes_its_outputs_or_fills_those_that_it_is_given():
    op = nd.dot.op()
    a, b = np.ones((2, 3), "float32"), np.ones((3, 4), "float32")
    specs = [mx.backend.Spec(x.shape, x.dtype) for x in (a, b)]
    outputs = dispatch.infer(op, specs)
    kernel = ReferenceBackend().prepare(op, specs, outputs, False, None)
    buffer = np.zeros((2, 4), "float32")
    kernel.write([a, b], [buffer])
    np.testing.assert_array_equal(buffer, np.full((2, 4), 3))
    np.testing.assert_array_equal(kernel.run([a, b])[0], buffer)


def test_unknown_backend():
    with pytest.raises(MXNetError) as error, use_backend("nunpy"):
        pass
    assert str(error.value) == f"no backend 'nunpy'; installed: {', '.join(available())}. Did you mean 'numpy'?"


PLUGIN = """
from minigluon.backend import ReferenceBackend

class Plugin(ReferenceBackend):
    name = "plugin"
    contract = 1
    device_types = ("cpu", "gpu")

backend = Plugin()
"""


@pytest.fixture
def plugin(tmp_path):
    """A folder that looks like an installed distribution with a backend; returns a function that runs Python there."""
    info = tmp_path / "fake_accel-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: fake-accel\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[minigluon.backends]\nplugin = fake_accel:backend\n")

    def run(module, code, **env):
        (tmp_path / "fake_accel.py").write_text(module)
        path = os.pathsep.join([str(tmp_path), os.path.dirname(os.path.dirname(mx.__file__))])
        return subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": path, **env}, timeout=60)
    return run


def installed_too():
    """The backends of distributions that are installed where the tests run."""
    return [entry.name for entry in entry_points(group="minigluon.backends") if importlib.util.find_spec(entry.module)]


def test_a_distribution_announces_its_backend(plugin):
    done = plugin(PLUGIN, """
        import minigluon as mx
        from minigluon.backend import available
        print(list(available()), mx.nd.ones((2,), ctx=mx.gpu()).context)
    """, MINIGLUON_BACKEND="plugin")
    assert done.stdout == f"{['numpy', 'plugin', *installed_too()]} gpu(0)\n", done.stderr


def test_the_environment_forces_the_reference(plugin):
    done = plugin("raise ImportError('not built')", """
        import minigluon as mx
        print(mx.nd.ones((2,)).asnumpy())
    """, MINIGLUON_BACKEND="numpy")
    assert done.stdout == "[1. 1.]\n", done.stderr


def test_a_backend_that_cannot_be_loaded_is_named(plugin):
    done = plugin("raise ImportError('not built')", "import minigluon as mx; mx.nd.ones((2,))")
    assert done.stderr.splitlines()[-1] == (
        "minigluon.base.MXNetError: backend 'plugin' of the distribution fake-accel cannot be loaded: ImportError: not "
        "built. Reinstall it, or set MINIGLUON_BACKEND=numpy to run without it.")


@pytest.mark.parametrize(("line", "states"), [
    ("contract = 2", "implements contract 2"), ("contract = '1'", "implements contract '1'"),
    ("", "does not state which contract it implements")])
def test_a_backend_for_another_contract_is_named(plugin, line, states):
    module = PLUGIN.replace("contract = 1", line)
    done = plugin(module, "import minigluon as mx; print('imported'); mx.nd.ones((2,))")
    assert done.stdout == "imported\n"
    assert done.stderr.splitlines()[-1] == (
        f"minigluon.base.MXNetError: backend 'plugin' of the distribution fake-accel 1.0 {states}; minigluon "
        f"{mx.__version__} expects contract 1. Install versions of both that match, or set MINIGLUON_BACKEND=numpy to "
        "run without it.")
    assert plugin(module, "import minigluon as mx; print(mx.nd.ones((2,)).asnumpy())",
                  MINIGLUON_BACKEND="numpy").stdout == "[1. 1.]\n"


def test_info_names_a_backend_for_another_contract(plugin):
    module = PLUGIN.replace("contract = 1", "contract = 2")
    done = plugin(module, "from minigluon.tools.cli import main; print(main(['info']))")
    assert "implements contract 2; minigluon" in done.stdout, done.stderr


def test_the_contract_number_is_not_inherited():
    """A backend that derives from the reference states its number, or it would always match."""
    assert not hasattr(ReferenceBackend, "contract")


def test_the_environment_names_an_unknown_backend(plugin):
    done = plugin(PLUGIN, "import minigluon as mx; mx.nd.ones((2,))", MINIGLUON_BACKEND="pluqin")
    assert done.stderr.splitlines()[-1] == (
        "minigluon.base.MXNetError: MINIGLUON_BACKEND is 'pluqin', but the installed backends are "
        f"{', '.join(['numpy', 'plugin', *installed_too()])}. Did you mean 'plugin'?")
