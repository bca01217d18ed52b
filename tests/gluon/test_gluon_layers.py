"""Every layer and loss against MXNet's recorded answers: constructors, names, texts, values, gradients, files."""

import json

import numpy as np
import pytest
from records import DATA
from records import gluon_cases as cases

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.gluon import loss, nn

RECORDED = json.loads((DATA / "mxnet_gluon.json").read_text())
LAYER_ARRAYS = np.load(DATA / "mxnet_layers.npz")
LOSS_ARRAYS = np.load(DATA / "mxnet_losses.npz")


def make(name):
    with mx.name.NameManager():
        return eval(cases.LAYERS[name][0])


def prepared(name):
    """A layer with the recorded parameter values, and its input."""
    block = make(name)
    block.initialize()
    x = nd.array(cases.layer_input(name))
    block(x)
    params = list(block.collect_params().values())
    for param, value in zip(params, cases.parameter_values(name, [p.shape for p in params]), strict=True):
        param.set_data(nd.array(value))
    return block, x, params


@pytest.mark.parametrize("name", RECORDED["signatures"])
def test_constructor_is_mxnets(name):
    module = next(m for m in (nn, loss, gluon) if hasattr(m, name))
    assert cases.signature(getattr(module, name)) == RECORDED["signatures"][name]


@pytest.mark.parametrize("name", cases.LAYERS)
def test_names_and_texts(name):
    wanted = RECORDED["layers"][name]
    block = make(name)
    assert (repr(block), block.name) == (wanted["before"], wanted["name"])
    block.initialize()
    block(nd.array(cases.layer_input(name)))
    assert repr(block) == wanted["after"]
    assert [[p.name, list(p.shape), p.grad_req] for p in block.collect_params().values()] == wanted["params"]


@pytest.mark.parametrize("name", cases.LAYERS)
def test_values_and_gradients(name):
    block, x, params = prepared(name)
    x.attach_grad()
    with autograd.record(train_mode="dropout" not in name):
        y = block(x)
        total = (y * nd.array(np.random.default_rng(0).normal(size=y.shape))).sum()
    total.backward()
    close = {"rtol": 2e-4, "atol": 2e-5}
    np.testing.assert_allclose(y.asnumpy(), LAYER_ARRAYS[name + "/out"], **close)
    if name not in ("embedding", "selu"):       # no gradient for the first; MXNet's is wrong for the second
        np.testing.assert_allclose(x.grad.asnumpy(), LAYER_ARRAYS[name + "/x_grad"], **close)
    for p in params:
        if name == "batchnorm_fixed" and p.name.endswith("gamma"):
            continue                # MXNet overwrites it with ones, which it stands for
        found = p.grad() if p.grad_req != "null" else p.data()
        np.testing.assert_allclose(found.asnumpy(), LAYER_ARRAYS[f"{name}/{p.name}"], **close, err_msg=p.name)


@pytest.mark.parametrize("name", [n for n in cases.LAYERS if n != "lambda"])
def test_symbols_infer_the_same_shapes(name):
    block, x, params = prepared(name)
    with autograd.train_mode():
        y = block(x)
    graph = block(mx.sym.var("data"))
    found = dict(zip(graph.list_arguments(), graph.infer_shape(data=x.shape)[0], strict=True))
    assert graph.infer_shape(data=x.shape)[1] == [y.shape]
    for p in params:
        if p.name in found:
            assert found[p.name] == p.shape
    arguments = {*graph.list_arguments(), *graph.list_auxiliary_states()}
    assert arguments == {"data", *(p.name for p in params)}


@pytest.mark.parametrize("name", cases.LAYERS)
def test_parameters_survive_a_file(name, tmp_path):
    block, x, _ = prepared(name)
    block.save_parameters(str(tmp_path / "a.params"))
    other = make(name)
    other.load_parameters(str(tmp_path / "a.params"))
    np.testing.assert_array_equal(other(x).asnumpy(), block(x).asnumpy())


