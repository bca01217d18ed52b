"""Errors that a CUDA context does not recover from: the emulated GPU stays poisoned by them as a card does."""

import os
import pickle
import subprocess
import sys
from types import SimpleNamespace

import pytest
from helpers import ROOT, gpu_choice, gpu_sticky
from helpers.gpu_checks import GPU, backend
from helpers.gpu_sticky import STATUS
from helpers.processes import environment, program
from minigluon_accel.gpu import driver, sticky
from minigluon_accel.gpu.compile import Runner, prepare
from minigluon_accel.gpu.launch import GeneratedSource, In, Launch, Out

from minigluon import nd
from minigluon.base import MXNetError

gpu_choice.require(driver.emulated(), "a card must not be poisoned")

# What such a program prints of an error.
TOLD = """
def told(function):
    try:
        print("no error", function())
    except mx.MXNetError as error:
        print(f"{type(error).__name__}: {error}".replace(chr(10), " / "))
"""
REMEDY = " /   remedy: start the program again, from its last checkpoint"
STAYS = (" /   This error stays: no call of this process can use gpu(0) any more, and what its arrays held is lost. "
         "Kernels run behind the calls that launch them, so that the one at fault is this one or one before it."
         f"{REMEDY}. CUDA_LAUNCH_BLOCKING=1 names the kernel; MINIGLUON_GPU=emulate finds the thread and the address.")
REASON = "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access"


def test_a_kernel_that_poisons_the_process():
    """The launch at fault says nothing; the next call does, and all that follow know of it without the driver."""
    lines = program(TOLD + """
import ctypes
from minigluon_accel.gpu import driver, sticky
x = nd.ones((4,), ctx=mx.gpu())
told(lambda: (x + 1).asnumpy().sum())
print(sticky.poisoned())
told(lambda: (x * 2).shape)                 # the second launch
told(lambda: (x * 3).shape)
(first,) = sticky.poisoned().values()
print(first.what, first.reason, sep="; ")
told(lambda: nd.ones((2,), ctx=mx.gpu()))
told(x.asnumpy)
told(nd.waitall)
context = ctypes.c_void_p()
print(driver.api().cuCtxCreate_v2(ctypes.byref(context), 0, 0))
told(lambda: nd.ones((2,)).asnumpy().sum())
""", MINIGLUON_GPU_FAIL="illegal:1", MINIGLUON_GPU_CHECK="0")
    assert lines[:3] == ["no error 8.0", "{}", "no error (4,)"]
    assert lines[3] == f"StickyError: gpu(0): allocating 16 bytes failed: {REASON}{STAYS}"
    assert lines[4] == f"allocating 16 bytes; {REASON}"
    later = f"StickyError: gpu(0) cannot be used any more: allocating 16 bytes failed before: {REASON}{REMEDY}"
    assert lines[5:8] == [later] * 3
    assert lines[8:] == ["700", "no error 2.0"]          # another context does not help, and the CPU goes on


def test_a_graph_with_a_kernel_at_fault():
    lines = program(TOLD + """
from minigluon.gluon import nn
from minigluon_accel.gpu import BACKEND
from minigluon_accel.gpu.pool import Pool
device = BACKEND.on(mx.gpu()).device
memory = device.memory
memory._pool = Pool(memory._allocate, memory._free, device)     # as on a card: results come to the same addresses
net = nn.HybridSequential()
for _ in range(4):
    net.add(nn.Dense(3, in_units=3, activation="tanh"))
net.initialize(ctx=mx.gpu())
net.hybridize()
x = nd.ones((2, 3), ctx=mx.gpu())
import itertools
def calls():
    for count in itertools.count():
        net(x)
        try:
            nd.waitall()
        except mx.MXNetError as error:
            return count > 3, type(error).__name__, str(error).partition(chr(10))[0]
told(calls)
told(lambda: net(x))
""", MINIGLUON_GPU_FAIL="illegal:70", MINIGLUON_GPU_CHECK="0")
    assert lines[0] == ("no error (True, 'StickyError', 'gpu(0): work given to it failed: cuStreamSynchronize failed: "
                        "an illegal memory access')")
    assert lines[1].startswith("StickyError: gpu(0) cannot be used any more: work given to it failed before: ")


