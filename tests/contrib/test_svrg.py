"""mx.contrib.svrg_optimization. The numbers are those of MXNet 1.9.1."""

import numpy as np
import pytest
from helpers.errors import error_of

import minigluon as mx
from minigluon import nd
from minigluon.contrib.svrg_optimization.svrg_module import SVRGModule
from minigluon.contrib.svrg_optimization.svrg_optimizer import _SVRGOptimizer

X = np.array([[1, 2], [3, 4], [5, 6], [3, 2], [7, 1], [6, 9]], "float32") / 5
Y = X @ np.array([1, 2], "float32")


def graph():
    scores = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=1, name="fc")
    return mx.sym.LinearRegressionOutput(scores, mx.sym.var("label"), name="out")


def data(samples=6):
    return mx.io.NDArrayIter(X[:samples], Y[:samples], batch_size=2, label_name="label")


def first():
    return {"fc_weight": nd.array([[0.5, -0.5]]), "fc_bias": nd.zeros(1)}


def module(update_freq=5, contexts=None, iterator=None, **settings):
    mod = SVRGModule(graph(), label_names=["label"], update_freq=update_freq, context=contexts)
    iterator = iterator or data()
    mod.bind(iterator.provide_data, iterator.provide_label)
    mod.init_params(arg_params=first(), aux_params={})
    mod.init_optimizer(**settings)
    return mod


def values(mod):
    params, _ = mod.get_params()
    return [*params["fc_weight"].asnumpy().ravel(), *params["fc_bias"].asnumpy()]


@pytest.mark.parametrize(("optimizer", "settings", "expected"), [
    ("sgd", {"learning_rate": 0.1, "momentum": 0.9}, [[1.399779, 0.667381, 1.017462], [1.803578, 1.55097, 1.445092]]),
    ("adam", {"learning_rate": 0.05}, [[0.649392, -0.350428, 0.149567], [0.796267, -0.202697, 0.296914]])])
def test_steps(optimizer, settings, expected):
    iterator = data()
    mod = module(optimizer=optimizer, optimizer_params=settings)
    mod.update_full_grads(iterator)
    for row in expected:
        iterator.reset()
        for batch in iterator:
            mod.forward_backward(batch)
            mod.update()
        np.testing.assert_allclose(values(mod), row, atol=5e-6)


@pytest.mark.parametrize("contexts", [None, [mx.cpu(0), mx.cpu(1)]])
def test_fit(contexts):
    mod = SVRGModule(graph(), label_names=["label"], update_freq=3, context=contexts)
    mod.fit(data(), eval_metric="mse", num_epoch=3, optimizer_params={"learning_rate": 0.1}, arg_params=first(),
            aux_params={})
    np.testing.assert_allclose(values(mod), [1.154597, 0.535684, 0.756305], atol=2e-6)
    np.testing.assert_allclose(mod.score(data(), "mse")[0][1], 0.7102935, rtol=1e-4)


def test_the_mean_counts_samples_that_fill_the_last_batch_less_and_begins_anew():
    iterator = data(5)
    mod = module(iterator=iterator)
    for _ in range(2):
        mod.update_full_grads(iterator)
        weight, bias = (of_devices[0].asnumpy().ravel().tolist() for of_devices in mod._full_grads)
        np.testing.assert_allclose([*weight, *bias], [-3.112, -3.072, -4.2], rtol=1e-6)


def test_how_often_fit_takes_the_mean(monkeypatch):
    taken = []
    original = SVRGModule.update_full_grads
    monkeypatch.setattr(SVRGModule, "update_full_grads", lambda self, it: taken.append(1) or original(self, it))
    mod = SVRGModule(graph(), label_names=["label"], update_freq=2)
    after = []
    mod.fit(data(), eval_metric="mse", num_epoch=5, epoch_end_callback=lambda *_: after.append(len(taken)))
    assert after == [1, 1, 2, 2, 3]


def test_batches_of_another_size_and_prediction():
    mod = module()
    mod.update_full_grads(data())
    mod.forward_backward(mx.io.DataBatch([nd.array(X[:3])], [nd.array(Y[:3])]))
    mod.update()
    assert mod.predict(data()).shape == (6, 1)


def test_a_fixed_parameter_stays():
    mod = SVRGModule(graph(), label_names=["label"], update_freq=1, fixed_param_names=["fc_bias"])
    mod.fit(data(), eval_metric="mse", num_epoch=1, arg_params=first(), aux_params={})
    assert mod.get_params()[0]["fc_bias"].asscalar() == 0


def test_what_it_refuses():
    assert error_of(lambda: module(update_freq=0), ValueError) == (
        "SVRGModule: update_freq is 0, expected a number of epochs, 1 or more")
    for freq in (None, 2.5, "a"):
        assert error_of(lambda freq=freq: module(update_freq=freq), TypeError) == (
            f"SVRGModule: update_freq is {freq!r}, expected a number of epochs")
    assert error_of(lambda: module().forward_backward(next(data()))) == (
        "SVRGModule: there are no full gradients yet. Call update_full_grads(iterator) before the first step.")


def test_an_optimizer_that_tells_gradients_from_weights_by_their_names():
    store = mx.kv.create("local")
    store.set_optimizer(_SVRGOptimizer(default_optimizer="sgd", param_idx2name={0: "weight", 1: "weight_full"},
                                       learning_rate=1.0))
    for key, expected in ((0, [-1, -2, -3]), (1, [1, 2, 3])):
        value = nd.zeros(3)
        store.init(key, value)
        store.push(key, nd.array([1, 2, 3]))
        store.pull(key, value)
        assert value.asnumpy().tolist() == expected
