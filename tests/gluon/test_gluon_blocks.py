"""Blocks and parameters: names, sharing, deferred initialization, hooks, files."""

import copy
import pickle
import subprocess
import warnings

import numpy as np
import pytest
from records import MXNET

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.gluon import nn


def mlp(cls=nn.HybridSequential, **kwargs):
    net = cls(**kwargs)
    with net.name_scope():
        net.add(nn.Dense(4, activation="relu"), nn.Dense(2))
    return net


def names(block):
    return list(block.collect_params())


@pytest.mark.parametrize("value", [np.ones((2, 3)), nd.ones((2, 3)), nd.ones((2, 3), ctx=mx.cpu(1))])
def test_set_data_of_a_deferred_parameter(value):
    dense = nn.Dense(2, dtype="float16")
    dense.initialize()
    dense.weight.set_data(value)
    assert (dense.weight.data() == nd.ones((2, 3), dtype="float16")).asnumpy().all()
    assert (dense.weight.data().dtype, dense.weight.data().context) == (np.float16, mx.cpu())


def test_names_count_in_the_scope_around():
    with mx.name.NameManager():
        assert names(mlp(nn.Sequential)) == [
            "sequential0_dense0_weight", "sequential0_dense0_bias", "sequential0_dense1_weight",
            "sequential0_dense1_bias"]
        net = nn.Sequential()
        net.add(nn.Dense(1), nn.Dense(1))           # outside of the scope
        assert names(net) == ["dense0_weight", "dense0_bias", "dense1_weight", "dense1_bias"]
        assert (net.name, net.prefix) == ("sequential1", "sequential1_")


def test_names_nest_and_an_empty_prefix_adds_nothing():
    with mx.name.NameManager():
        outer = nn.HybridSequential(prefix="net_")
        with outer.name_scope():
            inner = nn.HybridSequential(prefix="")
            with inner.name_scope():
                inner.add(nn.Dense(1), nn.Conv2D(1, 1, activation="relu"))
            outer.add(inner, nn.Dense(1), mlp())
        assert names(outer) == [
            "net_dense0_weight", "net_dense0_bias", "net_conv0_weight", "net_conv0_bias", "net_dense1_weight",
            "net_dense1_bias", "net_hybridsequential0_dense0_weight", "net_hybridsequential0_dense0_bias",
            "net_hybridsequential0_dense1_weight", "net_hybridsequential0_dense1_bias"]
        assert inner[1].act.name == "net_conv0_relu"


def test_nodes_of_symbols_are_named_after_blocks():
    net = mlp(prefix="net_")
    out = net(mx.sym.var("data"))
    assert out.list_arguments() == ["data", "net_dense0_weight", "net_dense0_bias", "net_dense1_weight",
                                    "net_dense1_bias"]
    assert out.list_outputs() == ["net_dense1_fwd_output"]
    assert "net_dense0_relu_fwd_output" in out.get_internals().list_outputs()


def test_parameters_are_shared_through_params():
    a = nn.Dense(3, in_units=2, prefix="a_")
    b = nn.Dense(3, in_units=2, prefix="b_", params=a.params)
    assert b.weight is a.weight
    assert names(b) == ["a_weight", "a_bias"]
    a.initialize()
    x = nd.ones((1, 2))
    np.testing.assert_array_equal(a(x).asnumpy(), b(x).asnumpy())


def test_nets_share_parameters_layer_by_layer():
    a = mlp(prefix="a_")
    b = mlp(prefix="b_", params=a.collect_params())
    a.initialize()
    x = nd.ones((1, 3))
    np.testing.assert_array_equal(a(x).asnumpy(), b(x).asnumpy())
    assert names(b) == names(a)


def test_collect_params_selects_by_regular_expression():
    net = mlp(prefix="net_")
    assert list(net.collect_params(".*weight")) == ["net_dense0_weight", "net_dense1_weight"]
    assert list(net.collect_params("net_dense1|net_dense0_bias")) == [
        "net_dense0_bias", "net_dense1_weight", "net_dense1_bias"]
    assert list(net.collect_params("dense")) == []          # from the start of the name


