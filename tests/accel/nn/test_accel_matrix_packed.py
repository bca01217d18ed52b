"""Fully connected layers of plans that only infer: with what follows them, and weights packed for an earlier call."""

import sys

import numpy as np
import pytest

pytest.importorskip("minigluon_accel", reason="minigluon-accel is not installed")

from helpers.accel_checks import ISAS, configured
from helpers.numeric import numbers
from minigluon_accel.kernels.nn.matrix_packed import DensePrepack, PackedDense, division

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.backend import use_backend
from minigluon.gluon import nn
from minigluon.ops import REGISTRY


class Layer(gluon.HybridBlock):
    """A fully connected layer, and what is asked for behind it."""

    def __init__(self, units, norm=False, added=False, activation=None, **arguments):
        super().__init__()
        self.added, self.activation = added, activation
        with self.name_scope():
            self.dense = nn.Dense(units, **arguments)
            self.norm = nn.BatchNorm(axis=-1) if norm else None
            self.other = nn.Dense(units) if added else None

    def hybrid_forward(self, F, x):
        """The layer, normalized, plus the sine of another one, activated."""
        y = self.dense(x)
        if self.norm is not None:
            y = self.norm(y)
        if self.added:
            y = y + F.sin(self.other(x))
        if self.activation in (None, "relu", "tanh", "sigmoid"):
            return y if self.activation is None else getattr(F, self.activation)(y)
        return F.LeakyReLU(y, act_type=self.activation)


def with_values(net, x, dtype="float32"):
    net.initialize(mx.init.Normal(0.3))
    net.cast(dtype)
    net(x)
    for param in net.collect_params().values():
        param.set_data(nd.random.uniform(0.5, 1.5, param.shape, dtype=dtype) if param.name.endswith(("gamma", "var"))
                       else nd.random.normal(0, 0.3, param.shape, dtype=dtype))
    return net


def last_plan(net):
    return list(net._graphs.values())[-1].compiled.last_plan


def programs_of(net):
    """What the last plan's layers compute."""
    return [[op.name for op, _ in step.op.program] for step in last_plan(net).steps if step.op.name == "_packed_dense"]


def reference(net, x):
    """By NumPy, layer by layer."""
    net.hybridize(False)
    with use_backend("numpy"):
        return net(x).asnumpy()


# What follows the layer, and the lines that its node has then
TAILS = {
    "nothing": ({}, ["FullyConnected"]),
    "no bias": ({"use_bias": False, "activation": "sigmoid"}, ["FullyConnected", "sigmoid"]),
    "gelu": ({"activation": "gelu"}, ["FullyConnected", "LeakyReLU"]),
    "norm and relu": ({"norm": True, "activation": "relu"}, ["FullyConnected", "BatchNorm", "relu"]),
    "norm without bias": ({"norm": True, "use_bias": False, "activation": "tanh"},
                          ["FullyConnected", "BatchNorm", "tanh"]),
    "added": ({"added": True, "activation": "relu"}, ["FullyConnected", "broadcast_add", "relu"]),
    "selu": ({"activation": "selu"}, ["FullyConnected"]),
}
# rows, columns, depth: around tiles, one row panel and several, more depth than one block
SIZES = [(1, 150, 7), (2, 33, 300), (6, 16, 70), (8, 70, 17), (14, 32, 65), (15, 63, 20), (40, 65, 270), (150, 20, 513),
         (30, 40, 600), (30, 40, 1100), (33, 90, 100), (47, 41, 256), (60, 2100, 600)]


