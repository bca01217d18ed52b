"""Errors that a CUDA context does not recover from: the emulated GPU stays poisoned by them as a card does."""

import pickle
from types import SimpleNamespace

import pytest
from helpers import gpu_choice, gpu_sticky_errors
from helpers.gpu_checks import GPU, backend
from helpers.gpu_sticky_errors import STATUS
from helpers.processes import program
from minigluon_accel.gpu import sticky_errors
from minigluon_accel.gpu.compile import Runner, prepare
from minigluon_accel.gpu.launch import GeneratedSource, In, Launch, Out

from minigluon import nd
from minigluon.base import MXNetError

gpu_choice.of_the_emulated_gpu("a card must not be poisoned")

# What such a program prints of an error.
TOLD = """
def told(function):
    try:
        print("no error", function())
    except mx.MXNetError as error:
        print(f"{type(error).__name__}: {error}".replace(chr(10), " / "))
"""
REMEDY = " /   remedy: restart the program from its last checkpoint"
STAYS = (" /   This error stays: no call of this process can use gpu(0) any more, and what its arrays held is lost. "
         "Kernels run after the calls that launch them, so the faulty one is this one or an earlier one."
         f"{REMEDY}. CUDA_LAUNCH_BLOCKING=1 names the kernel; MINIGLUON_GPU=emulate finds the thread and the address.")
REASON = "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access"


def test_a_kernel_that_poisons_the_process():
    """The launch at fault says nothing; the next call does, and all that follow know of it without the driver."""
    lines = program(TOLD + """
import ctypes
from minigluon_accel.gpu import driver, sticky_errors
x = nd.ones((4,), ctx=mx.gpu())
told(lambda: (x + 1).asnumpy().sum())
print(sticky_errors.poisoned())
told(lambda: (x * 2).shape)                 # the second launch
told(lambda: (x * 3).shape)
(first,) = sticky_errors.poisoned().values()
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


def test_a_kernels_own_fault_is_told_late():
    """MINIGLUON_GPU_FAIL=late: as on a card, for whatever a kernel does. Its place is on stderr all the same."""
    lines = program(TOLD + """
from minigluon_accel.gpu import BACKEND, sticky_errors
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
        "MINIGLUON_GPU=emulate may show more.")
    assert sticky_errors.poisoned() == {}
    assert (y + 1).asnumpy().sum() == 31


def test_the_error_goes_through_pickle():
    error = pickle.loads(pickle.dumps(sticky_errors.StickyError("text", "what", "why")))
    assert (str(error), error.what, error.reason) == ("text", "what", "why")


def test_a_run_of_tests_stops(monkeypatch):
    """With a status of its own, so that another process can take the tests that are left."""
    run = SimpleNamespace(config=SimpleNamespace(), shouldstop=False, exitstatus=0)
    gpu_sticky_errors.stop_if_poisoned(run)
    gpu_sticky_errors.status_at_the_end(run)
    assert (run.shouldstop, run.exitstatus) == (False, 0)
    monkeypatch.setattr(sticky_errors, "_poisoned", {0: sticky_errors.StickyError("gpu(0): text", "what", "why")})
    gpu_sticky_errors.stop_if_poisoned(run)
    gpu_sticky_errors.status_at_the_end(run)
    assert run.shouldstop == ("gpu(0) cannot be used any more: what failed: why. Start the tests that are left in "
                              "another process.")
    assert run.exitstatus == STATUS


def test_a_worker_ends_at_once(monkeypatch):
    """xdist starts another for the tests that are left."""
    ended = []
    monkeypatch.setattr(sticky_errors, "_poisoned", {0: sticky_errors.StickyError("gpu(0): text", "what", "why")})
    monkeypatch.setattr(gpu_sticky_errors.os, "_exit", ended.append)
    worker = SimpleNamespace(config=SimpleNamespace(workerinput={}), shouldstop=False)
    gpu_sticky_errors.stop_if_poisoned(worker)
    assert ended == [STATUS]
    monkeypatch.setattr(sticky_errors, "_poisoned", {})
    gpu_sticky_errors.stop_if_poisoned(worker)
    assert ended == [STATUS]