def test_setattr_reaches_every_parameter():
    net = mlp()
    net.initialize()
    net(nd.ones((1, 3)))
    net.collect_params(".*bias").setattr("grad_req", "null")
    net.collect_params().setattr("lr_mult", 0.5)
    assert {p.grad_req for p in net.collect_params(".*bias").values()} == {"null"}
    assert {p.lr_mult for p in net.collect_params().values()} == {0.5}
    with autograd.record():
        loss = net(nd.ones((1, 3))).sum()
    loss.backward()
    assert net[0].weight.grad().shape == (4, 3)
    assert net[0].bias._grad is None
    net[0].bias.grad_req = "write"
    with autograd.record():
        loss = net(nd.ones((1, 3))).sum()
    loss.backward()
    assert net[1].weight.grad().shape == (2, 4)
    assert net[0].bias.grad().shape == (4,)


def test_grad_req_add_accumulates_until_zero_grad():
    layer = nn.Dense(1, in_units=2, use_bias=False)
    layer.initialize()
    layer.weight.grad_req = "add"
    for _ in range(3):
        with autograd.record():
            y = layer(nd.array([[1, 2]]))
        y.backward()
    np.testing.assert_array_equal(layer.weight.grad().asnumpy(), [[3, 6]])
    layer.collect_params().zero_grad()
    np.testing.assert_array_equal(layer.weight.grad().asnumpy(), [[0, 0]])


def test_shapes_come_with_the_first_forward_on_every_device():
    net = mlp()
    contexts = [mx.cpu(0), mx.cpu(1)]
    net.initialize(mx.init.One(), ctx=contexts)
    assert net[0].weight.shape == (4, 0)
    assert net[0].weight.list_ctx() == contexts
    out = net(nd.ones((2, 3), ctx=mx.cpu(1)))
    assert out.context == mx.cpu(1)
    assert net[0].weight.shape == (4, 3)
    assert [x.context for x in net[0].weight.list_data()] == contexts
    np.testing.assert_array_equal(net(nd.ones((2, 3))).asnumpy(), out.asnumpy())
    net.collect_params().reset_ctx(mx.cpu(0))
    assert net.collect_params().list_ctx() == [mx.cpu(0)]


def test_programs_move_what_has_a_value_to_another_device():
    """As detectors do, whose backbone is initialized and whose heads are not: a ValueError is ignored."""
    net = mlp()
    net[0].initialize()
    moved = []
    for param in net.collect_params().values():
        try:
            param.reset_ctx(mx.cpu(1))
            moved.append(param.name)
        except ValueError:
            pass
    assert moved == [p.name for p in net[0].collect_params().values()]


def test_initializers_of_layers_win_over_the_blocks():
    net = nn.HybridSequential()
    net.add(nn.Dense(3, weight_initializer=mx.init.Constant(2), bias_initializer="ones"), nn.Dense(3))
    net.initialize(mx.init.Constant(5))
    net(nd.ones((1, 2)))
    assert [float(p.data().mean().asscalar()) for p in net.collect_params().values()] == [2, 1, 5, 0]


def test_initialize_again_warns_and_keeps_unless_forced():
    layer = nn.Dense(2, in_units=2)
    layer.initialize(mx.init.One())
    with pytest.warns(UserWarning, match="is already initialized and keeps its value") as caught:
        layer.initialize(mx.init.Zero())
    assert {warning.filename for warning in caught} == {__file__}
    assert layer.weight.data().sum().asscalar() == 4
    layer.initialize(mx.init.Zero(), force_reinit=True)
    assert layer.weight.data().sum().asscalar() == 0


def test_hooks_run_around_forward_and_detach():
    net, seen = mlp(), []
    before = net[0].register_forward_pre_hook(lambda block, inputs: seen.append(("before", inputs[0].shape)))
    after = net.register_forward_hook(lambda block, inputs, output: seen.append(("after", output.shape)))
    net.initialize()
    net(nd.ones((2, 3)))
    assert seen == [("before", (2, 3)), ("after", (2, 2))]
    before.detach()
    with after:
        net(nd.ones((2, 3)))
    net(nd.ones((2, 3)))
    assert seen[2:] == [("after", (2, 2))]


def test_apply_visits_children_first():
    net, seen = mlp(prefix="net_"), []
    assert net.apply(lambda block: seen.append(block.name)) is net
    assert seen == ["net_dense0_relu", "net_dense0", "net_dense1", "net"]


