"""Datasets, samplers, batchify functions and the DataLoader, its workers above all."""

import gc
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from helpers import TESTS

import minigluon as mx
from minigluon import gluon, nd
from minigluon.base import ArgumentError, DTypeError, MXNetError, ShapeError
from minigluon.gluon.data import batchify, transport

pytestmark = pytest.mark.once

D = gluon.data


def lists(loader):
    return [batch.asnumpy().tolist() for batch in loader]


class Numbers(D.Dataset):
    """0 ... n - 1, each as (NDArray, number)."""

    def __init__(self, n):
        self._n = n

    def __len__(self):
        return self._n

    def __getitem__(self, idx):
        return nd.array([idx, -idx]), idx


# -- datasets -------------------------------------------------------------------------------------------------------


def test_transform_spreads_tuples():
    pairs = D.ArrayDataset([1, 2], [3, 4])
    assert pairs.transform(lambda a, b: (a + b, b))[1] == (6, 4)
    assert pairs.transform_first(lambda a: 10 * a)[1] == (20, 4)
    assert D.SimpleDataset([5, 6]).transform(lambda a: 2 * a)[1] == 12
    assert D.SimpleDataset([5, 6]).transform_first(lambda a: 3 * a)[1] == 18


def test_transform_is_lazy_unless_told_otherwise():
    calls = []

    def fn(x):
        calls.append(x)
        return x
    numbers = D.SimpleDataset([1, 2, 3])
    lazy = numbers.transform(fn)
    assert calls == []
    assert lazy[0] == lazy[0] == 1
    assert calls == [1, 1]
    eager = numbers.transform(fn, lazy=False)
    assert calls == [1, 1, 1, 2, 3]
    assert eager[2] == 3
    assert len(calls) == 5


def test_selections():
    numbers = D.SimpleDataset(list(range(10)))
    odd = numbers.filter(lambda v: v % 2)
    assert [odd[i] for i in range(len(odd))] == [1, 3, 5, 7, 9]
    shards = [numbers.shard(3, i) for i in range(3)]
    assert [[s[i] for i in range(len(s))] for s in shards] == [[0, 1, 2, 3], [4, 5, 6], [7, 8, 9]]
    assert [len(numbers.take(n)) for n in (3, None, 100, 0)] == [3, 10, 10, 0]
    sampled = numbers.sample(D.SequentialSampler(3, start=4))
    assert [sampled[i] for i in range(3)] == [4, 5, 6]
    with pytest.raises(IndexError):
        sampled[3]


def test_array_dataset():
    data = D.ArrayDataset(nd.array([[1, 2], [3, 4]]), nd.array([5, 6]), ["a", "b"])
    x, y, text = data[1]
    assert isinstance(x, nd.NDArray)
    assert x.asnumpy().tolist() == [3, 4]
    assert isinstance(y, np.float32)        # labels are numbers, as in MXNet
    assert (y, text) == (6, "b")
    assert D.ArrayDataset([7, 8])[1] == 8
    assert len(data) == 2


