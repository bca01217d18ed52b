"""Memory of the GPU is freed in whatever thread or process the last reference goes, and sizes of blocks."""

import ctypes
import gc
import os
import re
import threading
from collections import deque

import numpy as np
import pytest
from helpers import gpu_choice  # noqa: F401 - first: it chooses the GPU, or skips the module
from helpers.gpu_checks import GPU, backend
from helpers.leftovers import forward, leftovers, prepared, train_step
from helpers.processes import program
from hypothesis import given
from hypothesis import strategies as st
from minigluon_accel.gpu import driver, status
from minigluon_accel.gpu.pool import MIN_BLOCK, Pool, rounded

import minigluon as mx
from minigluon import nd

COUNT = 100_000         # float32: no block of this size is kept by chance


def live():
    """Bytes of arrays on the device."""
    nd.waitall()
    gc.collect()
    return backend().device.memory.held()[0]


def in_a_thread(work):
    """Run it in a thread that never used the device."""
    failed = []

    def guarded():
        try:
            work()
        except BaseException as error:
            failed.append(error)
    thread = threading.Thread(target=guarded)
    thread.start()
    thread.join()
    assert failed == []


class Knot:
    """A cycle that holds an array: only the garbage collector frees it."""

    def __init__(self):
        self.array, self.itself = nd.ones((COUNT,), ctx=GPU), self


@pytest.mark.skipif(not driver.emulated() or os.environ.get("MINIGLUON_GPU_CHECK") == "hard",
                    reason="a real device shows what all processes hold, and hard mode keeps memory")
def test_the_driver_has_the_memory_back():
    """Nothing is kept on the emulated device. Warnings are errors here, PyCUDA's about other threads, too."""
    nd.waitall()
    gc.collect()
    free = mx.context.gpu_memory_info(0)[0]
    held = [nd.ones((COUNT,), ctx=GPU)]
    assert mx.context.gpu_memory_info(0)[0] == free - 4 * COUNT
    in_a_thread(held.clear)
    assert mx.context.gpu_memory_info(0)[0] == free


def test_the_last_reference_goes_in_another_thread():
    before, held = live(), [nd.ones((COUNT,), ctx=GPU) for _ in range(3)]
    assert live() >= before + 3 * 4 * COUNT
    in_a_thread(held.clear)
    assert live() == before


def test_the_garbage_collector_runs_in_another_thread():
    before = live()
    gc.disable()
    try:
        Knot()
        nd.waitall()
        assert backend().device.memory.held()[0] >= before + 4 * COUNT
        in_a_thread(gc.collect)
        assert backend().device.memory.held()[0] == before
    finally:
        gc.enable()


def test_an_array_of_a_thread_that_has_ended():
    before, held = live(), []
    in_a_thread(lambda: held.append(nd.ones((COUNT,), ctx=GPU)))
    assert held[0].asnumpy().sum() == COUNT
    held.clear()
    assert live() == before


def test_memory_of_another_thread_is_used_again():
    """Two threads take turns; nothing grows."""
    before = live()
    for _ in range(20):
        held = [nd.full((COUNT,), 7, ctx=GPU)]
        in_a_thread(lambda held=held: held.append(held.pop() + 1))
        assert (held[0].asnumpy() == 8).all()
    held.clear()
    assert live() == before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_child_lets_go_of_its_parents_arrays_and_ends():
    """By del, by the garbage collector, and by its end; in a plan with a CUDA graph, too. Another thread used it."""
    lines = program("""
        import gc, os, sys, threading, warnings
        warnings.simplefilter("ignore", DeprecationWarning)
        net = mx.gluon.nn.Dense(3)
        net.initialize(ctx=mx.gpu())
        net.hybridize()
        x, kept = nd.ones((2, 4), ctx=mx.gpu()), nd.ones((5,), ctx=mx.gpu())
        for _ in range(4):
            net(x)
        nd.waitall()
        begun, over = threading.Event(), threading.Event()
        other = threading.Thread(target=lambda: (net(x).wait_to_read(), begun.set(), over.wait()))
        other.start()
        begun.wait()
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            del x, net
            gc.collect()
            sys.exit(7)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), kept.asnumpy().sum(), net(x).shape)
        over.set()
    """)
    assert lines == ["7 5.0 (2, 3)"]


# -- the pool ---------------------------------------------------------------------------------------------------------


class Life:
    over = False


