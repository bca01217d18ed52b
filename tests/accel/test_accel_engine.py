"""The engine of minigluon_accel: memory, calls, programs with lines for Python in between, kernels that refuse."""

import gc
import os
import sys
import threading

import numpy as np
import pytest

pytest.importorskip("minigluon_accel", reason="minigluon-accel is not installed")

import minigluon as mx
from minigluon import autograd, nd
from minigluon.gluon import nn
from minigluon_accel import engine

MEGABYTE = 2 ** 20


@pytest.fixture
def kept():
    """Function: how many bytes the engine keeps for later arrays. It keeps none at first."""
    gc.collect()
    engine.release_memory()
    yield engine.release_memory
    engine.release_memory()


@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (1,), (5, 7), (1024,), (3, 1000, 1000)])
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int8", "int64", "bool"])
def test_empty_is_numpys(shape, dtype):
    array = engine.empty(shape, np.dtype(dtype))
    assert (array.shape, array.dtype, array.flags.c_contiguous, array.flags.owndata) == (shape, dtype, True, True)
    if array.nbytes >= 4096:
        assert array.ctypes.data % 64 == 0


def test_the_memory_of_a_large_array_is_kept_for_the_next_of_its_size(kept):
    array = engine.empty((MEGABYTE,), np.dtype("float32"))
    address = array.ctypes.data
    del array
    assert engine.empty((MEGABYTE - 8,), np.dtype("float32")).ctypes.data == address
    assert engine.empty((2 * MEGABYTE,), np.dtype("float32")).ctypes.data != address
    assert kept() >= 4 * MEGABYTE
    assert kept() == 0


@pytest.mark.parametrize("size", [0, 3, 5000, 300_001, 5 * MEGABYTE + 7])
def test_zeros_are_zeros_in_memory_new_and_used(kept, size):
    """Memory from the system may have been another array's before: `malloc` reuses it."""
    for trim in (False, True, True):
        array = engine.zeros((size,), np.dtype("uint8"))
        assert (array.shape, array.dtype, array.flags.owndata) == ((size,), np.uint8, True)
        assert not array.any()
        array[:] = 255
        del array
        if trim:
            kept()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="whether pages are there is asked of Linux")
def test_zeros_take_no_memory_until_they_are_written(kept):
    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")
    before = resident()
    x = nd.zeros((64, MEGABYTE))
    assert resident() - before < 64 * MEGABYTE
    x[:48] = 1
    assert resident() - before > 128 * MEGABYTE


