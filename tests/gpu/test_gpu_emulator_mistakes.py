"""Mistakes of kernels and of those who launch them: what the emulated GPU says about each."""

import ctypes
import re

import numpy as np
import pytest
from helpers.gpu_emulator import (  # noqa: F401 - fixtures
    LIBRARY,
    _context,
    _mode,
    _module,
    _plain,
    cuda,
    fetched,
    filled,
    loaded,
    pattern,
    refused,
    run,
)

N = 1000

IN = "an allocation of 4000 bytes at @"


def at(kernel, thread=0):
    return f"kernel '{kernel}', block (0,0,0), thread ({thread},0,0): "


BOTH = "normal", "checked"
MISTAKES = [
    # kernel, further arguments or None for none at all, in which modes, number of the error, thread, its text
    ("write_at", [1000], ["normal"], 700, 3, f"writes at @, 0 bytes past the end of {IN}"),
    ("write_at", [1000], ["checked"], 700, 3, f"writes 4 bytes at @, 0 bytes past the end of {IN}, at kernels.cu:#"),
    ("write_at", [3000], ["checked"], 700, 3, f"writes 4 bytes at @, 8000 bytes past the end of {IN}, at kernels.cu:#"),
    ("write_at", [-5], ["normal"], 700, None, f"kernel 'write_at' wrote 17 bytes before the start of {IN}"),
    ("write_at", [-5], ["checked"], 700, 3, f"writes 4 bytes at @, 20 bytes before the start of {IN}, at kernels.cu:#"),
    ("misaligned", [], BOTH, 716, 0,
     "uses a 16-byte number or vector at @, which is not aligned to it, at kernels.cu:#"),
    ("index_out", [4], BOTH, 700, 0, "index 4 is outside of its array, at kernels.cu:#"),
    ("two_barriers", None, BOTH, 719, 2,
     "waits at a barrier at kernels.cu:# while thread (0,0,0) waits at one at kernels.cu:#. All threads of a block "
     "must come to the same __syncthreads()"),
    ("deadlock", None, BOTH, 702, None,
     "kernel 'deadlock', block (0,0,0): its threads wait for ever: thread (0,0,0) at a barrier at kernels.cu:#; thread "
     "(2,0,0) in a warp operation with mask 0xf at kernels.cu:#"),
    ("shuffle_with_ended", [], BOTH, 719, 3,
     "it ends, but thread (0,0,0) waits for it in a warp operation with mask 0xffffffff at kernels.cu:#"),
    ("not_in_mask", [], BOTH, 719, 1,
     "the mask 0x1 of a warp operation at kernels.cu:# does not name the lane itself, 1"),
    ("two_operations", [], BOTH, 719, "#",
     "does __..._sync with mask 0xffffffff at kernels.cu:# while thread (#,0,0) does __..._sync with mask 0xffffffff "
     "at kernels.cu:#"),
    ("divided", [0], BOTH, 719, 0, "divides an integer by zero"),
    ("asserted", [], BOTH, 710, 0, "assertion `x[0] == 7` failed at kernels.cu:#"),
    ("trapped", [], BOTH, 719, 1, "__trap() at kernels.cu:#"),
    ("recursion", [100000], BOTH, 714, 0, "its stack overflows (too much recursion, or too large local arrays)"),
    ("forgotten_barrier", [], ["checked"], 719, "#",
     "race in shared memory: it ... byte # of 'forgotten_barrier::s' at kernels.cu:#, which thread (#,0,0) ... at "
     "kernels.cu:#, with no barrier between"),
    ("forgotten_after", [], ["checked"], 719, "#",
     "race in shared memory: it ... byte # of 'forgotten_after::s' at kernels.cu:#, which thread (#,0,0) ... at "
     "kernels.cu:#, with no barrier between"),
]
CASES = [(kernel, more, mode, number, text if thread is None else at(kernel, thread) + text)
         for kernel, more, modes, number, thread, text in MISTAKES for mode in modes]


@pytest.mark.parametrize(("kernel", "more", "mode", "number", "text"), CASES,
                         ids=[f"{c[0]}{'' if not c[1] else c[1][0]}-{c[2]}" for c in CASES])
def test_mistakes_in_kernels(capfd, kernel, more, mode, number, text):
    module = loaded(mode)
    kinds = {"write_at": np.int64}
    arguments = [] if more is None else [filled(np.ones(N), np.float32 if kernel == "write_at" else np.int32),
                                         *map(kinds.get(kernel, np.int32), more)]
    refused(text, run, module, kernel, *arguments, block=(64, 1, 1))
    assert re.search(f"minigluon emulator: {pattern(text)}\n", capfd.readouterr().err)
    refused(text, cuda.mem_alloc, 4)                    # the context has failed for good
    assert LIBRARY.cuCtxSynchronize() == number


def test_a_freed_pointer_as_an_argument(plain):
    memory = filled(np.ones(N))
    pointer = int(memory)
    memory.free()
    refused(f"kernel 'write_at', argument 0 is @, 0 bytes into {IN}, which was freed", run, plain,
 "write_at", np.uintp(pointer), np.int64(0))


def test_a_pointer_to_host_memory_as_an_argument(plain):
    array = np.ones(4, np.float32)
    refused("kernel 'write_at', argument 0 is @, not device memory", run, plain, "write_at",
            np.uintp(array.ctypes.data), np.int64(0))


