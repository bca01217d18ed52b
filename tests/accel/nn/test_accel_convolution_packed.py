"""Convolutions of plans that only infer: with what follows them, and with filters packed for an earlier call."""

import gc
import weakref

import numpy as np
import pytest

pytest.importorskip("minigluon_accel", reason="minigluon-accel is not installed")

from helpers.accel_checks import ISAS, configured
from minigluon_accel.kernels.nn import convolution_winograd as winograd

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.backend import use_backend
from minigluon.gluon import nn

# What a layer is asked for, channels and space of the data, and the way that its convolution takes.
LAYERS = {
    "pointwise": ({"channels": 40, "kernel_size": 1, "use_bias": False}, (2, 3, 17, 19), "panels"),
    "strided": ({"channels": 20, "kernel_size": 3, "strides": 2, "padding": 1}, (2, 5, 23, 21), "panels"),
    "groups": ({"channels": 12, "kernel_size": 3, "groups": 3, "padding": 1}, (2, 6, 14, 13), "panels"),
    "few windows": ({"channels": 90, "kernel_size": 1}, (2, 300, 7, 7), "blocks"),
    "few windows, 3 x 3": ({"channels": 60, "kernel_size": 3, "padding": 1}, (3, 30, 5, 4), "blocks"),
    "one window": ({"channels": 50, "kernel_size": 1}, (1, 20, 1, 1), "panels"),
    "fewer multiplications": ({"channels": 40, "kernel_size": 3, "padding": 1}, (1, 30, 28, 27), "winograd"),
    "more filters than tiles": ({"channels": 130, "kernel_size": 3, "padding": 1}, (1, 64, 25, 22), "winograd"),
    "depthwise": ({"channels": 24, "kernel_size": 3, "groups": 24, "padding": 1}, (2, 24, 15, 37), "channels"),
    "depthwise, strided": ({"channels": 9, "kernel_size": 3, "groups": 9, "strides": 2, "padding": 1}, (1, 9, 8, 33),
                           "channels"),
    "depthwise, no margin": ({"channels": 5, "kernel_size": 3, "groups": 5, "strides": 2}, (2, 5, 16, 64), "channels"),
    "depthwise, high": ({"channels": 3, "kernel_size": 3, "groups": 3, "padding": (4, 0)}, (2, 3, 13, 16), "channels"),
    "depthwise, 5 x 3": ({"channels": 4, "kernel_size": (5, 3), "groups": 4, "padding": (2, 1)}, (1, 4, 9, 20),
                         "channels"),
}


class Layer(gluon.HybridBlock):
    """A convolution, and what is asked for behind it."""

    def __init__(self, arguments, norm=True, added=False, bound=None, scale=True):
        super().__init__()
        self.added, self.bound = added, bound
        with self.name_scope():
            self.conv = nn.Conv2D(**arguments)
            self.norm = nn.BatchNorm(scale=scale) if norm else None

    def hybrid_forward(self, F, x):
        """The convolution, normalized, plus a third of itself, bounded."""
        y = self.conv(x)
        if self.norm is not None:
            y = self.norm(y)
        if self.added:
            y = y + F.sin(F.slice_axis(self.conv(x), axis=1, begin=0, end=None))
        return {None: lambda y: y, "relu": F.relu, "clip": lambda y: F.clip(y, 0, 1.5)}[self.bound](y)


def with_values(net, x, dtype="float32"):
    """The net with parameters that are neither 0 nor 1."""
    net.initialize(mx.init.Normal(0.3))
    net.cast(dtype)
    net(x)
    for param in net.collect_params().values():
        param.set_data(nd.random.uniform(0.5, 1.5, param.shape, dtype=dtype) if param.name.endswith(("gamma", "var"))
                       else nd.random.normal(0, 0.3, param.shape, dtype=dtype))
    return net


def last_graph(net):
    return list(net._graphs.values())[-1]


def last_plan(net):
    return last_graph(net).compiled.last_plan


def ways_of(net):
    """Those of the last plan's convolutions."""
    return [step.op.way for step in last_plan(net).steps if step.op.name in ("_packed_conv", "_blocked_conv")]


def references(net, x):
    """By NumPy, layer by layer."""
    net.hybridize(False)
    with use_backend("numpy"):
        return net(x).asnumpy()


