"""Fixtures for all tests: the same random numbers for each. Hypothesis draws anew each time, but not in CI."""

import gc
import importlib.util
import os
import sys

import hypothesis
import numpy as np
import pytest

import minigluon as mx
from minigluon.backend.forgetting import forget_kernels

# A run says something about the code and not about the draw: it draws the same on every machine, and few examples.
# MINIGLUON_TESTS=wide draws a hundred, new ones each time. A busy machine must not fail a test.
hypothesis.settings.register_profile("same", deadline=None, derandomize=True, database=None, max_examples=14)
hypothesis.settings.register_profile("wide", deadline=None)
hypothesis.settings.load_profile("wide" if os.environ.get("MINIGLUON_TESTS") == "wide" else "same")

pytest.register_assert_rewrite("helpers")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes():
    """Several processes, one thread each for BLAS: more of them would wait for each other, and keep processors busy."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def pytest_addoption(parser):
    parser.addoption("--operator", metavar="NAME", help="all that is about one operator, such as FullyConnected: its "
                     "rows, reference, gradients, kernels, GPU, graphs and ONNX")


def pytest_configure(config):
    if config.option.operator:
        from helpers.one_operator import OneOperator
        one = OneOperator(config.option.operator, config.rootpath / "tests")
        one.keep_rows()
        config.pluginmanager.register(one)


# Tests of minigluon-accel skip where it cannot be imported. Its folder in the checkout is not the installed package.
_plugin = importlib.util.find_spec("minigluon_accel")
if _plugin is None or _plugin.origin is None or os.environ.get("MINIGLUON_BACKEND") == "numpy":
    sys.modules["minigluon_accel"] = None


@pytest.fixture(autouse=True)
def _seed():
    np.random.seed(0)
    mx.random.seed(0)


@pytest.fixture(autouse=True, scope="module")
def _registered_here():
    """Classes that a file's tests register are known by name there alone: messages of other tests list such names."""
    from helpers.registries import registering_nothing
    with registering_nothing():
        yield


@pytest.fixture
def fresh_names():
    """Counters of names that start at zero, as in a program of its own."""
    with mx.name.NameManager():
        yield


@pytest.fixture(autouse=True, scope="module")
def _freed_here(request):
    """Tests of the emulator hold memory of PyCUDA's own, which only the thread that asked for it can free.

    What an error's traceback keeps of it waits for the garbage collector, and that may run in a thread of a later test.
    """
    yield
    if request.module.__name__.startswith("test_gpu_emulator"):
        gc.collect()


@pytest.fixture
def lenient():
    """A lenient run: it warns and goes on as MXNet does where others refuse."""
    mx.strictness.be_lenient()
    yield
    mx.strictness.be_strict()


@pytest.fixture
def few_blocks(monkeypatch):
    """Grids of two blocks on the GPU, so that each thread has to go on to further elements, and each block to tiles."""
    from minigluon_accel.gpu import launch
    monkeypatch.setattr(launch, "MAX_BLOCKS", 2)
    forget_kernels()
    yield
    forget_kernels()


def pytest_runtest_setup(item):
    """GPUs are there for their own tests alone: other programs must not find the emulated one, which is slow."""
    chosen = sys.modules.get("helpers.gpu_choice")
    if chosen is not None:
        os.environ["MINIGLUON_GPU"] = chosen.GPU if item.module.__name__.startswith("test_gpu_") else "off"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """A GPU that has failed for good ends the process, when what the test says of it has been told."""
    from helpers.gpu_sticky_errors import stop_if_poisoned
    result = yield
    stop_if_poisoned(item.session)
    return result


def pytest_sessionfinish(session):
    from helpers.gpu_sticky_errors import status_at_the_end
    status_at_the_end(session)
