"""Quantized ONNX files: those of onnxruntime's quantizer run here in operators on integers, with its results."""

import itertools

import numpy as np
import pytest

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime.quantization")
import onnx
import onnxruntime
from minigluon.onnx.importer import ImportProblems
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_dynamic, quantize_static

import minigluon as mx
from minigluon import nd

X = np.random.default_rng(0).standard_normal((4, 3, 10, 10)).astype(np.float32)
INTEGERS = {"_contrib_quantized_conv", "_contrib_quantized_fully_connected"}


def float_model(path):
    """Convolutions with and without padding, one of them by groups, a sum, pooling, and two dense layers."""
    rng = np.random.default_rng(1)

    def drawn(*shape):
        return (rng.standard_normal(shape) / np.sqrt(np.prod(shape[1:]))).astype(np.float32)
    arrays = {"w1": drawn(8, 3, 3, 3), "b1": drawn(8), "w2": drawn(8, 2, 3, 3), "w3": drawn(6, 8, 2, 2), "b3": drawn(6),
              "w4": drawn(5, 54), "b4": drawn(5), "w5": drawn(5, 4)}
    nodes = [helper.make_node("Conv", ["x", "w1", "b1"], ["c1"], pads=[1, 1, 1, 1]),
             helper.make_node("Relu", ["c1"], ["r1"]),
             helper.make_node("Conv", ["r1", "w2"], ["c2"], pads=[1, 1, 1, 1], group=4),
             helper.make_node("Add", ["c2", "r1"], ["a"]),
             helper.make_node("MaxPool", ["a"], ["p"], kernel_shape=[2, 2], strides=[2, 2]),
             helper.make_node("Conv", ["p", "w3", "b3"], ["c3"], pads=[0, 0, 0, 0], strides=[1, 1], dilations=[2, 2]),
             helper.make_node("Flatten", ["c3"], ["f"]), helper.make_node("Gemm", ["f", "w4", "b4"], ["g"], transB=1),
             helper.make_node("MatMul", ["g", "w5"], ["y"])]
    graph = helper.make_graph(nodes, "net", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [4, 3, 10, 10])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [4, 4])],
                              [numpy_helper.from_array(array, name) for name, array in arrays.items()])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


class Once(CalibrationDataReader):
    """The examples for onnxruntime's calibration."""

    def __init__(self):
        self.left = [{"x": X}]

    def get_next(self):
        return self.left.pop() if self.left else None