@pytest.mark.parametrize("name", LAYERS)
def test_layers_agree_with_the_reference(name):
    arguments, shape, way = LAYERS[name]
    mx.random.seed(3)
    for dtype, how in (("float32", {"bound": "clip", "scale": False}), ("float32", {"added": True, "bound": "relu"}),
                       ("float64", {"norm": False, "added": True})):
        x = nd.random.normal(shape=shape, dtype=dtype)
        net = with_values(Layer(arguments, **how), x, dtype)
        net.bound = None
        error = 400 * np.finfo(dtype).eps * max(1, np.abs(references(net, x)).max())
        net.bound = how.get("bound")
        wanted = references(net, x)
        for isa in ISAS:
            found = []
            for threads in (1, 2) if isa == ISAS[-1] else (2,):
                with configured(isa, threads):
                    net.hybridize()
                    found.append(net(x).asnumpy())
            assert set(ways_of(net)) == {way}
            np.testing.assert_array_equal(found[0], found[-1])
            np.testing.assert_allclose(found[0], wanted, 0, error, err_msg=f"{how} {isa}")


def test_one_node_for_a_bottleneck_of_mobilenet():
    block = gluon.model_zoo.vision.mobilenet.LinearBottleneck(8, 8, 6, 1)
    x = nd.random.normal(shape=(2, 8, 20, 20))
    wanted = references(with_values(block, x), x)
    block.hybridize()
    np.testing.assert_allclose(block(x).asnumpy(), wanted, 0, 1e-4)
    plan = last_plan(block)
    convolutions = [step for step in plan.steps if step.op.name == "_blocked_conv"]
    assert len(convolutions) == 3
    assert [line.name for line, _ in convolutions[-1].op.program] == ["Convolution", "BatchNorm", "elemwise_add"]
    with autograd.record(train_mode=False):
        y = block(x)
    y.backward()                                        # a plan with gradients has every value that these need
    np.testing.assert_allclose(y.asnumpy(), wanted, 0, 1e-4)
    assert not {"_packed_conv", "_blocked_conv"} & {step.op.name for step in last_plan(block).steps}


def test_numbers_that_are_not_finite():
    for name in LAYERS:
        arguments, shape, _ = LAYERS[name]
        x = nd.random.normal(shape=shape)
        net = with_values(Layer(arguments, bound="clip"), x)
        x[0, 0, 0, 0], x[0, 1, shape[2] // 2, 0] = np.inf, np.nan
        wanted = references(net, x)
        net.hybridize()
        np.testing.assert_allclose(net(x).asnumpy(), wanted, 0, 1e-4, err_msg=name)


# -- kept filters ---------------------------------------------------------------------------------------------------


def small():
    net = nn.HybridSequential()
    net.add(nn.Conv2D(9, 3, padding=1, in_channels=9), nn.BatchNorm(in_channels=9), nn.Activation("relu"),
            nn.Conv2D(4, 1, in_channels=9), nn.GlobalAvgPool2D())
    return net


def kept_by(net):
    (bound,) = last_graph(net).bound.values()
    return bound.constants


def packed_again(net, x):
    """How many filters another call packs."""
    before = kept_by(net).of(last_plan(net).prepackers)
    net(x)
    return sum(a is not b for a, b in zip(kept_by(net).of(last_plan(net).prepackers), before, strict=True))


def by_assignment(net, x):
    net[0].weight.data()[:] = 0.25


def by_part_of_a_view(net, x):
    net[3].weight.data().reshape(-1)[3:7] += 1


def by_set_data(net, x):
    net[0].bias.set_data(nd.full(9, 0.5))


def by_a_trainer(net, x):
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.1})
    with autograd.record():
        loss = net(x).sum()
    loss.backward()
    trainer.step(2)


def by_a_step_alone(net, x):
    """Between the last call and the next one nothing but the optimizer writes."""
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1, "momentum": 0.9})
    for _ in range(2):                  # the second time the step is prepared
        with autograd.record():
            loss = net(x).sum()
        loss.backward()
        net(x)
        trainer.step(2)


def by_a_train_step(net, x):
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    gluon.TrainStep(net, gluon.loss.L2Loss(), trainer)(x, nd.zeros((2, 4, 1, 1)))


def by_statistics(net, x):
    with autograd.train_mode():
        net(x)


def by_another_library(net, x):
    nd.from_dlpack(net[3].weight.data().to_dlpack_for_write())[:] = 2


def by_init(net, x):
    net.initialize(mx.init.One(), force_reinit=True)


def by_cast(net, x):
    net[0].weight.data()[0, 0] = 1e-3
    net.cast("float64")
    net.cast("float32")


