"""contrib.amp: conversions in calls and graphs, the scale of the loss, steps that are skipped, converted networks."""

import json
import logging

import numpy as np
import pytest
from records import DATA
from records.amp_cases import STEPS, WINDOW, graphs, outline

import minigluon as mx
from minigluon import autograd, gluon, nd, sym
from minigluon.base import ArgumentError, DTypeError, MXNetError
from minigluon.contrib import amp
from minigluon.contrib.amp import casting
from minigluon.contrib.amp.loss_scaler import LossScaler
from minigluon.gluon import nn
from minigluon.ops import REGISTRY
from minigluon.symbol.internal import is_internal

MXNET = json.loads((DATA / "mxnet_amp.json").read_text())
LISTS = {"list_lp16_ops": "target", "list_fp32_ops": "float32", "list_widest_type_cast": "widest",
         "list_lp16_fp32_ops": "other"}
HALF = np.float16


@pytest.fixture
def on():
    """Function: amp.init, undone after the test."""
    yield amp.init
    casting.switch_off()


# -- lists -------------------------------------------------------------------------------------------------------------

@pytest.mark.once
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_operators_are_in_the_lists_of_mxnet(dtype):
    """Those that MXNet's lists name, under any of their names. elemwise_add is in two there, Convolution as well."""
    pytest.importorskip("ml_dtypes")
    ours = {name: kind for function, kind in LISTS.items() for name in getattr(amp, function)(dtype)}
    aliases = {}
    for name, cls in REGISTRY.items():
        aliases.setdefault(cls.name, set()).add(name)
    differ = {}
    for name, names in aliases.items():
        theirs = {kind for alias in names for kind in MXNET["categories"][dtype].get(alias, ())}
        if theirs and not is_internal(name) and ours[name] not in theirs:
            differ[name] = ours[name], theirs
    assert differ == {}


@pytest.mark.once
def test_the_lists_have_every_operator_once():
    names = [name for function in LISTS for name in getattr(amp, function)("float16")]
    assert len(names) == len(set(names))
    assert set(names) == {cls.name for cls in REGISTRY.values() if not is_internal(cls.name)}
    assert [list(row) for row in amp.list_conditional_fp32_ops("float16")] == MXNET["conditional"]
    assert amp.list_lp16_use_fp32_params("float16") is None


# -- graphs ------------------------------------------------------------------------------------------------------------

@pytest.mark.once
@pytest.mark.parametrize("name", MXNET["graphs"])
def test_graphs_are_converted_as_in_mxnet(name):
    graph, how = graphs(sym)[name]
    if "bfloat16" in name:
        pytest.importorskip("ml_dtypes")
    found = json.loads(amp.convert_symbol(graph, **how).tojson(remove_amp_cast=False))["nodes"]
    assert json.loads(json.dumps(outline(found))) == MXNET["graphs"][name]


@pytest.mark.once
def test_conversions_are_called_after_what_they_convert():
    graph = amp.convert_symbol(sym.softmax(sym.FullyConnected(sym.var("data"), num_hidden=2, name="fc")))
    names = [node.name for node in graph.nodes() if node.op is not None and node.op.name == "amp_cast"]
    assert names == ["data_amp_cast_float16", "fc_weight_amp_cast_float16", "fc_bias_amp_cast_float16",
                     "fc_output_amp_cast_float32"]


def make_net():
    net = nn.HybridSequential()
    net.add(nn.Conv2D(4, 3, activation="relu"), nn.BatchNorm(), nn.MaxPool2D(), nn.Flatten(),
            nn.Dense(8, activation="tanh"), nn.LayerNorm(), nn.Dense(3))
    net.initialize(mx.init.Xavier())
    return net


