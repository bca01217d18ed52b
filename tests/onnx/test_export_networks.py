"""Networks as ONNX files: what onnxruntime computes, at two sizes of a batch that the file leaves open."""

import numpy as np
import onnx
import pytest
from helpers.errors import message
from helpers.onnx_files import close, flat, run_file
from minigluon.onnx.exporter import files

import minigluon as mx
from minigluon import autograd, gluon, init, nd, sym
from minigluon.gluon import nn, rnn

pytestmark = pytest.mark.once


def draw(*shape):
    return nd.array(np.random.default_rng(len(shape)).uniform(-1, 1, shape), dtype="float32")


def agrees(net, path, first, second, **options):
    """Do the file and the network agree for the arrays that it was made with, and for others?"""
    net.initialize(init.Xavier())
    net.hybridize()
    path = net.export_onnx(str(path / "net.onnx"), *first, **options)
    return all(close(run_file(path, flat(list(given))), flat(net(*given))) for given in (first, second))


class Convolutional(gluon.HybridBlock):
    def __init__(self):
        super().__init__()
        self.body = nn.HybridSequential()
        self.body.add(nn.Conv2D(4, 3, padding=1), nn.BatchNorm(), nn.Activation("relu"),
                      nn.MaxPool2D(2, ceil_mode=True), nn.Conv2DTranspose(3, 3, strides=2), nn.Dropout(0.5),
                      nn.GlobalAvgPool2D(), nn.Dense(5))

    def hybrid_forward(self, F, x):
        return F.softmax(self.body(x)), F.reshape(x, shape=(-4, -1, 1, 0, -3))


class Looping(gluon.HybridBlock):
    def __init__(self):
        super().__init__()
        self.step = nn.Dense(4, in_units=4, flatten=False)

    def hybrid_forward(self, F, x, state):
        out, states = F.contrib.foreach(lambda row, s: (self.step(row) + s[0], [(1 - s[0]) * 0.5 + row]), x, [state])
        return out, states[0]


class Counting(gluon.HybridBlock):
    def hybrid_forward(self, F, i, total):
        rows, (_, total) = F.contrib.while_loop(lambda i, t: i <= 5, lambda i, t: (t * 2, [i + 1, t + i]), [i, total],
                                                max_iterations=8)
        return rows, F.contrib.cond(total > 9, lambda: total * 2, lambda: total - 1)


def test_a_convolutional_network(tmp_path):
    assert agrees(Convolutional(), tmp_path, [draw(2, 3, 7, 6)], [draw(5, 3, 7, 6)])


@pytest.mark.parametrize("layer", [
    lambda: rnn.LSTM(3, num_layers=2, bidirectional=True), lambda: rnn.GRU(3), lambda: rnn.RNN(3, activation="tanh")])
def test_a_recurrent_layer(layer, tmp_path):
    assert agrees(layer(), tmp_path, [draw(4, 2, 5)], [draw(6, 3, 5)], dynamic_input_shapes=[("time", "batch", 5)])


def test_a_loop_over_data(tmp_path):
    assert agrees(Looping(), tmp_path, [draw(3, 2, 4), draw(2, 4)], [draw(5, 3, 4), draw(3, 4)],
                  dynamic_input_shapes=[("time", "batch", 4), ("batch", 4)])


def test_a_loop_with_a_condition_and_a_branch(tmp_path):
    assert agrees(Counting(), tmp_path, [nd.array([1]), nd.array([0])], [nd.array([7]), nd.array([20])], dynamic=False)


class Crossed(gluon.HybridBlock):
    """Reads its arguments in another order, and one not at all."""

    def hybrid_forward(self, F, x, y, z):
        return F.broadcast_sub(z, x)


def test_inputs_of_a_block_are_those_of_its_call(tmp_path):
    first = [draw(2, 3), draw(2), draw(1, 3)]
    net = Crossed()
    net.hybridize()
    path = net.export_onnx(str(tmp_path / "net.onnx"), *first, dynamic_input_shapes=[("batch", 3), ("batch",), (1, 3)])
    assert [value.name for value in onnx.load(path).graph.input] == ["data0", "data2"]
    x, z = draw(5, 3), draw(1, 3)
    assert close(run_file(path, flat([x, z])), flat(net(x, draw(5), z)))


def test_boxes_of_float16(tmp_path):
    """What is below all scores is below all of float32, where the suppression is computed."""
    rows = nd.array([[[0, 0.8, 0, 0, 2, 2], [0, 0.9, 0, 0, 2, 2], [1, 0.7, 5, 5, 6, 6]]], dtype="float16")
    path = mx.onnx.export_model(sym.contrib.box_nms(sym.var("data", dtype="float16")), None, [(1, 3, 6)], np.float16,
                                str(tmp_path / "net.onnx"))
    assert close(run_file(path, [rows.asnumpy()]), [nd.contrib.box_nms(rows).asnumpy()])


