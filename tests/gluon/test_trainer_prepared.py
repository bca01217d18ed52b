"""A Trainer prepares its step once. Whatever happens between two steps, the next one is as if it had been made anew."""

import sys

import numpy as np
import pytest

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.backend.registry import use_backend
from minigluon.gluon import nn


def made(optimizer, layers=2, **options):
    """(net, trainer), the same each time."""
    mx.random.seed(1)
    net = nn.HybridSequential(prefix="net_")
    for _ in range(layers):
        net.add(nn.Dense(3, in_units=3))
    net.initialize(mx.init.Normal(0.5))
    return net, gluon.Trainer(net.collect_params(), optimizer, {"learning_rate": 0.1, **options})


def learn(net, trainer, number, **how):
    dtype = net[0].weight.dtype
    x = nd.array(np.random.default_rng(number).normal(size=(4, 3)), dtype=dtype)
    with autograd.record():
        loss = nd.square(net(x)).sum()
    loss.backward()
    trainer.step(4, **how)


def of(net):
    return [p.data().asnumpy() for p in net.collect_params().values()]


def _each(net):
    return net.collect_params().values()


def frozen(net, trainer, file):
    net[0].weight.grad_req = "null"


def thawed(net, trainer, file):
    net[0].weight.grad_req = "null"
    learn(net, trainer, 50)
    net[0].weight.grad_req = "write"


def added_up(net, trainer, file):
    for param in _each(net):
        param.grad_req = "add"
    learn(net, trainer, 51)


def new_values(net, trainer, file):
    net[1].weight.set_data(nd.ones((3, 3)) / 3)


def new_arrays(net, trainer, file):
    net[1].initialize(mx.init.One(), force_reinit=True)


def another_dtype(net, trainer, file):
    net.cast("float64")
    trainer._updaters[0].states.clear()


def moved(net, trainer, file):
    net.collect_params().reset_ctx(mx.cpu(0))


def loaded_states(net, trainer, file):
    trainer.save_states(file)
    learn(net, trainer, 52)
    trainer.load_states(file)


def dropped_states(net, trainer, file):
    trainer._updaters[0].set_states(mx.optimizer.get_updater(mx.optimizer.SGD()).get_states())


def another_state(net, trainer, file):
    states, bias = trainer._updaters[0].states, nd.ones((3,))       # number 0 is the first bias
    states[0] = tuple(bias.copy() for _ in states[0]) if isinstance(states[0], tuple) else bias


def another_optimizer(net, trainer, file):
    trainer._optimizer = trainer._updaters[0].optimizer = mx.optimizer.SGD(learning_rate=0.5)
    trainer._updaters[0].states.clear()


def another_rate(net, trainer, file):
    trainer.set_learning_rate(0.01)
    trainer.optimizer.wd = 0.3


def other_factors(net, trainer, file):
    net[0].weight.lr_mult, net[1].bias.wd_mult, trainer.optimizer.wd = 0.5, 3.0, 0.1


def another_clip(net, trainer, file):
    trainer.optimizer.clip_gradient = 0.01


def another_momentum(net, trainer, file):
    trainer.optimizer.momentum = trainer.optimizer.beta1 = 0.3


def another_size(net, trainer, file):
    trainer.optimizer.aggregate_num = min(trainer.optimizer.aggregate_num, 1)


def update_of_the_program(net, trainer, file):
    def update(index, weight, grad, state):
        for w, g in zip(weight, grad) if isinstance(weight, (list, tuple)) else [(weight, grad)]:
            w[:] = w - 0.01 * g
    trainer.optimizer.update = trainer.optimizer.update_multi_precision = update


def some_are_stale(net, trainer, file):
    with autograd.record():
        loss = nd.square(net[1](nd.ones((2, 3)))).sum()
    loss.backward()
    trainer.step(2, ignore_stale_grad=True)


EVENTS = [frozen, thawed, added_up, new_values, new_arrays, another_dtype, moved, loaded_states, dropped_states,
          another_state, another_optimizer, another_rate, other_factors, another_clip, another_momentum, another_size,
          update_of_the_program, some_are_stale]
OPTIMIZERS = [("sgd", {}), ("sgd", {"momentum": 0.9}), ("adam", {}), ("rmsprop", {})]


@pytest.mark.parametrize(("optimizer", "options"), OPTIMIZERS)
@pytest.mark.parametrize("event", EVENTS)
def test_what_is_remembered_holds_no_longer_than_it_may(event, optimizer, options, tmp_path):
    found = []
    for remembers in True, False:
        net, trainer = made(optimizer, **options)
        for number in range(5):
            if number == 3:
                event(net, trainer, str(tmp_path / "states"))
            if not remembers:
                trainer._replacements = None
            learn(net, trainer, number)
        found.append(of(net))
    for x, y in zip(*found, strict=True):
        np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize(("optimizer", "options"), OPTIMIZERS)
def test_a_prepared_step_follows_backend_and_profiler(optimizer, options):
    net, trainer = made(optimizer, **options)
    wanted, other = made(optimizer, **options)
    for number in range(2):
        learn(net, trainer, number)
        learn(wanted, other, number)
    step = trainer.single_device_step()[1]
    assert step.is_current(trainer._updaters[0])
    with use_backend("numpy"):
        assert not step.is_current(trainer._updaters[0])
        learn(net, trainer, 2)
    learn(wanted, other, 2)
    mx.profiler.set_state("run")
    try:
        assert not trainer.replicas()[0]._step.is_current(trainer._updaters[0])
        learn(net, trainer, 3)
    finally:
        mx.profiler.set_state("stop")
        mx.profiler.dumps(reset=True)       # what it has counted is not for the tests that follow
    learn(wanted, other, 3)
    for x, y in zip(of(net), of(wanted), strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-5, atol=1e-5)      # Adam divides by small numbers


def test_a_step_counts_its_writes_where_readers_look():
    """Differentiating twice makes twins of the weights, which count the writes from then on."""
    net, trainer = made("sgd")
    learn(net, trainer, 0)
    weight = net[0].weight.data()
    twin = weight._twin()
    before = twin._version
    learn(net, trainer, 1)
    assert twin._version == weight._version == before + 1


@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
def test_a_step_takes_no_more_calls_for_more_parameters(optimizer):
    """Calls of Gluon's and the optimizer's functions; NumPy's kernel of a step has some for each weight."""
    counts = []
    for layers in 2, 8:
        net, trainer = made(optimizer, layers)
        learn(net, trainer, 0)
        learn(net, trainer, 1)
        for param in _each(net):
            param.data().entry.fresh = True
        called = []
        sys.setprofile(lambda frame, event, argument: called.append(frame.f_code.co_filename)  # noqa: B023
                       if event == "call" else None)
        try:
            trainer.step(4)
        finally:
            sys.setprofile(None)
        counts.append(sum("gluon/gluon" in name or "gluon/optimizer" in name for name in called))
    assert counts[0] == counts[1] <= 40
