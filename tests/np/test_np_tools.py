"""Tools that take graphs, on nets with functions of `mx.np`: mixed precision, `explain`, drawings, pickles, checks of
passes."""

import pickle

import numpy as onp
import pytest
from records import np_graph_cases as cases

import minigluon as mx
from minigluon import autograd, gluon, np, npx, sym
from minigluon.contrib import amp
from minigluon.contrib.amp import casting

pytestmark = pytest.mark.once


@pytest.fixture(autouse=True)
def numpy_mode():
    npx.set_np()
    yield
    npx.reset_np()


def made(name):
    mx.random.seed(1)
    net = cases.build(mx, name)
    net.initialize()
    net.hybridize()
    inputs = [np.array(x) for x in cases.inputs_of(name)]
    net(*inputs)
    return net, inputs


@pytest.mark.parametrize("name", ["perceptron", "convolutions"])
def test_a_net_in_mixed_precision(name, tmp_path):
    net, inputs = made(name)
    converted = amp.convert_hybrid_block(net)
    found = converted(*inputs)
    assert type(found) is np.ndarray
    onp.testing.assert_allclose(found.asnumpy(), net(*inputs).asnumpy(), atol=1e-3)
    converted.export(str(tmp_path / "net"), remove_amp_cast=False)
    text = (tmp_path / "net-symbol.json").read_text()
    assert "amp_cast" in text
    assert sym.load_json(text).tojson(remove_amp_cast=False) == text


def test_training_in_mixed_precision():
    amp.init()
    try:
        net, inputs = made("perceptron")
        trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
        amp.init_trainer(trainer)
        losses = []
        for _ in range(4):
            with autograd.record():
                loss = (net(*inputs).astype("float32") ** 2).mean()
                with amp.scale_loss(loss, trainer) as scaled:
                    scaled.backward()
            trainer.step(1)
            losses.append(loss.item())
    finally:
        casting.switch_off()
    assert losses[-1] < losses[0]


def test_explain_and_drawings(tmp_path):
    net, inputs = made("attention")
    page = mx.explain(net, *inputs, path=str(tmp_path / "page.html"))
    assert "batch_dot" in (tmp_path / "page.html").read_text(encoding="utf-8"), page
    graph = net._trace_to_export().outputs
    assert "_npx_reshape" in graph.debug_str()
    assert "attention_arange0" in graph.attr_dict()


def test_pickles_and_copies_of_symbols():
    a = sym.var("a").as_np_ndarray()
    with mx.name.NameManager():
        graph = sym.np.sum(a[1:], axis=0, keepdims=True) + 1
    for again in (pickle.loads(pickle.dumps(graph)), graph.as_nd_ndarray().__deepcopy__({})):
        assert again.tojson() == graph.tojson()
        assert again.eval(a=np.array([[1, 2], [3, 4]]))[0].asnumpy().tolist() == [[4, 5]]
    assert graph.attr_dict()["sum0"] == {"axis": "0", "keepdims": "True"}


def test_graphs_are_composed():
    a, b = (sym.var(key).as_np_ndarray() for key in "ab")
    graph = sym.np.exp(a)(a=b * 2)
    assert graph.list_arguments() == ["b"]
    assert graph.eval(b=np.array([0.0]))[0].asnumpy().tolist() == [1]
    with pytest.raises(mx.MXNetError, match="_npi_exp: Symbol.gradient cannot write down its gradient"):
        graph.gradient(["b"])
