"""CUDA graphs on the GPU, real or emulated."""

import ctypes

import numpy as np
import pytest
from helpers import gpu_choice  # noqa: F401 - sets the environment
from minigluon_accel.gpu import driver, graphs
from minigluon_accel.gpu.backend import BACKEND
from minigluon_accel.gpu.compile import prepare
from minigluon_accel.gpu.launch import GeneratedSource, In, Launch, Out, blocks
from minigluon_accel.gpu.launcher import EnqueueCall, Program
from minigluon_accel.gpu.program import _pieces

import minigluon as mx
from minigluon.base import MXNetError

GPU = mx.gpu()
DOUBLE = GeneratedSource("""
extern "C" __global__ void twice(const float *x, float *y, long long n) {
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n; i += gridDim.x * (long long)blockDim.x)
        y[i] = 2.0f * x[i];
}
""")
N = 1000


class Doubling:
    """y = 2 x and z = 2 y on a device, by launches that can be captured."""

    def __init__(self):
        self.device = BACKEND.on(GPU).device
        kernel = prepare(self.device, Launch(DOUBLE, "twice", {}, blocks(N), 256, [In(0), Out(0), N]), {In: 0, Out: 1})
        self._program = Program([([kernel], [0, 1])], {})

    def buffers(self, value):
        """x, y, z: x is full of the value, the others of zeros."""
        return [BACKEND.on(GPU).from_numpy(np.full(N, v, np.float32), GPU) for v in (value, 0, 0)]

    def run(self, x, y, z, stream):
        self.run_once(x, y, stream)
        self.run_once(y, z, stream)

    def run_once(self, x, y, stream):
        assert self._program.run([x, y], 0, 1, stream) == (0, None)


@pytest.fixture(scope="module")
def doubling():
    return Doubling()


def test_a_capture_runs_nothing_and_a_launch_all(doubling):
    x, y, z = doubling.buffers(3)
    graph = graphs.capture(doubling.device, lambda stream: doubling.run(x, y, z, stream))
    assert not y.numpy().any()
    graph.launch()
    np.testing.assert_array_equal(z.numpy(), np.full(N, 12, np.float32))
    x[...] = BACKEND.on(GPU).from_numpy(np.arange(N, dtype=np.float32), GPU)
    graph.launch()
    np.testing.assert_array_equal(z.numpy(), 4 * np.arange(N, dtype=np.float32))


def test_what_is_raised_while_capturing_goes_through(doubling):
    buffers = doubling.buffers(7)

    def fails(stream):
        doubling.run(*buffers, stream)
        raise KeyError("a reason")
    with pytest.raises(KeyError, match="a reason"):
        graphs.capture(doubling.device, fails)
    graphs.capture(doubling.device, lambda stream: doubling.run(*buffers, stream)).launch()     # the stream is usable
    np.testing.assert_array_equal(buffers[2].numpy(), np.full(N, 28, np.float32))


def test_work_that_cannot_be_captured(doubling):
    buffers = doubling.buffers(1)

    def waits(stream):
        doubling.run(*buffers, stream)
        driver.api().cuStreamSynchronize(ctypes.c_void_p(stream))         # its error is for the one who captures
    with pytest.raises(MXNetError) as failed:
        graphs.capture(doubling.device, waits)
    assert str(failed.value).startswith("gpu(0): the work cannot be captured as a CUDA graph: "
                                        "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED: ")
    assert str(failed.value).endswith(". MINIGLUON_GPU_GRAPHS=0 runs without graphs.")
    graphs.capture(doubling.device, lambda stream: doubling.run(*buffers, stream)).launch()
    np.testing.assert_array_equal(buffers[2].numpy(), np.full(N, 4, np.float32))


def test_a_driver_without_graphs(doubling, monkeypatch):
    monkeypatch.setattr(driver, "api", lambda: object())
    with pytest.raises(MXNetError) as failed:
        graphs.capture(doubling.device, lambda stream: None)
    assert str(failed.value) == ("gpu: the driver has no cuStreamBeginCapture_v2: CUDA graphs need one for CUDA 12.0 "
                                 "or newer. MINIGLUON_GPU_GRAPHS=0 runs without graphs.")


def test_what_is_captured(doubling):
    """Four launches, or two with a library's call among them; random numbers never, which come from the host."""
    kernel = doubling._program.kernels[0]
    called, drawn = (EnqueueCall(print, [0], "a library", replayable) for replayable in (True, False))
    assert _pieces([kernel] * 3) == [(0, 3, False)]
    assert _pieces([kernel] * 4) == [(0, 4, True)]
    assert _pieces([called]) == [(0, 1, False)]
    assert _pieces([kernel, called]) == [(0, 2, True)]
    assert _pieces([drawn, called, called, drawn, kernel]) == [(0, 1, False), (1, 3, True), (3, 4, False),
                                                               (4, 5, False)]
