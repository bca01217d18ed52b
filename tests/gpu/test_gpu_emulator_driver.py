"""The emulated driver: memory, contexts, threads, processes, streams and graphs."""

import ctypes
import gc
import threading

import numpy as np
import pytest
from helpers.gpu_emulator import (  # noqa: F401 - fixtures
    LIBRARY,
    _context,
    _plain,
    cuda,
    fetched,
    filled,
    in_child,
    loaded,
    new_context,
    refused,
    run,
)


def test_memory_runs_out_and_nothing_is_lost():
    gc.collect()                                        # what other tests' contexts still held
    free, total = cuda.mem_get_info()
    held = cuda.mem_alloc(1000)
    assert cuda.mem_get_info() == (free - 1000, total)
    with pytest.raises(cuda.MemoryError, match="out of memory"):
        cuda.mem_alloc(total)
    held.free()
    assert cuda.mem_get_info() == (free, total)


def test_a_new_context_works_after_one_has_failed(plain):
    refused("kernel 'divided', block (0,0,0), thread (0,0,0): divides an integer by zero", run, plain, "divided",
            filled([1], np.int32), np.int32(0))
    with new_context():
        x = filled([1, 1], np.int32)
        run(loaded(), "divided", x, np.int32(2), block=(1, 1, 1))
        assert fetched(x, 2, np.int32).tolist() == [3, 1]


def test_many_threads_launch_at_once():
    """Each with a context of its own, on kernels with barriers."""
    right = []

    def work(seed):
        a, b = np.random.RandomState(seed).rand(2, 24, 24).astype(np.float32)
        with new_context():
            module = loaded()
            for _ in range(5):
                c = cuda.mem_alloc(4 * 24 * 24)
                run(module, "matmul", c, filled(a), filled(b), np.int32(24), block=(8, 8, 1), grid=(3, 3, 1))
                np.testing.assert_allclose(fetched(c, (24, 24)), a @ b, rtol=24 * 1.2e-7)
        right.append(seed)

    gc.collect()                        # PyCUDA frees memory in the thread of its context alone, and warns elsewhere
    gc.disable()
    try:
        threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        gc.enable()
    assert sorted(right) == list(range(8))


def test_a_forked_child_is_told_that_cuda_does_not_work_there():
    stderr = in_child("""
with new_context():
    child = os.fork()
    if child == 0:
        try:
            cuda.mem_alloc(4)
        except cuda.Error as error:
            print(error, file=sys.stderr, flush=True)
        os._exit(0)
    os.waitpid(child, 0)
    cuda.mem_alloc(4)
""")
    assert ("cuMemAlloc failed: CUDA was initialized before this process was forked, and does not work in the child. "
            "Start it with the method 'spawn', or use the GPU in the parent alone\n") in stderr


def test_two_devices_with_little_memory():
    in_child("""
assert cuda.Device.count() == 2
first, second = (cuda.Device(i).retain_primary_context() for i in range(2))
first.push()
x = cuda.mem_alloc(400)
with pytest.raises(cuda.MemoryError):
    cuda.mem_alloc(601)
first.pop()
second.push()
cuda.mem_alloc(600).free()
module = cuda.module_from_buffer(image)
refused("kernel 'write_at' runs on device 1, but argument 0 is @, memory of device 0", run, module, "write_at", x,
        np.int64(0))
second.pop()
first.push()
x.free()
first.pop()
""", MINIGLUON_GPU_COUNT="2", MINIGLUON_GPU_MEMORY="1000")


def test_a_device_that_goes_away():
    in_child("""
with new_context() as context:
    module = cuda.module_from_buffer(image)
    x = filled([1, 1], np.int32)
    for _ in range(2):
        run(module, "twice_int", x, block=(1, 1, 1))
    for call in lambda: run(module, "twice_int", x, block=(1, 1, 1)), lambda: cuda.mem_alloc(4), context.synchronize:
        refused("the device is gone (device lost)", call)
""", MINIGLUON_GPU_FAIL="lost:2")


# -- streams and graphs ----------------------------------------------------------------------------------------------


def call(name, *arguments):
    """A function of the driver that PyCUDA does not have. Returns the error's number."""
    return getattr(LIBRARY, name)(*arguments)


