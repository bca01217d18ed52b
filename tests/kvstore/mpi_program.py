"""What test_mpi.py starts in several processes: `mpirun -n 2 python tests/kvstore/mpi_program.py CASE`."""

import os
import signal
import sys
import time

import minigluon as mx
from minigluon import autograd, gluon, nd


def store_case(store):
    """Sums and first values, of several arrays and dtypes."""
    store.init(["a", "b"], [nd.ones((2,)) * (store.rank + 5), nd.ones((3,), dtype="float16")])
    out = nd.zeros((2,))
    store.pull("a", out)
    assert out.asnumpy().tolist() == [5, 5]             # those of process 0
    store.push(["a", "b"], [nd.ones((2,)) * 2 ** store.rank, nd.ones((3,), dtype="float16")])
    store.pull("a", out)
    count = store.num_workers
    assert out.asnumpy().tolist() == [2 ** count - 1] * 2
    half = nd.zeros((3,), dtype="float16")
    store.pull("b", half)
    assert half.asnumpy().tolist() == [count] * 3
    store.set_optimizer(mx.optimizer.SGD(learning_rate=0.5, rescale_grad=1 / count))
    store.push("a", nd.ones((2,)))
    store.pull("a", out)
    assert out.asnumpy().tolist() == [2 ** count - 1.5] * 2
    store.barrier()
    assert (store.type, 0 <= store.rank < count) == ("dist_sync", True)


def trainer_case(store):
    """Deferred parameters, two devices in each process, and weights in the store: all processes end alike."""
    for on_kvstore in (False, True):
        mx.random.seed(store.rank)
        contexts = [mx.cpu(0), mx.cpu(1)]
        net = gluon.nn.Dense(1, prefix=f"net{on_kvstore}_")
        net.initialize(mx.init.Normal(1), ctx=contexts)
        trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1, "momentum": 0.5},
                                kvstore="dist_device_sync", update_on_kvstore=on_kvstore)
        data = nd.arange(48).reshape((12, 4)) / 48
        part = 12 // store.num_workers
        for _ in range(3):
            own = gluon.utils.split_and_load(data[store.rank * part:(store.rank + 1) * part], contexts)
            with autograd.record():
                losses = [(net(x) ** 2).sum() for x in own]
            autograd.backward(losses)
            trainer.step(12)
        total = nd.array([float(x.sum().asscalar()) for x in net.weight.list_data()])
        weights = total.asnumpy().tolist()
        store.pushpull(f"weights {on_kvstore}", total)
        assert weights[0] == weights[1]
        assert abs(total.asnumpy()[0] / store.num_workers - weights[0]) < 1e-6
        if store.rank == 0:
            print(f"weights {weights[0]:.6f}", flush=True)


def module_case(store):
    """Module.fit with kvstore='dist_sync': rescale_grad counts the samples of all processes."""
    net = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=3, name="fc")
    net = mx.sym.SoftmaxOutput(net, name="softmax")
    data = (nd.arange(96).reshape((24, 4)) * 7 % 11 / 11).asnumpy()
    labels = data.argmax(1) % 3
    mine = slice(store.rank, None, store.num_workers)
    mod = mx.mod.Module(net)
    mod.fit(mx.io.NDArrayIter(data[mine], labels[mine], 12 // store.num_workers), kvstore="dist_sync", num_epoch=3,
            optimizer_params={"learning_rate": 0.5, "momentum": 0.9}, initializer=mx.init.Constant(0.1))
    if store.rank == 0:
        print(" ".join(f"{x:.5f}" for x in mod.get_params()[0]["fc_weight"].asnumpy().ravel()), flush=True)


def broken(store, how):
    """Process 1 leaves in the middle, and the others must not wait for ever."""
    x = nd.ones((2,))
    store.pushpull("x", x)
    if store.rank == 1:
        if how == "error":
            raise ValueError("the data of process 1 is damaged")
        if how == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        return                                          # fewer batches than the others
    time.sleep(0.1)
    store.pushpull("x", x)
    print("never", flush=True)


def main(case):
    store = mx.kv.create("dist_sync")
    if case == "works":
        store_case(store)
        other = mx.kv.create("dist_sync")       # without the optimizer
        trainer_case(other)
        module_case(other)
    else:
        broken(store, case)
    if store.rank == 0:
        print(f"{store.num_workers} done", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