def test_a_checkpoint_and_its_label(tmp_path):
    """Two files as Module and MXNet write them; the label of the output operator is no input."""
    net = sym.SoftmaxOutput(sym.FullyConnected(sym.var("data"), num_hidden=3, name="fc"), name="softmax")
    arrays = {"fc_weight": draw(3, 4), "fc_bias": draw(3)}
    prefix = str(tmp_path / "net")
    mx.model.save_checkpoint(prefix, 1, net, arrays, {})
    path = mx.contrib.onnx.export_model(f"{prefix}-symbol.json", f"{prefix}-0001.params", [(2, 4)], np.float32,
                                        f"{prefix}.onnx")
    x = draw(2, 4)
    wanted = nd.softmax(nd.FullyConnected(x, *arrays.values(), num_hidden=3))
    assert close(run_file(path, [x.asnumpy()]), [wanted.asnumpy()])
    model = onnx.load(path)
    assert [value.name for value in model.graph.input] == ["data"]
    assert [value.name for value in model.graph.output] == ["softmax"]
    assert {tensor.name for tensor in model.graph.initializer} == {"fc_weight", "fc_bias"}
    assert (model.producer_name, model.producer_version) == ("minigluon", mx.__version__)


def test_a_checkpoint_without_parameters(tmp_path):
    """Its file of parameters holds no array, and no name."""
    prefix = str(tmp_path / "net")
    mx.model.save_checkpoint(prefix, 0, sym.tanh(sym.var("data"), name="out"), {}, {})
    path = mx.onnx.export_model(f"{prefix}-symbol.json", f"{prefix}-0000.params", [(2,)], np.float32, f"{prefix}.onnx")
    x = draw(2)
    assert close(run_file(path, [x.asnumpy()]), [nd.tanh(x).asnumpy()])


def test_all_lengths_are_open_where_none_are_named(tmp_path):
    """Those that the weights determine are fixed, and those that must be equal are one."""
    net = sym.FullyConnected(sym.var("a") + sym.var("b"), num_hidden=2, name="fc")
    path = mx.onnx.export_model(net, {"fc_weight": draw(2, 3), "fc_bias": draw(2)}, [(2, 3), (2, 3)], np.float32,
                                str(tmp_path / "net.onnx"), dynamic=True)
    shapes = [[d.dim_param or d.dim_value for d in value.type.tensor_type.shape.dim]
              for value in onnx.load(path).graph.input]
    assert shapes == [["a_0", 3], ["a_0", 3]]


def test_large_weights_go_to_a_file_of_their_own(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MOST_BYTES", 2000)
    net = nn.HybridSequential()
    net.add(nn.Dense(16, in_units=40), nn.Dense(3, in_units=16))
    assert agrees(net, tmp_path, [draw(2, 40)], [draw(3, 40)])
    assert (tmp_path / "net.onnx").stat().st_size < 2000
    assert (tmp_path / "net.onnx.data").stat().st_size == 16 * 40 * 4


def test_errors_name_what_is_wrong(tmp_path):
    x, path = sym.var("x"), str(tmp_path / "net.onnx")

    def fails(symbol=x + 1, params=None, shapes=((2,),), **options):
        return message(mx.MXNetError, mx.onnx.export_model, symbol, params, shapes, np.float32, path, **options)

    assert fails(sym.gamma(x, name="g") + sym.random.normal_like(x, name="n")) == (
        "export_model: 2 nodes have no form in an ONNX file of opset 17:\n"
        "  gamma 'g': ONNX has no gamma function and no inverse of erf\n"
        "  _random_normal_like 'n': random numbers: running a file twice should give the same result")
    assert fails(shapes=[(2,), (3,)]) == (
        "export_model: in_shapes has 2 shapes, but the graph has 1 inputs that are not among params: x")
    assert fails(opset_version=9) == "export_model: opset_version must be from 13 to 23, found 9"
    assert fails(dynamic_input_shapes=[(None,)]) == "export_model: dynamic_input_shapes needs dynamic=True"
    with autograd.train_mode():
        assert fails() == ("export_model: an ONNX file is for inference, but this is train mode. Call it outside "
                           "autograd.record() and autograd.train_mode().")
    assert not (tmp_path / "net.onnx").exists()


def test_the_package_onnx_may_be_missing(monkeypatch):
    from minigluon.onnx.package import onnx_package
    onnx_package.cache_clear()
    monkeypatch.setitem(__import__("sys").modules, "onnx", None)
    try:
        assert message(mx.MXNetError, mx.onnx.export_model, sym.var("x"), None, [(2,)]) == (
            'onnx is not installed. Install what mx.onnx needs with: pip install "minigluon[onnx]"')
    finally:
        onnx_package.cache_clear()
