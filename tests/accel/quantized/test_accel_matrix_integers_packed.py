"""Plans of quantized networks: the integers are those of the reference, and sums in int32 are never stored."""

import numpy as np
import pytest

pytest.importorskip("minigluon_accel", reason="minigluon-accel is not installed")

from helpers.accel_checks import ISAS, configured
from minigluon_accel.operators.packed_integers import PackedIntegers

import minigluon as mx
from minigluon import gluon, nd
from minigluon.backend import use_backend
from minigluon.contrib import quantization
from minigluon.gluon import nn
from minigluon.hybrid import check_passes


class Branches(gluon.HybridBlock):
    """Convolutions of all kinds, with normalizations, a sum, a concatenation, poolings and a fully connected layer."""

    def __init__(self, channels=16):
        super().__init__()
        with self.name_scope():
            self.first = nn.Conv2D(channels, 3, strides=2, padding=1, activation="relu")
            self.thin = nn.Conv2D(channels, 3, padding=1, groups=channels)
            self.norms = [nn.BatchNorm() for _ in range(2)]
            for norm in self.norms:
                self.register_child(norm)
            self.wide, self.grouped = nn.Conv2D(channels, 1), nn.Conv2D(2 * channels, 3, padding=1, groups=2)
            self.out = nn.Dense(5)

    def hybrid_forward(self, F, x):
        x = F.Pooling(self.first(x), kernel=(2, 2), stride=(2, 2))
        y = F.clip(self.norms[0](self.thin(x)), 0, 6)
        x = F.relu(self.norms[1](self.wide(y)) + x)
        x = F.concat(x, self.grouped(x), dim=1)
        return self.out(F.Pooling(x, global_pool=True, pool_type="avg"))


def quantized(net, data, mode="naive", dtype="auto"):
    mx.random.seed(3)
    net.initialize(mx.init.Uniform(0.7), force_reinit=True)
    net(data)
    return quantization.quantize_net(net, calib_data=[data], calib_mode=mode, quantized_dtype=dtype, logger=None)


def images(batch=2):
    return nd.random.normal(shape=(batch, 3, 18, 18))


def steps_of(net, *data):
    """The steps of the net's plan for such data."""
    net.hybridize()
    net(*data)
    return list(net._graphs.values())[-1].compiled.last_plan.steps


@pytest.mark.parametrize("mode", ["naive", "none"])
@pytest.mark.parametrize("dtype", ["auto", "int8"])
def test_the_integers_are_those_of_the_reference(mode, dtype):
    data = images()
    net = quantized(Branches(), data, mode, dtype)
    with use_backend("numpy"):
        wanted = net(data).asnumpy()
    for isa in ISAS:
        with configured(isa, 2):
            net.hybridize()
            np.testing.assert_array_equal(net(data).asnumpy(), wanted, f"{isa}")
            np.testing.assert_array_equal(net(data).asnumpy(), wanted, f"{isa}, again")


def test_the_pass_is_right_by_translation_validation(monkeypatch):
    monkeypatch.setattr(check_passes, "enabled", True)
    monkeypatch.setattr(check_passes, "skipped", [])
    data = images()
    net = quantized(Branches(), data)
    net.hybridize()
    net(data)
    assert check_passes.skipped == []


def test_sums_are_never_stored():
    data = images()
    steps = steps_of(quantized(Branches(), data), data)
    programs = [[op.name.removeprefix("_contrib_").removeprefix("quantized_") for op, _ in step.op.program]
                for step in steps if isinstance(step.op, PackedIntegers)]
    assert programs == [["_sg_mkldnn_conv"]] * 4 + [["_sg_mkldnn_fully_connected"]]
    names = [step.op.name for step in steps]
    assert {"_channels_last", "_channels_first", "_packed_integers"} <= set(names)      # weights: `_pack_integers`
    assert not {"_contrib_requantize", "_contrib_quantized_conv"} & set(names)