def run(path):
    """onnxruntime's result, without its optimizations. On processors without VNNI, its products saturate where weights
    have 8 bits, so the files here have weights of 7 bits (reduce_range)."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(path, options).run(None, {"x": X})[0]


def names_of(symbol):
    return [node.op.name for node in symbol.nodes() if node.op is not None]


KINDS = list(itertools.product([QuantFormat.QDQ, QuantFormat.QOperator], [False, True],
                               [(QuantType.QUInt8, QuantType.QInt8), (QuantType.QInt8, QuantType.QInt8),
                                (QuantType.QUInt8, QuantType.QUInt8)]))


@pytest.mark.parametrize("way", range(len(KINDS)))
def test_static_files_run_on_integers(tmp_path, way):
    quant_format, per_channel, (activation, weight) = KINDS[way]
    source, path = str(tmp_path / "net.onnx"), str(tmp_path / "quantized.onnx")
    float_model(source)
    quantize_static(source, path, Once(), quant_format=quant_format, per_channel=per_channel, reduce_range=True,
                    activation_type=activation, weight_type=weight)
    symbol, args, states = mx.onnx.import_model(path)
    found = symbol.eval(x=nd.array(X), **args, **states)[0].asnumpy()
    wanted = run(path)
    scales = [numpy_helper.to_array(tensor) for tensor in onnx.load(path).graph.initializer
              if tensor.name == "y_scale"]
    assert scales
    assert np.abs(found - wanted).max() <= 1.01 * scales[0].max()
    assert np.abs(found - wanted).mean() <= 0.1 * scales[0].max()
    names = names_of(symbol)
    if weight == QuantType.QInt8 or not per_channel:
        assert names.count("_contrib_quantized_conv") == 3 or weight == QuantType.QUInt8
    if weight == QuantType.QInt8:
        assert not {"Convolution", "FullyConnected", "dot"} & set(names), names
        assert names.count("_contrib_quantized_fully_connected") == 2


def test_dynamic_files_run_on_integers(tmp_path):
    source, path = str(tmp_path / "net.onnx"), str(tmp_path / "quantized.onnx")
    float_model(source)
    quantize_dynamic(source, path, op_types_to_quantize=["MatMul", "Gemm"], weight_type=QuantType.QInt8,
                     reduce_range=True)
    symbol, args, states = mx.onnx.import_model(path)
    found = symbol.eval(x=nd.array(X), **args, **states)[0].asnumpy()
    np.testing.assert_allclose(found, run(path), atol=0.02)
    names = names_of(symbol)
    assert names.count("_contrib_quantized_fully_connected") >= 1, names


def hostile(kind, **changes):
    """A model of one node with some inputs replaced."""
    parts = {"QuantizeLinear": [("x", np.ones((2, 3), np.float32)), ("s", np.float32(0.5)), ("z", np.uint8(3))],
             "DequantizeLinear": [("x", np.ones((2, 3), np.uint8)), ("s", np.float32(0.5)), ("z", np.uint8(3))],
             "QLinearConv": [("x", np.ones((1, 1, 4, 4), np.uint8)), ("s", np.float32(0.5)), ("z", np.uint8(3)),
                             ("w", np.ones((1, 1, 2, 2), np.int8)), ("t", np.float32(0.5)), ("v", np.int8(0)),
                             ("u", np.float32(0.5)), ("o", np.uint8(0))],
             "MatMulInteger": [("x", np.ones((2, 3), np.uint8)), ("w", np.ones((3, 2), np.int8)), ("z", np.uint8(3)),
                               ("v", np.int8(0))]}[kind]
    axis = {"axis": changes.pop("axis")} if "axis" in changes else {}
    arrays = {**dict(parts), **changes}
    dtype = helper.np_dtype_to_tensor_dtype(arrays["x"].dtype)
    graph = helper.make_graph([helper.make_node(kind, list(arrays), ["y"], name="n", **axis)], "net",
                              [helper.make_tensor_value_info("x", dtype, arrays["x"].shape)],
                              [helper.make_empty_tensor_value_info("y")],
                              [numpy_helper.from_array(np.asarray(a), n) for n, a in arrays.items() if n != "x"])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


@pytest.mark.parametrize(("kind", "changes", "reason"), [
    ("QuantizeLinear", {"s": np.float32(0)}, "its scale 's' contains 0.0; scales must be positive and finite"),
    ("DequantizeLinear", {"s": np.float32(-1)}, "its scale 's' contains -1.0; scales must be positive and finite"),
    ("DequantizeLinear", {"s": np.float32("nan")}, "its scale 's' contains nan; scales must be positive and finite"),
    ("QLinearConv", {"t": np.float32("inf")}, "its scale 't' contains inf; scales must be positive and finite"),
    ("DequantizeLinear", {"z": np.int8(0)}, "its zero point 'z' is int8, but the integers are uint8"),
    ("QLinearConv", {"v": np.uint8(0)}, "its zero point 'v' is uint8, but the integers are int8"),
    ("MatMulInteger", {"z": np.int8(0)}, "its zero point 'z' is int8, but the integers are uint8"),
    ("DequantizeLinear", {"axis": 7, "s": np.ones(3, np.float32), "z": np.zeros(3, np.uint8)},
     "axis 7 of an array of rank 2"),
    ("DequantizeLinear", {"axis": 1, "s": np.ones(3, np.float32)}, "it has 3 scales and 1 zero points"),
    ("DequantizeLinear", {"axis": 0, "s": np.ones(3, np.float32), "z": np.zeros(3, np.uint8)},
     "'z' has the shape (3,), expected one number or 2 for axis 0"),
])
def test_hostile_parameters_are_refused_in_words(kind, changes, reason):
    with pytest.raises(ImportProblems) as error:
        mx.onnx.import_model(hostile(kind, **changes))
    assert error.value.problems == [f"node 'n' ({kind}), opset 17: {reason}"]


def number(value, dtype):
    return np.asarray(value, dtype)


def quantized_node(kind, dtype):
    """An operator of the domain com.microsoft: (its inputs in order, attributes).

    Zero points are not 0, and no result lies halfway between two integers.
    """
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    rng = np.random.default_rng(5)
    x, other = (rng.integers(low, high + 1, (2, 3, 4, 5)).astype(dtype) for _ in range(2))
    x[0, 0, 0, :2] = low, high
    data = [x, number(0.03, "f"), number(low + 100, dtype)]
    more = [other, number(0.05, "f"), number(low + 140, dtype)]
    out = {"QLinearSigmoid": 1 / 256, "QLinearMul": 0.12, "QLinearGlobalAveragePool": 0.017}.get(kind, 0.07)
    result = [number(out, "f"), number(low if kind == "QLinearSigmoid" else low + 120, dtype)]
    if kind == "QLinearConcat":
        return [*result, *data, *more], {"axis": 2}
    if kind in ("QLinearAdd", "QLinearMul"):
        return [*data, *more, *result], {}
    return [*data, *result], {"QLinearLeakyRelu": {"alpha": 0.3}}.get(kind, {})


@pytest.mark.parametrize("dtype", ["uint8", "int8"])
@pytest.mark.parametrize("kind", ["QLinearAdd", "QLinearMul", "QLinearConcat", "QLinearSigmoid", "QLinearLeakyRelu",
                                  "QLinearGlobalAveragePool"])
def test_operators_of_microsoft_have_the_bytes_of_onnxruntime(kind, dtype):
    arrays, attributes = quantized_node(kind, dtype)
    data = [k for k, array in enumerate(arrays) if array.ndim == 4]
    names = [f"a{k}" for k in range(len(arrays))]
    integer = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    graph = helper.make_graph(
        [helper.make_node(kind, names, ["y"], domain="com.microsoft", **attributes)], "net",
        [helper.make_tensor_value_info(names[k], integer, arrays[k].shape) for k in data],
        [helper.make_tensor_value_info("y", integer, None)],
        [numpy_helper.from_array(array, names[k]) for k, array in enumerate(arrays) if k not in data])
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=8)
    wanted = onnxruntime.InferenceSession(model.SerializeToString()).run(None, {names[k]: arrays[k] for k in data})[0]
    symbol, args, states = mx.onnx.import_model(model)
    inputs = {names[k]: nd.array(arrays[k], dtype=dtype) for k in data}
    found = symbol.eval(**inputs, **args, **states)[0].asnumpy()
    assert found.dtype == wanted.dtype == dtype
    assert len(np.unique(wanted)) >= 5                  # neither saturated nor all the same
    np.testing.assert_array_equal(found, wanted)