@pytest.mark.parametrize(("make", "error", "text"), [
    (lambda: D.ArrayDataset([1, 2], [1]), MXNetError,
     "ArrayDataset: all arrays must have the same length, but array 0 has 2, array 1 has 1. Shorten the longer ones, "
     "x[:n], or check whether another axis comes first."),
    (lambda: D.DataLoader(5, batch_size=2), TypeError,
     "DataLoader: dataset is of type int, expected something with dataset[i] and len(dataset), such as "
     "ArrayDataset(x, y) or a list of samples"),
    (lambda: D.ArrayDataset(), MXNetError, "ArrayDataset needs at least one array, found none"),
    (lambda: D.SimpleDataset([1]).shard(3, 3), MXNetError,
     "shard: index must be in 0 ... num_shards - 1, found index 3, num_shards 3"),
    (lambda: D.SimpleDataset([1]).take(-1), MXNetError, "take: count must not be negative, found -1"),
    (lambda: D.SimpleDataset([1]).sample([0]), TypeError, "sample needs a gluon.data.Sampler, found list"),
    (lambda: D.BatchSampler(D.SequentialSampler(3), 2, "drop"), ArgumentError,
     "last_batch must be 'keep', 'discard' or 'rollover', found 'drop'"),
    (lambda: D.BatchSampler(D.SequentialSampler(3), 0), ArgumentError, "batch_size must be at least 1, found 0"),
    (lambda: D.BatchSampler(D.SequentialSampler(3), 2.5), ArgumentError,
     "batch_size must be an integer, found 2.5"),
    (lambda: D.IntervalSampler(3, 4), ArgumentError,
     "IntervalSampler: interval must be in 1 ... length = 3, found 4"),
    (lambda: D.DataLoader([1]), ArgumentError, "DataLoader needs a batch_size (or a batch_sampler)"),
    (lambda: D.DataLoader([1], 2, shuffle=True, sampler=D.SequentialSampler(1)), ArgumentError,
     "DataLoader: the sampler decides the order; omit shuffle"),
    (lambda: D.DataLoader([1], 2, batch_sampler=[[0]]), ArgumentError,
     "DataLoader: batch_sampler decides everything; omit batch_size, shuffle, sampler and last_batch"),
    (lambda: D.DataLoader([1], 2, timeout=0), ArgumentError, "DataLoader: timeout must be positive, found 0"),
    (lambda: batchify.default_batchify_fn([np.zeros(2), np.zeros(3)]), ShapeError,
     "cannot batch samples of different shapes: sample 0 has (2,), sample 1 has (3,). Make them equal in the dataset "
     "(transforms.Resize, CenterCrop), or give DataLoader a batchify_fn (batchify.Pad, batchify.AsList)."),
    (lambda: batchify.default_batchify_fn([{"a": 1}, {"b": 1}]), ArgumentError,
     "cannot batch dictionaries of different keys: sample 0 has ['a'], sample 1 has ['b']. Make them equal in the "
     "dataset, or pass a batchify_fn to DataLoader."),
    (lambda: batchify.default_batchify_fn([["a"]]), DTypeError,
     "cannot batch samples of dtype <U1: an NDArray holds float32, float64, float16, uint8, int32, int8, int64, bool. "
     "Convert them in the dataset, or give DataLoader a batchify_fn (batchify.AsList keeps them as they are)."),
    (lambda: batchify.Group(batchify.Stack(), batchify.Stack())([(1, 2, 3)]), ArgumentError,
     "Group has 2 functions, but a sample has 3 parts"),
    (lambda: batchify.Pad()([np.zeros(2), np.zeros((2, 2))]), ShapeError,
     "Pad: all samples must have as many axes, found [1, 2]"),
])
def test_messages(make, error, text):
    with pytest.raises(error) as caught:
        make()
    assert str(caught.value) == text


# -- samplers -------------------------------------------------------------------------------------------------------


def test_last_batch():
    order = D.SequentialSampler(10)
    full = [[0, 1, 2], [3, 4, 5], [6, 7, 8]]
    keep, discard, rollover = (D.BatchSampler(order, 3, how) for how in ("keep", "discard", "rollover"))
    assert (list(keep), len(keep)) == ([*full, [9]], 4)
    assert (list(discard), len(discard)) == (full, 3)
    assert [(len(rollover), list(rollover)) for _ in range(3)] == [
        (3, full), (3, [[9, 0, 1], [2, 3, 4], [5, 6, 7]]), (4, [[8, 9, 0], [1, 2, 3], [4, 5, 6], [7, 8, 9]])]


def test_interval_and_filter_samplers():
    assert list(D.IntervalSampler(7, 3)) == [0, 3, 6, 1, 4, 2, 5]
    assert list(D.IntervalSampler(7, 3, rollover=False)) == [0, 3, 6]
    assert [len(D.IntervalSampler(7, 3)), len(D.IntervalSampler(7, 3, rollover=False))] == [7, 3]
    assert list(D.FilterSampler(lambda v: v > 6, [5, 9, 7])) == [1, 2]


