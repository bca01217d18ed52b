"""Kernels on the emulated GPU, against NumPy: threads, barriers, warps, atomics, arguments."""

import numpy as np
import pytest
from helpers.gpu_emulator import _context, _mode, _module, _plain, cuda, fetched, filled, run  # noqa: F401 - fixtures

N = 1000


def test_a_sum_in_many_blocks(module):
    a, b = np.random.rand(2, N).astype(np.float32)
    c = cuda.mem_alloc(4 * N)
    run(module, "add", c, filled(a), filled(b), np.int32(N), block=(96, 1, 1), grid=(11, 1, 1))
    np.testing.assert_array_equal(fetched(c, N), a + b)


def test_indices_of_threads_and_blocks(module):
    block, grid = (3, 4, 5), (2, 3, 2)
    out = cuda.mem_alloc(4 * 6 * 60 * 12)
    run(module, "indices", out, block=block, grid=grid)
    expected = np.array([(tx, ty, tz, bx, by, bz) for bz in range(2) for by in range(3) for bx in range(2)
                         for tz in range(5) for ty in range(4) for tx in range(3)])
    np.testing.assert_array_equal(fetched(out, (720, 6), np.int32), expected)


@pytest.mark.parametrize("order", ["", "reverse", "shuffle"])
def test_a_tiled_product_of_matrices_in_every_order_of_threads(module, monkeypatch, order):
    monkeypatch.setenv("MINIGLUON_GPU_ORDER", order)
    for n in 1, 8, 21:
        a, b = np.random.rand(2, n, n).astype(np.float32)
        c = cuda.mem_alloc(4 * n * n)
        run(module, "matmul", c, filled(a), filled(b), np.int32(n), block=(8, 8, 1), grid=(-(-n // 8), -(-n // 8), 1))
        np.testing.assert_allclose(fetched(c, (n, n)), a @ b, rtol=n * 1.2e-7)


@pytest.mark.parametrize(("order", "expected"), [("", 31), ("reverse", 0)])
def test_the_order_of_threads(plain, monkeypatch, order, expected):
    monkeypatch.setenv("MINIGLUON_GPU_ORDER", order)
    x = filled([0], np.int32)
    run(plain, "last_thread", x)
    assert fetched(x, 1, np.int32)[0] == expected


def test_dynamic_shared_memory(module):
    x = filled(np.arange(40), np.int32)
    run(module, "reversed_in_shared", x, block=(40, 1, 1), shared=160)
    np.testing.assert_array_equal(fetched(x, 40, np.int32), np.arange(40)[::-1])


def test_more_shared_memory_where_it_is_asked_for(module):
    x = filled(np.arange(40), np.int32)
    most = cuda.function_attribute.MAX_DYNAMIC_SHARED_SIZE_BYTES
    module.get_function("reversed_in_shared").set_attribute(most, 65536)
    run(module, "reversed_in_shared", x, block=(40, 1, 1), shared=65536)
    np.testing.assert_array_equal(fetched(x, 40, np.int32), np.arange(40)[::-1])


def test_printf_comes_out_when_the_device_is_waited_for(plain, capfd):
    run(plain, "printing", np.int32(7), block=(2, 1, 1))
    assert capfd.readouterr().out == "thread 0: 7\nthread 1: 7\n"


def test_votes_of_blocks_and_warps(module):
    values = np.arange(64) % 10
    out = cuda.mem_alloc(64 * 8 * 4)
    run(module, "votes", out, filled(values, np.int32), block=(64, 1, 1))
    rows = fetched(out, (64, 8), np.uint32)
    for first in 0, 32:
        warp = values[first:first + 32]
        ballot = sum(1 << i for i in range(32) if warp[i] > 2)
        for lane in range(32):
            same = sum(1 << i for i in range(32) if warp[i] == warp[lane])
            row = [(values > 2).sum(), 1, 1, ballot, 1, 0, same, warp.sum()]
            assert rows[first + lane].tolist() == row


def test_shuffles(module):
    x = np.random.rand(32)
    out = cuda.mem_alloc(32 * 4 * 8)
    run(module, "shuffles", out, filled(x, np.float64))
    lane = np.arange(32)
    higher = np.where(lane % 8 < 6, (lane + 2) % 32, lane)
    expected = [np.full(32, x[5]), x[np.where(lane < 3, lane, lane - 3)], x[higher], x[lane ^ 1]]
    np.testing.assert_array_equal(fetched(out, (32, 4), np.float64), np.transpose(expected))


def test_a_value_from_a_lane_that_is_not_there_is_nan(plain):
    out = cuda.mem_alloc(5 * 4 * 8)
    run(plain, "shuffles", out, filled(np.ones(32), np.float64), block=(5, 1, 1))
    assert np.isnan(fetched(out, (5, 4), np.float64)[:, 0]).all()


def test_halves_of_a_warp_meet_apart(module):
    out = cuda.mem_alloc(64 * 4)
    run(module, "halves", out, block=(64, 1, 1))
    np.testing.assert_array_equal(fetched(out, 64, np.int32).reshape(4, 16), [[120] * 16, [376] * 16] * 2)


def test_atomics_of_many_blocks(module):
    n = 20000
    counts, sums, wide, largest = filled(np.zeros(11), np.int32), filled(np.zeros(7)), filled([0], np.float64), filled(
        [0], np.uint64)
    run(module, "histogram", counts, sums, wide, largest, np.int32(n), block=(64, 1, 1), grid=(16, 1, 1))
    expected = np.bincount(np.arange(n) % 7)
    found = fetched(counts, 11, np.int32)
    np.testing.assert_array_equal(found[:7], expected)
    assert found[8:].tolist() == [5, 1 - n, (1 << 20) - 1]
    np.testing.assert_array_equal(fetched(sums, 7), expected * np.float32(0.5))
    assert fetched(wide, 1, np.float64)[0] == n * (n - 1) / 2
    assert fetched(largest, 1, np.uint64)[0] == (n - 1) << 32


def test_intrinsics_and_functions(module):
    special = pytest.importorskip("scipy.special", reason="SciPy is not installed")
    bits, reals = cuda.mem_alloc(13 * 4), cuda.mem_alloc(14 * 4)
    run(module, "intrinsics", bits, reals, block=(1, 1, 1))
    assert fetched(bits, 13, np.uint32).tolist() == [
        8, 31, 4, 1 << 31, 3, 0x3f800000, 0x77552200, 3, 2, 2 ** 32 - 2, 7, 1, 3]
    np.testing.assert_allclose(fetched(reals, 14), [
        special.erfinv(0.5), 0.5, 1, 10, special.gammaln(4.5), special.gamma(4.5), special.j0(1), 0.25,
        special.erfinv(np.float32(-0.999)), special.erfinv(1e-9), special.ndtr(1), 100, 10, 1], rtol=3e-7)


def test_variables_of_a_module(module):
    pointer, size = module.get_global("factors")
    assert size == 16
    cuda.memcpy_htod(pointer, np.arange(4, dtype=np.float32))
    x = filled([1, 1, 1, 1])
    run(module, "scaled", x, block=(4, 1, 1))
    assert fetched(x, 4).tolist() == [0, 1, 2, 3]
    assert fetched(module.get_global("counter")[0], 1, np.int32)[0] == 4


def test_arguments_of_all_sizes_separate_and_packed(plain):
    out = filled(np.zeros(6), np.float64)
    pair = np.zeros(1, np.dtype([("tag", np.int8), ("value", np.float64)], align=True))
    pair["tag"], pair["value"] = 3, 4.5
    run(plain, "mixed", out, np.int8(-1), np.float64(2.5), np.int16(7), bytes_of(pair, 6), np.uint8(1), block=(1, 1, 1))
    assert fetched(out, 6, np.float64).tolist() == [-1, 2.5, 7, 3, 4.5, 1]


def bytes_of(structure, padding):
    """A structure as PyCUDA takes bytes, which it packs without alignment: with padding in front."""
    return np.frombuffer(b"\0" * padding + structure.tobytes(), f"V{padding + structure.nbytes}")[0]


def test_kernels_of_macros_and_with_names_of_cpp(plain):
    x, y, z = filled([1, 2]), filled([3, 4], np.int32), filled([0])
    run(plain, "twice_float", x, block=(2, 1, 1))
    run(plain, "twice_int", y, block=(2, 1, 1))
    run(plain, "_Z7mangledPf", z)
    assert fetched(x, 2).tolist() == [2, 4]
    assert fetched(y, 2, np.int32).tolist() == [6, 8]
    assert fetched(z, 1)[0] == 8
    run(plain, "lfind", z)
    assert fetched(z, 1)[0] == 9


def test_many_blocks_that_take_long_use_further_processors(plain):
    x = cuda.mem_alloc(64 * 4)
    run(plain, "spin", x, np.int32(20000), block=(1, 1, 1), grid=(64, 1, 1))
    assert (fetched(x, 64, np.int32) == 20000).all()


def test_attributes_of_kernels_and_devices(plain):
    device = cuda.Device(0)
    assert (device.name(), device.compute_capability()) == ("minigluon emulator", (8, 0))
    assert device.max_threads_per_block == 1024
    assert device.max_shared_memory_per_block == 49152
    assert plain.get_function("bounded").max_threads_per_block == 64
    assert plain.get_function("matmul").shared_size_bytes == 512
    assert plain.get_function("add").shared_size_bytes == 0
