"""Graphs as blocks: composing symbols, export, SymbolBlock, SymbolBlock.imports, hooks on operators, checkpoints."""

import copy
import json
import os
import pickle
import warnings

import numpy as np
import pytest
from helpers.errors import unplaced

import minigluon as mx
from minigluon import autograd, gluon, nd, sym
from minigluon.base import ArgumentError, FileFormatError, MXNetError, ShapeError
from minigluon.gluon import SymbolBlock, nn

pytestmark = pytest.mark.usefixtures("fresh_names")


def small():
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Dense(4, activation="tanh"), nn.BatchNorm(), nn.Dense(2))
    net.initialize()
    return net


def x(*shape):
    return nd.array(np.random.default_rng(0).normal(size=shape or (3, 5)))


def assert_same(one, other):
    np.testing.assert_allclose(one.asnumpy(), other.asnumpy(), rtol=1e-6, atol=1e-7)


# -- composing --------------------------------------------------------------------------------------------------------


def test_variables_are_replaced_by_symbols():
    a, b = sym.var("a"), sym.var("b")
    net = sym.FullyConnected(a, num_hidden=3, name="fc")
    composed = net(a=sym.exp(b, name="e"), name="new")
    assert composed.list_arguments() == ["b", "fc_weight", "fc_bias"]
    assert composed.list_outputs() == ["new_output"]
    assert composed.get_internals().list_outputs() == ["b", "e_output", "fc_weight", "fc_bias", "new_output"]
    assert (net.list_arguments(), net.name) == (["a", "fc_weight", "fc_bias"], "fc")        # as it was
    assert net(a=a + 1).list_arguments() == ["a", "fc_weight", "fc_bias"]
    assert net(a=net).list_arguments() == ["a", "fc_weight", "fc_bias"]                     # one weight, used twice
    assert sym.Group([a, net])(a=b).list_outputs() == ["b", "fc_output"]
    assert net().list_arguments() == net.list_arguments()


def test_a_layer_without_data_waits_for_it():
    net = sym.FullyConnected(num_hidden=3, name="fc")
    assert net.list_arguments() == ["fc_data", "fc_weight", "fc_bias"]
    out, = net(fc_data=sym.var("x") * 2).eval(x=nd.ones((1, 2)), fc_weight=nd.ones((3, 2)), fc_bias=nd.zeros((3,)))
    assert out.asnumpy().tolist() == [[4, 4, 4]]


def test_deep_graphs_are_composed_copied_and_pickled_without_recursion():
    deep = sym.var("x")
    for _ in range(3000):
        deep = deep + 1
    for same in (deep(x=sym.var("y")), copy.deepcopy(deep), pickle.loads(pickle.dumps(deep))):
        assert len(same.nodes()) == 3001
        assert not set(same.nodes()) & set(deep.nodes())
    assert copy.deepcopy(deep).tojson() == deep.tojson()


@pytest.mark.parametrize(("call", "text"), [
    (lambda net: net(sym.var("b")), "compose a symbol by the names of its inputs, symbol(data=other): by position it "
                                    "is not clear which of a, fc_weight, fc_bias is meant."),
    (lambda net: net(fc_wight=sym.var("b")), "cannot compose: the symbol has no input 'fc_wight'; its inputs are a, "
                                             "fc_weight, fc_bias. Did you mean 'fc_weight'?"),
    (lambda net: net(a=3), "cannot compose: a must be a Symbol, found int 3"),
    (lambda net: net(a=sym.split(sym.var("b"), num_outputs=2)), "cannot compose: the replacement of 'a' has 2 "
                                                                "outputs, expected one. Choose one with symbol[i]."),
    (lambda net: sym.BatchNorm(net, name="bn")(bn_moving_mean=sym.exp(sym.var("b"), name="e")),
     "BatchNorm 'bn': input moving_mean is overwritten by the operator, so it must be a variable, but it is an output "
     "of 'e'."),
    (lambda net: sym.BatchNorm(net, moving_var=net, name="bn"),
     "BatchNorm 'bn': input moving_var is overwritten by the operator, so it must be a variable, but it is an output "
     "of 'fc'."),
])
def test_messages_of_composing(call, text):
    with pytest.raises(MXNetError) as error:
        call(sym.FullyConnected(sym.var("a"), num_hidden=3, name="fc"))
    assert str(error.value) == text


