"""A job in which one process is at fault while it trains: `mpirun -n 2 python mpi_training_faults.py NAME`.

FAULTS has a function for each name; EXPECTED says what the job must print, or how it ends. Processes print "done" if
they come to their end.
"""

import os
import resource
import signal
import sys
import time

import numpy as np

STEPS = 5
HANGS = r"process 0 has waited \d+ s for process 1 of \d \(pid \d+ on .+\)"
ERROR = "process {} of 2 raised an error, which ends the job:"
DIFFERENT = "the processes are not at the same call of their store: "
SIGNAL = r"process rank 1 with PID .* exited on signal {}"

# name: (exit status 0?, a pattern of what is printed)
EXPECTED = {
    "nan with a loss scaler": (True, r"skipped together: \[1, 1\], finite: True"),
    "nan in debug mode": (False, ERROR.format(1)),
    "nan without either": (True, r"nan everywhere: True"),
    "another version": (False, DIFFERENT + r"process 0: start of [^;]*; process 1: start of minigluon 0\.0\.0"),
    "another check": (False, DIFFERENT + r"process 0: start of .*CHECK=always; process 1: start of .*CHECK=never"),
    "slow, but in time": (True, "equal weights: True"),
    "slow, and too late": (False, HANGS),
    "full disk, sharded states": (False, ERROR.format(0)),
    "full disk, checkpoint": (False, ERROR.format(0)),
    "no memory": (False, ERROR.format(1)),
    "terminated": (False, SIGNAL.format(15)),
    "aborted": (False, SIGNAL.format(6)),
    "killed between the halves of a sharded step": (False, SIGNAL.format(9)),
    "error between the halves of a sharded step": (False, ERROR.format(1)),
    "stopped between the halves of a sharded step": (False, HANGS),
    "only one saves sharded states": (False, DIFFERENT),
    "dense instead of rows": (False, DIFFERENT + "process 0: push of rows of .*; process 1: push of "),
    "bfloat16 and float16": (False, DIFFERENT + ".*process 0: .* in float16 .*process 1: .* in bfloat16"),
    "no sum of statistics": (False, DIFFERENT),
    "a frozen parameter": (False, DIFFERENT),
    "async: killed": (False, SIGNAL.format(9)),
    "async: error": (False, ERROR.format(1)),
    "async: stopped": (False, HANGS),
    "async: stopped under a limit": (False, HANGS),
    "async: ends early": (True, "process 0 went on"),
    "async: error in the owner's step": (False, ERROR.format(1)),
    "async: another optimizer": (False, DIFFERENT + "process 0: set_optimizer of SGD .*; process 1: .* of Adam"),
    "async: only one loads states": (False, DIFFERENT + "process 0: barrier .*; process 1: load_optimizer_states "),
    "async: slow": (True, "process 0 went on"),
}


def trainer_of(net, kvstore, optimizer="sgd", **more):
    return gluon.Trainer(net.collect_params(), optimizer, {"learning_rate": 0.01}, kvstore=kvstore, **more)


def network(**more):
    mx.random.seed(1)
    net = gluon.nn.Sequential(prefix="net_")
    with net.name_scope():
        net.add(gluon.nn.Dense(8, in_units=4), gluon.nn.Dense(2, in_units=8))
    net.initialize()
    return net


def step(net, trainer, x=None, scaled=False):
    with mx.autograd.record():
        loss = (net(nd.ones((2, 4)) * (store.rank + 1) if x is None else x) ** 2).sum()
        if scaled:
            with mx.contrib.amp.scale_loss(loss, trainer) as loss:
                pass
    loss.backward()
    trainer.step(4)


def train(net, trainer, before=lambda number: None):
    for number in range(STEPS):
        before(number)
        step(net, trainer)


def is_faulty(number=2):
    return store.rank == 1 and number == 2


def nan_batch(number):
    return nd.array(np.full((2, 4), np.nan if is_faulty(number) else 1))


def nan(how):
    if how == "scaler":
        mx.contrib.amp.init()
    net = network()
    trainer = trainer_of(net, store)
    if how == "scaler":
        mx.contrib.amp.init_trainer(trainer)
    skipped = 0
    for number in range(STEPS):
        before = net[0].weight.data().asnumpy()
        if how == "debug" and store.rank == 1:
            with mx.debug():
                step(net, trainer, nan_batch(number))
        else:
            step(net, trainer, nan_batch(number), scaled=how == "scaler")
        skipped += (net[0].weight.data().asnumpy() == before).all()
    finite = np.isfinite(net[0].weight.data().asnumpy()).all()
    numbers = store.sum_over_processes([skipped if store.rank == rank else 0 for rank in range(2)] + [finite])
    if store.rank == 0 and how == "scaler":
        print(f"skipped together: {[int(n) for n in numbers[:2]]}, finite: {numbers[2] == 2}", flush=True)
    elif store.rank == 0:
        print(f"nan everywhere: {numbers[2] == 0}", flush=True)


def slow(seconds):
    net = network()
    train(net, trainer_of(net, store), lambda number: is_faulty(number) and time.sleep(seconds))
    weight = net[0].weight.data()
    total = weight.copy()
    store.pushpull("weight", total)
    if store.rank == 0:
        print(f"equal weights: {bool((total == 2 * weight).asnumpy().all())}", flush=True)


