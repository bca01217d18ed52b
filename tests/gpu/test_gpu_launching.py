"""What lies between an operator and the driver: prepared launches, programs of them, and their CUDA graphs."""

import threading

import numpy as np
import pytest
from helpers.gpu_checks import backend, to_gpu
from minigluon_accel.gpu import compile as compiling
from minigluon_accel.gpu import driver
from minigluon_accel.gpu import program as programs
from minigluon_accel.gpu.backend import Launches
from minigluon_accel.gpu.launch import (
    Enqueue,
    GeneratedSource,
    In,
    Launch,
    Out,
    Scratch,
    Work,
    blocks,
    dims,
    types,
    value_bytes,
)
from minigluon_accel.gpu.launcher import EnqueueCall, Prepared

import minigluon as mx
from minigluon.backend import Spec
from minigluon.base import MXNetError
from minigluon.ops import REGISTRY

SPEC = Spec((6,), np.dtype("float32"))
PLUS = """
#include "common.cuh"

extern "C" __global__ void plus(T *y, const T *x, double number, long long n) {
    for_each(i, n) y[i] = x[i] + T(number);
}
"""


def plus(number, source=PLUS, to=None, scratch=()):
    """A kernel y = x + number, as if `identity` had it."""
    launch = Launch(GeneratedSource(source), "plus", types("float32"), 1, 32, [to or Out(0), In(0), float(number), 6])
    return Launches(backend().device, REGISTRY["identity"](), [SPEC], [SPEC], Work(launch, scratch=scratch))


def program(kernels):
    """A program that runs them one after the other, and its values: an input, and a result for each."""
    values = [to_gpu(np.zeros(6, "float32")) for _ in range(len(kernels) + 1)]
    lines = [(kernel, [number, number + 1]) for number, kernel in enumerate(kernels)]
    return backend().prepare_program(lines, {}, len(values)), values


def test_a_kernel_allocates_or_writes():
    x = to_gpu(np.arange(6, dtype="float32"))
    [y] = plus(2)([x])
    assert y.numpy().tolist() == [2, 3, 4, 5, 6, 7]
    assert plus(3)([x], [y]) == [y]
    assert y.numpy().tolist() == [3, 4, 5, 6, 7, 8]


def test_an_input_with_gaps_is_copied_first():
    x = to_gpu(np.arange(12, dtype="float32"))[::2]
    assert not x.flags.c_contiguous
    assert plus(1)([x])[0].numpy().tolist() == [1, 3, 5, 7, 9, 11]


def test_values_pass_as_what_the_kernel_takes():
    assert value_bytes(-2) == np.int64(-2).tobytes()
    assert value_bytes(2.0) == np.float64(2).tobytes()
    assert value_bytes(np.int32(7)) == np.int32(7).tobytes()
    assert len(value_bytes(dims((3, 4)))) == 12 * 8
    with pytest.raises(ValueError, match="^13 dimensions, and kernels have 12$"):
        dims(range(13))


def test_too_many_arguments():
    with pytest.raises(ValueError, match="^long has 65 arguments, and a launch takes 64$"):
        Prepared(1, (1, 1, 1), (1, 1, 1), 0, [0] * 65, None, "long")


def test_blocks_of_a_grid():
    assert (blocks(0), blocks(1), blocks(256), blocks(257), blocks(10 ** 9)) == (1, 1, 1, 2, 65535)


def test_an_error_names_the_kernel():
    launch = Launch(GeneratedSource(PLUS), "plus", types("float32"), 1, 2048, [Out(0), In(0), 1.0, 6])
    kernel = Launches(backend().device, REGISTRY["identity"](), [SPEC], [SPEC], Work(launch))
    with pytest.raises(MXNetError) as error:
        kernel([to_gpu(np.zeros(6, "float32"))])
    assert str(error.value).startswith("gpu(0): plus (generated) failed: CUDA_ERROR_INVALID_VALUE")
    assert plus(1)([to_gpu(np.zeros(6, "float32"))])[0].numpy().tolist() == [1] * 6        # a launch, not the context


def test_a_kernel_that_does_not_compile():
    with pytest.raises(MXNetError) as error:
        plus(1, "\nextern \"C\" __global__ void plus() { nonsense(); }\n")
    assert "generated" in str(error.value)
    assert "nonsense" in str(error.value)


def test_a_kernel_that_is_not_there():
    with pytest.raises(MXNetError) as error:
        plus(1, "\nextern \"C\" __global__ void minus() {}\n")
    assert str(error.value).startswith("gpu(0): finding plus in generated failed: CUDA_ERROR_NOT_FOUND")


def test_an_image_is_compiled_once(monkeypatch):
    source = GeneratedSource(PLUS + f"// {threading.get_ident()} {np.random.SeedSequence().entropy}\n")
    first = compiling.image_of(source, types("float32"), "sm_80")
    monkeypatch.setattr(compiling.compiler("sm_80"), "compile", None)
    assert compiling.image_of(source, types("float32"), "sm_80") == first


