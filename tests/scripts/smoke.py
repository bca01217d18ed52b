"""Use each part of an installed minigluon once: what a wheel must be able to do, with no tests and no checkout around.

    python tests/scripts/smoke.py           # the last line says how much was checked, and on which backend

tests/scripts/try_wheels.py runs it in new environments.
"""

import contextlib
import io
import tempfile
from pathlib import Path

import numpy as np

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.gluon import nn
from minigluon.tools.cli import main

CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


@check
def operators_and_gradients():
    x = nd.array([[1, 2], [3, 4]])
    x.attach_grad()
    with autograd.record():
        y = nd.dot(x, x).sum()
    y.backward()
    assert y.asscalar() == 54
    assert x.grad.asnumpy().tolist() == [[7, 11], [9, 13]]


@check
def types_and_indexing():
    for dtype in ("float16", "float32", "float64", "int8", "uint8", "int32", "int64"):
        values = nd.arange(12, dtype=dtype).reshape((3, 4))
        assert values.dtype == np.dtype(dtype)
        assert values[1:, ::2].asnumpy().tolist() == [[4, 6], [8, 10]]


@check
def random_numbers():
    mx.random.seed(1)
    assert abs(nd.random.normal(shape=(10000,)).asnumpy().mean()) < 0.05


def small_net():
    net = nn.HybridSequential()
    net.add(nn.Conv2D(8, 3, activation="relu"), nn.BatchNorm(), nn.MaxPool2D(), nn.Flatten(), nn.Dense(10))
    net.initialize()
    return net


@check
def imperative_and_hybridized_agree():
    net, images = small_net(), nd.random.uniform(shape=(4, 3, 12, 12))
    expected = net(images).asnumpy()
    net.hybridize()
    assert np.allclose(net(images).asnumpy(), expected, rtol=1e-4, atol=1e-5)


@check
def training_lowers_the_loss():
    net, images, labels = small_net(), nd.random.uniform(shape=(20, 3, 12, 12)), nd.arange(20) % 10
    net.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.01})
    loss, losses = gluon.loss.SoftmaxCrossEntropyLoss(), []
    for _ in range(20):
        with autograd.record():
            value = loss(net(images), labels)
        value.backward()
        trainer.step(20)
        losses.append(value.mean().asscalar())
    assert losses[-1] < 0.5 * losses[0], losses


@check
def files():
    with tempfile.TemporaryDirectory() as folder:
        net, images = small_net(), nd.ones((1, 3, 12, 12))
        expected = net(images).asnumpy()
        net.hybridize()
        net(images)
        net.save_parameters(f"{folder}/net.params")
        net.export(f"{folder}/net")
        again = small_net()
        again.load_parameters(f"{folder}/net.params")
        assert np.allclose(again(images).asnumpy(), expected, rtol=1e-4, atol=1e-5)
        block = gluon.SymbolBlock.imports(f"{folder}/net-symbol.json", ["data"], f"{folder}/net-0000.params")
        assert np.allclose(block(images).asnumpy(), expected, rtol=1e-4, atol=1e-5)


@check
def loading_of_batches():
    dataset = gluon.data.ArrayDataset(np.arange(10), np.arange(10) * 2)
    batches = list(gluon.data.DataLoader(dataset, batch_size=4, num_workers=2))
    assert [len(x) for x, _ in batches] == [4, 4, 2]


@check
def recurrent_layers():
    layer = gluon.rnn.LSTM(5, input_size=3)
    layer.initialize()
    assert layer(nd.ones((7, 2, 3))).shape == (7, 2, 5)


@check
def numpy_interface():
    assert (mx.np.arange(6).reshape(2, 3) @ mx.np.ones((3, 1))).tolist() == [[3], [12]]


@check
def zoo():
    net = gluon.model_zoo.vision.get_model("mobilenet0.25", classes=10)
    net.initialize()
    assert net(nd.ones((1, 3, 64, 64))).shape == (1, 10)


@check
def commands():
    for words in (["info"], ["ops", "relu"], ["--version"], ["learn", "--help"]):
        with contextlib.redirect_stdout(io.StringIO()) as printed, contextlib.suppress(SystemExit):
            assert main(words) == 0
        assert printed.getvalue(), words


@check
def course():
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        assert main(["learn", "start", f"{folder}/course"]) == 0
        assert (Path(folder) / "course" / "01_operator" / "page.md").is_file()


@check
def quantized_and_16_bit():
    x = nd.array([-1.0, 0.5, 1.0])
    quantized, low, high = nd.contrib.quantize_v2(x, out_type="int8")
    assert np.allclose(nd.contrib.dequantize(quantized, low, high).asnumpy(), x.asnumpy(), atol=0.01)
    assert nd.dot(nd.ones((2, 3), dtype="float16"), nd.ones((3, 2), dtype="float16")).asnumpy().tolist() == [[3, 3]] * 2


if __name__ == "__main__":
    for function in CHECKS:
        function()
    print(f"{len(CHECKS)} of {len(CHECKS)} on {sorted(mx.backend.available())[0]}")