def full_disk():
    """Let every write to a file fail in process 0, as on a full disk."""
    if store.rank == 0:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))


def sharded(kind=None):
    own = mx.kv.create("dist_sync")
    own.shard_optimizer_states()
    net = network()
    trainer = trainer_of(net, own, "adam")
    if kind == "full":
        train(net, trainer)
        full_disk()
        trainer.save_states("sharded.states")
    elif kind == "one":
        train(net, trainer)
        if store.rank == 0:
            trainer.save_states("sharded.states")
        step(net, trainer)
    else:
        share = trainer._shards.share
        trainer._shards.share = lambda what: (is_faulty() and at_fault(kind), share(what))
        train(net, trainer)


def at_fault(kind):
    if kind == "error":
        raise ValueError("the data of this process is damaged")
    if kind == "memory":
        raise MemoryError
    os.kill(os.getpid(), kind)
    time.sleep(100)


def checkpoint():
    estimator = gluon.contrib.estimator
    net = network()
    fit = estimator.Estimator(net, gluon.loss.L2Loss(), trainer=trainer_of(net, store))
    data = gluon.data.DataLoader(gluon.data.ArrayDataset(np.ones((4, 4), "float32"), np.ones((4, 2), "float32")), 2)
    full_disk()
    fit.fit(data, epochs=2, event_handlers=[estimator.CheckpointHandler("saved")])


def dies(kind):
    net = network()
    train(net, trainer_of(net, store), lambda number: is_faulty(number) and at_fault(kind))


def dense_and_rows():
    store.init("e", nd.zeros((100, 2)))
    rows = nd.sparse.row_sparse_array((np.ones((1, 2)), [3]), shape=(100, 2))
    store.push("e", rows)
    store.push("e", rows.tostype("default") if is_faulty() else rows)


def compressions():
    net = network()
    train(net, trainer_of(net, store, compression_params={"type": "bfloat16" if is_faulty() else "float16"}))


def statistics():
    net = gluon.contrib.nn.SyncBatchNorm(in_channels=4, **({} if is_faulty() else {"kvstore": store}))
    net.initialize()
    train(net, trainer_of(net, store))


def frozen():
    net = network()
    if is_faulty():
        net[1].bias.grad_req = "null"
    train(net, trainer_of(net, store))


def asynchronous(kind=None, limit=None):
    own = mx.kv.create("dist_async")
    if limit is not None:
        own.limit_staleness(limit)
    net = network()
    trainer = trainer_of(net, own, "adam" if kind == "optimizer" and is_faulty() else "sgd")
    step(net, trainer)
    if kind == "owner" and store.rank == 1:
        own._shelf.updater.optimizer.update = own._shelf.updater.optimizer.update_multi_precision = None
    if kind == "states":
        trainer.save_states(f"async{store.rank}.states")
        if is_faulty():
            trainer.load_states("async1.states")
        own.barrier()
    for number in range(60):
        if is_faulty(number):
            if kind == "early":
                return
            if kind == "slow":
                time.sleep(1)
            elif kind not in (None, "owner"):
                at_fault(kind)
        step(net, trainer)
    if store.rank == 0:
        print("process 0 went on", flush=True)


FAULTS = {
    "nan with a loss scaler": lambda: nan("scaler"), "nan in debug mode": lambda: nan("debug"),
    "nan without either": lambda: nan(None),
    "another version": lambda: dies("never"), "another check": lambda: dies("never"),
    "slow, but in time": lambda: slow(1), "slow, and too late": lambda: slow(30),
    "full disk, sharded states": lambda: sharded("full"), "full disk, checkpoint": checkpoint,
    "no memory": lambda: dies("memory"), "terminated": lambda: dies(signal.SIGTERM),
    "aborted": lambda: dies(signal.SIGABRT),
    "killed between the halves of a sharded step": lambda: sharded(signal.SIGKILL),
    "error between the halves of a sharded step": lambda: sharded("error"),
    "stopped between the halves of a sharded step": lambda: sharded(signal.SIGSTOP),
    "only one saves sharded states": lambda: sharded("one"), "dense instead of rows": dense_and_rows,
    "bfloat16 and float16": compressions, "no sum of statistics": statistics, "a frozen parameter": frozen,
    "async: killed": lambda: asynchronous(signal.SIGKILL), "async: error": lambda: asynchronous("error"),
    "async: stopped": lambda: asynchronous(signal.SIGSTOP),
    "async: stopped under a limit": lambda: asynchronous(signal.SIGSTOP, 1),
    "async: ends early": lambda: asynchronous("early"), "async: slow": lambda: asynchronous("slow"),
    "async: error in the owner's step": lambda: asynchronous("owner"),
    "async: another optimizer": lambda: asynchronous("optimizer"),
    "async: only one loads states": lambda: asynchronous("states"),
}


if __name__ == "__main__":
    name = sys.argv[1]
    other = os.environ["OMPI_COMM_WORLD_RANK"] == "1"
    if name == "another check" and other:
        os.environ["MINIGLUON_MPI_CHECK"] = "never"
    import minigluon as mx
    from minigluon import gluon, nd
    if name == "another version" and other:
        from minigluon.kvstore import link
        link.__version__ = "0.0.0"
    store = mx.kv.create("dist_sync")
    FAULTS[name]()
    print("done", flush=True)