def captured(stream, mode=1):
    assert call("cuStreamBeginCapture_v2", ctypes.c_void_p(stream.handle), mode) == 0


def ended(stream):
    graph = ctypes.c_void_p()
    return call("cuStreamEndCapture", ctypes.c_void_p(stream.handle), ctypes.byref(graph)), graph


def instantiated(graph):
    executable = ctypes.c_void_p()
    assert call("cuGraphInstantiateWithFlags", ctypes.byref(executable), graph, ctypes.c_ulonglong(0)) == 0
    return executable


def test_a_graph_does_what_was_captured_again(plain):
    stream = cuda.Stream(1)
    x, y = filled([1, 2]), filled([0, 0])
    host = cuda.pagelocked_empty(2, np.float32)
    captured(stream)
    plain.get_function("twice_float")(x, block=(2, 1, 1), stream=stream)
    cuda.memcpy_dtod_async(y, x, 8, stream)
    cuda.memset_d32_async(int(y) + 4, 0, 1, stream)
    cuda.memcpy_dtoh_async(host, y, stream)
    error, graph = ended(stream)
    assert (error, fetched(x, 2).tolist()) == (0, [1, 2])           # nothing has run
    executable = instantiated(graph)
    assert call("cuGraphDestroy", graph) == 0
    for expected in [2, 0], [4, 0]:
        assert call("cuGraphLaunch", executable, ctypes.c_void_p(stream.handle)) == 0
        assert host.tolist() == expected
    assert call("cuGraphExecDestroy", executable) == 0
    assert call("cuGraphLaunch", executable, ctypes.c_void_p(stream.handle)) == 1


def test_a_graph_takes_other_arguments(plain):
    stream = cuda.Stream(1)
    x, y = filled([1, 2]), filled([3, 4])
    graphs = []
    for kernel, pointer in ("twice_float", x), ("twice_float", y), ("scaled", x):
        captured(stream)
        plain.get_function(kernel)(pointer, block=(2, 1, 1), stream=stream)
        graphs.append(ended(stream)[1])
    executable = instantiated(graphs[0])
    result = (ctypes.c_ulonglong * 3)()
    assert call("cuGraphExecUpdate_v2", executable, graphs[1], result) == 0
    assert call("cuGraphLaunch", executable, None) == 0
    assert (fetched(x, 2).tolist(), fetched(y, 2).tolist()) == ([1, 2], [6, 8])
    assert call("cuGraphExecUpdate_v2", executable, graphs[2], result) == 910
    assert ctypes.cast(result, ctypes.POINTER(ctypes.c_int))[0] == 2


def test_a_second_stream_joins_a_capture_by_events(plain):
    first, second = cuda.Stream(1), cuda.Stream(1)
    fork, join = cuda.Event(), cuda.Event()
    x = filled([1, 2])
    captured(first)
    fork.record(first)
    second.wait_for_event(fork)
    plain.get_function("twice_float")(x, block=(2, 1, 1), stream=second)
    join.record(second)
    first.wait_for_event(join)
    error, graph = ended(first)
    assert error == 0
    assert call("cuGraphLaunch", instantiated(graph), None) == 0
    assert fetched(x, 2).tolist() == [2, 4]
    captured(first)
    fork.record(first)
    second.wait_for_event(fork)
    assert ended(first)[0] == 904                       # the second stream was not joined


def test_what_a_capture_does_not_permit():
    stream, blocking = cuda.Stream(1), cuda.Stream(0)
    captured(stream, mode=0)
    refused("cuMemAlloc is not permitted while a stream is captured", cuda.mem_alloc, 4)
    assert ended(stream)[0] == 901
    captured(stream, mode=2)
    cuda.mem_alloc(4).free()
    refused("cuStreamSynchronize is not permitted while a stream is captured", stream.synchronize)
    assert ended(stream)[0] == 901
    captured(blocking, mode=2)
    refused("cuMemsetD8 would make the default stream wait for one that is captured", cuda.memset_d8,
            cuda.mem_alloc(4), 0, 4)
    assert ended(blocking)[0] == 901
    assert ended(stream)[0] == 401                      # it is not captured


def test_events_tell_the_time_between_them():
    first, last = cuda.Event(), cuda.Event()
    first.record()
    last.record()
    last.synchronize()
    assert 0 <= first.time_till(last) < 1000
