"""What is exported, read and exported again is the same file; a checkpoint becomes an ONNX file on the command line."""

import itertools

import numpy as np
import pytest

pytest.importorskip("onnx")
import onnx

import minigluon as mx
from minigluon import gluon, nd
from minigluon.gluon import nn
from minigluon.tools import cli


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


def inputs_of(path):
    return [entry.name for entry in onnx.load(path).graph.input]


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


class Masked(nn.HybridBlock):
    def hybrid_forward(self, F, x, lengths):
        return F.SequenceMask(x, lengths, use_sequence_length=True, axis=1)


class Boxes(nn.HybridBlock):
    def hybrid_forward(self, F, scores, offsets, anchors):
        return F.contrib.MultiBoxDetection(F.softmax(scores, axis=1), offsets, anchors, nms_threshold=0.3)


@pytest.mark.once
@pytest.mark.parametrize(("make", "shapes"), [(Masked, [(2, 3, 2), (2,)]), (Boxes, [(2, 3, 4), (2, 16), (1, 4, 4)])])
def test_masks_and_boxes_of_an_open_batch_reach_a_form_that_stays(make, shapes, tmp_path):
    """What each reading adds, such as a cast of a cast or a transpose of a transpose, would be added for ever."""
    net = make()
    net.hybridize()
    arrays = [nd.array(np.random.default_rng(0).uniform(0, 1, shape)) for shape in shapes]
    files = [str(tmp_path / f"{number}.onnx") for number in range(5)]
    lengths = [("batch", *shape[1:]) if shape[0] == 2 else shape for shape in shapes]
    net.export_onnx(files[0], *arrays, dynamic_input_shapes=lengths)
    given = dict(zip(inputs_of(files[0]), zip(arrays, lengths, strict=True), strict=True))
    for source, target in itertools.pairwise(files):
        again = mx.onnx.import_to_gluon(source, mx.cpu())
        inputs, opened = zip(*map(given.get, inputs_of(source)), strict=True)
        np.testing.assert_allclose(again(*inputs).asnumpy(), net(*arrays).asnumpy(), rtol=1e-5, atol=1e-6)
        again.export_onnx(target, *inputs, dynamic_input_shapes=list(opened))
    assert contents(files[4]) == contents(files[3])


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
