"""bfloat16, a type of the package ml_dtypes: arrays, arithmetic, files, gradients, training."""

import sys

import numpy as np
import pytest
from records import DATA

import minigluon as mx
from minigluon import autograd, gluon, nd, sym
from minigluon.base import DTypeError
from minigluon.gluon import nn

ml_dtypes = pytest.importorskip("ml_dtypes")
BFLOAT16 = np.dtype(ml_dtypes.bfloat16)


def test_arrays_of_it():
    x = nd.array([1, 2.5, 3.14159], dtype="bfloat16")
    assert x.dtype is ml_dtypes.bfloat16
    assert x.asnumpy().dtype == BFLOAT16
    assert x.asnumpy().tolist() == [1, 2.5, 3.140625]
    assert x.astype("float32").asnumpy().tolist() == [1, 2.5, 3.140625]
    assert x.astype("int32").asnumpy().tolist() == [1, 2, 3]
    for made in nd.zeros(2, dtype="bfloat16"), nd.full(2, 0, dtype=BFLOAT16), nd.zeros(2).astype(ml_dtypes.bfloat16):
        assert made.dtype is ml_dtypes.bfloat16
    x[1] = 7
    assert x[1].asscalar() == 7


@pytest.mark.parametrize("compute", [
    lambda x, y: x + y, lambda x, y: x * y, lambda x, y: nd.dot(x, y, transpose_b=True), lambda x, y: nd.softmax(x),
    lambda x, y: nd.sum(x, axis=1), lambda x, y: nd.mean(x), lambda x, y: nd.concat(x, y, dim=0), lambda x, y: x > y,
    lambda x, y: nd.sort(x), lambda x, y: nd.FullyConnected(x, y, no_bias=True, num_hidden=3),
    lambda x, y: nd.LayerNorm(x, y[0], y[1]), lambda x, y: nd.clip(x, -1, 1), lambda x, y: nd.maximum(x, y)])
def test_results_are_those_of_float32_rounded_once(compute):
    rng = np.random.default_rng(3)
    x, y = (nd.array(rng.standard_normal((3, 40))).astype("bfloat16") for _ in range(2))
    found, wanted = compute(x, y), compute(x.astype("float32"), y.astype("float32"))
    assert found.dtype is ml_dtypes.bfloat16
    np.testing.assert_array_equal(found.asnumpy().view("uint16"), wanted.asnumpy().astype(BFLOAT16).view("uint16"))


def test_files_have_mxnets_code_12(tmp_path):
    x = nd.array([[1, 2.5], [3, -4]], dtype="bfloat16")
    path = tmp_path / "x.params"
    nd.save(str(path), {"x": x})
    # One array: its header, rank 2, the shape, the device, and the code of the type
    assert path.read_bytes()[24:].startswith(bytes([0xC9, 0xFA, 0x93, 0xF9]))
    assert (12).to_bytes(4, "little") + x.asnumpy().tobytes() in path.read_bytes()
    loaded = nd.load(str(path))["x"]
    assert loaded.dtype is ml_dtypes.bfloat16
    assert loaded.asnumpy().tolist() == x.asnumpy().tolist()


def test_a_file_of_mxnets(tmp_path):
    x = nd.load(str(DATA / "mxnet_bfloat16.params"))["x"]
    assert x.dtype is ml_dtypes.bfloat16
    assert x.asnumpy().tolist() == [[1, 2.5], [-3.140625, 256]]
    nd.save(str(tmp_path / "ours.params"), {"x": x})
    assert (tmp_path / "ours.params").read_bytes() == (DATA / "mxnet_bfloat16.params").read_bytes()


def test_variables_of_it_in_a_symbol_file():
    net = sym.FullyConnected(sym.var("data", dtype="bfloat16"), num_hidden=2)
    assert '"__dtype__": "12"' in net.tojson()
    assert sym.load_json(net.tojson()).infer_type()[1] == [ml_dtypes.bfloat16]


@pytest.mark.parametrize("hybridized", [True, False])
def test_training(hybridized):
    mx.random.seed(5)
    net = nn.HybridSequential()
    net.add(nn.Conv2D(4, 3), nn.BatchNorm(), nn.Activation("relu"), nn.Flatten(), nn.Dense(2))
    net.initialize(mx.init.Xavier())
    net.cast("bfloat16")
    assert net[1].gamma.dtype is np.float32
    if hybridized:
        net.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "sgd",
                            {"learning_rate": 0.1, "momentum": 0.9, "multi_precision": True})
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    x = nd.random.normal(shape=(16, 1, 6, 6))
    y = x.sum(axis=(1, 2, 3)) > 0
    losses = []
    for _ in range(20):
        with autograd.record():
            value = loss(net(x.astype("bfloat16")), y)
        value.backward()
        trainer.step(16)
        losses.append(value.astype("float32").mean().asscalar())
    assert net[0].weight.data().dtype is ml_dtypes.bfloat16
    assert losses[-1] < losses[0] / 4


def test_without_the_package_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    with pytest.raises(DTypeError) as error:
        nd.zeros(2, dtype="bfloat16")
    assert str(error.value) == ("bfloat16 is a type of the package ml_dtypes, which is not installed: "
                                'pip install "minigluon[bfloat16]". Or use float16.')


def test_positions_beyond_its_whole_numbers_are_refused():
    assert nd.argmax(nd.zeros((1, 257), dtype="bfloat16"), axis=1).asnumpy() == 0
    with pytest.raises(DTypeError) as error:
        nd.argmax(nd.zeros((1, 258), dtype="bfloat16"), axis=1)
    assert str(error.value) == ("argmax: positions up to 257 do not fit into bfloat16, the dtype of data. "
                                "Convert with .astype('float32').")
