"""Every layer and loss computes the same imperatively, hybridized and in an executor: values, gradients, statistics."""

import copy

import numpy as np
import pytest
from helpers.hybrid_twins import close
from helpers.layer_draws import LAYERS, LOSSES, blocks
from hypothesis import given, settings
from hypothesis import strategies as st

import minigluon as mx
from minigluon import autograd, gluon, nd, sym
from minigluon.gluon import loss, nn


def run(block, arrays, train):
    """{what: value} of a forward and a backward pass: results, gradients of inputs and parameters, statistics."""
    mx.random.seed(5)
    inputs = [nd.array(a, dtype=a.dtype) for a in arrays]
    for x in inputs:
        x.attach_grad()
    with autograd.record(train_mode=train):
        outputs = block(*inputs)
    outputs = outputs if isinstance(outputs, (list, tuple)) else [outputs]
    heads = [nd.array(np.random.default_rng(i).normal(size=y.shape), dtype=y.dtype) for i, y in enumerate(outputs)]
    autograd.backward(outputs, heads)
    params = block.collect_params().values()
    return {**{f"output {i}": y.asnumpy() for i, y in enumerate(outputs)},
            **{f"gradient of input {i}": x.grad.asnumpy() for i, x in enumerate(inputs)},
            **{f"gradient of {p.name}": p.grad().asnumpy() for p in params if p.grad_req != "null"},
            **{p.name: p.data().asnumpy() for p in params if p.grad_req == "null"}}


def execute(block, arrays, train):
    """The same from an executor on copies of the block's parameters."""
    mx.random.seed(5)
    names = [f"data{i}" for i in range(len(arrays))]
    outputs = block(*map(sym.var, names))
    graph = sym.Group(outputs) if isinstance(outputs, (list, tuple)) else outputs
    params = block.collect_params().values()
    values = {**{p.name: p.data().copy() for p in params}, **{n: nd.array(a, dtype=a.dtype)
                                                              for n, a in zip(names, arrays, strict=True)}}
    reqs = {p.name: p.grad_req for p in params} | dict.fromkeys(names, "write")
    grads = {name: nd.zeros_like(values[name]) for name, req in reqs.items() if req != "null"}
    executor = graph.bind(mx.cpu(), values, grads, reqs, values)
    outputs = executor.forward(is_train=train)
    executor.backward([nd.array(np.random.default_rng(i).normal(size=y.shape), dtype=y.dtype)
                       for i, y in enumerate(outputs)])
    return {**{f"output {i}": y.asnumpy() for i, y in enumerate(outputs)},
            **{f"gradient of input {i}": grads[name].asnumpy() for i, name in enumerate(names)},
            **{f"gradient of {p.name}": grads[p.name].asnumpy() for p in params if p.grad_req != "null"},
            **{p.name: values[p.name].asnumpy() for p in params if p.grad_req == "null"}}


def agree(block, arrays, train, dtype="float32", ulps=4):
    """Compare a block, a hybridized copy of it and an executor of its graph.

    Each block is called twice: in fresh memory, and in used memory.
    """
    arrays = [np.asarray(a, dtype) for a in arrays]
    block.initialize(mx.init.Normal(0.5))
    block.cast(dtype)
    with autograd.pause():
        block(*[nd.array(a, dtype=dtype) for a in arrays])
    twin = copy.deepcopy(block)
    twin.hybridize()
    executed = execute(block, arrays, train)
    for number in range(2):
        wanted = run(block, arrays, train)
        for how, found in (("hybridized", run(twin, arrays, train)), ("executed", executed)):
            if how == "executed" and number:
                continue                # the first call has moved the statistics on
            assert found.keys() == wanted.keys()
            for what, value in found.items():
                try:
                    close(value, wanted[what], ulps)
                except AssertionError as error:
                    raise AssertionError(f"{what} of {block}, {how}: {error}") from None


@pytest.mark.parametrize("name", LAYERS)
@settings(max_examples=12)
@given(data=st.data())
def test_layers(name, data):
    block, arrays = data.draw(blocks(LAYERS[name]))
    agree(block, arrays, data.draw(st.booleans()), data.draw(st.sampled_from(["float32", "float64"])))


@pytest.mark.parametrize("name", LOSSES)
@settings(max_examples=12)
@given(data=st.data())
def test_losses(name, data):
    block, arrays = data.draw(blocks(LOSSES[name]))
    agree(block, arrays, True, data.draw(st.sampled_from(["float32", "float64"])))


def test_all_of_them_are_drawn():
    layers = {name for name in nn.__all__ if issubclass(getattr(nn, name), gluon.HybridBlock)}
    assert layers - set(LAYERS) == {"HybridBlock", "HybridSequential", "SymbolBlock"}
    losses = {getattr(loss, name) for name in loss.__all__} - {loss.Loss}
    assert losses == {getattr(loss, name) for name in LOSSES}


# -- whole nets -------------------------------------------------------------------------------------------------------


def stack(*layers):
    net = nn.HybridSequential()
    with net.name_scope():
        net.add(*[layer() for layer in layers])
    return net


def mlp():
    return stack(lambda: nn.Dense(16, activation="relu"), lambda: nn.Dense(12, activation="tanh"),
                 lambda: nn.Dropout(0.5), lambda: nn.Dense(3))