class Driver:
    """Memory of so many bytes, by addresses that count up."""

    def __init__(self, total):
        self.total, self.blocks = total, {}

    def allocate(self, count):
        if sum(self.blocks.values()) + count > self.total:
            return None
        address = 1 + max(self.blocks, default=0)
        self.blocks[address] = count
        return address

    def free(self, address):
        del self.blocks[address]


def test_blocks_are_kept_and_given_up_where_memory_ends():
    driver = Driver(4 * MIN_BLOCK)
    pool = Pool(driver.allocate, driver.free, Life)
    first = pool.allocate(10)
    address = first.address
    del first
    assert pool.held() == (0, MIN_BLOCK)
    second = pool.allocate(MIN_BLOCK)
    assert (second.address, pool.held()) == (address, (MIN_BLOCK, 0))
    del second
    large = pool.allocate(4 * MIN_BLOCK)         # needs what was kept
    assert (pool.held(), len(driver.blocks)) == ((4 * MIN_BLOCK, 0), 1)
    assert pool.allocate(1) is None
    del large
    pool.release()
    assert (pool.held(), driver.blocks) == ((0, 0), {})


def test_a_pool_that_keeps_nothing():
    driver = Driver(1000)
    pool = Pool(driver.allocate, driver.free, Life, keeps=False)
    block = pool.allocate(1000)
    assert (block.size, pool.held(), pool.allocate(1)) == (1000, (1000, 0), None)
    del block
    assert (pool.held(), driver.blocks) == ((0, 0), {})


def test_nothing_is_given_back_when_the_driver_is_gone():
    driver, life = Driver(1000), Life()
    pool = Pool(driver.allocate, driver.free, life, keeps=False)
    block = pool.allocate(10)
    life.over = True
    del block
    assert len(driver.blocks) == 1


def test_a_pool_keeps_no_more_than_it_may():
    """Blocks that come back when as much is kept are freed, whatever their number was."""
    driver = Driver(100 * MIN_BLOCK)
    pool = Pool(driver.allocate, driver.free, Life, most=3 * MIN_BLOCK)
    blocks = [pool.allocate(MIN_BLOCK) for _ in range(10)] + [pool.allocate(4 * MIN_BLOCK)]
    assert pool.held() == (14 * MIN_BLOCK, 0)
    while blocks:
        blocks.pop()
        assert pool.held()[1] <= 3 * MIN_BLOCK
    assert (pool.held(), sum(driver.blocks.values())) == ((0, 3 * MIN_BLOCK), 3 * MIN_BLOCK)
    again = [pool.allocate(MIN_BLOCK) for _ in range(3)]
    assert (pool.held(), len(driver.blocks)) == ((3 * MIN_BLOCK, 0), 3)
    del again
    with pool._lock:                                    # its holder's garbage may be what comes back
        pool._most, block = 0, pool._kept[MIN_BLOCK].pop()
        pool.take_back(block, MIN_BLOCK)
    assert len(driver.blocks) == 3


class Contended(list):
    """Addresses of which another thread takes the last one between a look and a `pop`."""

    def __len__(self):
        return 1


def test_another_thread_takes_a_block_that_is_given_up():
    pool = Pool(lambda count: None, None, Life)
    pool._kept[MIN_BLOCK] = Contended()
    pool.release()
    assert pool.allocate(1) is None


class Upload:
    """The event of a copy. meanwhile: what another thread does while it is asked for the first time."""

    def __init__(self, ended, meanwhile=lambda: None):
        self.ended, self.meanwhile = ended, meanwhile

    def query(self):
        meanwhile, self.meanwhile = self.meanwhile, lambda: None
        meanwhile()
        return self.ended


def test_memory_of_a_copy_is_kept_while_another_thread_looks_for_ended_ones(monkeypatch):
    memory = backend().device.memory
    ended, under_way = (Upload(True, memory._forget_uploads), "a"), (Upload(False), "b")
    monkeypatch.setattr(memory, "_uploads", deque([ended, under_way]))
    memory._forget_uploads()
    assert list(memory._uploads) == [under_way]


@given(st.integers(1, 2 ** 40))
def test_sizes_of_blocks(count):
    size = rounded(count)
    assert size >= count
    assert size % MIN_BLOCK == 0
    assert size - count < max(MIN_BLOCK, count / 8)
    assert rounded(size) == size