def test_shuffling_follows_the_seeds():
    sampler = D.RandomSampler(100)
    mx.random.seed(1)
    first, second = list(sampler), list(sampler)
    mx.random.seed(1)
    assert list(sampler) == first
    assert sorted(first) == list(range(100))
    assert first != second


def test_np_random_seed_alone_gives_mxnets_order():
    code = """
        import numpy, minigluon as mx
        numpy.random.seed(3)
        print(list(mx.gluon.data.RandomSampler(8)))
        mx.random.seed(0)
        orders = []
        for seed in (1, 2):         # mx.random.seed has been called: it decides
            numpy.random.seed(seed); mx.random.seed(0)
            orders.append(list(mx.gluon.data.RandomSampler(8)))
        assert orders[0] == orders[1]
    """
    out = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[5, 7, 4, 6, 3, 1, 0, 2]"       # as MXNet 1.9.1 prints it


# -- batches --------------------------------------------------------------------------------------------------------


def test_default_batchify_dtypes():
    f = batchify.default_batchify_fn
    kinds = [f([1, 2]), f([1.0, 2.0]), f([np.float32(1)]), f([np.int32(1)] * 2), f([True, False]),
             f([nd.zeros((2, 3), dtype="uint8")] * 4), f([[1, 2], [3, 4]])]
    assert [k.dtype for k in kinds] == [np.int64, np.float64, np.float32, np.int32, np.bool_, np.uint8, np.int64]
    assert [k.shape for k in kinds] == [(2,), (2,), (1,), (2,), (2,), (4, 2, 3), (2, 2)]
    x, (y, z) = f([(nd.ones((2,)), (1, 2.5))] * 3)
    assert (x.shape, y.asnumpy().tolist(), z.asnumpy().tolist()) == ((3, 2), [1, 1, 1], [2.5, 2.5, 2.5])


def test_batch_is_a_copy():
    source = nd.zeros((2,))
    batch = batchify.default_batchify_fn([source, source])
    batch[:] = 7
    assert source.asnumpy().tolist() == [0, 0]


def test_pad_group_append():
    pad = batchify.Pad(val=-1)
    assert pad([[1, 2, 3], [4]]).asnumpy().tolist() == [[1, 2, 3], [4, -1, -1]]
    assert batchify.Pad(round_to=4, dtype="float32")([[1, 2, 3], [4]]).shape == (2, 4)
    assert pad([np.ones((1, 2)), np.ones((2, 1))]).asnumpy().tolist() == [[[1, 1], [-1, -1]], [[1, -1], [1, -1]]]
    a, b = batchify.Group(pad, batchify.Stack())([(nd.array([1, 2]), 5), (nd.array([3]), 6)])
    assert a.asnumpy().tolist() == [[1, 2], [3, -1]]
    assert b.asnumpy().tolist() == [5, 6]
    assert [x.shape for x in batchify.Append()([np.zeros(2), np.zeros(3)])] == [(1, 2), (1, 3)]
    assert batchify.AsList()(("a", "b")) == ["a", "b"]


# -- the loader -----------------------------------------------------------------------------------------------------

WORKERS = [{}, {"num_workers": 1}, {"num_workers": 3}, {"num_workers": 2, "prefetch": 1},
           {"num_workers": 2, "thread_pool": True}]


@pytest.mark.parametrize("how", WORKERS)
def test_batches_keep_their_order(how):
    loader = D.DataLoader(Numbers(23), 4, **how)
    assert len(loader) == 6
    for _ in range(2):
        labels = [y.asnumpy().tolist() for _, y in loader]
        assert labels == [list(range(i, min(i + 4, 23))) for i in range(0, 23, 4)]
    x, y = next(iter(loader))
    assert (x.shape, x.dtype, y.dtype, str(x.context)) == ((4, 2), np.float32, np.int64, "cpu(0)")