def test_weights_are_packed_again_after_they_have_changed():
    data = nd.random.normal(shape=(4, 8))
    net = quantized(nn.Dense(6), data)
    net.hybridize()
    before = net(data).asnumpy()
    weight = next(p for name, p in net.collect_params().items() if name.endswith("weight_quantize"))
    weight.set_data(-weight.data())
    with use_backend("numpy"):
        wanted = net(data).asnumpy()
    assert np.abs(wanted - before).max() > 0.01
    np.testing.assert_array_equal(net(data).asnumpy(), wanted)


def test_integers_that_two_nodes_read_are_stored():
    """A tail ends where a second node reads the result."""
    data = mx.sym.var("data")
    out = mx.sym.FullyConnected(data, num_hidden=4, name="fc")
    graph = mx.sym.Group([mx.sym.relu(out), mx.sym.sin(out)])
    params = {"fc_weight": nd.random.normal(shape=(4, 8)), "fc_bias": nd.random.normal(shape=(4,))}
    x = nd.random.normal(shape=(3, 8))
    graph, params, _ = quantization.quantize_model(graph, params, {}, calib_mode="naive",
                                                   calib_data=mx.io.NDArrayIter(x, batch_size=3), logger=None)
    net = gluon.SymbolBlock(graph, [data])
    for name, param in net.collect_params().items():
        param.cast(params[name].dtype)
        param.shape = params[name].shape
        param.initialize()
        param.set_data(params[name])
    with use_backend("numpy"):
        wanted = [y.asnumpy() for y in net(x)]
    net.hybridize()
    for found, expected in zip(net(x), wanted, strict=True):
        np.testing.assert_allclose(found.asnumpy(), expected, 1e-6)


class Signals(gluon.HybridBlock):
    """Convolutions along one axis, concatenated, with a normalization that is not joined to either of them."""

    def __init__(self):
        super().__init__()
        with self.name_scope():
            self.parts, self.norm = [nn.Conv1D(4, 3, padding=1), nn.Conv1D(6, 3, padding=1)], nn.BatchNorm()
            for child in self.parts:
                self.register_child(child)

    def hybrid_forward(self, F, x):
        return self.norm(F.concat(*[part(x) for part in self.parts], dim=1))


def rows_with_a_norm():
    """Each row of a matrix is a vector of its own, and the normalization is that of axis 1, the rows."""
    net = nn.HybridSequential()
    net.add(nn.Dense(24, flatten=False), nn.BatchNorm())
    return net


@pytest.mark.parametrize(("make", "shape"), [(Signals, (3, 5, 20)), (rows_with_a_norm, (3, 8, 16))])
def test_axes_other_than_those_of_images(make, shape):
    data = nd.random.normal(shape=shape)
    net = quantized(make(), data)
    with use_backend("numpy"):
        wanted = net(data).asnumpy()
    net.hybridize()
    np.testing.assert_array_equal(net(data).asnumpy(), wanted)


def test_plans_for_other_batches_share_the_packed_weight():
    data = nd.random.normal(shape=(9, 40))
    net = quantized(nn.Dense(12), data)
    packed = []
    for count in (9, 16, 30):
        steps = steps_of(net, nd.random.normal(shape=(count, 40)))
        packed.append(next(step.op for step in steps if isinstance(step.op, PackedIntegers)))
    compiled = list(net._graphs.values())[-1].compiled
    assert len(packed) == 3
    assert len(compiled.prepackers) == 1


class Joined(gluon.HybridBlock):
    """A convolution of two others that are joined, as in SqueezeNet."""

    def __init__(self):
        super().__init__()
        with self.name_scope():
            self.left, self.right = nn.Conv2D(4, 1, activation="relu"), nn.Conv2D(4, 3, padding=1, activation="relu")
            self.last = nn.Conv2D(3, 1)

    def hybrid_forward(self, F, x):
        return self.last(F.concat(self.left(x), self.right(x), dim=1))


def test_layers_after_a_concatenation_are_packed_once():
    data = images()
    net = quantized(Joined(), data)
    steps = steps_of(net, data)
    assert sum(isinstance(step.op, PackedIntegers) for step in steps) == 3
    assert not [step for step in steps if step.op.name == "_pack_fused_integers"]
    with use_backend("numpy"):
        wanted = net(data).asnumpy()
    np.testing.assert_array_equal(net(data).asnumpy(), wanted)
