"""Trainer: steps, devices, stale gradients, states."""

import numpy as np
import pytest

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.gluon import nn


def line(ctx=None):
    """y = w x with w = 1."""
    net = nn.Dense(1, in_units=1, use_bias=False, prefix="line_")
    net.initialize(mx.init.One(), ctx=ctx)
    return net


def backward(net, x=2.0, ctx=None):
    with autograd.record():
        y = net(nd.array([[x]], ctx=ctx)).sum()
    y.backward()


def value(net, ctx=None):
    return float(net.weight.data(ctx).asscalar())


@pytest.mark.parametrize("as_", [lambda p: p, lambda p: dict(p.items()), lambda p: list(p.values())])
def test_a_step_divides_by_the_batch_size(as_):
    net = line()
    trainer = gluon.Trainer(as_(net.collect_params()), "sgd", {"learning_rate": 0.5})
    backward(net)
    trainer.step(4)
    assert value(net) == 1 - 0.5 * 2 / 4


@pytest.mark.parametrize("kvstore", ["local", "device"])
def test_devices_share_the_sum_of_their_gradients(kvstore):
    contexts = [mx.cpu(0), mx.cpu(1)]
    net = line(contexts)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.25, "momentum": 0.5}, kvstore=kvstore)
    for _ in range(2):
        with autograd.record():
            losses = [net(nd.array([[x]], ctx=ctx)).sum() for x, ctx in zip((1, 3), contexts, strict=True)]
        autograd.backward(losses)
        trainer.step(2)
        assert value(net, contexts[0]) == value(net, contexts[1])
    # both steps have the gradient (1 + 3) / 2 = 2; the second adds half of the first
    assert value(net, contexts[0]) == pytest.approx(1 - 0.25 * 2 - (0.25 * 2 + 0.5 * 0.25 * 2))


def test_without_a_store_each_device_keeps_its_gradient():
    contexts = [mx.cpu(0), mx.cpu(1)]
    net = line(contexts)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.25}, kvstore=None)
    with autograd.record():
        losses = [net(nd.array([[x]], ctx=ctx)).sum() for x, ctx in zip((1, 3), contexts, strict=True)]
    autograd.backward(losses)
    trainer.step(1)
    assert [value(net, ctx) for ctx in contexts] == [1 - 0.25 * 1, 1 - 0.25 * 3]


def test_data_parallel_training_equals_one_device():
    x, y = np.random.default_rng(0).normal(size=(8, 3)), np.arange(8) % 2

    def train(contexts):
        net = nn.HybridSequential()
        net.add(nn.Dense(4, activation="tanh", in_units=3), nn.Dense(2, in_units=4))
        mx.random.seed(3)
        net.initialize(mx.init.Xavier(), ctx=contexts)
        trainer = gluon.Trainer(net.collect_params(), "adam")
        loss = gluon.loss.SoftmaxCrossEntropyLoss()
        for _ in range(5):
            parts = [gluon.utils.split_and_load(nd.array(a), contexts) for a in (x, y)]
            with autograd.record():
                losses = [loss(net(a), b) for a, b in zip(*parts, strict=True)]
            autograd.backward(losses)
            trainer.step(8)
        return [p.data(contexts[-1]).asnumpy() for p in net.collect_params().values()]

    for one, two in zip(train([mx.cpu()]), train([mx.cpu(0), mx.cpu(1)]), strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-4, atol=1e-6)


def test_gradients_may_be_changed_between_allreduce_and_update():
    contexts = [mx.cpu(0), mx.cpu(1)]
    net = line(contexts)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 1}, update_on_kvstore=False)
    for ctx in contexts:
        backward(net, ctx=ctx)
    trainer.allreduce_grads()
    assert [g.asscalar() for g in net.weight.list_grad()] == [4, 4]
    for grad in net.weight.list_grad():
        grad[:] = 0.5
    trainer.update(1)
    assert value(net, contexts[1]) == 0.5


def test_a_step_needs_new_gradients():
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Dense(1, in_units=1), nn.Dense(1, in_units=1))
    net.initialize()
    trainer = gluon.Trainer(net.collect_params(), "sgd")
    before = net[1].weight.data().asscalar()
    backward(net[0])
    with pytest.raises(UserWarning) as caught:
        trainer.step(1)
    assert str(caught.value) == (
        "gradients have not been computed by backward since the last step:\n"
        "  Parameter 'net_dense1_bias' of Dense 'net_dense1' on cpu(0)\n"
        "  Parameter 'net_dense1_weight' of Dense 'net_dense1' on cpu(0)\n"
        "  Did the loss use only a part of the network? If this is intended, call step(batch_size, "
        "ignore_stale_grad=True), which does not change these parameters.")
    trainer.step(1, ignore_stale_grad=True)
    assert net[1].weight.data().asscalar() == before
    with pytest.raises(UserWarning, match="since the last step"):
        trainer.step(1)
    backward(net)
    trainer.step(1)
    assert net[1].weight.data().asscalar() != before