def test_containers_are_lists_of_their_children():
    net = nn.Sequential()
    layers = [nn.Dense(i + 1) for i in range(4)]
    net.add(*layers)
    assert len(net) == 4
    assert list(net) == layers
    assert net[-1] is layers[3]
    assert type(net[1:3]) is nn.Sequential
    assert list(net[1:3]) == layers[1:3]
    assert repr(nn.Sequential()) == "Sequential(\n\n)"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        net.hybridize()
    assert any("a HybridSequential would be traced as a whole" in str(w.message) for w in caught)


def test_a_constant_is_not_learned():
    class Scale(gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.factor = self.params.get_constant("factor", [[2.0, 3.0]])

        def hybrid_forward(self, F, x, factor):
            return F.broadcast_mul(x, factor)

    net = Scale()
    net.initialize()
    np.testing.assert_array_equal(net(nd.ones((2, 2))).asnumpy(), [[2, 3], [2, 3]])
    assert net.factor.grad_req == "null"
    assert repr(net.factor).endswith("factor (shape=(1, 2), dtype=float32)")


def test_cast_to_float16():
    net = nn.HybridSequential()
    net.add(nn.Dense(3, in_units=2), nn.BatchNorm(in_channels=3))
    net.initialize()
    net.cast("float16")
    assert net[0].weight.dtype == np.float16
    assert net[1].gamma.dtype == np.float32
    x = nd.ones((2, 2), dtype="float16")
    with autograd.record():
        y = net(x)
    y.backward()
    assert y.dtype == np.float16
    assert net[0].weight.grad().dtype == np.float16


def test_a_block_takes_several_inputs_and_lists():
    class Add(gluon.HybridBlock):
        def hybrid_forward(self, F, x, others, last=None):
            for y in others:
                x = x + y
            return x if last is None else x * last

    x = nd.ones((2,))
    assert Add()(x, [x, x])[0].asscalar() == 3
    assert Add()(x, [x, x], x * 2)[0].asscalar() == 6


FORMATS = [("save_parameters", "load_parameters"), ("save_params", "load_params")]


@pytest.mark.parametrize(("save", "load"), FORMATS)
def test_files_of_both_formats(save, load, tmp_path):
    file = str(tmp_path / "net.params")
    net = mlp()
    net.initialize()
    x = nd.random.normal(shape=(2, 3))
    y = net(x)
    getattr(net, save)(file)
    other = mlp()
    getattr(other, load)(file, mx.cpu(1))
    np.testing.assert_array_equal(other(x.as_in_context(mx.cpu(1))).asnumpy(), y.asnumpy())
    assert other[0].weight.list_ctx() == [mx.cpu(1)]


def test_files_name_what_is_in_them(tmp_path):
    net = mlp(prefix="net_")
    net.initialize()
    net(nd.ones((1, 3)))
    net.save_parameters(str(tmp_path / "a"))
    assert list(nd.load(str(tmp_path / "a"))) == ["0.weight", "0.bias", "1.weight", "1.bias"]
    net.save_params(str(tmp_path / "b"))
    assert sorted(nd.load(str(tmp_path / "b"))) == ["dense0_bias", "dense0_weight", "dense1_bias", "dense1_weight"]
    net.collect_params().save(str(tmp_path / "c"))
    assert sorted(nd.load(str(tmp_path / "c"))) == sorted(net.collect_params())
    net.collect_params().load(str(tmp_path / "c"))


def test_a_shared_parameter_may_be_written_once(tmp_path):
    def tied():
        net = nn.HybridSequential()
        first = nn.Dense(3, in_units=3)
        net.add(first, nn.Dense(3, in_units=3, params=first.params))
        return net

    net, file = tied(), str(tmp_path / "a")
    net.initialize()
    net.save_parameters(file, deduplicate=True)
    assert list(nd.load(file)) == ["1.weight", "1.bias"]        # the names that MXNet writes
    other = tied()
    other.load_parameters(file)
    np.testing.assert_array_equal(other(nd.ones((1, 3))).asnumpy(), net(nd.ones((1, 3))).asnumpy())


def test_load_casts_only_when_told(tmp_path):
    file = str(tmp_path / "a")
    net = nn.Dense(2, in_units=2)
    net.initialize()
    net.save_parameters(file)
    half = nn.Dense(2, in_units=2, dtype="float16")
    with pytest.raises(mx.MXNetError, match="Pass cast_dtype=True"):
        half.load_parameters(file)
    half.load_parameters(file, cast_dtype=True)
    assert half.weight.data().dtype == np.float16
    half.load_parameters(file, cast_dtype=True, dtype_source="saved")
    assert half.weight.data().dtype == np.float32


def test_the_same_loss_with_any_reading_of_f():
    """`infer_shape` and `infer_type` fill parameters in without running anything."""
    net = mlp()
    net.initialize()
    for layer in net:
        assert layer.weight.shape[1] == 0
    net[0].infer_shape(nd.ones((2, 5)))
    assert net[0].weight.shape == (4, 5)


PROGRAM = """
import sys
from mxnet import nd
from mxnet.gluon import nn
net = nn.HybridSequential(prefix="net_")
with net.name_scope():
    net.add(nn.Conv2D(4, 3, activation="relu"), nn.BatchNorm(), nn.Dense(3), nn.LayerNorm(), nn.Embedding(5, 2))
getattr(net, sys.argv[1])(sys.argv[2])
x = nd.load(sys.argv[3])[0]
nd.save(sys.argv[4], [net[:4](x), net[4](nd.arange(5))])
"""


@pytest.mark.skipif(not MXNET, reason="MINIGLUON_MXNET_PYTHON does not name a Python with MXNet 1.9.1")
@pytest.mark.parametrize(("save", "load"), FORMATS)
def test_mxnet_loads_our_files(save, load, tmp_path):
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Conv2D(4, 3, activation="relu"), nn.BatchNorm(), nn.Dense(3), nn.LayerNorm(), nn.Embedding(5, 2))
    net.initialize(mx.init.Normal(0.5))
    x = nd.random.normal(shape=(2, 3, 6, 5))
    with autograd.train_mode():
        net[:4](x)                      # moves the running statistics
    expected = [net[:4](x), net[4](nd.arange(5))]
    params, given, found = (str(tmp_path / name) for name in ("net.params", "x", "y"))
    getattr(net, save)(params)
    nd.save(given, [x])
    subprocess.run([MXNET, "-W", "ignore", "-c", PROGRAM, load, params, given, found], check=True, timeout=120)
    for ours, theirs in zip(expected, nd.load(found), strict=True):
        np.testing.assert_allclose(ours.asnumpy(), theirs.asnumpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda net: pickle.loads(pickle.dumps(net))])
