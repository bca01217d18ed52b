"""A training job of `distributed.py` in minigluon: one of its processes."""

import math

import distributed_worker
import numpy as np

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.gluon import nn


def mlp():
    net = nn.HybridSequential()
    net.add(nn.Dense(2048, "relu", in_units=784), nn.Dense(2048, "relu", in_units=2048),
            nn.Dense(256, "relu", in_units=2048), nn.Dense(10, in_units=256))
    return net, (64, 784), 10


def lenet():
    net = nn.HybridSequential()
    net.add(nn.Conv2D(20, 5, activation="relu", in_channels=1), nn.MaxPool2D(2), nn.Conv2D(50, 5, activation="relu"),
            nn.MaxPool2D(2), nn.Flatten(), nn.Dense(500, "relu"), nn.Dense(10))
    return net, (64, 1, 28, 28), 10


def resnet():
    return gluon.model_zoo.vision.resnet18_v1(), (8, 3, 64, 64), 1000


NETS = {"mlp": mlp, "lenet": lenet, "resnet": resnet}


def hybridize(net, how):
    """Compile the whole net, or each child of its sequence, so that backward visits one after the other."""
    if how == "children":
        for child in getattr(net, "features", net):
            child.hybridize()
    else:
        net.hybridize()


def step_of(name, store, how="whole", compression=None, warm=4):
    """Return (a function that takes a step, the bytes of the gradients).

    store: a store, or None. how: 'whole' or 'children', what is hybridized, or 'plan' for a TrainStep. warm: the number
    of steps that are taken first.
    """
    net, shape, classes = NETS[name]()
    mx.random.seed(0)
    net.initialize(mx.init.Xavier())
    hybridize(net, how)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.001}, kvstore=store,
                            compression_params=compression)
    rank, batch = (0, shape[0]) if store is None else (store.rank, shape[0] * store.num_workers)
    rng = np.random.default_rng(rank)
    x, y = nd.array(rng.normal(size=shape)), nd.array(rng.integers(classes, size=shape[0]))
    loss_fn = gluon.loss.SoftmaxCrossEntropyLoss()
    loss_fn.hybridize()
    planned = gluon.TrainStep(net, loss_fn, trainer)

    def three_calls():
        with autograd.record():
            loss = loss_fn(net(x), y)
        loss.backward()
        trainer.step(batch)

    def one_call():
        planned(x, y, batch)

    step = one_call if how == "plan" else three_calls
    if how == "plan":
        net(x)              # a plan needs the shapes of all parameters
    for _ in range(warm):
        step()
    return step, 4 * sum(math.prod(p.shape) for p in net.collect_params().values() if p.grad_req != "null")


def job(options):
    """Return a function that takes one step."""
    store = mx.kv.create(options["kvstore"])
    return step_of(options["net"], store, options["hybrid"], options.get("compression"), warm=0)[0]


if __name__ == "__main__":
    distributed_worker.serve(job)