WRITES = [by_assignment, by_part_of_a_view, by_set_data, by_a_trainer, by_a_step_alone, by_a_train_step,
          by_statistics, by_another_library, by_init, by_cast]


@pytest.mark.parametrize("write", WRITES)
def test_the_next_call_sees_what_was_written(write):
    mx.random.seed(5)
    x = nd.random.uniform(shape=(2, 9, 12, 12))
    net = with_values(small(), x)
    net.hybridize()
    before = net(x).asnumpy()
    assert packed_again(net, x) == 0
    write(net, x)
    found, again = net(x).asnumpy(), net(x).asnumpy()
    assert abs(found - before).max() > 1e-4
    np.testing.assert_array_equal(found, again)
    np.testing.assert_allclose(found, references(net, x), 0, 1e-4)


def test_loaded_parameters(tmp_path):
    x = nd.random.uniform(shape=(2, 9, 12, 12))
    one, other = with_values(small(), x), with_values(small(), x)
    other.save_parameters(str(tmp_path / "net.params"))
    one.hybridize()
    before = one(x).asnumpy()
    one.load_parameters(str(tmp_path / "net.params"))
    assert abs(one(x).asnumpy() - before).max() > 1e-4
    np.testing.assert_allclose(one(x).asnumpy(), other(x).asnumpy(), 0, 1e-4)


def test_memory_that_another_library_holds_is_read_each_time():
    x = nd.random.uniform(shape=(1, 9, 6, 6))
    net = with_values(small(), x)
    net.hybridize()
    net(x)
    shared = nd.from_dlpack(net[3].weight.data().to_dlpack_for_write())
    for value in 1, 2, 3:
        shared.buffer[...] = value              # nobody counts this
        np.testing.assert_allclose(net(x).asnumpy(), references(net, x), 0, 1e-4)
        net.hybridize()


def test_plans_for_other_shapes_share_the_filters():
    net = with_values(small(), nd.ones((1, 9, 12, 12)))
    net.hybridize()
    net(nd.ones((1, 9, 12, 12)))
    first = last_plan(net).prepackers
    net(nd.ones((2, 9, 12, 12)))
    second = last_plan(net).prepackers
    assert first is not second
    assert list(first) == list(second)
    for batch in 3, 4, 5:                       # plans with names for lengths
        x = nd.random.uniform(shape=(batch, 9, 12, 12))
        found = net(x).asnumpy()
        assert list(last_plan(net).prepackers) == list(first)
        net[0].weight.data()[:] += 0.1
        assert abs(net(x).asnumpy() - found).max() > 1e-3
    found = net(x).asnumpy()
    np.testing.assert_allclose(found, references(net, x), 0, 1e-4)


def test_filters_go_with_their_net():
    net = with_values(small(), nd.ones((1, 9, 12, 12)))
    net.hybridize()
    net(nd.ones((1, 9, 12, 12)))
    (filters, _) = kept_by(net).of(last_plan(net).prepackers)
    filters = weakref.ref(filters)
    del net
    gc.collect()
    assert filters() is None


def test_symbols_with_all_arrays_as_arguments():
    x, w = mx.sym.var("x"), mx.sym.var("w")
    run = nd.CachedOp(mx.sym.relu(mx.sym.Convolution(x, w, kernel=(3, 3), num_filter=8, no_bias=True)))
    data, weight = nd.random.normal(shape=(1, 8, 9, 9)), nd.random.normal(shape=(8, 8, 3, 3))
    for _ in range(2):
        wanted = nd.relu(nd.Convolution(data, weight, kernel=(3, 3), num_filter=8, no_bias=True)).asnumpy()
        np.testing.assert_allclose(run(data, weight).asnumpy(), wanted, 0, 1e-4)
        weight += 1


def test_winograd_pays_while_its_filters_are_few():
    """Four times as many numbers are read: with few windows that takes longer than the multiplications saved."""
    spec = nd.Convolution.op(kernel=(3, 3), pad=(1, 1), num_filter=512, no_bias=True).geometry()
    def pays(size, batch):
        data = mx.backend.Spec((batch, 512, size, size), np.dtype("float32"))
        weight = mx.backend.Spec((512, 512, 3, 3), np.dtype("float32"))
        return winograd.pays_when_saved(spec, data, weight, data, 6)
    assert [pays(7, 1), pays(28, 1), pays(7, 8)] == [False, True, True]