# -- export -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("hybridize", [False, True])
def test_export_writes_two_files_that_import_as_the_same_block(tmp_path, hybridize):
    net = small()
    if hybridize:
        net.hybridize()
    expected = net(x())
    net.export(str(tmp_path / "net"), epoch=7)
    assert sorted(os.listdir(tmp_path)) == ["net-0007.params", "net-symbol.json"]
    assert list(nd.load(tmp_path / "net-0007.params")) == [
        "arg:net_dense0_weight", "arg:net_dense0_bias", "arg:net_batchnorm0_gamma", "arg:net_batchnorm0_beta",
        "aux:net_batchnorm0_running_mean", "aux:net_batchnorm0_running_var", "arg:net_dense1_weight",
        "arg:net_dense1_bias"]
    block = SymbolBlock.imports(tmp_path / "net-symbol.json", "data", tmp_path / "net-0007.params")
    assert_same(block(x()), expected)
    assert repr(block) == "SymbolBlock(\n<Symbol net_dense1_fwd> : 1 -> 1\n)"


class Choosy(gluon.HybridBlock):
    """Another graph for training, an optional input, an input in a list."""

    def hybrid_forward(self, F, first, rest, mask=None):
        out = first + rest[0] * rest[1]
        if autograd.is_training():
            out = out * 100
        return out if mask is None else out * mask


def test_export_takes_the_graph_for_prediction_with_the_arguments_that_ran(tmp_path):
    net = Choosy()
    net.hybridize()
    a = nd.ones((2,))
    with autograd.train_mode():
        net(a, [a, a], a)
    assert net(a, [a, a], a).asnumpy().tolist() == [2, 2]
    net.export(str(tmp_path / "net"))
    graph = sym.load(tmp_path / "net-symbol.json")
    assert graph.list_arguments() == ["data0", "data1", "data2", "data3"]
    assert "100" not in graph.tojson()
    block = SymbolBlock(graph, [sym.var("data0"), [sym.var("data1"), sym.var("data2")], sym.var("data3")])
    assert block(a, [a, a * 3], a).asnumpy().tolist() == [4, 4]


class Anything(gluon.HybridBlock):
    def hybrid_forward(self, F, *args):
        return F.add_n(*args)


def test_messages_of_export(tmp_path):
    net = nn.Dense(2)
    with pytest.raises(gluon.parameter.UninitializedError, match="dense0_weight.*has not been initialized"):
        net.export(str(tmp_path / "net"))
    net.initialize()
    with pytest.raises(gluon.DeferredInitializationError, match="waits for the first forward pass"):
        net.export(str(tmp_path / "net"))
    with pytest.raises(ArgumentError) as error:
        net.export(str(tmp_path / "net"), epoch=-1)
    assert str(error.value) == "export: epoch must be a number, 0 or greater, found -1"
    with pytest.raises(MXNetError) as error:
        Anything().export(str(tmp_path / "net"))
    assert str(error.value) == ("export: Anything 'anything0' takes any number of arguments. Call hybridize() and run "
                                "it once, so that their number is known.")
    assert os.listdir(tmp_path) == []
    net(x())
    with pytest.raises(MXNetError, match="cannot write .*No such file or directory"):
        net.export(str(tmp_path / "none" / "net"))


def test_a_failed_export_leaves_both_files_as_they_were(tmp_path):
    net = small()
    net(x())
    net.export(str(tmp_path / "net"))
    before = {name: (tmp_path / name).read_bytes() for name in os.listdir(tmp_path)}
    net[2].weight.set_data(net[2].weight.data() + 1)
    (tmp_path / "net-0001.params").mkdir()              # where no file can be put
    with pytest.raises(MXNetError, match="net-0001.params"):
        net.export(str(tmp_path / "net"), epoch=1)
    assert {name: (tmp_path / name).read_bytes() for name in before} == before
    assert sorted(os.listdir(tmp_path)) == ["net-0000.params", "net-0001.params", "net-symbol.json"]


