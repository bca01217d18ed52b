"""gluon.TrainStep: the same as record, backward and trainer.step, as one plan where that can be, and else as those."""

import numpy as np
import pytest

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.backend.registry import use_backend
from minigluon.base import ArgumentError
from minigluon.gluon import nn


def make(optimizer="sgd", options=None, net=None, loss=None, hybridize=True):
    """(net, loss, trainer), the same ones each time."""
    net = net or nn.HybridSequential(prefix="net_")
    with net.name_scope():
        if not len(net):
            net.add(nn.Dense(200, in_units=100, activation="relu"), nn.BatchNorm(in_channels=200),
                    nn.Dropout(0.2), nn.Dense(4, in_units=200))
    mx.random.seed(3)
    net.initialize(mx.init.Xavier(), force_reinit=True)
    loss = loss or gluon.loss.SoftmaxCrossEntropyLoss()
    if hybridize:
        net.hybridize()
        loss.hybridize()
    return net, loss, gluon.Trainer(net.collect_params(), optimizer, options or {"learning_rate": 0.1})


def batches(*sizes):
    rng = np.random.default_rng(0)
    return [(nd.array(rng.normal(size=(n, 100))), nd.array(rng.integers(0, 4, n))) for n in sizes]


def three_calls(net, loss, trainer):
    def step(data, label, batch_size=None):
        with autograd.record():
            value = loss(net(data), label)
        value.backward()
        trainer.step(data.shape[0] if batch_size is None else batch_size)
        return value
    return step


def plans_of(step):
    """What the plans of the steps are: made for one shape, or for all."""
    return {text for family in step._families.values() for text in family.shapes(["data", "label"])}


def train(step, rounds):
    mx.random.seed(5)
    return [step(*batch).asnumpy() for batch in rounds]


def compare(one, three, rounds, planned=True, tol=1e-6):
    """Losses, weights, states and counts of TrainStep and of the three calls."""
    step = gluon.TrainStep(*one)
    for found, wanted in zip(train(step, rounds), train(three_calls(*three), rounds), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=tol, atol=tol)
    assert (step.reason is None) == planned, step.reason
    for p, q in zip(one[0].collect_params().values(), three[0].collect_params().values(), strict=True):
        np.testing.assert_allclose(p.data().asnumpy(), q.data().asnumpy(), rtol=tol, atol=tol, err_msg=p.name)
    assert one[2].optimizer.num_update == three[2].optimizer.num_update
    assert one[2].optimizer._all_index_update_counts == three[2].optimizer._all_index_update_counts
    for index, state in three[2]._updaters[0].states.items():
        for x, y in zip(flat(one[2]._updaters[0].states[index]), flat(state), strict=True):
            np.testing.assert_allclose(x.asnumpy(), y.asnumpy(), rtol=tol, atol=tol)
    return step


def flat(state):
    return () if state is None else state if isinstance(state, tuple) else (state,)


@pytest.mark.parametrize(("optimizer", "options"), [
    ("sgd", {"learning_rate": 0.1}), ("sgd", {"learning_rate": 0.1, "momentum": 0.9, "wd": 0.01}),
    ("sgd", {"learning_rate": 0.1, "momentum": 0.5, "clip_gradient": 0.01}), ("adam", {"learning_rate": 0.01})])
def test_is_the_three_calls(optimizer, options):
    compare(make(optimizer, options), make(optimizer, options), batches(8, 8, 3, 8, 1))


def test_an_empty_batch_teaches_nothing():
    """It needs a batch_size, since nothing can be divided by its own, 0."""
    x, label = nd.zeros((0, 100)), nd.zeros((0,))
    one, three = make(), make()
    compare(one, three, [(x, label, 4), *batches(8), (x, label, 1)])
    for step in gluon.TrainStep(*one), three_calls(*three):
        with pytest.raises(ArgumentError) as caught:
            step(x, label, 0)
        assert str(caught.value) == ("Trainer.step: batch_size is 0, expected the number of samples whose gradients "
                                     "were added up, at least 1")


def test_schedules_and_factors_of_parameters():
    def made():
        net, loss, trainer = make("adam", {"learning_rate": 0.1, "wd": 0.1, "lr_scheduler":
                                           mx.lr_scheduler.FactorScheduler(2, 0.5, base_lr=0.1)})
        params = list(net.collect_params().values())
        params[0].lr_mult, params[1].wd_mult = 0.3, 2.0
        return net, loss, trainer
    compare(made(), made(), batches(8, 8, 8, 8, 8))