def test_a_null_pointer_is_an_argument_but_no_memory(module, mode):
    what = "reads at @, null" if mode == "normal" else "reads 4 bytes at @, null, at kernels.cu:#"
    refused(at("read_at") + what, run, module, "read_at", filled([1]), np.uintp(0), np.int64(0))


def test_a_host_pointer_hidden_in_a_number_is_found_in_checked_mode():
    array = np.ones(4, np.float32)
    module = loaded("checked")
    refused(at("hidden") + "writes 4 bytes at @, not device memory, at kernels.cu:#", run, module, "hidden",
            np.int64(array.ctypes.data))


def test_what_was_not_written_is_nan(plain):
    x, out = cuda.mem_alloc(32 * 4), cuda.mem_alloc(4)
    assert np.isnan(fetched(x, 32)).all()
    run(plain, "unset", x)
    assert np.isnan(fetched(x, 32)).all()
    run(plain, "read_at", out, filled(np.ones(5)), np.int64(6))     # behind the end, before the end of the page
    assert np.isnan(fetched(out, 1)).all()


def test_a_forgotten_barrier_gives_wrong_numbers_without_checks(plain):
    x = filled(np.arange(64), np.int32)
    run(plain, "forgotten_barrier", x, block=(64, 1, 1))
    assert (fetched(x, 64, np.int32) != np.arange(64)[::-1]).any()


@pytest.mark.parametrize(("index", "where"), [(10, 0), (13, 12)])
def test_beyond_dynamic_shared_memory(index, where):
    module = loaded("checked")
    refused(at("beyond_dynamic") + f"writes dynamic shared memory {where} bytes past the end of its 40 "
            "bytes, at kernels.cu:#", run, module, "beyond_dynamic", filled([1], np.int32), np.int32(index), shared=40)


def test_beyond_the_page_of_dynamic_shared_memory_without_checks(plain):
    refused(at("beyond_dynamic") + "writes dynamic shared memory 24 bytes past the end of its 40 bytes",
            run, plain, "beyond_dynamic", filled([1], np.int32), np.int32(16), shared=40)


@pytest.mark.parametrize(("block", "grid", "shared", "text"), [
    ((1025, 1, 1), (1, 1, 1), 0, "kernel 'add': a block of (1025,1,1) threads, expected 1 to 1024 in all, and at most "
     "64 in z"),
    ((1, 1, 65), (1, 1, 1), 0, "kernel 'add': a block of (1,1,65) threads, expected 1 to 1024 in all, and at most "
     "64 in z"),
    ((1, 1, 1), (0, 1, 1), 0, "kernel 'add': a grid of (0,1,1) blocks, expected 1 to (2147483647,65535,65535)"),
    ((1, 1, 1), (1, 65536, 1), 0, "kernel 'add': a grid of (1,65536,1) blocks, expected 1 to (2147483647,65535,65535)"),
    ((1, 1, 1), (1, 1, 1), 49153, "kernel 'add': 49153 bytes of dynamic shared memory, expected at most 49152 beside "
     "its 0 bytes of static shared memory. More must be allowed by cuFuncSetAttribute first"),
])
def test_launches_that_are_too_large(plain, block, grid, shared, text):
    null = np.uintp(0)
    refused(text, run, plain, "add", null, null, null, np.int32(0), block=block, grid=grid,
            shared=shared, kind=cuda.LogicError)
    cuda.Context.synchronize()                          # nothing ran: the context is as good as before


def test_more_threads_than_the_launch_bounds(plain):
    refused("kernel 'bounded': 65 threads in a block, but its __launch_bounds__ allow 64", run, plain, "bounded",
            np.uintp(0), block=(65, 1, 1))


def test_arguments_of_the_wrong_size(plain):
    refused("kernel 'write_at' takes 16 bytes of arguments, found 12", run, plain, "write_at", np.uintp(0), np.int32(1))


def test_a_kernel_and_an_image_that_are_not_there(plain):
    refused("the module has no kernel 'ad'. It has: add, ...", plain.get_function, "ad")
    refused("the module has no variable 'factor'", plain.get_global, "factor")
    refused("the image is none of the emulator's compiler. PTX and the images of real devices do not run here - ",
            cuda.module_from_buffer, b".version 8.0\n" + b" " * 100)


def test_copies_outside_of_allocations():
    memory = cuda.mem_alloc(400)
    array = np.zeros(101, np.float32)
    refused("a copy to 404 bytes at @, of which 4 lie past the end of an allocation of 400 bytes", cuda.memcpy_htod,
            memory, array)
    refused("a copy from 404 bytes at @, of which 4 lie past the end of an allocation of 400 bytes",
            cuda.memcpy_dtoh, array, memory)
    refused("a fill of 408 bytes at @, of which 8 lie past the end of an allocation of 400 bytes", cuda.memset_d32,
            memory, 0, 102)
    gone = int(memory)
    memory.free()
    refused("a copy from 4 bytes at @, which is 0 bytes into an allocation of 400 bytes at @, which was freed",
            cuda.memcpy_dtoh, array[:1], gone)
    assert LIBRARY.cuMemFree_v2(ctypes.c_ulonglong(gone)) == 1


def test_fills_of_all_widths():
    memory = cuda.mem_alloc(16)
    cuda.memset_d8(memory, 7, 16)
    cuda.memset_d16(int(memory) + 4, 0x1234, 2)
    cuda.memset_d32(int(memory) + 8, 0x12345678, 1)
    assert fetched(memory, 4, np.uint32).tolist() == [0x07070707, 0x12341234, 0x12345678, 0x07070707]