# -- SymbolBlock ------------------------------------------------------------------------------------------------------


def test_parameters_are_called_as_the_variables():
    block = SymbolBlock(small()(sym.var("data")), sym.var("data"))
    assert (block.prefix, block.name) == ("", "symbolblock0")
    assert list(block.collect_params()) == [
        "net_dense0_weight", "net_dense0_bias", "net_batchnorm0_gamma", "net_batchnorm0_beta", "net_dense1_weight",
        "net_dense1_bias", "net_batchnorm0_running_mean", "net_batchnorm0_running_var"]
    assert list(block._collect_params_with_prefix()) == [
        "dense0_weight", "dense0_bias", "batchnorm0_gamma", "batchnorm0_beta", "dense1_weight", "dense1_bias",
        "batchnorm0_running_mean", "batchnorm0_running_var"]
    reqs = {name: p.grad_req for name, p in block.collect_params(".*norm").items()}
    assert set(reqs.values()) == {"write", "null"}
    assert reqs["net_batchnorm0_running_mean"] == "null"


def test_shapes_wait_for_the_first_batch():
    block = SymbolBlock(small()(sym.var("data")), sym.var("data"))
    block.initialize()
    assert block.collect_params()["net_dense0_weight"].shape == (4, 0)
    assert block(x()).shape == (3, 2)
    assert block.collect_params()["net_dense0_weight"].shape == (4, 5)


def test_features_share_the_parameters_of_the_whole():
    net = small()
    inside = net(sym.var("data")).get_internals()
    features = SymbolBlock(inside["net_dense0_tanh_fwd_output"], sym.var("data"), params=net.collect_params())
    net(x())
    assert features.collect_params()["net_dense0_weight"] is net[0].weight
    assert list(features.collect_params()) == ["net_dense0_weight", "net_dense0_bias"]
    assert_same(features(x()), net[0](x()))
    net[0].weight.set_data(net[0].weight.data() * 2)
    assert_same(features(x()), net[0](x()))


def test_outputs_are_nested_as_they_were_given():
    a, b = sym.var("a"), sym.var("b")
    parts = sym.split(a, num_outputs=2, axis=0)
    block = SymbolBlock([a + b, [parts, b * 2]], [a, b])
    total, (halves, double) = block(nd.array([1, 2]), nd.array([3, 4]))
    assert total.asnumpy().tolist() == [4, 6]
    assert [h.asnumpy().tolist() for h in halves] == [[1], [2]]
    assert double.asnumpy().tolist() == [6, 8]
    assert isinstance(SymbolBlock([a + 1], a)(nd.ones((1,))), nd.NDArray)       # a list of one symbol is the symbol
    assert len(SymbolBlock(parts, a)(nd.ones((2,)))) == 2


def test_training_is_that_of_the_network():
    net = small()
    expected = net(x())
    block = SymbolBlock(net(sym.var("data")), sym.var("data"))
    block.initialize()
    block(x())
    for name, param in net.collect_params().items():
        block.collect_params()[name].set_data(param.data())
    assert_same(block(x()), expected)
    for one in (net, block):
        trainer = gluon.Trainer(one.collect_params(), "sgd", {"learning_rate": 0.1, "momentum": 0.9})
        for _ in range(3):
            with autograd.record():
                loss = (one(x()) ** 2).sum()
            loss.backward()
            trainer.step(1)
    for name, param in net.collect_params().items():
        assert_same(param.data(), block.collect_params()[name].data())
    assert_same(net(x()), block(x()))


