"""Key-value stores: sums over devices, updaters, an optimizer in the store, compression, a Trainer on top of them."""

from ._tools import draw


def run(mx, show):
    nd, contexts = mx.nd, [mx.cpu(0), mx.cpu(1)]

    def values(seed, *shape):
        return [nd.array(draw(seed + i, *shape), ctx=ctx) for i, ctx in enumerate(contexts)]

    store = mx.kv.create("local")
    store.init(["a", "b"], [nd.ones((2, 3)), nd.zeros(4)])
    out = nd.empty((2, 3))
    store.pull("a", out=out)
    show("pull", out)
    store.push("a", values(1, 2, 3))
    store.pull("a", out=out)
    show("pushed", out)
    both = values(3, 4)
    store.pushpull("b", both)
    show("pushpull", both)
    store.push(["a", "a"], [nd.ones((2, 3)), nd.ones((2, 3)) * 2])
    store.pull("a", out=out)
    show("twice", out)

    def update(key, value, stored):
        stored += value * 2

    store = mx.kv.create("local")       # MXNet adds to the wrong array after a push without an updater
    store.init("a", nd.ones((2, 3)))
    store._set_updater(update)
    store.push("a", values(5, 2, 3))
    store.pull("a", out=out)
    show("updater", out)
    show("store", [store.rank, store.num_workers, store.type, mx.kv.create("DEVICE").type])

    store = mx.kv.create("device")
    store.init(3, nd.ones(4))
    store.set_optimizer(mx.optimizer.SGD(learning_rate=0.1, momentum=0.9, wd=0.1))
    for seed in (7, 9):
        store.push(3, values(seed, 4))
        outs = [nd.empty(4, ctx=ctx) for ctx in contexts]
        store.pull(3, out=outs)
        show(f"optimizer {seed}", outs)

    for devices in (1, 2):
        store = mx.kv.create("device")
        store.set_gradient_compression({"type": "2bit", "threshold": 0.5})
        store.init(0, nd.zeros(4))
        for step in range(3):
            store.push(0, values(11, 4)[:devices])
            out = nd.empty(4)
            store.pull(0, out=out)
            show(f"two bits, {devices} devices, step {step}", out)
    trainers(mx, show, contexts)


def trainers(mx, show, contexts):
    nd, gluon = mx.nd, mx.gluon
    for kvstore in ("local", "device"):
        for on_kvstore in (True, False, None):
            net = gluon.nn.Dense(2, in_units=3, prefix="net_")
            net.initialize(ctx=contexts)
            net.weight.set_data(nd.array(draw(1, 2, 3)))
            trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.1}, kvstore=kvstore,
                                    update_on_kvstore=on_kvstore)
            for step in range(3):
                parts = gluon.utils.split_and_load(nd.array(draw(20 + step, 6, 3)), contexts)
                with mx.autograd.record():
                    losses = [(net(x) ** 2).sum() for x in parts]
                mx.autograd.backward(losses)
                if on_kvstore is False:
                    trainer.allreduce_grads()
                    trainer.update(6)
                else:
                    trainer.step(6)
            show(f"{kvstore} {on_kvstore}", [*net.weight.list_data(), *net.bias.list_data()])