def test_pinned_memory_that_is_not_there(monkeypatch):
    memory = backend().device.memory
    monkeypatch.setattr(memory, "_pinned", Pool(lambda count: None, None, Life))
    with pytest.raises(mx.base.MXNetError) as failed:
        nd.array(np.ones(3), ctx=GPU)
    assert str(failed.value) == ("gpu(0): there is no pinned memory of 12 bytes for a copy to the device. The host's "
                                 "memory is full: copy smaller arrays, or release some.")


def test_pinned_memory_is_given_back(monkeypatch):
    """Copies in a row hold as much as they need, and no more than the limit when they have ended."""
    memory = backend().device.memory
    GPU.empty_cache()
    assert memory.pinned() == (0, 0)
    monkeypatch.setattr(memory._pinned, "_most", 10_000)
    arrays = [nd.array(np.ones(3000), ctx=GPU) for _ in range(5)]
    nd.waitall()
    under_way, kept = memory.pinned()
    assert under_way == 0
    assert 0 < kept <= 10_000 or kept == 0
    assert all(x.asnumpy().sum() == 3000 for x in arrays)
    nd.array(np.ones(2000), ctx=GPU).wait_to_read()
    assert memory.pinned() == (0, 8192)
    GPU.empty_cache()
    assert memory.pinned() == (0, 0)


class EndsLater:
    """The event of a copy that has ended when it is asked for the second time."""

    asked = 0

    def query(self):
        self.asked += 1
        return self.asked > 1


def test_copies_under_way_are_waited_for_where_pinned_memory_ends(monkeypatch):
    memory, made, event = backend().device.memory, [], EndsLater()

    def allocate(count):                    # one block, and no more
        if made:
            return None
        made.append(memory._allocate_pinned(count))
        return made[0]
    pool = Pool(allocate, memory._free_pinned, Life)
    monkeypatch.setattr(memory, "_pinned", pool)
    monkeypatch.setattr(memory, "_uploads", deque([(event, pool.allocate(28))]))
    x = nd.array(np.ones(7), ctx=GPU)
    assert event.asked == 2
    assert x.asnumpy().sum() == 7
    nd.waitall()
    pool.release()


def test_what_kernels_draw_from_comes_through_pinned_memory(monkeypatch):
    """Pageable memory might be read after the array in it is gone."""
    memory, sources = backend().device.memory, []
    copy = memory._cuda.memcpy_htod_async

    class Cuda:
        def __getattr__(self, name):
            return getattr(driver.loaded(), name)

        def memcpy_htod_async(self, to, source, stream):
            sources.append(source.__array_interface__["data"][0])
            copy(to, source, stream)
    monkeypatch.setattr(memory, "_cuda", Cuda())
    for function in (nd.random.uniform, nd.random.normal):
        function(shape=(5,), ctx=GPU).wait_to_read()
    nd.random.randint(0, 1000, shape=(5,), ctx=GPU).wait_to_read()
    nd.shuffle(nd.arange(5, ctx=GPU)).wait_to_read()
    assert len(sources) >= 4
    for source in sources:
        kind = ctypes.c_int()               # the driver knows the address, as one of the host's memory
        assert driver.api().cuPointerGetAttribute(ctypes.byref(kind), 2, ctypes.c_uint64(source)) == 0
        assert kind.value == 1


def test_what_this_process_holds():
    """`minigluon info` of a device that is used: arrays, and what is kept, of the device's memory and of the host's."""
    x = nd.array(np.ones(2 ** 20, "float32"), ctx=GPU)
    x.wait_to_read()
    line = next(line for line in status.describe() if "gpu(0)" in line)
    found = re.search(r"GiB; in this process: arrays ([\d.]+) MiB, kept for reuse [\d.]+ MiB; pinned memory of copies "
                      r"0\.0 MiB, kept for reuse ([\d.]+) MiB$", line)
    assert float(found[1]) >= 4
    assert float(found[2]) >= 4 or not driver.emulated()


@pytest.mark.parametrize("hybrid", [False, True], ids=["imperative", "hybridized"])
@pytest.mark.parametrize("name", ["convolutions", "mlp", "nested", "LSTM"])
def test_nothing_waits_for_the_garbage_collector(name, hybrid):
    with GPU:
        parts = prepared(name, hybrid)
        assert not leftovers(lambda: train_step(*parts))
        assert not leftovers(lambda: forward(parts[0], parts[2]))


def test_a_dropped_net_frees_its_memory_at_once():
    with GPU:
        assert not leftovers(lambda: train_step(*prepared("mlp", True)))