@pytest.mark.parametrize("name", TAILS)
def test_layers_agree_with_the_reference(name):
    how, lines = TAILS[name]
    mx.random.seed(3)
    for number, (rows, columns, depth) in enumerate(SIZES):
        dtype = "float64" if number % 3 == 2 else "float32"
        x = nd.random.normal(shape=(rows, depth), dtype=dtype)
        net = with_values(Layer(columns, **how), x, dtype)
        wanted = reference(net, x)
        error = 200 * np.finfo(dtype).eps * depth ** 0.5
        for isa in ISAS:
            found = []
            for threads in (1, 2) if isa == ISAS[-1] else (2,):
                with configured(isa, threads):
                    net.hybridize()
                    found.append(net(x).asnumpy())
            assert lines in programs_of(net)
            np.testing.assert_array_equal(found[0], found[-1])
            np.testing.assert_allclose(found[0], wanted, error, error, err_msg=f"{rows, columns, depth} {isa}")


def test_the_twin_says_what_the_kernel_computes():
    shapes = (20, 9), (35, 9), (35,), (20, 35)
    x, weight, bias, other = (numbers(shape, "float32", k) for k, shape in enumerate(shapes))
    layer = REGISTRY["FullyConnected"](num_hidden=35)
    op = PackedDense(program=(
        (layer, (0, 1, 2)), (REGISTRY["elemwise_add"](), (-1, 3)), (REGISTRY["relu"](), (-2,))))
    packed = DensePrepack(layer=layer, norm=None, isa=ISAS[-1]).forward(weight, bias)
    np.testing.assert_allclose(op.forward(x, weight, bias, other, packed),
                               np.maximum(x @ weight.T + bias + other, 0), 1e-5, 1e-5)


def test_a_block_of_a_transformer():
    net = nn.HybridSequential()
    net.add(nn.Dense(64, flatten=False), nn.GELU(), nn.Dense(16, flatten=False))

    class Residual(gluon.HybridBlock):
        def __init__(self):
            super().__init__()
            self.body = net

        def hybrid_forward(self, F, x):
            return x + self.body(x)

    block, x = Residual(), nd.random.normal(shape=(2, 5, 16))
    wanted = reference(with_values(block, x), x)
    block.hybridize()
    np.testing.assert_allclose(block(x).asnumpy(), wanted, 0, 1e-5)
    assert [step.op.name for step in last_plan(block).steps] == ["_packed_dense"] * 2
    assert programs_of(block) == [["FullyConnected", "LeakyReLU"], ["FullyConnected", "broadcast_add"]]
    with autograd.record(train_mode=False):
        y = block(x)
    y.backward()                                        # a plan with gradients has every value that these need
    assert programs_of(block) == []
    np.testing.assert_allclose(y.asnumpy(), wanted, 0, 1e-5)


class Deep(gluon.HybridBlock):
    """Layers of little work one after the other, one of which has another one's result added."""

    def __init__(self, flatten=True):
        super().__init__()
        with self.name_scope():
            self.first, self.last = nn.Dense(40, activation="relu", flatten=flatten), nn.Dense(30, flatten=flatten)
            self.middle = nn.Dense(40, activation="tanh", flatten=flatten)
            self.added = nn.Dense(40, flatten=flatten)

    def hybrid_forward(self, F, x):
        y = self.first(x)
        return self.last(F.relu(y + self.added(self.middle(y))))


# the shape of the data, and how much of the batch goes through the chain at a time; None: there is no chain
SHARES = {(64, 33): 32, (45, 300): 15, (43, 33): None, (30, 2, 3, 7): 15, (14, 33): None, (4096, 33): None}


@pytest.mark.parametrize(("shape", "share"), SHARES.items())
def test_layers_of_little_work_are_a_chain(shape, share):
    for dtype in "float32", "float64":
        x = nd.random.normal(shape=shape, dtype=dtype)
        net = with_values(Deep(), x, dtype)
        wanted = reference(net, x)
        error = 1e4 * np.finfo(dtype).eps
        for isa in ISAS:
            found = []
            for threads in (1, 2):
                with configured(isa, threads):
                    net.hybridize()
                    found.append(net(x).asnumpy())
            chains = [step.op for step in last_plan(net).steps if step.op.name == "_batch_chain"]
            assert [(len(op.program), op.share) for op in chains] == ([] if share is None else [(4, share)])
            np.testing.assert_array_equal(*found)
            np.testing.assert_allclose(found[0], wanted, error, error, err_msg=f"{dtype} {isa}")


