"""What test_mpi_train_step.py starts: `mpirun -n N python tests/kvstore/mpi_train_step.py`.

Each net is trained by TrainStep on shares of batches; by the three calls on the same shares; and by one process on
whole batches. The weights must be the same. Process 0 prints a line for each, with the number of buckets that were sent
before each step, while the plan ran.
"""

import numpy as np

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.gluon import nn, rnn
from minigluon.kvstore.overlap import overlap

store = mx.kv.create("dist_sync")
rank, ranks = store.rank, store.num_workers
SIZES = 8, 8, 8, 8, 3, 8          # with four processes, the fifth batch leaves one without samples
mine = slice(rank, None, ranks)


def mlp(prefix):
    net = nn.HybridSequential(prefix=prefix)
    with net.name_scope():
        net.add(nn.Dense(600, "relu", in_units=20), nn.Dense(600, "tanh", in_units=600), nn.Dense(4, in_units=600))
    return net, (20,)


def cnn(prefix):
    net = nn.HybridSequential(prefix=prefix)
    with net.name_scope():
        net.add(nn.Conv2D(8, 3, activation="relu", in_channels=1), nn.MaxPool2D(2), nn.Flatten(),
                nn.Dense(700, "relu", in_units=72), nn.Dense(4, in_units=700))
    return net, (1, 8, 8)


def lstm(prefix):
    net = nn.HybridSequential(prefix=prefix)
    with net.name_scope():
        net.add(rnn.LSTM(16, layout="NTC", input_size=5), nn.HybridLambda(lambda F, x: F.SequenceLast(
            F.swapaxes(x, 0, 1))), nn.Dense(4, in_units=16))
    return net, (6, 5)


CASES = {"mlp sgd": (mlp, "sgd", {"learning_rate": 0.1, "momentum": 0.9, "wd": 0.01}, {}),
         "cnn adam": (cnn, "adam", {"learning_rate": 0.001}, {}),
         "lstm sgd": (lstm, "sgd", {"learning_rate": 0.5}, {}),
         "mlp adagrad": (mlp, "adagrad", {"learning_rate": 0.01}, {}),         # without an operator for many weights
         "mlp float16": (mlp, "sgd", {"learning_rate": 0.1}, {"compression_params": {"type": "float16"}})}


def batches(shape):
    rng = np.random.default_rng(0)
    return [(nd.array(rng.normal(size=(size, *shape))), nd.array(rng.integers(0, 4, size))) for size in SIZES]


def made(name, number, kvstore, more):
    kind, optimizer, options, _ = CASES[name]
    mx.random.seed(1)
    net, shape = kind(f"net{number}_")
    net.initialize(mx.init.Xavier())
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    net.hybridize()
    loss.hybridize()
    return net, loss, gluon.Trainer(net.collect_params(), optimizer, dict(options), kvstore=kvstore, **more), shape


def weights_of(net):
    return [param.data().asnumpy() for param in net.collect_params().values()]


def by_plan(name, more):
    """Returns (weights, the number of buckets that were sent before each step)."""
    net, loss, trainer, shape = made(name, 1, "dist_sync", more)
    step, sent, share = gluon.TrainStep(net, loss, trainer), [], trainer.step_share

    def step_share(own, ignore_stale_grad=False):
        sent.append(sum(len(one.running) for one in overlap.rounds
                        if one.is_open and one.owner() is trainer._kvstore._sums))
        share(own, ignore_stale_grad)

    trainer.step_share = step_share
    for x, y in batches(shape):
        step(x[mine], y[mine])
        assert step.reason is None, step.reason
    return weights_of(net), sent


def by_three_calls(name, more):
    net, loss, trainer, shape = made(name, 2, "dist_sync", more)
    for x, y in batches(shape):
        with autograd.record():
            value = loss(net(x[mine]), y[mine])
        value.backward()
        trainer.step_share(len(x[mine]))
    return weights_of(net)


def by_one_process(name):
    net, loss, trainer, shape = made(name, 3, None, {})
    step = gluon.TrainStep(net, loss, trainer)
    for x, y in batches(shape):
        step(x, y)
    return weights_of(net)


CHANGES = [lambda trainer, weight, bias: trainer.set_learning_rate(0.01),
           lambda trainer, weight, bias: weight.set_data(weight.data() / 2),
           lambda trainer, weight, bias: setattr(bias, "grad_req", "null"),
           lambda trainer, weight, bias: setattr(weight, "grad_req", "add"),
           lambda trainer, weight, bias: setattr(weight, "grad_req", "write")]


def changed_between_steps(planned):
    """Returns the weights. A gradient that adds up takes the three calls."""
    net, loss, trainer, shape = made("mlp sgd", 4 + planned, "dist_sync", {})
    step, (weight, bias, *_) = gluon.TrainStep(net, loss, trainer), net.collect_params().values()
    for (x, y), change in zip(batches(shape), [*CHANGES, lambda *_: None], strict=True):
        if planned:
            step(x[mine], y[mine], len(x))
            assert (step.reason is None) == (weight.grad_req == "write"), step.reason
        else:
            with autograd.record():
                value = loss(net(x[mine]), y[mine])
            value.backward()
            trainer.step(len(x))
        change(trainer, weight, bias)
        net.collect_params().zero_grad()
    return weights_of(net)


def with_a_process_that_takes_three_calls():
    """Returns the weights. The messages are the same, so other processes may send from a plan."""
    net, loss, trainer, shape = made("mlp sgd", 6, "dist_sync", {})
    net.hybridize(rank != 0)
    step = gluon.TrainStep(net, loss, trainer)
    for x, y in batches(shape):
        step(x[mine], y[mine])
        assert (step.reason is None) == (rank != 0), step.reason
    return weights_of(net)


def compare(name, first, second, tolerance):
    for one, other in zip(first, second, strict=True):
        assert abs(one - other).max() <= tolerance, (name, abs(one - other).max())


for case, (*_, arguments) in CASES.items():
    weights, counts = by_plan(case, arguments)
    # The order of gradients in buckets decides about the order of additions, and about the rounding in float16.
    compare(case, weights, by_three_calls(case, arguments), 1e-3 if arguments else 2e-6)
    compare(case, weights, by_one_process(case), 1e-2 if arguments else 2e-5)
    if rank == 0:
        print(case, *counts, flush=True)
compare("changes", changed_between_steps(True), changed_between_steps(False), 2e-6)
compare("three calls", with_a_process_that_takes_three_calls(), by_one_process("mlp sgd"), 2e-5)
