"""Quantized networks as ONNX files with QuantizeLinear and DequantizeLinear: onnxruntime computes the same."""

import collections

import numpy as np
import onnx
import onnxruntime
import pytest
from helpers.onnx_files import run_file
from minigluon.onnx.exporter import TranslationError

import minigluon as mx
from minigluon import nd
from minigluon.contrib import quantization
from minigluon.gluon import nn

pytestmark = pytest.mark.once

X = nd.array(np.random.default_rng(0).standard_normal((4, 3, 12, 12)), dtype="float32")


class Residual(nn.HybridBlock):
    """A convolution with BatchNorm whose input is added to its output."""

    def __init__(self):
        super().__init__()
        with self.name_scope():
            self.conv, self.norm = nn.Conv2D(8, 3, padding=1, use_bias=False), nn.BatchNorm()

    def hybrid_forward(self, F, x):
        return F.relu(x + self.norm(self.conv(x)))


def network():
    mx.random.seed(3)
    net = nn.HybridSequential()
    net.add(nn.Conv2D(8, 3, padding=1), nn.BatchNorm(), nn.Activation("relu"), nn.MaxPool2D(), Residual(),
            nn.Conv2D(8, 3, groups=8, activation="relu"), nn.AvgPool2D(), nn.Flatten(), nn.Dense(6, activation="relu"),
            nn.Dense(5))
    net.initialize(mx.init.Xavier())
    net(X)
    return net


def exported(path, **how):
    """(the result of a quantized network, its file)."""
    mode = how.pop("calib_mode", "naive")
    small = quantization.quantize_net_v2(network(), calib_data=None if mode == "none" else [X], calib_mode=mode,
                                         logger=None, **how)
    small.export_onnx(path, X)
    return small(X).asnumpy(), onnx.load(path)


def run_exactly(path):
    """onnxruntime's result; its optimized products saturate on processors without VNNI."""
    onnx.checker.check_model(path, full_check=True)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(path, options)
    return session.run(None, {session.get_inputs()[0].name: X.asnumpy()})[0]


@pytest.mark.parametrize("how", [
    {}, {"quantized_dtype": "int8"}, {"quantize_granularity": "channel-wise"}, {"calib_mode": "entropy"},
    {"calib_mode": "none"}, {"calib_mode": "none", "quantized_dtype": "int8"}], ids=str)
def test_onnxruntime_computes_the_same(how, tmp_path):
    path = str(tmp_path / "net.onnx")
    wanted, _ = exported(path, **how)
    # Where a sum is halfway between two integers, float32 may round to the other one; its step reaches the result.
    assert np.abs(run_exactly(path) - wanted).max() <= np.abs(wanted).max() / 127.5


def test_layers_lie_between_dequantize_and_quantize(tmp_path):
    _, model = exported(str(tmp_path / "net.onnx"))
    made = {output: node for node in model.graph.node for output in node.output}
    layers = [node for node in model.graph.node if node.op_type in ("Conv", "Gemm", "MaxPool", "AveragePool")]
    kinds = collections.Counter(node.op_type for node in layers)
    assert kinds == {"Conv": 3, "Gemm": 2, "MaxPool": 1, "AveragePool": 1}
    assert all(made[name].op_type == "DequantizeLinear" for node in layers for name in node.input)
    weights = {tensor.name: tensor for tensor in model.graph.initializer}
    integers = [weights[made[node.input[1]].input[0]] for node in layers if node.op_type in ("Conv", "Gemm")]
    assert {tensor.data_type for tensor in integers} == {onnx.TensorProto.INT8}


def test_a_file_that_is_read_again_gives_the_same(tmp_path):
    path = str(tmp_path / "net.onnx")
    wanted, _ = exported(path)
    net = mx.onnx.import_to_gluon(path)
    assert np.abs(net(X).asnumpy() - wanted).max() <= np.abs(wanted).max() / 127.5


def test_a_range_without_numbers_is_refused(tmp_path):
    graph = mx.sym.contrib.dequantize(mx.sym.var("x", dtype="int8"), mx.sym.var("low"), mx.sym.var("high"), name="d")
    params = {"low": nd.array([-1]), "high": nd.array([np.nan])}
    with pytest.raises(TranslationError) as error:
        mx.onnx.export_model(graph, params, [(2, 3)], np.int8, str(tmp_path / "net.onnx"))
    assert str(error.value) == ("export_model: 1 node has no form in an ONNX file of opset 17:\n  "
                                "_contrib_dequantize 'd': the range from -1.0 to nan is not finite")


def test_a_layer_of_zeros_has_a_positive_scale(tmp_path):
    path = str(tmp_path / "net.onnx")
    net = nn.Dense(2, in_units=3)
    net.initialize(mx.init.Zero())
    net(nd.ones((1, 3)))
    small = quantization.quantize_net(net, calib_data=[nd.ones((1, 3))], calib_mode="naive", logger=None)
    small.export_onnx(path, nd.ones((1, 3)))
    assert run_file(path, [np.ones((1, 3), np.float32)])[0].tolist() == [[0, 0]]