@pytest.mark.parametrize("how", WORKERS)
def test_lambdas_shuffling_and_last_batch(how):
    loader = D.DataLoader(Numbers(10).transform(lambda x, y: y * 2), 3, shuffle=True, last_batch="discard", **how)
    seen = [lists(loader), lists(loader)]
    assert [len(epoch) for epoch in seen] == [3, 3]
    assert seen[0] != seen[1]
    assert {v % 2 for epoch in seen for batch in epoch for v in batch} == {0}


def test_accepts_what_has_nothing_to_do():
    loader = D.DataLoader([1, 2], 2, pin_memory=True, pin_device_id=0, auto_reload=True, try_nopython=True)
    assert lists(loader) == [[1, 2]]


def test_large_batches_cross_whole():
    rows = [np.full((300, 1000), i, np.float32) for i in range(4)]
    total = [batch.sum().asscalar() for batch in D.DataLoader(rows, 2, num_workers=2)]
    assert total == [300_000 * 1, 300_000 * 5]


class Shapes(D.Dataset):
    """What is not one plain array: empty ones, one number, a view, Fortran order, float16, a text."""

    def __len__(self):
        return 1

    def __getitem__(self, idx):
        square = nd.arange(9).reshape((3, 3))
        return nd.zeros((0, 3)), nd.array([7]), square[1:], square.T, np.asfortranarray(square.asnumpy()), \
            nd.ones((2,), dtype="float16"), "text", square[1]


def test_everything_crosses_as_it_is():
    (batch,) = D.DataLoader(Shapes(), 1, num_workers=1, batchify_fn=batchify.AsList())
    for found, sent in zip(batch[0], Shapes()[0], strict=True):
        assert type(found) is type(sent)
        if not isinstance(sent, str):
            assert (found.shape, found.dtype) == (sent.shape, sent.dtype)
            np.testing.assert_array_equal(*[x.asnumpy() if isinstance(x, nd.NDArray) else x for x in (found, sent)])
            found[...] = 1      # a batch belongs to the program


@pytest.mark.parametrize("raw", [True, False])
def test_parts_that_arrive_in_pieces(raw, monkeypatch):
    monkeypatch.setattr(transport, "_RAW", raw)
    here, there = multiprocessing.Pipe()
    message = [nd.array(np.random.rand(300_000)), "text", np.arange(5)]
    with here, there:
        thread = threading.Thread(target=transport.send, args=(there, transport.pack(message)))
        thread.start()
        arrays = transport.receive(here)
        thread.join()
    assert arrays[1] == "text"
    np.testing.assert_array_equal(arrays[0].asnumpy(), message[0].asnumpy())


def test_a_worker_that_dies_in_the_middle_of_a_batch():
    here, there = multiprocessing.Pipe()
    sizes, head, *views = transport.pack(np.arange(1000))
    with here:
        with there:
            transport.send(there, [sizes, head, views[0][:100]])
        with pytest.raises(EOFError):
            transport.receive(here)


def test_large_index_lists_do_not_jam_the_pipe():
    loader = D.DataLoader(list(range(400_000)), 200_000, num_workers=1, prefetch=4, timeout=60)
    assert [batch.shape for batch in loader] == [(200_000,), (200_000,)]


class Noisy(D.Dataset):
    """Numbers from every generator that augmentation may use."""

    def __len__(self):
        return 8

    def __getitem__(self, idx):
        return np.array([random.random(), np.random.rand(), mx.rng.host().random()])


def test_random_choices_depend_on_the_seed_and_not_on_the_number_of_workers():
    def epoch(seed, workers):
        mx.random.seed(seed)
        return np.concatenate([b.asnumpy() for b in D.DataLoader(Noisy(), 2, num_workers=workers)])
    first = epoch(1, 1)
    assert len(np.unique(first)) == first.size         # no two workers or batches draw the same
    np.testing.assert_array_equal(epoch(1, 3), first)
    assert not np.array_equal(epoch(2, 1), first)


class Faulty(Numbers):
    """Fails at index 5 the way `how` says."""

    def __init__(self, how):
        super().__init__(12)
        self._how = how

    def __getitem__(self, idx):
        if idx == 5:
            self._how()
        return idx