def test_operators_without_a_kernel_take_large_arrays_from_what_is_kept(kept):
    x = nd.ones((MEGABYTE // 4,))
    kept()
    for _ in range(2):
        nd.arcsinh(nd.arccosh(x))
    assert kept() == 2 * MEGABYTE                   # each operator's result is alive while the next one runs
    nd.arcsinh(x[:100])
    assert kept() == 0


def test_what_is_kept_has_a_limit(kept):
    arrays = [engine.empty((16 * MEGABYTE,), np.dtype("uint8")) for _ in range(24)]
    del arrays
    assert 200 * MEGABYTE <= kept() <= 256 * MEGABYTE


def test_empty_cache_gives_memory_back(kept):
    array = engine.empty((MEGABYTE,), np.dtype("float32"))
    del array
    mx.cpu().empty_cache()
    assert kept() == 0


def test_an_array_of_the_engine_may_be_resized_and_may_outlive_its_thread():
    arrays = []
    thread = threading.Thread(target=lambda: arrays.append(engine.empty((MEGABYTE,), np.dtype("uint8"))))
    thread.start()
    thread.join()
    arrays[0][:] = 7
    arrays[0].resize(3 * MEGABYTE, refcheck=False)
    assert arrays[0][:MEGABYTE].min() == 7


def test_no_memory_is_an_error_that_says_so():
    with pytest.raises(mx.base.MXNetError, match=r"there is no memory for an array of shape \(1099511627776,\)"):
        mx.backend.backend_for(mx.cpu()).empty((2 ** 40,), "float64", mx.cpu())


def test_phases_tell_what_is_wrong():
    name = next(n for isa, real, n in engine.kernels() if (isa, real) == (engine.isa(), "f32"))
    with pytest.raises(LookupError, match="no kernel 'nonsense' for float32"):
        engine.Phase("nonsense", "float32")
    with pytest.raises(TypeError, match=f"kernel {name}: found fields \\['nonsense'\\], expected"):
        engine.Phase(name, "float32", 1, nonsense=1)
    with pytest.raises(ValueError, match=f"kernel {name}: 65537 parts, expected at most 65536"):
        engine.Phase(name, "float32", 65537)
    with pytest.raises(TypeError, match="kernel recurrent_mask: 9 numbers for a struct of 80 bytes"):
        engine.Phase("recurrent_mask", "float32", 1, source=(0, 0, 0), mask=(0, 0), target=(0, 0, 0), count=1)


def test_the_fields_of_a_phase_go_by_name():
    """Whatever their order, and whether they are integers or not, numbers or arrays of them."""
    array, there = np.zeros(3, "float32"), (0, 0, 0)
    for fields in {"array": there, "count": 3, "value": 0.5}, {"value": 2.5, "count": 3, "array": there}:
        engine.Call(engine.Phase("recurrent_fill", "float32", 1, **fields))([], [array])
        assert array.tolist() == [fields["value"]] * 3


class Mixed(nn.HybridBlock):
    """Compiled lines, one that only the reference runs, and views of inputs, values and results."""

    def hybrid_forward(self, F, x, y):
        flat = F.reshape(x, (-1,))
        total = flat + F.reshape(y, (-1,))
        special = F.arcsinh(total)                  # no kernel
        both = F.reshape(F.relu(special - total), (2, -1))
        return F.reshape(both, (-1, 2)) * 2, both, total


@pytest.mark.parametrize("recorded", [False, True])
def test_a_plan_alternates_between_programs_and_python(recorded):
    x, y = nd.arange(12).reshape((3, 4)) + 1, nd.ones((12,)) / 2
    twins = []
    for hybrid in (False, True):
        block = Mixed()
        if hybrid:
            block.hybridize()
        for _ in range(3):
            inputs = x.copy(), y.copy()
            for a in inputs:
                a.attach_grad()
            if recorded:
                with autograd.record():
                    outputs = block(*inputs)
                autograd.backward(outputs)
            else:
                outputs = block(*inputs)
            twins.append([a.asnumpy() for a in (*outputs, *(i.grad for i in inputs))])
    for other in twins[1:]:
        for a, b in zip(twins[0], other, strict=True):
            np.testing.assert_allclose(b, a, rtol=1e-6)


def test_views_of_inputs_take_part_in_calls_of_other_shapes():
    class Flat(nn.HybridBlock):
        def hybrid_forward(self, F, x):
            return F.reshape(F.reshape(x, (-1,)), (0, 1)) + 1
    block = Flat()
    block.hybridize()
    for shape in [(2, 3), (4, 5), (1,), (2, 3)]:
        np.testing.assert_array_equal(block(nd.ones(shape)).asnumpy(), np.full((np.prod(shape), 1), 2))


def test_arrays_that_are_not_in_one_piece_or_not_aligned():
    parent = np.arange(40, dtype="float32").reshape(5, 8)
    odd = np.frombuffer(b"\0" + parent.tobytes(), dtype="float32", offset=1, count=40).reshape(5, 8)
    whole = nd.array(parent)
    for data in (parent[:, ::2], parent[::-1, :4], odd[:, :4], parent.T[:5, :4]):
        x = mx.nd.NDArray(data, mx.cpu())
        np.testing.assert_array_equal((x + x).asnumpy(), data + data)
        np.testing.assert_array_equal(nd.elemwise_add(x, whole[:, :4].reshape(data.shape)).asnumpy(),
                                      data + parent[:, :4].reshape(data.shape))