@pytest.mark.parametrize("cast", [False, True])
def test_a_converted_block(cast):
    net, x = make_net(), nd.random.normal(shape=(4, 1, 8, 8))
    wanted = net(x)
    found = amp.convert_hybrid_block(net, cast_optional_params=cast)
    types = {name: param.dtype for name, param in found.collect_params().items()}
    assert types == {name: HALF if cast and name.startswith(("conv", "dense")) else np.float32 for name in types}
    y = found(x)
    assert y.dtype is np.float32
    np.testing.assert_allclose(y.asnumpy(), wanted.asnumpy(), 0.02, 0.02)
    found.hybridize()
    np.testing.assert_allclose(found(x).asnumpy(), y.asnumpy(), 4e-3, 4e-3)


def test_a_converted_model():
    net = sym.FullyConnected(sym.Embedding(sym.var("data"), input_dim=3, output_dim=4, name="embedding"), num_hidden=2,
                             no_bias=True, name="fc")
    params = {"embedding_weight": nd.ones((3, 4)), "fc_weight": nd.ones((2, 4))}
    graph, arguments, auxiliary = amp.convert_model(net, params, {}, cast_optional_params=True)
    assert {name: x.dtype for name, x in arguments.items()} == {"embedding_weight": np.float32, "fc_weight": HALF}
    assert auxiliary == {}
    executor = graph.bind(mx.cpu(), {**arguments, "data": nd.array([0, 2])})
    assert executor.forward()[0].asnumpy().tolist() == [[4, 4], [4, 4]]


def test_a_converted_bucketing_module():
    def graph(length):
        total = sym.sum(sym.var("data"), axis=1, keepdims=True)
        return sym.FullyConnected(total, num_hidden=2, name="fc"), ["data"], None

    module = mx.mod.BucketingModule(graph, default_bucket_key=4)
    module.bind([("data", (1, 4))], for_training=False)
    module.init_params(mx.init.One())
    converted = amp.convert_bucketing_module(module)
    converted.bind([("data", (1, 4))], for_training=False)
    converted.init_params()
    converted.forward(mx.io.DataBatch([nd.ones((1, 3))], bucket_key=3, provide_data=[("data", (1, 3))]))
    assert converted.get_outputs()[0].asnumpy().tolist() == [[3, 3]]
    assert "amp_cast" in converted.symbol.tojson(remove_amp_cast=False)


# -- calls -------------------------------------------------------------------------------------------------------------

def test_types_of_what_programs_call(on):
    on()
    x, w = nd.ones((2, 3)), nd.ones((4, 3))
    half = nd.FullyConnected(x, w, no_bias=True, num_hidden=4)
    assert half.dtype is HALF
    assert nd.relu(half).dtype is HALF
    assert nd.softmax(half).dtype is half.sum().dtype is nd.exp(half).dtype is (half ** 2).dtype is np.float32
    assert (half + nd.ones((2, 4))).dtype is np.float32
    assert (half + half).dtype is (half * 2).dtype is HALF
    assert nd.Activation(half, act_type="softrelu").dtype is np.float32
    assert nd.FullyConnected(x.astype("float64"), w.astype("float64"), no_bias=True, num_hidden=4).dtype is np.float64
    assert nd.topk(nd.array([1, 2], dtype="int32")).dtype is np.float32
    assert half.softmax().dtype is np.float32


def test_own_lists(on):
    on(target_precision_ops=["dot"], fp32_ops=["relu"], conditional_fp32_ops=[("Activation", "act_type", ["tanh"])])
    x = nd.ones((2, 2))
    assert nd.dot(x, x).dtype is HALF
    assert nd.relu(nd.dot(x, x)).dtype is np.float32
    assert nd.Activation(nd.dot(x, x), act_type="tanh").dtype is np.float32
    assert nd.exp(nd.dot(x, x)).dtype is HALF
    assert nd.FullyConnected(x, x, no_bias=True, num_hidden=2).dtype is np.float32


def test_off_nothing_is_converted(on):
    before = nd.FullyConnected(nd.ones((1, 2)), nd.ones((1, 2)), no_bias=True, num_hidden=1)
    on()
    assert amp.amp._amp_initialized
    on("bfloat16")                                      # without effect
    assert nd.FullyConnected(nd.ones((1, 2)), nd.ones((1, 2)), no_bias=True, num_hidden=1).dtype is HALF
    casting.switch_off()
    after = nd.FullyConnected(nd.ones((1, 2)), nd.ones((1, 2)), no_bias=True, num_hidden=1)
    assert before.dtype is after.dtype is np.float32
    assert not amp.amp._amp_initialized


