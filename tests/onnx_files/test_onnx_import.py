"""ONNX files as symbols and blocks, against ONNX's own reference."""

import numpy as np
import pytest

pytest.importorskip("onnx")
import onnx
from helpers.onnx_cases import difference, run_model
from minigluon.onnx.importer import ImportProblems
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.base import FileFormatError, MXNetError

FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64


def model_of(nodes, inputs, outputs=("y",), constants=None, opset=18):
    """A ModelProto. inputs: {name: shape} or {name: (type, shape)}."""
    typed = {name: kind if isinstance(kind, tuple) and isinstance(kind[-1], (list, tuple)) else (FLOAT, kind)
             for name, kind in inputs.items()}
    graph = helper.make_graph(
        nodes, "graph", [helper.make_tensor_value_info(name, *kind) for name, kind in typed.items()],
        [helper.make_empty_tensor_value_info(name) for name in outputs],
        [numpy_helper.from_array(array, name) for name, array in (constants or {}).items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def node(kind, inputs, outputs=("y",), **attributes):
    return helper.make_node(kind, list(inputs), list(outputs), **attributes)


X = np.random.default_rng(0).standard_normal((2, 3, 7, 6)).astype(np.float32)
W = np.random.default_rng(1).standard_normal((4, 3, 3, 2)).astype(np.float32)

CASES = {
    "conv-same": (node("Conv", "xw", auto_pad="SAME_UPPER", strides=[2, 1]), {"x": X, "w": W}),
    "conv-pads": (node("Conv", "xw", pads=[1, 0, 2, 1]), {"x": X, "w": W}),
    "transposed": (node("ConvTranspose", "xw", strides=[2, 3], output_padding=[1, 2]),
                   {"x": X, "w": W[:3].transpose(0, 1, 2, 3).copy()}),
    "average": (node("AveragePool", "x", kernel_shape=[3, 3], strides=[2, 2], pads=[1, 0, 1, 1]), {"x": X}),
    "dilated": (node("MaxPool", "x", kernel_shape=[2, 2], dilations=[2, 3]), {"x": X}),
    "matmul": (node("MatMul", "xz"), {"x": X, "z": np.ones((3, 6, 2), np.float32)}),
    "cubic": (node("Resize", ["x", "", "", "sizes"], mode="cubic"), {"x": X}, 18, {"sizes": np.array([2, 3, 5, 9])}),
    "gather": (node("GatherElements", "xi", axis=3), {"x": X, "i": np.full((2, 3, 7, 2), -1)}),
    "slices": (node("Slice", ["x", "b", "e", "a", "s"]), {"x": X}, 18,
               {"b": np.array([-1, 1]), "e": np.array([-100, 6]), "a": np.array([3, 2]), "s": np.array([-2, 3])}),
    "grid": (node("GridSample", "xg", mode="cubic", padding_mode="reflection"),
             {"x": X, "g": np.linspace(-1.4, 1.6, 24).reshape(2, 2, 3, 2).astype(np.float32)}, 20),
    "einsum": (node("Einsum", "xz", equation="...hw,wk->...kh"), {"x": X, "z": np.ones((6, 2), np.float32)}),
    "suppressed": (node("NonMaxSuppression", "bsmt"), {
        "b": np.float32([[[0, 0, 1, 1], [0, 0.1, 1, 1.1], [3, 3, 2, 2], [0, 0, 1, 0.9]]]),
        "s": np.float32([[[0.5, 0.9, 0.3, 0.6], [0.1, 0.2, 0.8, 0.7]]])}, 18,
        {"m": np.array([2]), "t": np.float32([0.5])}),
    "scattered": (node("ScatterElements", "xiu", reduction="max", axis=3),
                  {"x": X, "i": np.full((1, 2, 3, 2), 4), "u": W[:1, :2, :, :]}),
    "fourier": (node("DFT", ["d", "", "a"], onesided=1), {"d": X[..., None]}, 20, {"a": np.array(-2)}),
    "product": (node("CumProd", "xa", exclusive=1, reverse=1), {"x": X}, 26, {"a": np.array(2)}),
    "divided": (node("Div", "ij"), {"i": np.int32([-7, 7, -2 ** 31]), "j": np.int32([2, -2, 3])}),
    "bits": (node("BitwiseXor", "ij"), {"i": np.array([[-1], [6], [-2 ** 63]]), "j": np.array([5, -2 ** 63, -8])}),
    "turned": (node("BitwiseNot", "i"), {"i": np.uint8([0, 7, 255])}),
    "shifted": (node("BitShift", "ij", direction="RIGHT"),
                {"i": np.array([[-5], [2 ** 63 - 1]]), "j": np.array([1, 40, 62, 64, -1])}, 26),
    "shifted-left": (node("BitShift", "ij", direction="LEFT"), {"i": np.uint8([[3], [255]]), "j": np.uint8([1, 7, 8])}),
    "unpooled": (node("MaxUnpool", "xio", kernel_shape=[2, 3], strides=[2, 2]), {
        "x": X[:, :1, :2, :2], "i": np.array([[[[1, 4], [12, 17]]], [[[22, 24], [39, 25]]]])}, 18,
        {"o": np.array([2, 1, 5, 7])}),
    "cache": (node("TensorScatter", "xui", mode="circular"),
              {"x": X, "u": W[:2, :, :2, :1].repeat(6, -1), "i": np.array([6, 2])}, 24),
    "gru": (node("GRU", ["s", "w", "r"], ["y", "h"], hidden_size=4),
            {"s": X[0], "w": np.ones((1, 12, 6), np.float32) / 9, "r": np.ones((1, 12, 4), np.float32) / 7}),
}


@pytest.mark.parametrize("name", CASES)
def test_a_node_agrees_with_onnx(name):
    made, inputs, opset, constants = (*CASES[name], *(18, {})[len(CASES[name]) - 2:])
    given = {key: (helper.np_dtype_to_tensor_dtype(array.dtype), array.shape) for key, array in inputs.items()}
    model = model_of([made], given, made.output, constants, opset)
    found, needed = run_model(model.SerializeToString(), list(inputs.values()))
    assert not needed
    for out, expected in zip(found, ReferenceEvaluator(model).run(None, inputs), strict=True):
        assert difference(out, expected, 1e-4, 1e-5) is None


def test_softmax_was_over_all_later_axes():
    """Until opset 12."""
    model = model_of([node("Softmax", "x", axis=1)], {"x": X.shape}, opset=11)
    (found,), _ = run_model(model.SerializeToString(), [X])
    powers = np.exp(X)
    np.testing.assert_allclose(found, powers / powers.sum(axis=(1, 2, 3), keepdims=True), rtol=1e-5)


def small_net(batch="batch"):
    """A convolution, a normalization and a dense layer, with shape arithmetic as PyTorch writes it."""
    draw = np.random.default_rng(2)
    return model_of(
        [node("Conv", ["x", "conv.weight"], ["c"], name="conv"),
         node("BatchNormalization", ["c", "g", "b", "m", "v"], ["n"], name="bn"), node("Relu", "n", "r"),
         node("Shape", "r", "s"), node("Gather", ["s", "zero"], ["first"]), node("Unsqueeze", ["first", "axis"], ["f"]),
         node("Concat", ["f", "rest"], ["target"], axis=0), node("Reshape", ["r", "target"], ["flat"]),
         node("Gemm", ["flat", "w"], ["y"], transB=1)],
        {"x": [batch, 2, 4, 4]}, constants={
            "conv.weight": draw.standard_normal((3, 2, 3, 3)).astype(np.float32), "g": np.ones(3, np.float32),
            "b": np.zeros(3, np.float32), "m": np.zeros(3, np.float32), "v": np.ones(3, np.float32),
            "zero": np.array(0), "axis": np.array([0]), "rest": np.array([-1]),
            "w": draw.standard_normal((5, 12)).astype(np.float32)})


def test_a_net_runs_at_other_batch_sizes_trains_and_exports(tmp_path):
    model = small_net()
    net = mx.onnx.import_to_gluon(model, mx.cpu())
    x = np.random.default_rng(3).standard_normal((3, 2, 4, 4)).astype(np.float32)
    expected = ReferenceEvaluator(model).run(None, {"x": x})[0]
    np.testing.assert_allclose(net(nd.array(x)).asnumpy(), expected, rtol=1e-5, atol=1e-5)
    net.hybridize()
    np.testing.assert_allclose(net(nd.array(x[:2])).asnumpy(), expected[:2], rtol=1e-5, atol=1e-5)
    assert sorted(net.collect_params()) == ["b", "conv.weight", "g", "m", "v", "w"]
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.01})
    losses = []
    for _ in range(3):
        with autograd.record():
            loss = nd.square(net(nd.array(x))).sum()
        loss.backward()
        trainer.step(3)
        losses.append(loss.asscalar())
    assert losses[2] < losses[0]
    net.export(str(tmp_path / "net"))
    again = gluon.SymbolBlock.imports(str(tmp_path / "net-symbol.json"), "x", str(tmp_path / "net-0000.params"))
    np.testing.assert_array_equal(again(nd.array(x)).asnumpy(), net(nd.array(x)).asnumpy())