@pytest.mark.parametrize("name", cases.LAYERS)
def test_gradient_through_the_layer(name):
    """The derivative along a random direction of input and parameters, in float64, by central differences."""
    if "dropout" in name:
        pytest.skip(f"{name} draws another mask each time, so differences of its values mean nothing")
    block, x, params = prepared(name)
    if block.collect_params():
        block.cast("float64")
    x = nd.array(x.asnumpy(), dtype="float64") + (0 if name == "embedding" else 1e-3)
    rng = np.random.default_rng(3)
    with autograd.train_mode():
        head = nd.array(rng.normal(size=block(x).shape), dtype="float64")
    moved = [p.data() for p in params if p.grad_req != "null"] + ([] if name == "embedding" else [x])
    x.attach_grad()
    running = {p: p.data().asnumpy() for p in params if "running" in p.name}

    def value():
        for p, saved in running.items():
            p.set_data(nd.array(saved, dtype="float64"))
        return (block(x) * head).sum()

    with autograd.record():
        total = value()
    total.backward()
    directions = [rng.normal(size=a.shape) for a in moved]
    expected = sum((a.grad.asnumpy() * d).sum() for a, d in zip(moved, directions, strict=True))
    step, values, start = 1e-6, [], [a.asnumpy() for a in moved]
    for sign in (1, -1):
        for a, before, d in zip(moved, start, directions, strict=True):
            a[:] = nd.array(before + sign * step * d, dtype="float64")
        with autograd.train_mode():
            values.append(float(value().asscalar()))
    assert (values[0] - values[1]) / (2 * step) == pytest.approx(expected, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("name", cases.LOSSES)
def test_losses(name):
    block = eval(cases.LOSSES[name][0])
    assert repr(block) == RECORDED["losses"][name]
    inputs = [nd.array(a) for a in cases.loss_inputs(name)]
    for x in inputs:
        x.attach_grad()
    with autograd.record():
        value = block(*inputs)
    value.backward()
    np.testing.assert_allclose(value.asnumpy(), LOSS_ARRAYS[name + "/value"], rtol=2e-5, atol=1e-5)
    if name == "poisson_full":
        return                      # MXNet cannot differentiate it
    np.testing.assert_allclose(inputs[0].grad.asnumpy(), LOSS_ARRAYS[name + "/grad"], rtol=2e-4, atol=1e-5)


@pytest.mark.parametrize("name", cases.LOSSES)
def test_losses_of_symbols(name):
    block = eval(cases.LOSSES[name][0])
    inputs = cases.loss_inputs(name)
    names = [f"data{i}" for i in range(len(inputs))]
    graph = block(*map(mx.sym.var, names))
    _, outputs, _ = graph.infer_shape(**{n: a.shape for n, a in zip(names, inputs, strict=True)})
    assert outputs == [LOSS_ARRAYS[name + "/value"].shape]


def test_a_loss_of_the_program_s_own_with_the_helpers_of_mxnet():
    pred, label = nd.array([[1, 2], [3, 5]]), nd.array([0, 1, 2, 3])
    difference = gluon.loss._reshape_like(nd, label, pred) - pred
    assert difference.asnumpy().tolist() == [[-1, -1], [-1, -2]]
    assert gluon.loss._apply_weighting(nd, difference) is difference
    loss = gluon.loss._apply_weighting(nd, difference, 0.5, nd.array([[2], [4]]))
    assert loss.asnumpy().tolist() == [[-1, -1], [-2, -4]]
    with pytest.raises(mx.MXNetError, match="^_apply_weighting: weight is 'a', expected a number or None. Pass an "
                                            "array of weights as sample_weight.$"):
        gluon.loss._apply_weighting(nd, difference, "a")


def test_layers_with_channels_last_equal_those_with_channels_first():
    x = np.random.default_rng(0).normal(size=(2, 3, 6, 5)).astype("float32")
    last = nd.array(x.transpose(0, 2, 3, 1))
    for make_layer in (lambda layout: nn.Conv2D(4, 3, padding=1, layout=layout),
                       lambda layout: nn.Conv2DTranspose(4, 3, strides=2, layout=layout),
                       lambda layout: nn.MaxPool2D(2, layout=layout), lambda layout: nn.AvgPool2D(3, 1, layout=layout),
                       lambda layout: nn.GlobalAvgPool2D(layout=layout)):
        a, b = make_layer("NCHW"), make_layer("NHWC")
        a.initialize(), b.initialize()
        out, _ = a(nd.array(x)), b(last)
        for p, q in zip(a.collect_params().values(), b.collect_params().values(), strict=True):
            q.set_data(nd.array(np.moveaxis(p.data().asnumpy(), 1, -1)) if p.data().ndim > 1 else p.data())
        np.testing.assert_allclose(b(last).asnumpy(), out.asnumpy().transpose(0, 2, 3, 1), rtol=1e-4, atol=1e-6)


def test_batchnorm_keeps_float32_for_float16():
    layer = nn.BatchNorm(in_channels=3)
    layer.initialize()
    layer.cast("float16")
    assert {p.dtype for p in layer.collect_params().values()} == {np.float32}
    out = layer(nd.array(np.ones((2, 3)), dtype="float16"))
    assert out.dtype == np.float16


def test_dropout_scales_what_it_keeps():
    x = nd.ones((100, 100))
    layer = nn.Dropout(0.25)
    mx.random.seed(1)
    with autograd.train_mode():
        y = layer(x).asnumpy()
    assert set(np.unique(y)) == {0, np.float32(1 / 0.75)}
    assert abs((y == 0).mean() - 0.25) < 0.02
    np.testing.assert_array_equal(layer(x).asnumpy(), x.asnumpy())


def test_lenet_summary_and_names(capsys):
    net = cases.lenet(nn)
    net.initialize(mx.init.Xavier())
    net.summary(nd.array(np.random.default_rng(0).normal(size=(2, 1, 28, 28))))
    assert capsys.readouterr().out == RECORDED["lenet"]["summary"]
    assert list(net.collect_params()) == RECORDED["lenet"]["names"]
    assert repr(net) == RECORDED["lenet"]["repr"]


@pytest.mark.parametrize("file", ["mxnet_structural.params", "mxnet_prefixed.params", "mxnet_exported-0000.params"])
def test_mxnets_files_load(file):
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Dense(3, activation="relu"), nn.BatchNorm(), nn.Dense(2))
    net.load_parameters(str(DATA / file))
    np.testing.assert_allclose(net(nd.ones((2, 4))).asnumpy(), RECORDED["lenet"]["small_out"], rtol=1e-6)


