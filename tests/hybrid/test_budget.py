"""hybridize(memory=...): a plan of at most so many bytes, with the same numbers to the last bit."""

import numpy as np
import pytest

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.base import ArgumentError, AutogradError
from minigluon.gluon import nn
from minigluon.hybrid.runners import compile_runner


class Unit(gluon.HybridBlock):
    """relu(x + convolutions of x), in either layout of the channels. Theirs need next to no scratch memory."""

    def __init__(self, layout):
        super().__init__()
        axis = layout.find("C")
        with self.name_scope():
            self.body = nn.HybridSequential(prefix="")
            self.body.add(nn.Conv2D(8, 1, layout=layout), nn.BatchNorm(axis=axis), nn.Activation("relu"),
                          nn.Conv2D(8, 1, layout=layout), nn.BatchNorm(axis=axis, scale=False))

    def hybrid_forward(self, F, x):
        return F.relu(self.body(x) + x)


def convolutions(layout="NCHW"):
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Conv2D(8, 1, layout=layout), *[Unit(layout) for _ in range(5)],
                nn.GlobalAvgPool2D(layout=layout), nn.Flatten(), nn.Dropout(0.5), nn.Dense(4))
    return net, nd.random.uniform(shape=(4, 3, 16, 16) if layout == "NCHW" else (4, 16, 16, 3))


def words():
    """Normalization, activations of several inputs, views, and dropout, whose mask is kept."""
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        for _ in range(4):
            net.add(nn.LayerNorm(), nn.Dense(64, flatten=False), nn.GELU(), nn.Dropout(0.1),
                    nn.HybridLambda(lambda F, x: F.softmax(x.reshape((0, 0, 4, -1))).reshape((0, 0, -1)) + x))
    return net, nd.random.uniform(shape=(4, 20, 64))


NETS = {"NCHW": (convolutions, [0.8, 0.7]), "NHWC": (lambda: convolutions("NHWC"), [0.8]),
        "words": (words, [0.9, 0.7])}


def build(make, **how):
    mx.random.seed(3)
    net, x = make()
    net.initialize(mx.init.Xavier())
    with autograd.pause():
        net(x)
    net.hybridize(**how)
    return net, x


def run(net, x, backwards=1):
    """(parameters' gradients and other parameters, the plan) after a forward and some backward passes."""
    mx.random.seed(5)
    with autograd.record():
        y = net(x)
    for left in reversed(range(backwards)):
        y.backward(nd.ones(y.shape) * (2 + left), retain_graph=left > 0)
    plan, = {graph.compiled.last_plan for graph in net._graphs.values()}
    return {name: (p.data() if p.grad_req == "null" else p.grad()).asnumpy()
            for name, p in net.collect_params().items()}, plan


def require_equal(found, wanted):
    for name, value in wanted.items():
        np.testing.assert_array_equal(found[name], value, err_msg=name)


@pytest.mark.parametrize(("make", "shares"), NETS.values(), ids=NETS)
def test_the_same_numbers_within_the_budget(make, shares):
    wanted, whole = run(*build(make))
    for share in shares:
        found, plan = run(*build(make, memory=share))
        require_equal(found, wanted)
        assert plan.memory.peak <= share * whole.memory.peak
    exact = run(*build(make, memory=whole.memory.peak))[1]
    assert str(exact) == str(whole)


def test_statistics_are_kept_and_normalized_values_are_not():
    _, plan = run(*build(convolutions, memory=0.8))
    ops = [step.op.name for step in plan.steps]
    assert ops.count("BatchNorm") == 10
    assert ops.count("_batch_norm_recompute") >= 4
    assert ops.count("Convolution") == 11                   # these cost more: none of them is computed again


def test_several_backward_passes_and_added_gradients():
    results = []
    for how in ({}, {"memory": 0.7}):
        net, x = build(convolutions, **how)
        for param in net.collect_params(".*weight").values():
            param.grad_req = "add"
        run(net, x, backwards=3)
        results.append(run(net, x, backwards=2)[0])
    require_equal(*results)