def test_a_step_inside_record():
    """Nothing of it is done, so that the next one is the first."""
    net = line()
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.5})
    for function in trainer.step, trainer.update:
        with autograd.record():
            net(nd.array([[2]])).sum().backward()
            with pytest.raises(mx.MXNetError) as caught:
                function(1)
        assert str(caught.value) == (
            f"Trainer.{function.__name__}: the step would write to weights that are on the tape, inside "
            "autograd.record(). Call it behind the `with` block, after backward.")
    assert value(net) == 1
    assert trainer.optimizer.num_update == 0
    trainer.step(1)
    assert trainer.optimizer.num_update == 1


def test_parameters_with_grad_req_null_stay():
    net = nn.HybridSequential()
    net.add(nn.Dense(3, in_units=1), nn.BatchNorm(in_channels=3))
    net.initialize()
    net[0].collect_params().setattr("grad_req", "null")
    before = net[0].weight.data().asnumpy()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 1})
    backward(net)
    trainer.step(1)
    np.testing.assert_array_equal(net[0].weight.data().asnumpy(), before)


def test_learning_rates_and_multipliers():
    net = line()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 1})
    trainer.set_learning_rate(0.5)
    net.weight.lr_mult = 0.5
    assert trainer.learning_rate == 0.5
    assert isinstance(trainer.optimizer, mx.optimizer.SGD)
    backward(net)
    trainer.step(1)
    assert value(net) == 1 - 0.5 * 0.5 * 2


def test_a_scheduler_sets_the_learning_rate():
    net = line()
    scheduler = mx.lr_scheduler.FactorScheduler(step=1, factor=0.5, base_lr=1)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"lr_scheduler": scheduler})
    rates = []
    for _ in range(3):
        rates.append(trainer.learning_rate)
        backward(net)
        trainer.step(1)
    assert rates == [1, 1, 0.5]
    with pytest.raises(mx.MXNetError, match="the learning rate follows from lr_scheduler"):
        trainer.set_learning_rate(1)


def test_an_optimizer_object_takes_no_further_arguments():
    net = line()
    trainer = gluon.Trainer(net.collect_params(), mx.optimizer.SGD(learning_rate=0.5))
    backward(net)
    trainer.step(1)
    assert value(net) == 0
    with pytest.raises(ValueError) as caught:
        gluon.Trainer(net.collect_params(), mx.optimizer.SGD(), {"momentum": 0.9})
    assert str(caught.value) == \
        "Trainer: optimizer_params require an optimizer's name. Pass them to the SGD itself."


@pytest.mark.parametrize("optimizer", ["sgd", "adam", "nag", "rmsprop", "adagrad", "adadelta", "ftrl", "signum"])
def test_states_go_through_a_file(optimizer, tmp_path):
    arguments = {"momentum": 0.9} if optimizer in ("sgd", "nag", "signum") else {}
    file = str(tmp_path / "states")
    net = line()
    trainer = gluon.Trainer(net.collect_params(), optimizer, arguments)
    for _ in range(3):
        backward(net)
        trainer.step(1)
    trainer.save_states(file)
    saved = value(net)
    backward(net)
    trainer.step(1)
    expected = value(net)

    other = line()
    other.weight.set_data(nd.array([[saved]]))
    again = gluon.Trainer(other.collect_params(), optimizer, arguments)
    again.load_states(file)
    backward(other)
    again.step(1)
    assert value(other) == expected


def test_what_a_trainer_refuses():
    net = line()
    params = net.collect_params()
    for arguments, message in [
            (("net", "sgd"), "Trainer takes a ParameterDict, a dict or a list of Parameters, found str. Pass "
                             "net.collect_params()."),
            (([1], "sgd"), "Trainer takes Parameters, found int 1 among them. Pass net.collect_params()."),
            ((params, "sgd", {}, "byteps"),
             "the store 'byteps' is not available: it is a separate library. Use 'dist_sync', and start the program "
             "with mpirun."),
            ((params, "sgd", {}, 3), "Trainer: kvstore must be a store, its name or None, found int")]:
        with pytest.raises(mx.MXNetError) as caught:
            gluon.Trainer(*arguments)
        assert str(caught.value) == message


def test_parameters_on_different_devices():
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Dense(1, in_units=1, use_bias=False), nn.Dense(1, in_units=1, use_bias=False))
    net[0].initialize()
    net[1].initialize(ctx=[mx.cpu(0), mx.cpu(1)])
    with pytest.raises(mx.MXNetError) as caught:
        gluon.Trainer(net.collect_params(), "sgd")
    assert str(caught.value) == (
        "Trainer: all parameters must be on the same devices, but Parameter 'net_dense0_weight' of Dense 'net_dense0' "
        "is on cpu(0) and Parameter 'net_dense1_weight' of Dense 'net_dense1' is on cpu(0), cpu(1). Move them with "
        "net.collect_params().reset_ctx(...).")


def test_a_store_that_makes_steps_already():
    net, store = nn.Dense(1, in_units=1), mx.kv.create("device")
    net.initialize()
    store.set_optimizer(mx.optimizer.SGD())
    with pytest.raises(mx.MXNetError) as caught:
        gluon.Trainer(net.collect_params(), "sgd", kvstore=store)
    assert str(caught.value) == (
        "Trainer: kvstore already has an optimizer or updater, so it would return updated weights instead of sums of "
        "gradients. Pass a new store, or update_on_kvstore=True.")
    gluon.Trainer(net.collect_params(), "sgd", kvstore=store, update_on_kvstore=True)