def test_copies_and_pickles(copied):
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Dense(2, in_units=2), nn.BatchNorm(in_channels=2))
    net.initialize(mx.init.One())
    gluon.Trainer(net.collect_params(), "sgd")
    twin = copied(net)
    assert list(twin.collect_params()) == list(net.collect_params())
    with autograd.record():
        loss = twin(nd.ones((1, 2))).sum()
    loss.backward()
    gluon.Trainer(twin.collect_params(), "sgd", {"learning_rate": 1}).step(1)
    assert twin[1].beta.data().asnumpy().tolist() == [-1, -1]
    assert net[1].beta.data().asnumpy().tolist() == [0, 0]
    assert twin[0].weight.described() == "Parameter 'net_dense0_weight' of Dense 'net_dense0'"
    assert pickle.loads(pickle.dumps(net[0].weight)).data().asnumpy().tolist() == [[1, 1], [1, 1]]


def test_blocks_that_are_equal_are_blocks_of_their_own():
    class Equal(nn.HybridSequential):
        def __eq__(self, other):            # and so has no hash
            return isinstance(other, Equal)

    net = Equal()
    net.add(nn.Dense(2), nn.Dense(3))
    outer = Equal()
    outer.add(net)
    assert outer == net
    outer.initialize()
    outer.hybridize()
    assert outer(nd.ones((4, 5))).shape == (4, 3)
    net.add(nn.Dense(6))                    # the graph around it is void
    net[-1].initialize()
    assert outer(nd.ones((4, 5))).shape == (4, 6)
    assert len(outer.collect_params()) == 6