def lenet():
    return stack(lambda: nn.Conv2D(4, 5, activation="relu"), lambda: nn.MaxPool2D(2, 2),
                 lambda: nn.Conv2D(6, 3, activation="relu"), lambda: nn.MaxPool2D(2, 2), nn.Flatten,
                 lambda: nn.Dense(10, activation="relu"), lambda: nn.Dense(3))


def alexnet():
    return stack(lambda: nn.Conv2D(4, 11, 4, 2, activation="relu"), lambda: nn.MaxPool2D(3, 2),
                 lambda: nn.Conv2D(6, 5, padding=2, activation="relu"), lambda: nn.MaxPool2D(3, 2),
                 lambda: nn.Conv2D(8, 3, padding=1, activation="relu"),
                 lambda: nn.Conv2D(6, 3, padding=1, activation="relu"), lambda: nn.MaxPool2D(3, 2, ceil_mode=True),
                 nn.Flatten, lambda: nn.Dense(12, activation="relu"), lambda: nn.Dropout(0.5), lambda: nn.Dense(3))


class Residual(gluon.HybridBlock):
    """Convolutions with BatchNorm, added to their input."""

    def __init__(self, channels, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.body = stack(lambda: nn.Conv2D(channels, 3, padding=1, use_bias=False), nn.BatchNorm,
                              lambda: nn.Activation("relu"), lambda: nn.Conv2D(channels, 3, padding=1), nn.BatchNorm)
            self.shortcut = nn.Conv2D(channels, 1)

    def hybrid_forward(self, F, x):
        return F.relu(self.body(x) + self.shortcut(x))


def residual():
    return stack(lambda: Residual(4), lambda: Residual(4), nn.GlobalAvgPool2D, lambda: nn.Dense(3))


NETS = {"mlp": (mlp, (6, 10)), "lenet": (lenet, (4, 1, 18, 18)), "alexnet": (alexnet, (2, 3, 63, 63)),
        "residual": (residual, (4, 3, 8, 8))}


class TwoTowers(gluon.HybridBlock):
    """Two inputs, three results, one of them nested; a tower that is used twice, and a parameter of its own."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.tower = nn.Dense(5, activation="tanh")
            self.norm = nn.LayerNorm()
            self.head = nn.Dense(3)
            self.scale = self.params.get("scale", shape=(1, 5), init="one")

    def hybrid_forward(self, F, x, y, scale):
        a, b = self.tower(x), self.norm(self.tower(y))
        both = F.broadcast_mul(a * b, scale)
        parts = F.split(F.concat(a, b, dim=1), num_outputs=2, axis=1)
        return self.head(both), F.softmax(parts[0] + both), a.slice_axis(axis=1, begin=1, end=4)


@pytest.mark.parametrize("train", [False, True])
@pytest.mark.parametrize("name", NETS)
def test_nets(name, train):
    build, shape = NETS[name]
    agree(build(), [np.random.default_rng(0).normal(size=shape)], train)


@pytest.mark.parametrize("train", [False, True])
def test_several_inputs_and_results(train):
    rng = np.random.default_rng(0)
    agree(TwoTowers(), [rng.normal(size=(4, 6)), rng.normal(size=(4, 6))], train)


def train(net, shape, optimizer, options, steps=5):
    """Parameters after some steps, and the losses on the way."""
    mx.random.seed(1)
    trainer = gluon.Trainer(net.collect_params(), optimizer, dict(options))
    criterion = loss.SoftmaxCrossEntropyLoss()
    criterion.hybridize(net._active)
    rng = np.random.default_rng(1)
    losses = []
    for _ in range(steps):
        x, label = nd.array(rng.normal(size=shape)), nd.array(rng.integers(0, 3, shape[0]))
        with autograd.record():
            value = criterion(net(x), label)
        value.backward()
        trainer.step(shape[0])
        losses.append(value.asnumpy())
    return [np.stack(losses), *[p.data().asnumpy() for p in net.collect_params().values()]]


OPTIMIZERS = {"sgd": {"momentum": 0.9, "wd": 1e-3}, "nag": {"momentum": 0.9}, "adam": {}, "adagrad": {}, "rmsprop": {},
              "adadelta": {}, "adamax": {}, "nadam": {}, "ftrl": {}, "ftml": {}, "signum": {}, "lamb": {}, "dcasgd": {},
              "lars": {}, "lbsgd": {}}


def trained_alike(build, shape, optimizer, options):
    net = build()
    net.initialize(mx.init.Xavier())
    net(nd.zeros(shape))
    twin = copy.deepcopy(net)
    twin.hybridize()
    wanted, found = [train(block, shape, optimizer, options) for block in (net, twin)]
    assert not np.allclose(wanted[0][0], wanted[0][-1])
    for ours, theirs in zip(found, wanted, strict=True):
        # Each step starts from the last one's rounding: one unit in a gradient is more of them in a parameter.
        close(ours, theirs, ulps=16)


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_training_steps(optimizer):
    trained_alike(mlp, (6, 10), optimizer, OPTIMIZERS[optimizer])


@pytest.mark.parametrize("name", NETS)
def test_training_of_nets(name):
    trained_alike(*NETS[name], "sgd", {"learning_rate": 0.05, "momentum": 0.9})
