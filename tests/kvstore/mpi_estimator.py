"""What test_mpi_estimator.py starts: `mpirun -n 2 python tests/kvstore/mpi_estimator.py`, in an empty folder.

Every process fits its share of the data, of unequal length, and compares its weights and metrics with those of one
process, which process 0 trains. It writes what it has seen to `rankR.json`.
"""

import contextlib
import io
import json

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.gluon.contrib import estimator as est

COUNT, BATCH = 24, 8
early = gluon.nn.Dropout(0.5)
early.hybridize()
with autograd.train_mode():
    early(nd.ones((50,)))           # prepares a kernel before there are processes
store = mx.kv.create("dist_sync")
rank, ranks = store.rank, store.num_workers
cuts = [0, *[round(BATCH * 0.6 ** (ranks - number)) for number in range(1, ranks)], BATCH]
data = (nd.arange(COUNT * 4).reshape((COUNT, 4)) * 7 % 11 / 11).asnumpy()
label = (data.argmax(1) % 3).astype("float32")
loss = gluon.loss.SoftmaxCrossEntropyLoss()


def batches(count, kind):
    """Of one process, or this process's part of each batch: 5 and 3 samples of two processes."""
    low, high = (0, BATCH) if kind == "device" else cuts[rank:rank + 2]
    mine = [i for i in range(count) if low <= i % BATCH < high]
    return gluon.data.DataLoader(gluon.data.ArrayDataset(data[mine], label[mine]), high - low)


def network(kind):
    net = gluon.nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(gluon.nn.Dense(3, in_units=4))
    net.initialize(mx.init.Constant(0.1))
    net.hybridize()
    return net, gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.5, "momentum": 0.9}, kvstore=kind)


def fitted(kind, epochs, handlers=()):
    net, trainer = network(kind)
    fit = est.Estimator(net, loss, trainer=trainer)
    with contextlib.redirect_stdout(io.StringIO()):
        fit.fit(batches(COUNT, kind), batches(16, kind), epochs=epochs, event_handlers=list(handlers))
    return fit


def weights(net):
    return net[0].weight.data().asnumpy().ravel().tolist()


def results(kind, place):
    """Everything that must not depend on the number of processes."""
    first = fitted(kind, 2, [est.CheckpointHandler(place + "saved"), est.CSVLogHandler(place + "log.csv"),
                             est.CSVLogHandler(f"{place}own{rank}.csv")])
    saved = network("device")[0]
    saved.load_parameters(f"{place}saved/model-epoch1batch6.params")
    resumed = fitted(kind, 3, [est.CheckpointHandler(place + "saved", resume_from_checkpoint=True)])
    net, trainer = network(kind)
    step = gluon.TrainStep(net, loss, trainer)
    for x, y in batches(COUNT, kind):
        step(x, y)
    finder = est.LearningRateFinder(1e-3, 100, 12)
    probed = est.Estimator(*(pair := network(kind))[:1], loss, trainer=pair[1])
    rate = finder.run(probed, batches(COUNT, kind))
    return {"fit": weights(first.net), "saved": weights(saved), "resumed": weights(resumed.net), "step": weights(net),
            "rate": rate, "metrics": [metric.get()[1] for metric in first.train_metrics + first.val_metrics]}


def numbers():
    """Masks of different sizes, and what all processes must draw alike."""
    mx.random.seed(5)
    with autograd.train_mode():
        masks = [nd.Dropout(nd.ones((50,))).asnumpy().tolist() for _ in range(2)]
        masks.append(early(nd.ones((50,))).asnumpy().tolist())
        nd.Dropout(nd.ones((cuts[rank + 1] - cuts[rank],)))
    order = list(gluon.data.RandomSampler(20))
    return {"masks": masks, "order": order, "uniform": nd.random.uniform(shape=(3,)).asnumpy().tolist()}


def refused(action):
    try:
        action()
    except mx.MXNetError as error:
        return str(error)
    return None


def main():
    mine = results("dist_sync", "")
    mine.update(numbers(), log=io.StringIO())
    out = mine.pop("log")
    with contextlib.redirect_stdout(out):
        net, trainer = network("dist_sync")
        est.Estimator(net, loss, trainer=trainer).fit(batches(COUNT, "dist_sync"), epochs=1)
    mine["lines"] = len(out.getvalue().splitlines())
    mine["error"] = refused(lambda: fitted("dist_sync", 2 + rank))
    total = nd.array([37.25])
    store.set_gradient_compression({"type": "2bit", "threshold": 0.5})
    store.pushpull("metric", total)
    mine["metric"] = float(total.asscalar()) / ranks
    mx.profiler.set_config(filename="trace.json")
    mx.profiler.dump()
    if rank == 0:
        mine["alone"] = results("device", "alone-")
    with open(f"rank{rank}.json", "w") as file:
        json.dump(mine, file)
    store.barrier()


if __name__ == "__main__":
    main()