def test_gradients_have_the_types_of_what_they_are_gradients_of(on):
    on()
    x, w = nd.array([[1, 2, 3]]), nd.array([[1, 0, 2], [0.5, 1, 1]])
    x.attach_grad()
    w.attach_grad()
    with autograd.record():
        y = nd.FullyConnected(x, w, no_bias=True, num_hidden=2)
        z = (nd.log_softmax(y) * y).sum() + nd.exp(y * 0.1).mean()
    z.backward()
    found = x.grad.asnumpy(), w.grad.asnumpy()
    assert x.grad.dtype is w.grad.dtype is np.float32
    casting.switch_off()
    with autograd.record():
        y = nd.FullyConnected(x, w, no_bias=True, num_hidden=2)
        z = (nd.log_softmax(y) * y).sum() + nd.exp(y * 0.1).mean()
    z.backward()
    for ours, wanted in zip(found, (x.grad.asnumpy(), w.grad.asnumpy()), strict=True):
        np.testing.assert_allclose(ours, wanted, 5e-3, 5e-3)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("hybridized", [True, False])
def test_training(on, dtype, hybridized):
    if dtype == "bfloat16":
        pytest.importorskip("ml_dtypes")
    on(dtype)
    mx.random.seed(3)
    net = make_net()
    if hybridized:
        net.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1, "momentum": 0.9})
    amp.init_trainer(trainer)
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    x, y = nd.random.normal(shape=(12, 1, 8, 8)), nd.array([0, 1, 2] * 4)
    losses = []
    for _ in range(25):
        with autograd.record():
            out = net(x)
            value = loss(out, y)
            with amp.scale_loss(value, trainer) as scaled:
                autograd.backward(scaled)
        trainer.step(12)
        losses.append(value.mean().asscalar())
    assert out.dtype is not np.float32
    assert value.dtype is np.float32
    assert {param.data().dtype for param in net.collect_params().values()} == {np.float32}
    assert losses[-1] < losses[0] / 4


def test_symbols_of_programs_have_conversions(on):
    on()
    net = sym.SoftmaxOutput(sym.FullyConnected(sym.var("data"), num_hidden=2, name="fc"), name="softmax")
    found = [node.op.name for node in net.nodes() if node.op is not None]
    assert found == ["amp_cast", "amp_cast", "amp_cast", "FullyConnected", "amp_cast", "amp_cast", "SoftmaxOutput"]
    assert "amp_cast" not in net.tojson()
    assert net.list_arguments() == ["data", "fc_weight", "fc_bias", "softmax_label"]


# -- the scale of the loss ---------------------------------------------------------------------------------------------

def test_the_scale_moves_as_in_mxnet():
    scaler = LossScaler()
    scaler._scale_seq_len = WINDOW
    assert [[scaler.count(bool(overflows)), scaler.loss_scale] for overflows in STEPS] == MXNET["scales"]
    assert LossScaler()._scale_seq_len == 2000


def one_weight(on):
    on()
    layer = nn.Dense(1, in_units=1, use_bias=False)
    layer.initialize(mx.init.One())
    trainer = gluon.Trainer(layer.collect_params(), "sgd", {"learning_rate": 0.5})
    amp.init_trainer(trainer)
    return layer, trainer


def backward(layer, trainer, x):
    with autograd.record():
        loss = layer(nd.array([[x]])).astype("float32")
        with amp.scale_loss(loss, trainer) as scaled:
            scaled.backward()