def narrow(*units, **arguments):
    net = nn.HybridSequential()
    for number, n in enumerate(units):
        net.add(Layer(n, activation=(None, "relu", "gelu", "tanh", "sigmoid", "selu")[number % 5], **arguments))
    return net


# the shape of the data and the layers: one column more and less than tiles have rows, several panels, a last layer of 3
ACROSS = {"images": ((64, 2, 5, 7), (71, 33, 40)), "many shares": ((160, 33), (85, 15, 70)),
          "a few columns": ((96, 40), (350, 3)), "without bias": ((64, 36), (29, 57))}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ACROSS)
def test_shares_of_32_lie_across_with_the_same_bits(name, dtype, monkeypatch):
    shape, units = ACROSS[name]
    mx.random.seed(3)
    x = nd.random.normal(shape=shape, dtype=dtype)
    net = with_values(narrow(*units, use_bias=name != "without bias"), x, dtype)
    wanted = reference(net, x)
    error = 1e4 * np.finfo(dtype).eps
    for isa in ISAS:
        found = []
        for threads, across in (1, True), (2, True), (1, False):
            with configured(isa, threads), monkeypatch.context() as patch:
                if not across:
                    patch.setattr(sys.modules["minigluon_accel.passes.tile_batch"], "_goes_across", lambda *_: False)
                net.hybridize()
                found.append(net(x).asnumpy())
                chain, = [step.op for step in last_plan(net).steps if step.op.name == "_batch_chain"]
                assert {op.name for op, _ in chain.program} == {"_batch_panel_dense" if across else "_packed_dense"}
                assert (len(chain.program), chain.share) == (len(units), 32)
        np.testing.assert_array_equal(found[1], found[0])
        np.testing.assert_array_equal(found[2], found[0])
        np.testing.assert_allclose(found[0], wanted, error, error, err_msg=isa)


def test_layers_across_read_parameters_as_they_are():
    x = nd.random.normal(shape=(64, 40))
    net = with_values(narrow(40, 40, 40), x)
    for _ in range(3):
        wanted = reference(net, x)
        net.hybridize()
        for _ in range(2):
            np.testing.assert_allclose(net(x).asnumpy(), wanted, 0, 1e-4)
            net[1].dense.weight.data()[:] *= -1.5
            net(x)
            net[1].dense.weight.data()[:] /= -1.5
        assert last_plan(net).prepackers is None            # nothing is packed
        net[0].dense.bias.data()[:] += 1


def test_what_does_not_lie_across():
    x = nd.random.normal(shape=(64, 40))
    for net in Deep(), narrow(40, 40, norm=True):           # something is added; a norm is folded into packed weights
        with_values(net, x)
        wanted = reference(net, x)
        net.hybridize()
        np.testing.assert_allclose(net(x).asnumpy(), wanted, 0, 1e-3)
        chain, = [step.op for step in last_plan(net).steps if step.op.name == "_batch_chain"]
        assert {op.name for op, _ in chain.program} == {"_packed_dense"}


def test_a_chain_of_layers_shares_sequences_and_sees_parameters_change():
    x = nd.random.normal(shape=(16, 6, 30))
    net = with_values(Deep(flatten=False), x)
    for _ in range(3):
        wanted = reference(net, x)
        net.hybridize()
        found = [net(x).asnumpy() for _ in range(3)]            # some with the weights as they lie, then packed
        np.testing.assert_array_equal(found[1:], found[:-1])
        np.testing.assert_allclose(found[0], wanted, 0, 1e-3)
        net.middle.weight.data()[:] *= 1.5
    assert [step.op.share for step in last_plan(net).steps] == [4]


