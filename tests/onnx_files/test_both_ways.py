"""What is exported, read and exported again is the same file; a checkpoint becomes an ONNX file on the command line."""

import itertools

import numpy as np
import pytest

pytest.importorskip("onnx")
import onnx

import minigluon as mx
from minigluon import cli, gluon, nd
from minigluon.gluon import nn


class Recurrent(nn.HybridBlock):
    def __init__(self):
        super().__init__()
        self.layer = gluon.rnn.LSTM(4, layout="NTC", bidirectional=True, input_size=3)

    def hybrid_forward(self, F, x):
        return self.layer(x)


def layers():
    net = nn.HybridSequential()
    net.add(nn.Conv2D(4, 3, strides=2, padding=1, activation="relu"), nn.BatchNorm(), nn.MaxPool2D(3, 2, 1),
            nn.AvgPool2D(), nn.Flatten(), nn.Dense(5, activation="tanh"), nn.LayerNorm(), nn.Dense(2))
    return net


def contents(path):
    """The nodes and tensors of a file."""
    graph = onnx.load(path).graph
    nodes = [(node.op_type, list(node.input), list(node.output)) for node in graph.node]
    return nodes, {tensor.name: onnx.numpy_helper.to_array(tensor).tobytes() for tensor in graph.initializer}


@pytest.mark.parametrize(("make", "shape"), [(layers, (2, 3, 17, 16)), (Recurrent, (2, 5, 3))])
def test_export_import_export_is_a_fixed_point(make, shape, tmp_path):
    net = make()
    net.initialize()
    x = nd.array(np.random.default_rng(0).standard_normal(shape))
    net.hybridize()
    expected = net(x).asnumpy()
    files = [str(tmp_path / f"{number}.onnx") for number in range(4)]
    net.export_onnx(files[0], x)
    for source, target in itertools.pairwise(files):
        again = mx.onnx.import_to_gluon(source, mx.cpu())
        np.testing.assert_allclose(again(x).asnumpy(), expected, rtol=1e-5, atol=1e-6)
        again.export_onnx(target, x)
    assert contents(files[3]) == contents(files[2])
    if make is layers:          # a recurrent layer's weights get other names, and shapes are written out
        assert contents(files[2]) == contents(files[1]) == contents(files[0])


@pytest.mark.once
def test_a_checkpoint_becomes_an_onnx_file(tmp_path, capsys):
    net = nn.Dense(2, in_units=3)
    net.initialize()
    net.hybridize()
    net(nd.ones((1, 3)))
    net.export(str(tmp_path / "net"))
    target = str(tmp_path / "net.onnx")
    args = ["convert", str(tmp_path / "net-symbol.json"), target, "--shape", "data:2,3", "--check"]
    assert cli.main(args) == 0
    assert "largest difference" in capsys.readouterr().out
    block = mx.onnx.import_to_gluon(target, mx.cpu())
    np.testing.assert_allclose(block(nd.ones((2, 3))).asnumpy(), net(nd.ones((2, 3))).asnumpy(), rtol=1e-6)