def test_import_model_gives_what_a_checkpoint_gives():
    symbol, arguments, auxiliary = mx.onnx.import_model(small_net().SerializeToString())
    assert sorted(arguments) == ["b", "conv.weight", "g", "w"]
    assert sorted(auxiliary) == ["m", "v"]
    assert symbol.list_arguments()[0] == "x"
    assert {"conv", "bn"} <= {n.name for n in symbol.nodes()}


def test_metadata():
    assert mx.onnx.get_model_metadata(small_net()) == {
        "input_tensor_data": [("x", (0, 2, 4, 4), 1)], "output_tensor_data": [("y", ())]}


def test_all_problems_are_told_at_once():
    model = model_of([node("NonZero", "x", "a", name="first"), node("Unique", "x", "y", name="second"),
                      node("Relu", "a", "b")], {"x": [2]}, ("y", "b"))
    with pytest.raises(ImportProblems) as error:
        mx.onnx.import_model(model)
    assert str(error.value) == ("this file has parts that have no counterpart in minigluon:\n"
                                "  node 'first' (NonZero), opset 18: this operator is not implemented\n"
                                "  node 'second' (Unique), opset 18: this operator is not implemented")


def test_an_input_that_decides_shapes_is_given_when_the_file_is_read():
    model = model_of([node("Reshape", "xs", name="reshape")], {"x": [2, 3], "s": (INT64, [2])})
    with pytest.raises(ImportProblems) as error:
        mx.onnx.import_model(model)
    assert str(error.value) == (
        "this file has parts that have no counterpart in minigluon:\n  node 'reshape' (Reshape), opset 18: its input "
        "'s' decides shapes, so it must be known when the file is read\n"
        "Pass inputs that decide shapes when reading the file: constants={'s': ...}")
    symbol, _, _ = mx.onnx.import_model(model, {"s": [3, 2]})
    assert symbol.eval(x=nd.zeros((2, 3)))[0].shape == (3, 2)


