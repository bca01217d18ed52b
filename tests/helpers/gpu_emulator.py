"""What the tests of the emulator share: its library loaded, its kernels compiled, and a context for each test."""

import contextlib
import ctypes
import functools
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np
import pytest

from helpers import (
    TESTS,
    gpu_choice,  # noqa: F401 - sets the environment
    processes,
)

if os.environ.get("MINIGLUON_GPU") != "emulate":
    pytest.skip("these are tests of the emulator, and the GPU here is a real one", allow_module_level=True)

from minigluon_accel.gpu import emulator

LIBRARY = ctypes.CDLL(emulator.library(), mode=ctypes.RTLD_GLOBAL)
import pycuda.driver as cuda  # noqa: E402 - it needs the library above

SOURCE = (pathlib.Path(__file__).parent / "gpu_emulator_kernels.cu").read_text()
cuda.init()


@functools.cache
def image(mode):
    """The kernels compiled plainly ("normal"), or with each access looked at ("checked")."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MINIGLUON_GPU_CHECK", "1" if mode == "checked" else "0")
        return emulator.compile(SOURCE, name="kernels.cu")


def loaded(mode="normal"):
    return cuda.module_from_buffer(image(mode))


@contextlib.contextmanager
def new_context():
    context = cuda.Device(0).make_context()
    try:
        yield context
    finally:
        context.pop()


@pytest.fixture(autouse=True)
def _context():
    with new_context():
        yield


@pytest.fixture(autouse=True)
def _hard(monkeypatch):
    """Hard mode for the module that imports this, with the same order of blocks and threads each time."""
    monkeypatch.setenv("MINIGLUON_GPU_CHECK", "hard")
    monkeypatch.setenv("MINIGLUON_GPU_SEED", "3")


@pytest.fixture(name="mode", params=["normal", "checked"])
def _mode(request):
    return request.param


@pytest.fixture(name="module")
def _module(mode):
    return loaded(mode)


@pytest.fixture(name="plain")
def _plain():
    return loaded()


def run(module, name, *arguments, block=(32, 1, 1), grid=(1, 1, 1), **more):
    """Launch a kernel and wait for it."""
    module.get_function(name)(*arguments, block=block, grid=grid, **more)
    cuda.Context.synchronize()


def filled(values, dtype=np.float32):
    """Device memory with these values in it."""
    return cuda.to_device(np.asarray(values, dtype))


def fetched(pointer, shape, dtype=np.float32):
    return cuda.from_device(pointer, shape, dtype)


def pattern(text):
    """The regular expression of a text in which @ stands for an address, # for a number, and ... for anything."""
    return re.escape(text).replace("@", "0x[0-9a-f]+").replace(r"\#", r"\d+").replace(r"\.\.\.", ".*")


def refused(text, call, *arguments, kind=cuda.Error, **more):
    """The call raises an error of PyCUDA's with this text, see `pattern`."""
    with pytest.raises(kind) as caught:
        call(*arguments, **more)
    said = str(caught.value).split(" failed: ", 1)[1]
    del caught          # a cycle with this frame: it would keep the memory of the test's frame until a collection
    assert re.fullmatch(pattern(text), said), said


def in_child(script, **environment):
    """Run a script in a process of its own; its stderr. Before it comes `from helpers.gpu_emulator import *`."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(image("normal"))
        file.flush()
        start = f"""
import sys
sys.path.insert(0, {str(TESTS)!r})
from helpers.gpu_emulator import *
image = open({file.name!r}, "rb").read()
"""
        child = subprocess.run([sys.executable, "-c", start + script], capture_output=True, text=True, timeout=120,
                               env=processes.environment(**environment))
    assert child.returncode == 0, child.stderr
    return child.stderr
