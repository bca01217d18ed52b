"""Which lengths of a block's inputs stay open, and their names, by the layouts of the layers that read them."""

import numpy as np
import onnx
import pytest
from helpers.onnx_files import close, flat, run_file

from minigluon import gluon, nd
from minigluon.gluon import nn, rnn

pytestmark = pytest.mark.once


def draw(*shape):
    return nd.array(np.random.default_rng(len(shape)).uniform(-1, 1, shape), dtype="float32")


class Block(gluon.HybridBlock):
    """A block whose forward is a function of F, its layers and its inputs."""

    def __init__(self, forward, *layers):
        super().__init__()
        self.layers, self._forward = nn.HybridSequential(), forward
        self.layers.add(*layers)

    def hybrid_forward(self, F, *inputs):
        return self._forward(F, self.layers, *inputs)


def looping(F, layers, x, state):
    out, states = F.contrib.foreach(lambda row, s: (layers[0](row) + s[0], [s[0] * 0.5 + row]), x, [state])
    return out, states[0]


def masked(axis):
    return lambda F, _, x, lengths: F.SequenceMask(x, lengths, use_sequence_length=True, axis=axis)


def unrolled(layout):
    return lambda F, layers, x: layers[0].unroll(3, x, layout=layout, merge_outputs=True)[0]


STATES = [draw(1, 2, 3), draw(1, 2, 3)]
OTHERS = [draw(1, 4, 3), draw(1, 4, 3)]
BATCH_STATE = [1, "batch", 3]
CASES = {
    "TNC": (lambda: rnn.LSTM(3), [draw(5, 2, 4)], [draw(3, 4, 4)], [["time", "batch", 4]]),
    "TNC, a batch of 1": (lambda: rnn.GRU(3), [draw(5, 1, 4)], [draw(3, 4, 4)], [["time", "batch", 4]]),
    "NTC": (lambda: rnn.LSTM(3, layout="NTC"), [draw(2, 5, 4)], [draw(4, 5, 4)], [["batch", 5, 4]]),
    "TNC with states": (lambda: rnn.LSTM(3), [draw(5, 2, 4), STATES], [draw(3, 4, 4), OTHERS],
                        [["time", "batch", 4], BATCH_STATE, BATCH_STATE]),
    "NTC with states": (lambda: rnn.LSTM(3, layout="NTC"), [draw(2, 5, 4), STATES], [draw(4, 5, 4), OTHERS],
                        [["batch", 5, 4], BATCH_STATE, BATCH_STATE]),
    "words": (lambda: Block(lambda F, layers, x: layers[1](layers[0](x)), nn.Embedding(9, 4), rnn.GRU(3)),
              [nd.array([[1, 2], [3, 4], [5, 6]])], [nd.array([[1, 2, 8, 7]])], [["time", "batch"]]),
    "unrolled TNC": (lambda: Block(unrolled("TNC"), rnn.LSTMCell(3)), [draw(3, 2, 4)], [draw(3, 5, 4)],
                     [[3, "batch", 4]]),
    "unrolled NTC": (lambda: Block(unrolled("NTC"), rnn.LSTMCell(3)), [draw(2, 3, 4)], [draw(5, 3, 4)],
                     [["batch", 3, 4]]),
    "lengths of TNC": (lambda: Block(masked(0)), [draw(5, 2, 4), nd.array([1, 2])],
                       [draw(3, 3, 4), nd.array([1, 2, 3])],
                       [["time", "batch", 4], ["batch"]]),
    "lengths of NTC": (lambda: Block(masked(1)), [draw(2, 5, 4), nd.array([1, 2])],
                       [draw(3, 5, 4), nd.array([1, 2, 3])],
                       [["batch", 5, 4], ["batch"]]),
    "foreach": (lambda: Block(looping, nn.Dense(4, in_units=4, flatten=False)), [draw(3, 2, 4), draw(2, 4)],
                [draw(6, 5, 4), draw(5, 4)], [["time", "batch", 4], ["batch", 4]]),
    "transposed": (lambda: Block(lambda F, layers, x: layers[0](F.transpose(x)), nn.Dense(3)), [draw(5, 2)],
                   [draw(5, 4)], [[5, "batch"]]),
    "attention": (lambda: Block(lambda F, _, x: F.contrib.interleaved_matmul_selfatt_qk(x, heads=2)), [draw(5, 2, 12)],
                  [draw(3, 4, 12)], [["time", "batch", 12]]),
    "one image of one channel": (lambda: nn.Conv2D(4, 3), [draw(1, 1, 6, 5)], [draw(4, 1, 6, 5)], [["batch", 1, 6, 5]]),
    "images NHWC": (lambda: nn.Conv2D(4, 3, layout="NHWC"), [draw(2, 6, 5, 3)], [draw(4, 6, 5, 3)],
                    [["batch", 6, 5, 3]]),
    "two inputs": (lambda: Block(lambda F, layers, x, y: F.broadcast_add(F.SequenceLast(layers[0](x)), layers[1](y)),
                                 rnn.LSTM(3), nn.Dense(3, flatten=False)), [draw(5, 2, 4), draw(2, 7)],
                   [draw(3, 4, 4), draw(4, 7)], [["time", "batch", 4], ["batch", 7]])}


@pytest.mark.parametrize("name", CASES)
def test_open_lengths_have_the_names_of_the_layout(name, tmp_path):
    make, first, second, shapes = CASES[name]
    net = make()
    net.initialize()
    net.hybridize()
    path = net.export_onnx(str(tmp_path / "net.onnx"), *first)
    assert [[n.dim_param or n.dim_value for n in entry.type.tensor_type.shape.dim]
            for entry in onnx.load(path).graph.input] == shapes
    for given in (first, second):
        assert close(run_file(path, flat(list(given))), flat(net(*given)))
