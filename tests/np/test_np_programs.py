"""Parts of programs as a book with `mx.np` writes them: from scratch, with layers of one's own, with data."""

import math

import numpy as onp
import pytest

import minigluon as mx
from minigluon import autograd, gluon, init, np, npx
from minigluon.gluon import nn, rnn

pytestmark = pytest.mark.once


@pytest.fixture(autouse=True)
def numpy_mode():
    npx.set_np()
    mx.random.seed(1)
    yield
    npx.reset_np()


def test_softmax_regression_from_scratch():
    centres = np.array([[2, 0], [-2, 1], [0, -3]])
    labels = np.array([0, 1, 2] * 20)
    features = centres[labels] + np.random.normal(0, 0.3, (60, 2))
    w, b = np.random.normal(0, 0.01, (2, 3)), np.zeros(3)
    for parameter in (w, b):
        parameter.attach_grad()
    for _ in range(30):
        with autograd.record():
            powers = np.exp(np.dot(features, w) + b)
            chances = powers / powers.sum(1, keepdims=True)
            error = -np.log(chances[range(len(chances)), labels])
        error.backward()
        for parameter in (w, b):
            parameter[:] -= 0.5 * parameter.grad / 60
    right = chances.argmax(axis=1).astype(labels.dtype) == labels
    assert float(right.astype(labels.dtype).sum()) == 60


def test_attention_with_masks():
    queries, keys = np.random.normal(0, 1, (2, 1, 8)), np.ones((2, 10, 8))
    values = np.repeat(np.arange(40).reshape(1, 10, 4), 2, axis=0)
    scores = npx.batch_dot(queries, keys, transpose_b=True) / math.sqrt(8)
    rows = npx.sequence_mask(scores.reshape(-1, 10), np.array([2, 6]), True, value=-1e6, axis=1)
    result = npx.batch_dot(npx.softmax(rows).reshape(scores.shape), values)
    onp.testing.assert_allclose(result[:, 0], [[2, 3, 4, 5], [10, 11, 12, 13]], rtol=1e-5)
    heads = queries.reshape(2, 1, 2, -1).transpose(0, 2, 1, 3).reshape(-1, 1, 4)
    assert heads.shape == (4, 1, 4)
    positions = np.zeros((1, 10, 8))
    angles = np.arange(10).reshape(-1, 1) / np.power(10000, np.arange(0, 8, 2) / 8)
    positions[:, :, 0::2], positions[:, :, 1::2] = np.sin(angles), np.cos(angles)
    assert positions[0, 0].tolist() == [0, 1] * 4


def test_overlaps_of_boxes():
    boxes = np.array([[0, 0, 2, 2], [1, 1, 3, 3], [0, 0, 2, 1]])
    areas = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    corners = np.maximum(boxes[:, None, :2], boxes[:, :2]), np.minimum(boxes[:, None, 2:], boxes[:, 2:])
    sides = (corners[1] - corners[0]).clip(min=0)
    common = sides[:, :, 0] * sides[:, :, 1]
    overlaps = common / (areas[:, None] + areas - common)
    onp.testing.assert_allclose(overlaps[0], [1, 1 / 7, 0.5], rtol=1e-6)
    best = np.argmax(overlaps)
    column, row = (best % 3).astype("int32"), (best / 3).astype("int32")
    chosen = np.full((3,), -1)
    chosen[row] = column
    overlaps[:, column] = np.full((3,), -1)
    assert (chosen.tolist(), overlaps[:, 0].tolist()) == ([0, -1, -1], [-1, -1, -1])
    kept, counts = np.unique(np.concatenate((np.array([0, 1]), np.array([1]))), return_counts=True)
    assert (kept.tolist(), counts.tolist()) == ([0, 1], [1, 2])


class Residual(nn.Block):
    def __init__(self, channels, strides):
        super().__init__()
        self.first = nn.Conv2D(channels, kernel_size=3, padding=1, strides=strides)
        self.norm = nn.BatchNorm()
        self.second = nn.Conv2D(channels, kernel_size=3, padding=1)
        self.shortcut = nn.Conv2D(channels, kernel_size=1, strides=strides)

    def forward(self, x):
        y = npx.relu(self.norm(self.first(x)))
        return npx.relu(self.second(y) + self.shortcut(x))


class Dense(nn.Block):
    def __init__(self, units, in_units):
        super().__init__()
        self.weight = self.params.get("weight", shape=(in_units, units))
        self.scale = self.params.get_constant("scale", np.array([2.0]))

    def forward(self, x):
        y = np.dot(x, self.weight.data(ctx=x.ctx)) * self.scale.data()
        while np.abs(y).sum() > 100:
            y = y / 2
        return y


def test_networks_of_own_blocks_train():
    net = nn.Sequential()
    net.add(Residual(4, 2), nn.GlobalAvgPool2D(), nn.Flatten(), Dense(2, 4))
    net.initialize(init.Xavier())
    labels = np.array([0, 1] * 8)
    images = np.random.normal(0, 0.1, (16, 1, 6, 6)) + labels.reshape(-1, 1, 1, 1)
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.02})
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    errors = []
    for _ in range(12):
        with autograd.record():
            error = loss(net(images), labels)
        error.backward()
        trainer.step(16)
        errors.append(float(error.mean()))
    assert errors[-1] < 0.7 * errors[0]


def test_recurrent_layers_carry_their_states():
    layer = rnn.GRU(6)
    layer.initialize()
    states = layer.begin_state(batch_size=2)
    outputs, states = layer(np.random.uniform(size=(3, 2, 5)), states)
    with autograd.record():
        outputs, states = layer(np.ones((3, 2, 5)), [s.detach() for s in states])
        total = outputs.reshape(-1, 6).sum()
    total.backward()
    assert (outputs.shape, states[0].shape, type(states[0])) == ((3, 2, 6), (1, 2, 6), np.ndarray)