def test_two_passes_are_recorded_at_the_same_time():
    """Each has a block of memory of its own, and results that the caller holds stay what they are."""
    results = []
    for how in ({}, {"memory": 0.7}):
        net, x = build(convolutions, **how)
        mx.random.seed(5)
        with autograd.record():
            y, z = net(x), net(2 * x)
        held = y.asnumpy()
        z.backward()
        np.testing.assert_array_equal(y.asnumpy(), held)
        y.backward()
        results.append({name: p.grad().asnumpy() for name, p in net.collect_params().items() if p.grad_req != "null"})
    require_equal(*results)


def test_what_is_computed_again_must_not_be_overwritten():
    """beta is read by the backward part, too, where the output is made anew."""
    net, x = build(convolutions, memory=0.7)
    with autograd.record():
        y = net(x)
    next(p for name, p in net.collect_params().items() if name.endswith("beta")).data()[:] = 3
    with pytest.raises(AutogradError, match="was written in place"):
        y.backward()


def test_a_step_as_one_call():
    results, peaks = [], []
    for how in ({}, {"memory": 0.7}):
        net, x = build(convolutions, **how)
        loss = gluon.loss.SoftmaxCrossEntropyLoss()
        loss.hybridize()
        step = gluon.TrainStep(net, loss, gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1}))
        mx.random.seed(5)
        for _ in range(3):
            step(x, nd.array([0, 1, 2, 3]))
        peaks += [plan.memory.peak for plan in step.plans]
        results.append({name: p.data().asnumpy() for name, p in net.collect_params().items()})
    require_equal(*results)
    assert peaks[1] <= 0.7 * peaks[0]


def test_a_budget_that_is_too_small():
    net, x = build(convolutions, memory=1000)
    with pytest.warns(UserWarning, match="hybridize") as found:
        _, plan = run(net, x)
    assert str(found[0].message) == (f"hybridize(memory=1000.0) allows a plan 1000 bytes, but the smallest takes "
                                     f"{plan.memory.peak}. That one is used.")


WHAT = "expected a number of bytes, or a share between 0 and 1 of what the plan needs that keeps everything"
BOTH = ("hybridize: memory says how much is computed again, and recompute=True to do as much of it as there is. Give "
        "one of the two.")


@pytest.mark.parametrize(("flags", "text"), [
    ({"memory": 0}, f"hybridize: memory is 0, {WHAT}"), ({"memory": "1GB"}, f"hybridize: memory is '1GB', {WHAT}"),
    ({"memory": 0.5, "recompute": True}, BOTH)], ids=["0", "text", "both"])
def test_flags_that_make_no_sense(flags, text):
    with pytest.raises(ArgumentError) as error:
        nn.Dense(2).hybridize(**flags)
    assert str(error.value) == text


def test_its_report():
    net, x = build(convolutions, memory=0.7)
    run(net, x)
    graph = net._graphs[True]
    reports = []
    known = {name: mx.backend.Spec(a.shape, np.dtype(a.dtype)) for name, a in zip(
        graph.compiled.inputs, [x, *[p.data() for p in graph.params]], strict=True)}
    with autograd.train_mode():
        runner = compile_runner(graph.compiled, known, x.context, tuple(p.name for p in graph.params), reports=reports)
    report, = [r for r in reports if r.name == "budget"]
    text = str(report).splitlines()[1]
    assert text.startswith(f"  {runner.plan.memory.peak} bytes, of ")
    assert text.endswith("operators are computed again")


def test_every_shape_has_a_plan_within_the_budget():
    """A share is one of each plan; plans with names for lengths are not chosen from."""
    (net, x), (plain, _) = build(words, memory=0.8), build(words)
    for length in (20, 18, 16):
        wanted, whole = run(plain, x[:, :length])
        found, plan = run(net, x[:, :length])
        require_equal(found, wanted)
        assert plan.memory.peak <= 0.8 * whole.memory.peak
