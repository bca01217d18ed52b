"""What test_mpi_faults.py starts in two processes, which disagree in many ways, catch the error, and go on."""

import minigluon as mx
from minigluon import nd

store, second, stepping, compressed = (mx.kv.create("dist_sync") for _ in range(4))
first = store.rank == 0


def one(dtype="float32", size=2):
    return nd.ones((size,), dtype=dtype)


def refused(mine, other):
    """The same text in both processes; and then a sum."""
    try:
        (mine if first else other)()
    except mx.MXNetError as error:
        if first:
            print(error, flush=True)
    else:
        raise SystemExit("that was accepted")
    check()


def check():
    total = one()
    store.pushpull("check", total)
    assert total.asnumpy().tolist() == [2, 2]


def push_after_a_failure():
    try:
        store.push("a", None)
    except mx.MXNetError:
        store.push("a", one())


for each in (store, second, stepping, compressed):
    each.init(["a", "b"], [one(), one()])
stepping.set_optimizer(mx.optimizer.SGD())
compressed.set_gradient_compression({"type": "2bit"})
stepping._number = compressed._number = 1           # so that it is not the number of the store that differs

refused(lambda: store.init("w", one()), lambda: store.init("w", one(size=3)))
refused(lambda: store.init("w", one()), lambda: store.init("w", one("float64")))
refused(lambda: store.push("a", one()), lambda: store.push("b", one()))
refused(lambda: store.push("a", one()), lambda: store.push("a", one("float16")))
refused(lambda: store.pushpull("x", one()), lambda: store.pushpull("x", one(size=200_000)))
refused(lambda: store.pushpull(["x", "y", "z"], [one(), one(), one()]),
        lambda: store.pushpull(["x", "z", "y"], [one(), one(), one()]))
refused(lambda: store.pushpull(["x", "y", "z"], [one(), one(), one()]),
        lambda: store.pushpull(["x", "y"], [one(), one()]))
refused(lambda: store.push("a", one()), store.barrier)
refused(lambda: store.push("a", one()), lambda: second.push("a", one()))
refused(lambda: store.push("a", one()), lambda: stepping.push("a", one()))
refused(lambda: store.push("a", one()), lambda: compressed.push("a", one()))


def training(kind, batch=1, **parameters):
    """A step of a Trainer whose devices make the steps."""
    net = mx.gluon.nn.Dense(1, in_units=2, use_bias=False)
    net.initialize(mx.init.One())
    trainer = mx.gluon.Trainer(net.collect_params(), kind, parameters, kvstore="dist_sync")
    with mx.autograd.record():
        loss = net(one(size=2).reshape((1, 2)))
    loss.backward()
    trainer.step(batch)


refused(lambda: training("sgd"), lambda: training("adam"))
refused(lambda: training("sgd"), lambda: training("sgd", batch=2))
refused(lambda: training("sgd"), lambda: training("sgd", learning_rate=0.5))
total = one()
store.init("w", total if first else total + 1)      # it was refused, so it is not there
store.pull("w", total)
assert total.asnumpy().tolist() == [1, 1]
refused(lambda: store.push("a", one()), push_after_a_failure)


def again():
    """All have agreed on this call before, so it sends no header, and receives none."""
    store.pushpull("again", one())


again()
refused(again, store.barrier)
for _ in range(1100):           # the tags of headers repeat after 1022 exchanges
    store.barrier()
check()
if first:
    print("done", flush=True)