class Unsendable(Exception):
    def __init__(self, a, b):
        super().__init__(f"{a} {b}")


def raise_key_error():
    raise KeyError("sample five is bad")


def raise_unsendable():
    raise Unsendable("sample", "five")


def kill_self():
    os.kill(os.getpid(), signal.SIGKILL)


def leave():
    os._exit(3)


def sleep_long():
    time.sleep(60)


@pytest.mark.parametrize("threads", [False, True])
def test_an_exception_arrives_with_its_own_traceback(threads):
    loader = D.DataLoader(Faulty(raise_key_error), 2, num_workers=2, thread_pool=threads)
    seen = []
    with pytest.raises(KeyError, match="sample five is bad") as caught:
        seen.extend(batch.asnumpy().tolist() for batch in loader)
    assert seen == [[0, 1], [2, 3]]
    if not threads:
        assert "in raise_key_error" in str(caught.value.__cause__)
    assert not multiprocessing.active_children()


def test_an_exception_that_cannot_travel_arrives_as_text():
    with pytest.raises(MXNetError, match="DataLoader: worker 0 failed:\n(.|\n)*Unsendable: sample five"):
        list(D.DataLoader(Faulty(raise_unsendable), 2, num_workers=1))


@pytest.mark.parametrize(("how", "text"), [
    (kill_self, "was killed by signal 9 (SIGKILL) while loading batch 2. SIGKILL usually means that memory ran "
                "out: fewer workers or smaller batches need less. num_workers=0 runs the same code in this process."),
    (leave, "ended with exit code 3 while loading batch 2. num_workers=0 runs the same code in this process."),
])
def test_a_dead_worker_is_an_error_at_once(how, text):
    start = time.perf_counter()
    with pytest.raises(MXNetError) as caught:
        list(D.DataLoader(Faulty(how), 2, num_workers=2))
    assert time.perf_counter() - start < 10
    assert str(caught.value).endswith(text)
    assert str(caught.value).startswith("DataLoader: worker ")
    assert not multiprocessing.active_children()


def test_a_worker_killed_while_it_waits():
    batches = iter(D.DataLoader(Numbers(100), 2, num_workers=2, prefetch=1))
    next(batches)
    for child in multiprocessing.active_children():
        child.kill()
    with pytest.raises(MXNetError, match="was killed by signal 9"):
        list(batches)


@pytest.mark.parametrize("threads", [False, True])
def test_timeout(threads):
    how = (lambda: time.sleep(1.5)) if threads else sleep_long
    with pytest.raises(MXNetError) as caught:
        list(D.DataLoader(Faulty(how), 2, num_workers=1, thread_pool=threads, timeout=0.5))
    assert str(caught.value) == (
        "DataLoader: batch 2 was not ready within timeout=0.5 seconds. Reading a batch is slow or hangs: try "
        "num_workers=0 to see where, a smaller batch_size, or a larger timeout.")
    assert not multiprocessing.active_children()


def shared_memory():
    """The system's shared memory that Python has made: browsers and MPI of tests in other processes come and go."""
    return {name for name in os.listdir("/dev/shm") if name.startswith(("psm_", "pym-", "sem."))}


def test_abandoned_iteration_leaves_nothing():
    gc.collect()
    threads = threading.active_count()
    before = len(os.listdir("/dev/fd")), shared_memory()
    loader = D.DataLoader(Numbers(1000), 2, num_workers=2)
    for _ in loader:
        break
    batches = iter(loader)
    next(batches)
    assert len(multiprocessing.active_children()) == 2
    del batches
    gc.collect()
    assert not multiprocessing.active_children()
    assert len(os.listdir("/dev/fd")) == before[0]
    assert shared_memory() <= before[1]
    assert threading.active_count() <= threads