def test_includes_are_inserted_once():
    source = GeneratedSource('\n#include "common.cuh"\n#include "common.cuh"\nint x;\n')
    text = compiling.assembled(source, {"T": "float", "A": "float"})
    assert text.startswith('#define A float\n#define T float\n#line 1 "generated"\n\n#line 1 "common.cuh"\n')
    assert text.endswith('#line 3 "generated"\n\nint x;\n')
    assert text.count("struct Dims {") == 1


# -- programs -------------------------------------------------------------------------------------------------------


def test_a_program_becomes_a_graph_when_its_buffers_come_again():
    made, values = program([plus(number) for number in range(5)])
    for run in range(4):
        values[0][...] = np.float32(run)
        assert made.run(values, 0) == 5
        assert values[5].numpy().tolist() == [run + 10] * 6
    [[graph]] = made._graphs.values()
    assert graph is not None
    others = program([plus(0)] * 5)[1]
    assert made.run(others, 0) == 5
    assert others[5].numpy().tolist() == [10] * 6
    assert list(made._graphs.values()) == [[graph], None]


def test_graphs_that_are_not_used_are_forgotten(monkeypatch):
    monkeypatch.setattr(programs, "MAX_GRAPHS", 2)
    made, _ = program([plus(1)] * 4)
    sets = [program([plus(0)] * 4)[1] for _ in range(3)]
    for values in sets * 2:
        assert made.run(values, 0) == 4
        assert values[4].numpy().tolist() == [4] * 6
    assert len(made._graphs) == 2


def test_without_graphs(monkeypatch):
    monkeypatch.setenv("MINIGLUON_GPU_GRAPHS", "0")
    made, values = program([plus(1)] * 5)
    for _ in range(3):
        assert made.run(values, 0) == 5
    assert values[5].numpy().tolist() == [5] * 6
    assert not made._graphs


def test_work_whose_numbers_change_lies_between_graphs():
    calls, device = [], backend().device

    def enqueue(stream, pointers):
        calls.append((stream, pointers))
        number = np.full(6, len(calls), "float32")
        driver.loaded().memcpy_htod_async(pointers[1], number, device.stream)
        device.stream.synchronize()
    work = Work(Enqueue("counted", enqueue, [In(0), Out(0)], replayable=False))
    counted = Launches(device, REGISTRY["identity"](), [SPEC], [SPEC], work)
    made, values = program([plus(1), counted, *[plus(1)] * 4])
    for run in range(4):
        made.run(values, 0)
        assert values[6].numpy().tolist() == [run + 5] * 6
    assert calls == [(device.stream_handle, [values[1].pointer, values[2].pointer])] * 4
    [[first, between, last]] = made._graphs.values()
    assert first is None            # a launch alone is not worth a graph
    assert between is None
    assert last is not None


def test_lines_without_a_kernel_are_left_to_the_plan():
    def python(inputs, targets):
        pass
    made, values = program([plus(1), python, plus(1), plus(1)])
    assert made.run(values, 0) == 1
    assert made.run(values, 1) == 1
    assert made.run(values, 2) == 4


def test_an_error_in_a_program_names_the_kernel():
    def fails(stream, pointers):
        raise MXNetError("no")
    kernel = Launches(backend().device, REGISTRY["identity"](), [SPEC], [SPEC], Work(Enqueue("fails", fails, [])))
    made, values = program([plus(1), kernel, plus(1), plus(1)])
    for _ in range(2):                      # the second time in a capture
        with pytest.raises(MXNetError, match="^no$"):
            made.run(values, 0)
    good, values = program([plus(1)] * 4)
    for _ in range(3):
        good.run(values, 0)
    assert values[4].numpy().tolist() == [4] * 6


def test_threads_capture_at_the_same_time():
    wrong = []

    def work():
        made, values = program([plus(1)] * 8)
        for run in range(30):
            values[0][...] = np.float32(run)
            made.run(values, 0)
            if values[8].numpy().tolist() != [run + 8] * 6:
                wrong.append(run)
    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_scratch_is_allocated_where_nothing_is_given():
    kernel = plus(5, to=Scratch(0), scratch=[SPEC])
    assert len(kernel([to_gpu(np.zeros(6, "float32"))])) == 1


def test_an_enqueued_function_gets_addresses():
    found = []
    kernel = EnqueueCall(lambda stream, pointers: found.append(pointers), [1, 0], "swapped")
    compiling.Runner(backend().device, [kernel], 2).run([to_gpu(np.zeros(2)), to_gpu(np.zeros(2))])
    assert len(found[0]) == 2


def test_a_device_that_is_not_there():
    with pytest.raises(mx.base.ContextError) as error:
        mx.nd.ones((2,), ctx=mx.gpu(64))
    assert str(error.value) in [f"gpu(64) is not available: there {'is' if n == 1 else 'are'} {n} "
                                f"GPU{'' if n == 1 else 's'} here, numbered from 0" for n in [mx.context.num_gpus()]]