def test_parameters_without_gradient_stay():
    def made():
        net, loss, trainer = make()
        net[0].weight.grad_req = "null"
        return net, loss, trainer
    one = made()
    before = one[0][0].weight.data().asnumpy()
    compare(one, made(), batches(8, 8))
    np.testing.assert_array_equal(one[0][0].weight.data().asnumpy(), before)


def test_gradients_that_add_up_take_the_three_calls():
    def made():
        net, loss, trainer = make()
        net[3].weight.grad_req = "add"
        return net, loss, trainer
    step = compare(made(), made(), batches(8, 8), planned=False)
    assert step.reason == "parameter 'net_dense1_weight' accumulates its gradients"


def test_a_change_between_steps_is_seen(tmp_path):
    one, three = (make("sgd", {"learning_rate": 0.1, "momentum": 0.9}) for _ in range(2))
    step, calls = gluon.TrainStep(*one), three_calls(*three)
    (data, label), = batches(8)
    changes = [lambda net, loss, trainer: trainer.set_learning_rate(0.01),
               lambda net, loss, trainer: trainer.save_states(tmp_path / "states"),
               lambda net, loss, trainer: trainer.load_states(tmp_path / "states"),
               lambda net, loss, trainer: setattr(trainer.optimizer, "momentum", 0.5),
               lambda net, loss, trainer: net[3].weight.set_data(nd.ones((4, 200)) / 100),
               lambda net, loss, trainer: setattr(net[0].bias, "grad_req", "null"),
               lambda net, loss, trainer: net.hybridize(False),
               lambda net, loss, trainer: net.hybridize(),
               lambda net, loss, trainer: net.load_parameters(tmp_path / "net"),
               lambda net, loss, trainer: net.cast("float64")]
    one[0].save_parameters(tmp_path / "net")
    for change in changes:
        change(*one)
        change(*three)
        if change is changes[-1]:
            data = data.astype("float64")
            continue            # the trainer's states are float32, in both
        mx.random.seed(1)
        found = step(data, label).asnumpy()
        mx.random.seed(1)
        np.testing.assert_allclose(found, calls(data, label).asnumpy(), rtol=1e-5, atol=1e-6)
        assert (step.reason is None) == one[0]._active
    for p, q in zip(one[0].collect_params().values(), three[0].collect_params().values(), strict=True):
        np.testing.assert_allclose(p.data().asnumpy(), q.data().asnumpy(), rtol=1e-4, atol=1e-5, err_msg=p.name)


def test_deferred_parameters_and_layers_that_are_added():
    net = nn.HybridSequential(prefix="late_")
    with net.name_scope():
        net.add(nn.Dense(7), nn.Dense(4))
    net, loss, trainer = make(net=net)
    step, (batch,) = gluon.TrainStep(net, loss, trainer), batches(8)
    step(*batch)
    assert step.reason == "parameter 'late_dense0_weight' has no value yet"
    step(*batch)
    assert step.reason is None
    with net.name_scope():
        net.add(nn.Dense(4, in_units=4))
    net[2].initialize()
    step(*batch)
    assert step.reason == "parameter 'late_dense2_weight' requires a gradient, but is not among the trainer's"


def test_weights_are_read_before_they_are_overwritten():
    """A weight that is used twice, as it is and as a view."""
    class Tied(gluon.HybridBlock):
        def __init__(self):
            super().__init__(prefix="tied_")
            self.weight = self.params.get("weight", shape=(200, 100))

        def hybrid_forward(self, F, x, weight):
            y = F.FullyConnected(x, weight, no_bias=True, num_hidden=200)
            return F.dot(F.tanh(y), weight) + F.slice_axis(F.reshape(weight, (-1,)), axis=0, begin=0, end=100)
    rounds = [(data, data * 2) for data, _ in batches(8, 8, 8)]
    one, three = (made_of(Tied(), gluon.loss.L2Loss(), "sgd", {"learning_rate": 1e-4}) for _ in range(2))
    compare(one, three, rounds, tol=1e-5)