class Around(gluon.HybridBlock):
    """A SymbolBlock as a part, used twice, between other layers."""

    def __init__(self, inner, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.inner = inner
            self.before = nn.Dense(5, in_units=5)
            self.after = nn.Dense(1, in_units=2)

    def hybrid_forward(self, F, x):
        return self.after(self.inner(self.before(x)) + self.inner(F.relu(x)))


@pytest.mark.parametrize("from_file", [False, True])
def test_a_part_of_a_larger_block_is_composed_into_its_graph(tmp_path, from_file):
    net = small()
    net(x())
    net.export(str(tmp_path / "net"))
    if from_file:
        inner = SymbolBlock.imports(tmp_path / "net-symbol.json", "data", tmp_path / "net-0000.params")
    else:
        inner = SymbolBlock(net(sym.var("data")), sym.var("data"), net.collect_params())
    around = Around(inner, prefix="around_")
    around.before.initialize()
    around.after.initialize()
    expected = around(x())
    with autograd.record(train_mode=False):
        around(x()).sum().backward()
    gradient = inner.collect_params()["net_dense0_weight"].grad().asnumpy()
    around.hybridize()
    assert_same(around(x()), expected)
    with autograd.record(train_mode=False):
        around(x()).sum().backward()
    np.testing.assert_allclose(inner.collect_params()["net_dense0_weight"].grad().asnumpy(), gradient, rtol=1e-5)
    graph = around(sym.var("data"))
    assert graph.list_arguments().count("net_dense0_weight") == 1
    around.export(str(tmp_path / "around"))
    again = SymbolBlock.imports(tmp_path / "around-symbol.json", "data", tmp_path / "around-0000.params")
    assert_same(again(x()), expected)


def test_save_and_load_parameters(tmp_path):
    block = SymbolBlock(small()(sym.var("data")), sym.var("data"))
    block.initialize(mx.init.Normal(1))
    expected = block(x())
    block.save_parameters(str(tmp_path / "p"))
    other = SymbolBlock(small()(sym.var("data")), sym.var("data"))
    other.load_parameters(str(tmp_path / "p"))
    assert_same(other(x()), expected)


def test_copies_and_pickles_are_blocks_of_their_own():
    block = SymbolBlock(small()(sym.var("data")), sym.var("data"))
    block.initialize()
    expected = block(x())
    for other in (copy.deepcopy(block), pickle.loads(pickle.dumps(block))):
        assert_same(other(x()), expected)
        other.collect_params()["net_dense1_bias"].set_data(nd.ones((2,)))
        assert_same(other(x()), expected + 1)
        assert other(sym.var("q")).list_arguments()[0] == "q"
    assert_same(block(x()), expected)


def test_types_of_parameters_follow_from_what_is_declared():
    data = sym.var("data", dtype="float16")
    block = SymbolBlock(sym.FullyConnected(data, num_hidden=2, name="fc"), data)
    assert {p.dtype for p in block.collect_params().values()} == {np.float16}
    block = SymbolBlock(sym.FullyConnected(sym.var("data"), num_hidden=2, name="fc"), sym.var("data"))
    assert {p.dtype for p in block.collect_params().values()} == {np.float32}


def test_types_in_a_file_of_parameters_count(tmp_path):
    net = small()
    net(x())
    net.cast("float64")
    net.export(str(tmp_path / "net"))
    block = SymbolBlock.imports(tmp_path / "net-symbol.json", "data", tmp_path / "net-0000.params")
    assert {p.dtype for p in block.collect_params().values()} == {np.float64}
    assert block(x().astype("float64")).dtype == np.float64


def test_types_that_contradict_each_other_in_a_graph_are_left_to_the_file_of_parameters(tmp_path):
    """Fine-tuning in float16: the old layers declare float32, from their first trace, and the new one float16."""
    net = small()
    net.hybridize()
    net(x())
    with net.name_scope():
        net.add(nn.Dense(3, in_units=2))
    net[3].initialize()
    net.cast("float16")
    half = x().astype("float16")
    expected = net(half)
    net.export(str(tmp_path / "net"))
    block = SymbolBlock.imports(tmp_path / "net-symbol.json", "data", tmp_path / "net-0000.params")
    types = {name: p.dtype for name, p in block.collect_params().items()}
    assert types == {name: p.dtype for name, p in net.collect_params().items()}
    assert block(half).dtype == np.float16
    np.testing.assert_array_equal(block(half).asnumpy(), expected.asnumpy())


def test_statistics_stay_in_float32_when_the_rest_becomes_float16():
    block = SymbolBlock(small()(sym.var("data")), sym.var("data"))
    block.initialize()
    block(x())
    block.cast("float16")
    dtypes = {name: p.dtype for name, p in block.collect_params().items()}
    assert {t for n, t in dtypes.items() if "norm" in n} == {np.float32}
    assert {t for n, t in dtypes.items() if "norm" not in n} == {np.float16}
    assert block(x().astype("float16")).dtype == np.float16


def test_a_new_shape_of_the_input_and_another_device():
    block = SymbolBlock(small()(sym.var("data")), sym.var("data"))
    block.initialize()
    assert [block(x(n, 5)).shape for n in (3, 1, 8)] == [(3, 2), (1, 2), (8, 2)]
    block.reset_ctx(mx.cpu(1))
    assert block(x().as_in_context(mx.cpu(1))).context == mx.cpu(1)


def test_an_unused_input_is_pointed_out():
    with pytest.warns(UserWarning, match="not used") as caught:
        block = SymbolBlock(sym.var("data") + 1, [sym.var("data"), sym.var("dta")])
    assert str(caught[0].message) == ("SymbolBlock: the input 'dta' is not used by the graph, whose variables are data."
                                      " Did you mean 'data'?")
    assert block(nd.ones((1,)), nd.ones((5,))).asnumpy().tolist() == [2]


def one_input():
    return SymbolBlock(sym.var("data") + 1, sym.var("data"))


@pytest.mark.parametrize(("call", "text"), [
    (lambda: SymbolBlock(sym.var("a") + 1, sym.var("a") * 2),
     "SymbolBlock: the inputs must be variables, but '_mulscalar0_output' is an output of an operator"),
    (lambda: SymbolBlock(sym.var("a"), "a"), "SymbolBlock: inputs holds str 'a', expected a Symbol or nested lists of "
                                             "Symbols"),
    (lambda: SymbolBlock(None, sym.var("a")), "SymbolBlock: outputs holds None, expected a Symbol or nested lists of "
                                              "Symbols"),
    (lambda: SymbolBlock([], sym.var("a")), "SymbolBlock needs at least one input and one output"),
    (lambda: SymbolBlock(sym.var("a") + 1, [sym.var("a"), sym.var("a")]),
     "SymbolBlock: two inputs are called 'a'; each needs a different name"),
    (lambda: SymbolBlock(sym.var("a") + 1, sym.var("a"), params={}),
     "SymbolBlock: params must be a ParameterDict such as net.collect_params(), found dict"),
    (lambda: one_input()(x(), x()), "SymbolBlock 'symbolblock0' takes the arguments (data), found (NDArray, NDArray)"),
    (lambda: one_input()([x()]), "SymbolBlock 'symbolblock0' takes the arguments (data), found ((NDArray))"),
    (lambda: one_input()(x(), 3), "SymbolBlock 'symbolblock0' takes the arguments (data), found (NDArray, int)"),
    (lambda: one_input()(np.ones(3)), "SymbolBlock 'symbolblock0' takes the arguments (data), found (ndarray)"),
    (lambda: SymbolBlock.imports("/no/none.json", 3),
     "cannot read '/no/none.json': No such file or directory. There is no folder '/no'"),
])
def test_messages_of_symbol_blocks(call, text):
    with pytest.raises(MXNetError) as error:
        call()
    assert str(error.value) == text


def test_a_wrong_size_names_the_node_and_the_parameter():
    block = SymbolBlock(small()(sym.var("data")), sym.var("data"))
    block.initialize()
    block(x())
    with pytest.raises(ShapeError) as error:
        block(x(3, 6))
    assert unplaced(error.value) == (
        "FullyConnected: weight has shape (4, 5), expected (4, 6)\n"
        "  node: 'net_dense0_fwd'\n"
        "  inputs: data = 'data' (3, 6), weight = 'net_dense0_weight' (4, 5), bias = 'net_dense0_bias' (4,)\n"
        "  parameter: 'net_dense0_weight' of SymbolBlock 'symbolblock0' has shape (4, 5), fixed when the block was "
        "created or in its first forward pass\n"
        "  remedy: feed inputs of the same size as then, or create a new block; initialize(force_reinit=True) keeps "
        "the shape")


def test_messages_of_imports(tmp_path):
    net = small()
    net(x())
    net.export(str(tmp_path / "net"))
    symbol, params = tmp_path / "net-symbol.json", tmp_path / "net-0000.params"
    with pytest.raises(ArgumentError) as error:
        SymbolBlock.imports(symbol, [sym.var("data")])
    assert str(error.value) == ("SymbolBlock.imports: input_names must be a string or a list of strings, found "
                                "[<Symbol data>]")
    with pytest.raises(FileFormatError, match="not a symbol file"):
        SymbolBlock.imports(params, "data")
    with pytest.raises(FileFormatError, match="it looks like JSON"):
        SymbolBlock.imports(symbol, "data", symbol)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(MXNetError) as error:
            SymbolBlock.imports(symbol, "x", params)
    assert str(error.value) == (f"file {str(params)!r} lacks parameters of this block:\n  'data'.\n"
                                "  Pass allow_missing=True to leave them unchanged.")
    arrays = nd.load(params)
    del arrays["arg:net_dense1_bias"]
    nd.save(params, {**arrays, "arg:other": nd.ones((1,))})
    with pytest.raises(MXNetError, match="lacks parameters of this block:\n  'net_dense1_bias'"):
        SymbolBlock.imports(symbol, "data", params)
    block = SymbolBlock.imports(symbol, "data", params, allow_missing=True, ignore_extra=True)
    with pytest.raises(gluon.parameter.UninitializedError, match="net_dense1_bias"):
        block(x())
    uninitialized = SymbolBlock.imports(symbol, "data")
    with pytest.raises(gluon.parameter.UninitializedError, match="of SymbolBlock 'symbolblock"):
        uninitialized(x())


# -- hooks, backends, checkpoints -------------------------------------------------------------------------------------


def test_hooks_see_the_operators_of_a_hybridized_block():
    net = small()
    expected = net(x())
    seen = []
    net.register_op_hook(lambda *args: seen.append(args))
    net(x())
    assert seen == []                       # as in MXNet, only graphs are watched
    net.hybridize()
    assert_same(net(x()), expected)
    assert [(name, op, array.shape) for name, op, array in seen] == [
        ("net_dense0_fwd_output", "FullyConnected", (3, 4)), ("net_dense0_tanh_fwd_output", "Activation", (3, 4)),
        ("net_batchnorm0_fwd_output", "BatchNorm", (3, 4)), ("net_dense1_fwd_output", "FullyConnected", (3, 2))]
    seen.clear()
    net.register_op_hook(lambda name, op, array: seen.append(name), monitor_all=True)
    with autograd.record():
        out = net(x())
    out.backward()
    assert seen[:6] == ["net_dense0_fwd_data", "net_dense0_fwd_weight", "net_dense0_fwd_bias", "net_dense0_fwd_output",
                        "net_dense0_tanh_fwd_input0", "net_dense0_tanh_fwd_output"]
    assert net[0].weight.grad().asnumpy().any()
    seen.clear()
    net.register_op_hook(None)
    net(x())
    assert seen == []


def test_optimize_for_is_hybridize_with_a_warning(tmp_path):
    net = small()
    with pytest.raises(ArgumentError) as error:
        net.optimize_for(x())
    assert str(error.value) == ("HybridSequential 'net': optimize_for needs the name of a backend. To optimize the "
                                "graph for its device, call hybridize().")
    with pytest.warns(UserWarning, match="no backends") as caught:
        net.optimize_for(x(), backend="MKLDNN", static_alloc=True)
    assert str(caught[0].message) == (
        "optimize_for(backend='MKLDNN'): minigluon has no backends that take parts of a graph (such as TensorRT, "
        "oneDNN or extension libraries). The block is hybridized, with the same results.")
    assert net._active
    assert net[0].weight.shape == (4, 5)
    net.export(str(tmp_path / "net"))       # MXNet's way: optimize, then export


def test_checkpoints(tmp_path, caplog):
    net = small()
    expected = net(x())
    net.export(str(tmp_path / "net"), epoch=3)
    symbol, args, aux = mx.model.load_checkpoint(str(tmp_path / "net"), 3)
    assert sorted(aux) == ["net_batchnorm0_running_mean", "net_batchnorm0_running_var"]
    out, = symbol.eval(data=x(), **args, **aux)
    assert_same(out, expected)
    with caplog.at_level("INFO"):
        mx.model.save_checkpoint(str(tmp_path / "again"), 3, symbol, args, aux)
    assert caplog.messages == [f'Saved checkpoint to "{tmp_path}/again-0003.params"']
    assert (tmp_path / "again-symbol.json").read_bytes() == (tmp_path / "net-symbol.json").read_bytes()
    assert {k: v.shape for k, v in nd.load(tmp_path / "again-0003.params").items()} == {
        k: v.shape for k, v in nd.load(tmp_path / "net-0003.params").items()}
    net.save_parameters(str(tmp_path / "net-0004.params"))
    with pytest.raises(FileFormatError) as error:
        mx.model.load_params(str(tmp_path / "net"), 4)
    assert str(error.value) == (f"'{tmp_path}/net-0004.params' is not a checkpoint: its arrays must be called "
                                f"'arg:name' or 'aux:name', found '0.weight'. Read it with nd.load.")
    nd.save(str(tmp_path / "empty-0000.params"), {})
    assert mx.model.load_params(str(tmp_path / "empty"), 0) == ({}, {})


def test_an_exported_graph_says_which_mxnet_can_read_it(tmp_path):
    net = small()
    net(x())
    net.export(str(tmp_path / "net"))
    assert json.loads((tmp_path / "net-symbol.json").read_text())["attrs"] == {"mxnet_version": ["int", 10901]}


def test_features_of_a_checkpoint_as_older_programs_take_them(tmp_path):
    """From Module's files, with a label that the features do not need, parameter by parameter, on two devices."""
    data = sym.var("data")
    hidden = sym.Activation(sym.FullyConnected(data, num_hidden=4, name="fc1"), act_type="relu", name="relu1")
    whole = sym.SoftmaxOutput(sym.FullyConnected(hidden, num_hidden=2, name="fc2"), name="softmax")
    executor = whole.simple_bind(mx.cpu(), data=(3, 5))
    for array in executor.arg_arrays:
        array[:] = nd.random.normal(shape=array.shape)
    args = {name: x for name, x in executor.arg_dict.items() if name not in ("data", "softmax_label")}
    mx.model.save_checkpoint(str(tmp_path / "old"), 1, whole, args, {})

    symbol, args, aux = mx.model.load_checkpoint(str(tmp_path / "old"), 1)
    net = SymbolBlock(outputs=symbol.get_internals()["relu1_output"], inputs=sym.var("data"))
    params = net.collect_params()
    contexts = [mx.cpu(0), mx.cpu(1)]
    for name, array in {**args, **aux}.items():
        if name in params:
            params[name]._load_init(array, ctx=contexts)
    assert list(params) == ["fc1_weight", "fc1_bias"]
    expected = np.maximum(x().asnumpy() @ args["fc1_weight"].asnumpy().T + args["fc1_bias"].asnumpy(), 0)
    for ctx in contexts:
        found = net(x().as_in_context(ctx))
        assert found.context == ctx
        np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-5, atol=1e-6)
    label = SymbolBlock.imports(tmp_path / "old-symbol.json", ["data", "softmax_label"], tmp_path / "old-0001.params",
                                ctx=contexts)
    assert label(x(), nd.zeros((3,))).shape == (3, 2)
    with pytest.raises(MXNetError, match="lacks parameters of this block:\n  'softmax_label'"):
        SymbolBlock.imports(tmp_path / "old-symbol.json", "data", tmp_path / "old-0001.params")