# -- files that are damaged, or that want more than they should --------------------------------------------------------


def test_a_file_that_is_cut_off(tmp_path):
    path = tmp_path / "cut.onnx"
    path.write_bytes(small_net().SerializeToString()[:-20])
    with pytest.raises(FileFormatError, match=r"cut.onnx' is not an ONNX file, or is truncated$"):
        mx.onnx.import_model(path)
    with pytest.raises(MXNetError, match=r"^cannot read .*missing.onnx'"):
        mx.onnx.import_model(tmp_path / "missing.onnx")


@pytest.mark.parametrize("location", ["../secret", "/etc/passwd", "", "link", "\0"])
def test_data_outside_of_the_folder_is_not_read(tmp_path, location):
    (tmp_path / "secret").write_bytes(bytes(8))
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "link").symlink_to(tmp_path / "secret")
    tensor = TensorProto(name="w", data_type=FLOAT, dims=[2], data_location=TensorProto.EXTERNAL)
    tensor.external_data.add(key="location", value=location)
    model = model_of([node("Add", "xw")], {"x": [2]})
    model.graph.initializer.append(tensor)
    onnx.save(model, folder / "m.onnx")
    with pytest.raises(FileFormatError, match="^tensor 'w' refers to .*, which is not inside the model"):
        mx.onnx.import_model(folder / "m.onnx")