def made_of(net, loss, optimizer, options=None):
    net.initialize(mx.init.One())
    net.hybridize()
    loss.hybridize()
    return net, loss, gluon.Trainer(net.collect_params(), optimizer, options)


def test_writes_are_counted_where_readers_look():
    """Differentiating twice makes twins of the weights, which count the writes from then on."""
    net, loss, trainer = make()
    step, (batch,) = gluon.TrainStep(net, loss, trainer), batches(8)
    step(*batch)
    step(*batch)
    weight = net[0].weight.data()
    twin = weight._twin()
    before = twin._version
    step(*batch)
    assert step.reason is None
    assert twin._version == weight._version == before + 1


def test_it_follows_the_choice_of_a_backend():
    net, loss, trainer = make()
    step, (batch,) = gluon.TrainStep(net, loss, trainer), batches(8)
    step(*batch)
    step(*batch)
    plan, = step.plans
    with use_backend("numpy"):
        step(*batch)
    assert step.reason is None
    assert step.plans != [plan]


def test_several_arguments_and_a_loss_with_weights():
    class Sum(gluon.HybridBlock):
        def __init__(self):
            super().__init__(prefix="sum_")
            self.dense = nn.Dense(4, in_units=100, prefix="d_")

        def hybrid_forward(self, F, x, y):
            return self.dense(x) + self.dense(y)
    made = [made_of(Sum(), gluon.loss.SoftmaxCrossEntropyLoss(), "adam") for _ in range(2)]
    (data, label), = batches(8)
    weight = nd.array(np.arange(8.0)).reshape((8, 1))
    step = gluon.TrainStep(*made[0])
    found = [step([data, data / 2], [label, weight]).asnumpy() for _ in range(3)]
    assert step.reason is None
    for value in found:
        net, loss, trainer = made[1]
        with autograd.record():
            wanted = loss(net(data, data / 2), label, weight)
        wanted.backward()
        trainer.step(8)
        np.testing.assert_allclose(value, wanted.asnumpy(), rtol=1e-6)


def test_reasons():
    (data, label), = batches(8)
    net, loss, trainer = make("rmsprop", {"learning_rate": 0.1})
    step = gluon.TrainStep(net, loss, trainer)
    step(data, label)
    assert step.reason == "RMSProp updates weights one by one"
    step = gluon.TrainStep(*make(hybridize=False))
    step(data, label)
    assert step.reason == "HybridSequential 'net' is not hybridized"
    net, loss, trainer = make()
    step = gluon.TrainStep(net, loss, trainer)
    net.register_forward_hook(lambda *args: None)
    step(data, label)
    assert step.reason == "HybridSequential 'net' has hooks"
    data.attach_grad()
    step = gluon.TrainStep(*make())
    step(data, label)
    assert step.reason == "an argument requires a gradient, or is on the tape"
    assert np.abs(data.grad.asnumpy()).sum() > 0


def test_messages():
    net, loss, trainer = make()
    with pytest.raises(ArgumentError, match=r"^TrainStep: trainer must be a Trainer, found str$"):
        gluon.TrainStep(net, loss, "sgd")
    with pytest.raises(ArgumentError, match=r"^TrainStep: data must be an NDArray, or a list of them, with an axis"):
        gluon.TrainStep(net, loss, trainer)(3, nd.ones((1,)))


def test_batches_of_any_size_have_one_plan():
    """The steps of an epoch, small batches in between, are those of the three calls, and have one plan."""
    rounds = batches(8, 8, 3, 5, 8, 7, 1, 12, 2, 5)
    step = compare(make("adam", {"learning_rate": 0.01}), make("adam", {"learning_rate": 0.01}), rounds)
    assert plans_of(step) == {"one plan for data N × 100, label N"}
    for p in step.net.collect_params().values():
        p.set_data(p.data() * 0)
    assert float(step(*rounds[3]).asnumpy().mean()) == pytest.approx(np.log(4), rel=1e-5)


def test_a_budget_of_memory_is_kept_for_each_shape():
    net, loss, trainer = make()
    net.hybridize(memory=1.0)
    step = gluon.TrainStep(net, loss, trainer)
    train(step, batches(8, 6, 5))
    assert plans_of(step) == {
        "a plan for each shape: hybridize(memory=...) lays out the plans of each shape to choose one"}
