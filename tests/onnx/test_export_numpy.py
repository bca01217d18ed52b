"""Networks with functions of `mx.np` as ONNX files: what onnxruntime computes, and symbols read back."""

import numpy as onp
import pytest
from helpers.onnx_files import flat, run_file
from records import np_graph_cases as cases

import minigluon as mx
from minigluon import np, npx

pytestmark = pytest.mark.once
EXPRESSIONS = ["a[0:2, 1]", "(a > 0.5) * a", "where(m, 1.5, c)", "take(a, i)", "j / 2", "std(a, axis=0)",
               "pad(a, ((1, 1), (2, 2)))",
               "tensordot(a, d, axes=1)", "npx.reshape(t, (-5, -4))", "argmax(a, axis=1)", "arctan2(a, c)", "m.sum()",
               "linalg.norm(a, axis=1)",
               "indices((3, 4)) * a", "split(a, 3)", "roll(a, 1)", "cumsum(a)", "around(a, 1)"]


@pytest.fixture(autouse=True)
def numpy_mode():
    npx.set_np()
    yield
    npx.reset_np()


def made(name):
    net = cases.build(mx, name)
    net.initialize()
    net.hybridize()
    return net, [np.array(x) for x in cases.inputs_of(name)]


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_functions(name, tmp_path):
    net, inputs = made(name)
    expected = flat(net(*inputs))
    found = run_file(net.export_onnx(str(tmp_path / "net.onnx"), *inputs, dynamic=False), [x.asnumpy() for x in inputs])
    assert [y.dtype for y in found] == [y.dtype for y in expected]
    for x, y in zip(found, expected, strict=True):
        onp.testing.assert_allclose(x, y, 1e-5, 1e-6)


@pytest.mark.parametrize("name", ["perceptron", "attention", "convolutions"])
def test_networks_with_an_open_batch(name, tmp_path):
    net, inputs = made(name)
    net(*inputs)
    path = net.export_onnx(str(tmp_path / "net.onnx"), *inputs)
    again = mx.contrib.onnx.import_to_gluon(path, mx.cpu())
    for count in (2, 5):
        x = np.array(onp.concatenate([inputs[0].asnumpy()] * 3)[:count])
        expected = net(x).asnumpy()
        onp.testing.assert_allclose(run_file(path, [x.asnumpy()])[0], expected, 1e-4, 1e-5)
        onp.testing.assert_allclose(again(x).asnumpy(), expected, 1e-4, 1e-5)


def test_what_numpy_computes_is_named(tmp_path):
    net, inputs = made("unique(v)")
    net(*inputs)
    with pytest.raises(mx.MXNetError, match="_npi_unique 'net_unique0' is computed by NumPy"):
        net.export_onnx(str(tmp_path / "net.onnx"), *inputs)
