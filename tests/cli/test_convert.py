"""`minigluon convert` and `minigluon explain file.onnx`, in this process."""

import json

import numpy as np
import pytest
from helpers import old_checkpoints

from minigluon import gluon, nd, onnx
from minigluon.tools import cli

pytestmark = pytest.mark.once

# As MXNet 0.8 wrote it: attributes under "param", no moving statistics among the inputs, three numbers for an input.
OLD = {"nodes": [
    {"op": "null", "param": {}, "name": "data", "inputs": [], "backward_source_id": -1},
    {"op": "null", "param": {}, "name": "fc_weight", "inputs": [], "backward_source_id": -1},
    {"op": "null", "param": {}, "name": "fc_bias", "inputs": [], "backward_source_id": -1},
    {"op": "FullyConnected", "param": {"no_bias": "False", "num_hidden": "2"}, "name": "fc",
     "inputs": [[0, 0], [1, 0], [2, 0]], "backward_source_id": -1},
    {"op": "null", "param": {}, "name": "softmax_label", "inputs": [], "backward_source_id": -1},
    {"op": "SoftmaxOutput", "param": {"grad_scale": "1", "multi_output": "False"}, "name": "softmax",
     "inputs": [[3, 0], [4, 0]], "backward_source_id": -1}],
    "arg_nodes": [0, 1, 2, 4], "heads": [[5, 0]]}


@pytest.fixture
def old(tmp_path):
    (tmp_path / "old-symbol.json").write_text(json.dumps(OLD))
    nd.save(str(tmp_path / "old-0007.params"), {"arg:fc_weight": nd.array([[1, 2, 3], [3, 2, 1]]),
                                                "arg:fc_bias": nd.array([0, 1])})
    return tmp_path


def test_an_old_checkpoint_becomes_a_new_one_without_its_loss(old, capsys):
    target = old / "new-symbol.json"
    assert cli.main(["convert", str(old / "old-symbol.json"), str(target), "--shape", "data:4,3", "--check"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out == [f"written: {target} {old / 'new-0000.params'}",
                   "check: minigluon and minigluon on random inputs: largest difference 0.0e+00, relative to the "
                   "largest element"]
    assert '"softmax_label"' not in target.read_text()


def test_arrays(old, capsys):
    pytest.importorskip("safetensors")
    source, target = str(old / "old-0007.params"), str(old / "a.safetensors")
    assert cli.main(["convert", source, target, "--check"]) == 0
    assert capsys.readouterr().out == f"written: {target}, 2 arrays\ncheck: all bytes are the same\n"
    assert cli.main(["convert", str(old / "old-symbol.json"), str(old / "a.npz")]) == 0
    assert sorted(nd.load(str(old / "a.npz"))) == ["fc_bias", "fc_weight"]


@pytest.mark.parametrize(("args", "message"), [
    (["a.params", "b.json"],
     "'a.params' holds arrays without a network. Convert the symbol file, with --params a.params"),
    (["a.txt", "b.onnx"], "'a.txt' does not end in .json, .onnx, .params, .safetensors or .npz"),
    (["a-symbol.json", "b.npz"],
     "'a-symbol.json' has no parameter file a-0000.params next to it. Name one with --params"),
])
def test_mistakes(args, message, capsys):
    assert cli.main(["convert", *args]) == 1
    assert capsys.readouterr().err == f"minigluon convert: error: {message}\n"


@pytest.fixture
def file(tmp_path):
    onnx = pytest.importorskip("onnx")
    text = ('<ir_version: 8, opset_import: ["": 17]> graph (float[n, 3] x) => (float[n, 2] y) '
            "<float[3, 2] w = {1, 2, 3, 4, 5, 6}> { z = MatMul(x, w) y = Relu(z) }")
    onnx.save(onnx.parser.parse_model(text), tmp_path / "net.onnx")
    return str(tmp_path / "net.onnx")


def test_an_onnx_file_becomes_a_checkpoint(file, tmp_path, capsys):
    target = str(tmp_path / "net-symbol.json")
    assert cli.main(["convert", file, target, "--check"]) == 0
    assert "largest difference" in capsys.readouterr().out
    block = gluon.SymbolBlock.imports(target, "x", str(tmp_path / "net-0000.params"))
    np.testing.assert_array_equal(block(nd.array([[1, 0, -1], [0, 1, 0]])).asnumpy(), [[0, 0], [3, 4]])


def test_an_onnx_file_is_explained(file, tmp_path, capsys):
    pytest.importorskip("jinja2")
    page = tmp_path / "page.html"
    assert cli.main(["explain", file, "--shape", "x:2,3", "-o", str(page)]) == 0
    assert "relu" in page.read_text()
    assert cli.main(["explain", file, "--shape", "wrong:2,3", "-o", str(page)]) == 1
    assert capsys.readouterr().err == "minigluon explain: error: --shape names wrong; the inputs are x\n"


@pytest.mark.parametrize("version", old_checkpoints.VERSIONS)
def test_a_checkpoint_of_any_version_becomes_an_onnx_file(version, tmp_path, capsys):
    """A convolution with moving statistics. MXNet 1.9.1 computes these numbers from the same two files."""
    pytest.importorskip("onnx")
    prefix = str(tmp_path / "net")
    old_checkpoints.write(prefix, version)
    args = ["convert", f"{prefix}-symbol.json", f"{prefix}.onnx", "--shape", "data:2,1,4,4", "--check"]
    assert cli.main(args) == 0
    assert "largest difference" in capsys.readouterr().out
    x = nd.arange(32).reshape((2, 1, 4, 4)) / 16 - 1
    wanted = [[0.17085254, 0.44664934, 0.38249812], [0.61311555, 0.34594014, 0.04094428]]
    np.testing.assert_allclose(onnx.import_to_gluon(f"{prefix}.onnx")(x).asnumpy(), wanted, rtol=1e-5)