def test_batch_norm_twice_before_backward():
    """What the second call writes into the moving statistics, the first one's gradient does not need."""
    layer = nn.BatchNorm(in_channels=2, momentum=0.5)
    layer.initialize()
    x = nd.array([[1, 2], [3, 6]])
    x.attach_grad()
    with autograd.record():
        loss = (layer(x) * nd.array([[1, 0], [0, 2]])).sum() + layer(2 * x).sum()
    loss.backward()
    assert layer.running_mean.data().asnumpy().tolist() == [2.5, 5]
    assert layer.gamma.grad().asnumpy().round(3).tolist() == [-1, 2]


def test_a_bias_learns_beside_a_weight_that_does_not():
    layer = nn.Dense(1, in_units=2)
    layer.initialize()
    layer.weight.grad_req = "null"
    with autograd.record():
        y = layer(nd.ones((3, 2)))
    y.backward()
    assert layer.bias.grad().asscalar() == 3


def test_an_initializer_that_is_an_empty_text_is_chosen_by_the_name():
    """As in MXNet, where None means the initializer that `initialize` was given, and '' the one for the name."""
    for units, wanted in ("", 0), (None, 1):
        layer = nn.Dense(2, in_units=2, bias_initializer=units)
        layer.initialize(mx.init.One())
        assert layer.bias.data().asnumpy().tolist() == [wanted] * 2
        assert layer.weight.data().asnumpy().tolist() == [[1, 1]] * 2
