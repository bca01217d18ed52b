"""The emulator's hard mode beside races: work that is done late, memory that comes back, and the order of blocks."""

import ctypes
import functools

import numpy as np
import pytest
from helpers.gpu_emulator import LIBRARY, _context, _hard, cuda, emulator, fetched, filled  # noqa: F401 - fixtures
from minigluon_accel.gpu import launch

N = 64
SOURCE = """
extern "C" __global__ void doubled(float *y) { y[threadIdx.x] *= 2.0f; }
extern "C" __global__ void order(int *log, int *count) { log[atomicAdd(count, 1)] = blockIdx.x; }
__device__ unsigned done = 0;
extern "C" __global__ void last_of_two(float *sum, float *parts) {
    parts[blockIdx.x] = blockIdx.x + 1;
    __threadfence_block();
    if (atomicAdd(&done, 1) == 1) sum[0] = parts[0] + parts[1];
}
extern "C" __global__ void beyond(float *y) { y[threadIdx.x + 1] = 1.0f; }
"""


@functools.cache
def image():
    return emulator.compile(SOURCE, name="late.cu")


def function(name):
    return cuda.module_from_buffer(image()).get_function(name)


def test_a_copy_from_pinned_memory_reads_it_when_something_waits():
    stream, y, host = cuda.Stream(1), filled(np.zeros(N)), cuda.pagelocked_empty(N, np.float32)
    host[...] = 1
    cuda.memcpy_htod_async(y, host, stream)
    host[...] = 2                       # too early
    stream.synchronize()
    assert fetched(y, N).tolist() == [2] * N


def test_a_copy_from_other_memory_has_read_it():
    stream, y, host = cuda.Stream(1), filled(np.zeros(N)), np.ones(N, np.float32)
    cuda.memcpy_htod_async(y, host, stream)
    host[...] = 2
    stream.synchronize()
    assert fetched(y, N).tolist() == [1] * N


def test_results_are_there_when_the_stream_was_waited_for():
    stream, y, host = cuda.Stream(1), filled(np.full(N, 3)), np.zeros(N, np.float32)
    function("doubled")(y, block=(N, 1, 1), stream=stream)
    cuda.memcpy_dtoh_async(host, y, stream)
    assert host.tolist() == [0] * N
    stream.synchronize()
    assert host.tolist() == [6] * N


def test_an_event_is_reached_after_some_questions():
    stream, y, event = cuda.Stream(1), filled(np.full(N, 3)), cuda.Event()
    function("doubled")(y, block=(N, 1, 1), stream=stream)
    event.record(stream)
    answers = [event.query() for _ in range(4)]
    assert answers == sorted(answers)
    assert (answers[0], answers[-1]) == (False, True)


def test_a_mistake_in_a_kernel_is_told_by_the_call_that_waits():
    stream, y = cuda.Stream(1), filled(np.zeros(N))
    function("beyond")(y, block=(N, 1, 1), stream=stream)
    with pytest.raises(cuda.Error) as caught:
        stream.synchronize()
    found = emulator.report(caught.value)
    del caught
    side = found.side
    assert (found.kind, side.kernel, side.line, side.access) == ("bounds", "beyond", "late.cu:10", "writes")
    assert found.array.endswith("0 bytes past the end of an allocation of 256 bytes at " + found.array.split()[-1])


def test_memory_that_is_given_back_is_no_one_s():
    stream, y = cuda.Stream(1), filled(np.zeros(N))
    handle, double = ctypes.c_void_p(stream.handle), function("doubled")
    double(y, block=(N, 1, 1), stream=stream)           # before: right
    LIBRARY.emulator_gives_back(ctypes.c_uint64(int(y)), handle)
    LIBRARY.emulator_takes(ctypes.c_uint64(int(y)), handle)
    stream.synchronize()
    assert np.isnan(fetched(y, N)).all()
    LIBRARY.emulator_gives_back(ctypes.c_uint64(int(y)), handle)
    double(y, block=(N, 1, 1), stream=stream)
    with pytest.raises(cuda.Error) as caught:
        stream.synchronize()
    text = str(caught.value)
    del caught
    assert text.endswith(", which was freed")
    assert "kernel 'doubled', argument 0 is " in text


def test_blocks_come_in_an_order_of_the_seed():
    def order():
        log, count = filled(np.zeros(N), np.int32), filled([0], np.int32)
        function("order")(log, count, block=(1, 1, 1), grid=(N, 1, 1))
        cuda.Context.synchronize()
        return fetched(log, N, np.int32).tolist()

    found = order()
    assert sorted(found) == list(range(N))
    assert found != list(range(N))


def test_a_fence_of_a_block_tells_other_blocks_nothing():
    function("last_of_two")(filled([0]), filled([0, 0]), block=(1, 1, 1), grid=(2, 1, 1))
    with pytest.raises(cuda.Error) as caught:
        cuda.Context.synchronize()
    found = emulator.report(caught.value)
    del caught
    assert (found.kind, found.name, found.side.line, found.other.line) == ("race", "parts", "late.cu:8", "late.cu:6")


def test_small_arrays_are_counted_in_64_bits(monkeypatch):
    monkeypatch.setenv("MINIGLUON_GPU", "emulate")
    assert launch.limit_of_32_bits(2 ** 31) == 300
    monkeypatch.setenv("MINIGLUON_GPU_CHECK", "1")
    assert launch.limit_of_32_bits(2 ** 31) == 2 ** 31