def test_numbers_that_are_not_finite():
    x = nd.random.normal(shape=(9, 12))
    for activation in "relu", "gelu":
        net = with_values(Layer(20, activation=activation), x)
        x[0, 0], x[1, 3] = np.inf, np.nan
        wanted = reference(net, x)
        net.hybridize()
        np.testing.assert_allclose(net(x).asnumpy(), wanted, 0, 1e-5)


def has_packed(net):
    """Would another call find its weight packed?"""
    (bound,) = list(net._graphs.values())[-1].bound.values()
    (kept,) = bound.constants.of(last_plan(net).prepackers)
    return bool(kept[-1])


@pytest.mark.parametrize("rows", [3, 50])
def test_a_weight_that_changes_from_call_to_call_is_not_packed(rows):
    """A call that follows a write reads the weight itself, with the same bits; the one after it packs again."""
    x = nd.random.normal(shape=(rows, 30))
    net = with_values(Layer(40, activation="tanh"), x)
    wanted = reference(net, x)
    net.hybridize()
    np.testing.assert_allclose(net(x).asnumpy(), wanted, 0, 1e-5)
    net.dense.weight.data()[3] *= 2
    net.dense.bias.data()[:] += 1
    unpacked, packed = net(x).asnumpy(), net(x).asnumpy()
    np.testing.assert_array_equal(unpacked, packed)
    np.testing.assert_allclose(packed, reference(net, x), 0, 1e-5)
    net.hybridize()
    net(x)
    for parameter in net.dense.weight, net.dense.bias:
        parameter.data()[:] += 1
        assert [has_packed(net), has_packed(net), has_packed(net)] == [False, True, True]


def test_a_weight_with_moving_statistics_is_always_packed():
    x = nd.random.normal(shape=(4, 30))
    net = with_values(Layer(40, norm=True), x)
    net.hybridize()
    for value in 0.5, 0.25, 2:
        net.norm.running_var.set_data(nd.full(40, value))
        np.testing.assert_allclose(net(x).asnumpy(), reference(net, x), 0, 1e-4)
        net.hybridize()


def test_a_weight_that_is_no_parameter_is_not_packed():
    run = nd.CachedOp(mx.sym.FullyConnected(mx.sym.var("x"), mx.sym.var("w"), None, no_bias=True, num_hidden=40))
    assert run(nd.ones((2, 50)), nd.ones((40, 50))).asnumpy().tolist() == [[50] * 40] * 2
    assert [step.op.name for step in run._op.last_plan.steps] == ["FullyConnected"]


def test_plans_for_other_shapes_share_the_weight():
    net = with_values(Layer(40, activation="relu"), nd.ones((1, 30)))
    net.hybridize()
    prepackers = []
    for rows in 1, 2, 20, 30, 9:                # the last ones by plans with names for lengths
        x = nd.random.normal(shape=(rows, 30))
        found = net(x).asnumpy()
        prepackers.append(list(last_plan(net).prepackers))
        np.testing.assert_allclose(found, np.maximum(
            x.asnumpy() @ net.dense.weight.data().asnumpy().T + net.dense.bias.data().asnumpy(), 0), 0, 1e-5)
    assert all(found == prepackers[0] for found in prepackers)


@pytest.mark.parametrize("depth", [1, 32768, 32769, 10 ** 6])
def test_any_depth_can_be_divided(depth):
    """Where one panel of a weight is more than a part reads, a part has one panel."""
    for panels in (1, 2, 9, 100):
        cuts, shares = division(panels, panels, depth)
        assert 1 <= cuts <= panels
        assert 1 <= shares <= panels
    if depth == 32769:
        net = with_values(Layer(3), nd.ones((15, depth)))
        net.hybridize()
        x = nd.random.normal(shape=(15, depth))
        found = net(x).asnumpy()
        np.testing.assert_allclose(found, reference(net, x), 1e-3, 1e-3)