def test_a_step_with_an_infinite_gradient_is_skipped(on):
    layer, trainer = one_weight(on)
    trainer._amp_loss_scaler._loss_scale = trainer._amp_loss_scaler._next_loss_scale = 1024.0
    backward(layer, trainer, 3)
    assert layer.weight.grad().asscalar() == 3 * 1024
    trainer.step(1)
    assert layer.weight.data().asscalar() == 1 - 0.5 * 3
    backward(layer, trainer, 300)                       # 300 · 1024 is beyond float16
    assert np.isinf(layer.weight.grad().asscalar())
    trainer.step(1)
    assert layer.weight.data().asscalar() == -0.5
    backward(layer, trainer, 1)
    trainer.allreduce_grads()
    trainer.update(1)
    assert layer.weight.data().asscalar() == -1
    assert trainer._amp_loss_scaler.loss_scale == 512


def test_unscaled_gradients_are_those_of_the_loss(on):
    layer, trainer = one_weight(on)
    trainer._amp_loss_scaler._loss_scale = 256.0
    backward(layer, trainer, 3)
    amp.unscale(trainer)
    assert layer.weight.grad().asscalar() == 3
    trainer.step(1)
    assert layer.weight.data().asscalar() == -0.5


def test_losses_in_lists_and_operators_that_are_losses(on):
    _, trainer = one_weight(on)
    with amp.scale_loss([nd.ones(1), nd.ones(1)], trainer) as scaled:
        assert [x.asscalar() for x in scaled] == [2 ** 16, 2 ** 16]
    x = nd.array([[1.0, 2.0]])
    x.attach_grad()
    with autograd.record():
        y = nd.LinearRegressionOutput(x, nd.array([[0.5, 0.5]]))
    y.backward()
    assert x.grad.asnumpy().tolist() == [[0.5 / 2 * 2 ** 16, 1.5 / 2 * 2 ** 16]]


def test_a_symbol_of_such_an_operator_warns(on, caplog):
    on()
    with caplog.at_level(logging.WARNING):
        sym.SoftmaxOutput(sym.var("x"))
    assert caplog.messages == ["SoftmaxOutput does not support dynamic loss scaling in symbolic and hybridized "
                               "execution."]


@pytest.mark.parametrize(("call", "error", "text"), [
    (lambda: amp.init("float64"), ArgumentError, "amp: target_dtype is 'float64', expected 'float16' or 'bfloat16'"),
    (lambda: amp.init(fp32_ops=["nothing_like_it"]), ArgumentError, "amp: there is no operator 'nothing_like_it'."),
    (lambda: amp.init(fp32_ops="softmax"), ArgumentError,
     "amp: fp32_ops is 'softmax', expected a list of names of operators"),
    (lambda: amp.init(target_precision_ops=["exp"]), ArgumentError,
     "amp: exp is in two lists, as target and float32"),
    (lambda: amp.init_trainer(None), MXNetError, "amp.init_trainer: call amp.init() first, before the model is "
                                                 "created"),
    (lambda: amp.unscale(3), DTypeError, "amp.unscale takes a gluon.Trainer, found int"),
    (lambda: amp.unscale(mx.optimizer.SGD()), ArgumentError,
     "amp.unscale takes a gluon.Trainer; an optimizer alone cannot skip a step"),
    (lambda: amp.scale_loss(nd.ones(1), gluon.Trainer({}, "sgd")).__enter__(), MXNetError,
     "amp.scale_loss: the trainer has no scale; call amp.init_trainer(trainer) first"),
    (lambda: amp.convert_symbol(3), ArgumentError, "amp.convert_symbol takes a Symbol, found int"),
    (lambda: amp.convert_hybrid_block(3), ArgumentError, "amp.convert_hybrid_block takes a HybridBlock, found int"),
    (lambda: amp.convert_bucketing_module(3), ArgumentError,
     "amp.convert_bucketing_module takes a BucketingModule, found int"),
    (lambda: amp.convert_bucketing_module(mx.mod.BucketingModule(lambda key: (sym.var("data") * 2, ["data"], None), 1)),
     ArgumentError, "amp.convert_bucketing_module: the module has no parameters yet; call init_params first"),
])
def test_messages(call, error, text):
    with pytest.raises(error) as raised:
        call()
    assert str(raised.value) == text
    assert not casting.is_on()