def test_data_in_the_folder_is_read(tmp_path):
    model = model_of([node("Add", "xw")], {"x": [300]}, constants={"w": np.arange(300, dtype=np.float32)})
    onnx.save(model, tmp_path / "m.onnx", save_as_external_data=True, location="weights", size_threshold=0)
    _, arguments, _ = mx.onnx.import_model(tmp_path / "m.onnx")
    np.testing.assert_array_equal(arguments["w"].asnumpy(), np.arange(300))
    (tmp_path / "weights").write_bytes(bytes(100))
    with pytest.raises(FileFormatError, match="^tensor 'w' needs 1200 bytes at 0 of 'weights', which is missing"):
        mx.onnx.import_model(tmp_path / "m.onnx")


@pytest.mark.parametrize("wanted", [
    node("Range", ["zero", "most", "step"], ["t"]), node("OneHot", ["zero", "most", "both"], ["t"])])
def test_constants_larger_than_the_file_are_not_computed(wanted):
    model = model_of([wanted, node("Shape", ["t"], ["y"])], {"x": [2]}, constants={
        "zero": np.array(0), "most": np.array(1 << 40), "step": np.array(1), "both": np.array([0, 1])})
    with pytest.raises(ImportProblems, match="elements, more than a file of this size may require"):
        mx.onnx.import_model(model)


def test_parts_without_end_are_not_cut():
    model = model_of([node("SplitToSequence", "x", ["s"]), node("SequenceLength", "s")], {"x": [1 << 40]})
    with pytest.raises(ImportProblems, match="elements, more than a file of this size may require"):
        mx.onnx.import_model(model)


@pytest.mark.parametrize("wanted", [
    node("ConstantOfShape", ["huge"], ["t"]), node("Expand", ["one", "huge"], ["t"]),
    node("Tile", ["ones", "huge"], ["t"])])
def test_large_arrays_of_one_value_are_made_when_the_graph_runs(wanted):
    model = model_of([wanted, node("Shape", ["t"], ["y"])], {"x": [2]}, constants={
        "huge": np.array([1 << 20, 1 << 14]), "one": np.ones(1), "ones": np.ones((1, 1))})
    (found,), _ = run_model(model.SerializeToString(), [X])
    assert found.tolist() == [1 << 20, 1 << 14]


def test_a_tensor_larger_than_its_bytes():
    model = model_of([node("Add", "xw")], {"x": [2]})
    model.graph.initializer.append(TensorProto(name="w", data_type=FLOAT, dims=[1 << 40], raw_data=bytes(8)))
    with pytest.raises(FileFormatError, match="^tensor 'w' of shape .* has 32 elements in the file$"):
        mx.onnx.import_model(model)


@pytest.mark.parametrize(("shapes", "said"), [
    ([(1, 12, 4), (1 << 27, 12, 3)], r"weights 'r' of shape \(134217728, 12, 3\); for hidden_size=3 and "
                                     r"direction='forward' it is \(1, 12, 3\)"),
    ([(1 << 30, 0, 4), (1 << 30, 0, 0)], "weights 'w' of shape .* for hidden_size=0")])
def test_weights_of_a_cell_that_promise_more_than_they_are(shapes, said):
    model = model_of([node("LSTM", "xwr", ["y"])], {"x": [5, 2, 4], "w": shapes[0], "r": shapes[1]})
    with pytest.raises(ImportProblems, match=said):
        mx.onnx.import_model(model)
