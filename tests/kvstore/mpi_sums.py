"""What test_mpi_sums.py starts: `mpirun -n N python tests/kvstore/mpi_sums.py`. All ways to add arrays up.

Process 0 prints a line for each check that holds; the values differ between processes and are compared bit for bit.
"""

import functools

import numpy as np

import minigluon as mx
from minigluon import nd
from minigluon.kvstore import wires
from minigluon.kvstore.agreement import Call
from minigluon.kvstore.collectives import Memory, Running, direct, doubling, ring
from minigluon.kvstore.job import require_mpi

store = mx.kv.create("dist_sync")
link, mpi, rank, ranks = store._link, require_mpi(), store.rank, store.num_workers
SIZES = (1, 2, 7, 64, 1001)


def say(text):
    if rank == 0:
        print(text, flush=True)


def values_of(number, size):
    return np.random.default_rng(1000 * size + number).normal(size=size).astype("float32")


def added(collective, flat, memory):
    call = Call(f"trial of {flat.size}")
    with link.call(call, tagged=True) as comm:
        running = Running(mpi, collective(comm, flat, memory, link.tag(0)))
        link.until(lambda: running.advance() and running.requests is None or running.requests is None, call)
    return flat


def same_everywhere(flat):
    rows = np.zeros((ranks, flat.size), flat.dtype)
    rows[rank] = flat
    mpi.COMM_WORLD.Allgather(mpi.IN_PLACE, rows)
    return (rows.view(np.uint8) == rows[:1].view(np.uint8)).all()


def sums():
    of_direct = {}
    for collective in (direct, ring, doubling, wires.float16, wires.bfloat16):
        memory = Memory()
        for size in (*SIZES, *SIZES):
            flat = added(collective, values_of(rank, size), memory)
            expected = sum(values_of(other, size).astype("float64") for other in range(ranks))
            error = np.abs(flat - expected).max()
            assert error < {wires.float16: 1e-2, wires.bfloat16: 0.06}.get(collective, 1e-5), (collective, size, error)
            assert same_everywhere(flat), (collective, size)
            if collective is direct:
                of_direct[size] = flat.copy()
            assert collective is not ring or (of_direct[size] == flat).all()
        say(collective.__name__)


def extreme_values():
    for top in (1e30, 1e-30, 0, np.inf, np.nan):
        for collective, rtol in ((wires.float16, 1e-3), (wires.bfloat16, 8e-3)):
            flat = added(collective, np.full(5, top, "float32"), Memory())
            np.testing.assert_allclose(flat, np.full(5, top * ranks), rtol=rtol)
    message, exact = np.zeros(6, np.float16), np.zeros(4, "float32")
    wires._to_bfloat16(np.array([1.00390625, 1.01171875, np.nan, -np.inf], "float32"), message)        # two ties
    wires._from_bfloat16(message, exact)
    np.testing.assert_array_equal(exact, np.array([1, 1.015625, np.nan, -np.inf], "float32"))
    say("extreme values")


def two_bits():
    for gathering in (5, 1):
        wires.MAX_GATHERING = gathering
        for size in SIZES:
            codes = [np.random.default_rng(size + other).integers(-1, 2, size) for other in range(ranks)]
            flat = added(functools.partial(wires.two_bits, threshold=0.25), codes[rank].astype("float32") / 4, Memory())
            assert (flat == sum(codes) / 4).all()
    say("two bits")


def agreements():
    """Calls that are made again need no headers, and are still told apart."""
    agree, count = link._agree, []
    link._agree = lambda *arguments: (count.append(1), agree(*arguments))
    a, b = nd.ones((3,)), nd.ones((2, 2), dtype="float16")
    for _ in range(3):
        store.pushpull(["a", "b"], [a * 1, b * 1])
        store.pushpull("c", nd.ones((300_000,)))
    say(f"agreed {len(count)} times on 6 calls")
    for _ in range(2):
        try:
            if rank == 1:
                store.pushpull("c", nd.ones((300_000,)))
            else:
                store.pushpull(["a", "b"], [a * 1, b * 1])
        except mx.MXNetError as error:
            say(error)
        total = nd.ones((300_000,))
        store.pushpull("c", total)
        assert (total.asnumpy() == ranks).all()


def messages_of_steps():
    """Samples travel with the gradients; a store that takes the steps sends all keys at once; no share may be empty."""
    for on_kvstore in (False, True):
        net = mx.gluon.nn.Dense(3, in_units=2, prefix=f"messages{on_kvstore}_")
        net.initialize(mx.init.One())
        trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 1}, kvstore=store if not on_kvstore
                                   else "dist_sync", update_on_kvstore=on_kvstore)
        for own in (rank, rank, rank + 1):          # process 0 has no samples at first
            before = link._exchange
            with mx.autograd.record():
                loss = net(nd.ones((own, 2))).sum()
            loss.backward()
            trainer.step_share(own)
            say(f"{link._exchange - before} exchanges")
        assert (net.weight.data().asnumpy() == 1 - 3).all()


for check in (sums, extreme_values, two_bits, agreements, messages_of_steps):
    check()
say("done")