def test_workers_do_not_outlive_a_killed_program():
    code = """
        import multiprocessing, os, signal, time, minigluon as mx
        batches = iter(mx.gluon.data.DataLoader(list(range(1000)), 2, num_workers=2))
        next(batches)
        print(*[child.pid for child in multiprocessing.active_children()], flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    """
    out = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, text=True, timeout=60)
    pids = [int(pid) for pid in out.stdout.split()]
    assert len(pids) == 2
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline and any(_runs(pid) for pid in pids):
        time.sleep(0.05)
    assert not any(_runs(pid) for pid in pids)


def _runs(pid):
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_program_ends_with_an_iteration_open():
    code = """
        import minigluon as mx
        batches = iter(mx.gluon.data.DataLoader(list(range(1000)), 2, num_workers=2))
        print(next(batches).asnumpy().tolist())
    """
    out = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=60)
    assert (out.returncode, out.stdout, out.stderr) == (0, "[0, 1]\n", "")


def test_spawned_workers(monkeypatch):
    monkeypatch.setattr("minigluon.gluon.data.workers._start_method", lambda: "spawn")
    assert lists(D.DataLoader(D.SimpleDataset([1, 2, 3]), 2, num_workers=1)) == [[1, 2], [3]]
    with pytest.raises(MXNetError) as caught:
        list(D.DataLoader(D.SimpleDataset([1, 2, 3]).transform(lambda x: x), 2, num_workers=1))
    assert "Processes are started with 'spawn' here, which needs functions defined at the top of a module (no " \
           "lambda). Use such functions, num_workers=0, or thread_pool=True." in str(caught.value)


def test_two_loops_at_once():
    loader = D.DataLoader(list(range(6)), 2, num_workers=1)
    pairs = [(a.asnumpy().tolist(), b.asnumpy().tolist()) for a in loader for b in loader]
    assert pairs == [([i, i + 1], [j, j + 1]) for i in (0, 2, 4) for j in (0, 2, 4)]


# -- what a program may be doing meanwhile --------------------------------------------------------------------------


def test_many_passes_leave_nothing_behind():
    """`leak_check_loader.py` makes 200 passes of each kind."""
    script = TESTS / "scripts" / "leak_check_loader.py"
    done = subprocess.run([sys.executable, script, "4"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_loop_inside_recording():
    x = nd.ones((2,))
    x.attach_grad()
    with mx.autograd.record():
        total = sum((batch * x).sum() for batch in D.DataLoader([[1.0, 2.0], [3.0, 4.0]], 1, num_workers=1,
                                                                batchify_fn=as_float))
    total.backward()
    assert x.grad.asnumpy().tolist() == [4, 6]


def as_float(samples):
    return nd.array(samples)


def test_workers_after_threads_of_the_engine_have_run():
    big = nd.ones((400, 400))
    nd.dot(big, big).wait_to_read()

    class Products(Numbers):
        def __getitem__(self, idx):
            return nd.dot(big, big * idx)[0]
    found = [batch.asnumpy()[:, 0].tolist() for batch in D.DataLoader(Products(4), 2, num_workers=2)]
    assert found == [[0, 400], [800, 1200]]


def test_ctrl_c_ends_the_program_and_its_workers():
    code = """
        import multiprocessing, signal, time, minigluon as mx
        signal.signal(signal.SIGINT, signal.default_int_handler)
        class Slow(mx.gluon.data.Dataset):
            def __len__(self): return 1000
            def __getitem__(self, idx):
                time.sleep(0 if idx < 4 else 60)
                return idx
        batches = iter(mx.gluon.data.DataLoader(Slow(), 2, num_workers=2))
        next(batches)
        print(*[child.pid for child in multiprocessing.active_children()], flush=True)
        for batch in batches:
            pass
    """
    process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, start_new_session=True)
    pids = [int(pid) for pid in process.stdout.readline().split()]
    assert len(pids) == 2
    time.sleep(0.3)
    os.killpg(process.pid, signal.SIGINT)       # what a terminal sends: to the workers as well
    _, err = process.communicate(timeout=30)
    assert err.rstrip().endswith("KeyboardInterrupt")
    assert err.count("Traceback") == 1          # the program's own, none of a worker
    assert process.returncode != 0
    assert not any(_runs(pid) for pid in pids)
