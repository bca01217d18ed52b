"""Programs that carry a state on from batch to batch and never detach it, as books do, under the name mxnet.

The numbers are those that the same text printed in MXNet 1.9.1.
"""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from helpers import ROOT

pytestmark = pytest.mark.once

PROGRAM = """
import json
import numpy as np
import mxnet as mx
from mxnet import autograd, gluon, nd
from mxnet.gluon import rnn


def draw(seed, *shape):
    return nd.array(np.random.RandomState(seed).randn(*shape) * 0.3)


def scalar():
    w, h, grads = nd.array([2]), nd.array([1]), []
    w.attach_grad()
    for _ in range(3):
        with autograd.record():
            h = h * w + 1
            loss = h * h
        loss.backward()
        grads.append(w.grad.asscalar())
    return grads


def scratch():
    params = [draw(i, *shape) for i, shape in enumerate([(5, 8), (8, 8), (8,), (8, 5), (5,)])]
    for param in params:
        param.attach_grad()
    W_xh, W_hh, b_h, W_hq, b_q = params
    loss, H, losses = gluon.loss.SoftmaxCrossEntropyLoss(), nd.zeros((2, 8)), []
    text = np.random.RandomState(9).randint(0, 5, (2, 25))
    for begin in range(0, 24, 6):
        X, Y = nd.array(text[:, begin:begin + 6]), nd.array(text[:, begin + 1:begin + 7])
        with autograd.record():
            outputs = []
            for x in X.T:
                H = nd.tanh(nd.dot(nd.one_hot(x, 5), W_xh) + nd.dot(H, W_hh) + b_h)
                outputs.append(nd.dot(H, W_hq) + b_q)
            l = loss(nd.concat(*outputs, dim=0), Y.T.reshape((-1,))).mean()
        l.backward()
        for param in params:
            param[:] = param - 0.5 * param.grad
        losses.append(l.asscalar())
    return losses + [W_hh.grad.norm().asscalar()]


def layers(kind, hybridize):
    layer, dense = kind(8, input_size=5), gluon.nn.Dense(5, in_units=8, flatten=False)
    net = gluon.nn.HybridSequential()
    net.add(layer, dense)
    net.initialize()
    for i, param in enumerate(net.collect_params().values()):
        param.set_data(draw(i, *param.shape))
    if hybridize:
        net.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.5})
    loss, state, losses = gluon.loss.L2Loss(), layer.begin_state(batch_size=2), []
    for step in range(3):
        with autograd.record():
            Y, state = layer(draw(20 + step, 4, 2, 5), state)
            l = loss(dense(Y), draw(30 + step, 4, 2, 5)).mean()
        l.backward()
        trainer.step(1)
        losses.append(l.asscalar())
    return losses + [state[0].norm().asscalar()]


def contrib():
    from mxnet.contrib.ndarray import MultiBoxPrior
    import mxnet.contrib.ndarray as contributed
    boxes = contributed.box_iou(nd.array([[0, 0, 2, 2]]), nd.array([[1, 1, 3, 3]]), format="corner")
    anchors = MultiBoxPrior(nd.zeros((1, 3, 2, 2)), sizes=[0.5], ratios=[1])
    return [boxes.asscalar(), *anchors.asnumpy().ravel()]


print(json.dumps({name: [float(x) for x in numbers] for name, numbers in {
    "scalar": scalar(), "scratch": scratch(), "rnn": layers(rnn.RNN, False), "gru": layers(rnn.GRU, False),
    "lstm": layers(rnn.LSTM, False), "lstm hybridized": layers(rnn.LSTM, True), "contrib": contrib()}.items()}))
"""

EXPECTED = {
    "scalar": [6.0, 42.0, 210.0],
    "scratch": [1.645512, 1.552778, 1.781486, 1.52183, 0.3685246],
    "rnn": [0.1582182, 0.07457055, 0.06008132, 1.033233],
    "gru": [0.1753299, 0.104024, 0.09322937, 0.9476758],
    "lstm": [0.1414693, 0.07104073, 0.07126488, 0.6351581],
    "lstm hybridized": [0.1414693, 0.07104073, 0.07126488, 0.6351581],
    "contrib": [1 / 7, 0, 0, 0.5, 0.5, 0.5, 0, 1, 0.5, 0, 0.5, 0.5, 1, 0.5, 0.5, 1, 1],
}


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    file = tmp_path_factory.mktemp("program") / "program.py"
    file.write_text(PROGRAM)
    done = subprocess.run([sys.executable, "-m", "minigluon.as_mxnet", str(file)], capture_output=True, text=True,
                          timeout=120, env={**os.environ, "PYTHONPATH": str(ROOT), "MINIGLUON_BACKEND": "numpy"})
    assert done.stderr == ""
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", EXPECTED)
def test_numbers_are_mxnets(name, printed):
    np.testing.assert_allclose(printed[name], EXPECTED[name], rtol=1e-5)