def test_a_kernels_own_fault_is_told_late():
    """MINIGLUON_GPU_FAIL=late: as on a card, for whatever a kernel does. Its place is on stderr all the same."""
    lines = program(TOLD + """
from minigluon_accel.gpu import BACKEND, sticky
from minigluon_accel.gpu.compile import Runner, prepare
from minigluon_accel.gpu.launch import GeneratedSource, In, Launch, Out
device = BACKEND.on(mx.gpu()).device
source = GeneratedSource('extern "C" __global__ void past(float *y) { y[threadIdx.x] = 1.0f; }')
launch = Launch(source, "past", {}, 1, 32, [Out(0)])
y = nd.zeros((31,), ctx=mx.gpu())
told(lambda: Runner(device, [prepare(device, launch, {In: 0, Out: 0})], 1).run([y.buffer]))
told(device.synchronize)
told(lambda: Runner(device, [prepare(device, launch, {In: 0, Out: 0})], 1).run([y.buffer]))
""", MINIGLUON_GPU_FAIL="late")
    assert lines[0] == "no error None"
    assert lines[1].startswith("StickyError: gpu(0): work given to it failed: cuStreamSynchronize failed: ")
    assert lines[2].startswith("StickyError: gpu(0) cannot be used any more: work given to it failed before: ")


def test_an_error_that_is_not_sticky_leaves_the_device_usable():
    device, y = backend().device, nd.zeros((31,), ctx=GPU)
    source = GeneratedSource('extern "C" __global__ void idle(float *y) {}')
    kernel = prepare(device, Launch(source, "idle", {}, 1, 2048, [Out(0)]), {In: 0, Out: 0})
    with pytest.raises(MXNetError) as caught:
        Runner(device, [kernel], 1).run([y.buffer])
    assert type(caught.value) is MXNetError
    assert str(caught.value) == (
        "gpu(0): idle (generated) failed: CUDA_ERROR_INVALID_VALUE: kernel 'idle': a block of (2048,1,1) threads, "
        "expected 1 to 1024 in all, and at most 64 in z\n  remedy: this work is not done, and the device stays usable. "
        "MINIGLUON_GPU=emulate may tell more.")
    assert sticky.poisoned() == {}
    assert (y + 1).asnumpy().sum() == 31


def test_the_error_goes_through_pickle():
    error = pickle.loads(pickle.dumps(sticky.StickyError("text", "what", "why")))
    assert (str(error), error.what, error.reason) == ("text", "what", "why")


SUITE = """
import minigluon as mx
import pytest
from helpers import gpu_choice
x = mx.nd.ones((4,), ctx=mx.gpu())
def test_first():
    assert (x + 1).asnumpy().sum() == 8
def test_second():
    assert (x * 2).asnumpy().sum() == 8
def test_third():
    assert (x * 3).asnumpy().sum() == 12
"""


def test_a_run_of_tests_ends(tmp_path):
    """With a status of its own, so that another process can take the tests that are left."""
    (tmp_path / "test_gpu_poisoned.py").write_text(SUITE)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(tmp_path), "-p", "conftest",
         "-n", "0", str(tmp_path)], capture_output=True, text=True, cwd=tmp_path, timeout=300,
        env=environment(MINIGLUON_GPU_FAIL="illegal:1", MINIGLUON_GPU_CHECK="0",
                        PYTHONPATH=os.pathsep.join([str(ROOT / "tests"), *sys.path])))
    assert "StickyError: gpu(0): the work before a copy from the device" in done.stdout
    assert "1 failed, 1 passed" in done.stdout, done.stdout
    assert "gpu(0) cannot be used any more: the work before a copy" in done.stdout
    assert done.returncode == STATUS


def test_a_worker_ends_at_once(monkeypatch):
    """xdist starts another for the tests that are left."""
    ended = []
    monkeypatch.setattr(sticky, "_poisoned", {0: sticky.StickyError("gpu(0): text", "what", "why")})
    monkeypatch.setattr(gpu_sticky.os, "_exit", ended.append)
    worker = SimpleNamespace(config=SimpleNamespace(workerinput={}), shouldstop=False)
    gpu_sticky.stop_if_poisoned(worker)
    assert ended == [STATUS]
    monkeypatch.setattr(sticky, "_poisoned", {})
    gpu_sticky.stop_if_poisoned(worker)
    assert ended == [STATUS]
