"""mx.rnn: symbolic cells as numbers, their weights gate by gate, sentences in buckets, checkpoints, first values."""

import json
import random
import subprocess
from pathlib import Path

import numpy as np
import pytest
from helpers.errors import error_of
from records import MXNET

import minigluon as mx
from minigluon import nd, rnn, sym

SENTENCES = [[1, 2, 3], [4, 5], [6, 7, 8, 9], [1, 2], [3, 4, 5, 6], [7], [8, 9, 1, 2, 3, 4, 5]]


def weights_of(cell, inputs=5):
    """Values for a fused cell's vector."""
    graph, _ = cell.unroll(3, sym.var("data"), layout="TNC", merge_outputs=True)
    shapes = dict(zip(graph.list_arguments(), graph.infer_shape(data=(3, 2, inputs))[0], strict=True))
    (name,) = [name for name in shapes if name.endswith("parameters")]
    return name, np.random.default_rng(0).uniform(-0.7, 0.7, shapes[name]).astype("float32")


def gradients(outputs, values):
    """(outputs, {name: gradient}) of a symbol's executor; heads are ones."""
    executor = outputs.simple_bind(mx.cpu(), data=values["data"].shape)
    for name, value in values.items():
        executor.arg_dict[name][:] = value
    found = executor.forward(is_train=False)
    executor.forward(is_train=True)
    executor.backward([nd.ones(y.shape) for y in found])
    return [y.asnumpy() for y in found], {name: grad for name, grad in executor.grad_dict.items() if name != "data"}


@pytest.mark.parametrize("mode", ["rnn_relu", "rnn_tanh", "lstm", "gru"])
@pytest.mark.parametrize("both", [False, True])
def test_a_fused_cell_is_its_cells(mode, both):
    """Outputs and gradients, through unpack_weights and pack_weights."""
    fused = rnn.FusedRNNCell(4, 2, mode, bidirectional=both, prefix="net_")
    stack = fused.unfuse()
    name, packed = weights_of(fused)
    data = np.random.default_rng(1).uniform(-1, 1, (3, 2, 5)).astype("float32")
    apart = stack.pack_weights(fused.unpack_weights({name: nd.array(packed)}))
    assert all(key.startswith("net_l") or key.startswith("net_r") for key in apart)
    one, _ = fused.unroll(3, sym.var("data"), layout="TNC", merge_outputs=True)
    many, _ = stack.unroll(3, sym.var("data"), layout="TNC", merge_outputs=True)
    (ours,), grad = gradients(one, {"data": data, name: packed})
    (theirs,), grads = gradients(many, {"data": data, **{key: x.asnumpy() for key, x in apart.items()}})
    np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-6)
    joined = fused.pack_weights(stack.unpack_weights(grads))[name]
    np.testing.assert_allclose(grad[name].asnumpy(), joined.asnumpy(), rtol=1e-4, atol=1e-5)
    again = fused.pack_weights(fused.unpack_weights({name: nd.array(packed), "other": nd.ones(1)}))
    assert again.keys() == {name, "other"}
    np.testing.assert_array_equal(again[name].asnumpy(), packed)


def test_first_values_of_a_fused_cell():
    """Each part by the initializer of the net, or its own; lstm's forget gates get forget_bias."""
    fused = rnn.FusedRNNCell(3, 2, "lstm", bidirectional=True, forget_bias=3.0, prefix="k_")
    name, packed = weights_of(fused)
    attribute = json.dumps(json.loads(fused.params.get("parameters").attr("__init__")))
    assert attribute == ('["fusedrnn", {"init": null, "num_hidden": 3, "num_layers": 2, "mode": "lstm", '
                         '"bidirectional": true, "forget_bias": 3.0}]')
    for own, expected in ((None, 1.0), ("zeros", 0.0), (mx.init.Constant(2.0), 2.0)):
        init = mx.init.FusedRNN(own, 3, 2, "lstm", True, forget_bias=3.0)
        values = nd.zeros(packed.shape)
        mx.init.One()(mx.init.InitDesc(name, {"__init__": init.dumps()}), values)
        for part, value in fused.unpack_weights({name: values}).items():
            kind = 3.0 if part.endswith("_f_bias") else 0.0 if part.endswith("bias") else expected
            assert (value.asnumpy() == kind).all(), part
    assert error_of(lambda: mx.init.FusedRNN(None, 3, 2, "lstm")._init_weight("w", nd.zeros((7,)))).startswith(
        "FusedRNN: w has 7 elements, which match no number of inputs for RNN(state_size=3, num_layers=2, ")


def test_zoneout_residual_and_dropout_as_numbers():
    stack = rnn.SequentialRNNCell()
    stack.add(rnn.ZoneoutCell(rnn.RNNCell(4, prefix="a_"), 0.5, 0.5))
    stack.add(rnn.DropoutCell(0.5))
    stack.add(rnn.ResidualCell(rnn.GRUCell(4, prefix="b_")))
    outputs, states = stack.unroll(3, sym.var("data"), layout="TNC", merge_outputs=True)
    group = sym.Group([outputs, *states])
    executor = group.simple_bind(mx.cpu(), data=(3, 2, 5))
    for array in executor.arg_dict.values():
        array[:] = nd.random.uniform(-1, 1, shape=array.shape)
    plain = rnn.SequentialRNNCell()
    plain.add(rnn.RNNCell(4, prefix="a_"))
    plain.add(rnn.ResidualCell(rnn.GRUCell(4, prefix="b_")))
    expected, _ = plain.unroll(3, sym.var("data"), layout="TNC", merge_outputs=True)
    found = executor.forward(is_train=False)[0].asnumpy()
    np.testing.assert_allclose(found, expected.eval(**executor.arg_dict)[0].asnumpy(), rtol=1e-5)
    trained = executor.forward(is_train=True)[0].asnumpy()
    executor.backward([nd.ones(y.shape) for y in executor.outputs])
    assert (trained != found).any()


@pytest.mark.parametrize("kind", [rnn.ConvRNNCell, rnn.ConvLSTMCell, rnn.ConvGRUCell])
def test_cells_with_convolutions_run_in_both_layouts(kind):
    """The same numbers; the batch size of the first states follows from the inputs, back through the convolution."""
    x = np.random.default_rng(0).uniform(-1, 1, (2, 3, 6, 5))
    found = {}
    for layout in ("NCHW", "NHWC"):
        axes = [0, 1, 2, 3] if layout == "NCHW" else [0, 2, 3, 1]
        cell = kind([(1, 3, 6, 5)[axis] for axis in axes], 4, h2h_kernel=(3, 5), conv_layout=layout, prefix="c_")
        data = sym.var("x")
        outputs, states = cell.unroll(2, [data, data])
        graph = sym.Group([outputs[1], *states])
        shapes = dict(zip(graph.list_arguments(), graph.infer_shape(x=tuple(x.shape[a] for a in axes))[0], strict=True))
        values = {}
        for number, (name, shape) in enumerate(sorted(shapes.items())):
            plain = shape if len(shape) == 1 or layout == "NCHW" else [shape[axes.index(axis)] for axis in range(4)]
            drawn = np.random.default_rng(number).uniform(-0.5, 0.5, plain)
            values[name] = nd.array(drawn.transpose(axes) if len(shape) == 4 else drawn)
        values["x"] = nd.array(x.transpose(axes))
        found[layout] = [y.asnumpy().transpose(np.argsort(axes)) for y in graph.eval(**values)]
    for a, b in zip(found["NCHW"], found["NHWC"], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)


def test_cells_share_parameters():
    params = rnn.RNNParams("shared_")
    first, second = (rnn.LSTMCell(3, prefix=f"{i}_", params=params) for i in range(2))
    both = sym.Group([first.unroll(1, sym.var("x"))[0][0], second.unroll(1, sym.var("y"))[0][0]])
    assert [n for n in both.list_arguments() if n not in "xy"] == [
        "shared_i2h_weight", "shared_i2h_bias", "shared_h2h_weight", "shared_h2h_bias"]
    stack = rnn.SequentialRNNCell(params=rnn.RNNParams("s_"))
    assert error_of(lambda: stack.add(first)) == (
        "SequentialRNNCell was given params, and so was the cell with prefix '0_'. Give them to one of the two.")


def test_checkpoints_hold_gates(tmp_path):
    fused = rnn.FusedRNNCell(4, 2, "gru", prefix="net_")
    name, packed = weights_of(fused)
    graph, _ = fused.unroll(3, sym.var("data"), layout="TNC", merge_outputs=True)
    rnn.save_rnn_checkpoint(fused, str(tmp_path / "net"), 7, graph, {name: nd.array(packed)}, {})
    assert "arg:net_l1_h2h_o_bias" in nd.load(str(tmp_path / "net-0007.params"))
    symbol, args, _ = rnn.load_rnn_checkpoint([fused], str(tmp_path / "net"), 7)
    np.testing.assert_array_equal(args[name].asnumpy(), packed)
    assert symbol.list_arguments() == graph.list_arguments()
    assert "net_l0_i2h_weight" in rnn.load_rnn_checkpoint(fused.unfuse(), str(tmp_path / "net"), 7)[1]
    rnn.do_rnn_checkpoint(fused, str(tmp_path / "every"), 2)(0, graph, {name: nd.array(packed)}, {})
    rnn.do_rnn_checkpoint(fused, str(tmp_path / "every"), 2)(1, graph, {name: nd.array(packed)}, {})
    assert sorted(path.name for path in tmp_path.glob("every*")) == ["every-0002.params", "every-symbol.json"]


@pytest.mark.skipif(not MXNET, reason="MINIGLUON_MXNET_PYTHON does not name a Python with MXNet 1.9.1")
def test_checkpoints_are_read_by_mxnet(tmp_path):
    fused = rnn.FusedRNNCell(4, 2, "lstm", bidirectional=True, prefix="net_")
    name, packed = weights_of(fused)
    graph, _ = fused.unroll(3, sym.var("data"), layout="TNC", merge_outputs=True)
    rnn.save_rnn_checkpoint(fused, str(tmp_path / "net"), 1, graph, {name: nd.array(packed)}, {})
    program = """
import sys, numpy as np, mxnet as mx
fused = mx.rnn.FusedRNNCell(4, 2, "lstm", bidirectional=True, prefix="net_")
symbol, args, _ = mx.rnn.load_rnn_checkpoint(fused, sys.argv[1] + "/net", 1)
data = mx.nd.array(np.linspace(-1, 1, 30).reshape(3, 2, 5))
np.save(sys.argv[1] + "/out.npy", symbol.eval(data=data, **args)[0].asnumpy())
"""
    done = subprocess.run([MXNET, "-W", "ignore", "-c", program, str(tmp_path)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    ours = graph.eval(data=nd.array(np.linspace(-1, 1, 30).reshape(3, 2, 5)), **{name: nd.array(packed)})[0]
    np.testing.assert_allclose(ours.asnumpy(), np.load(tmp_path / "out.npy"), rtol=1e-5, atol=1e-6)


# -- sentences --------------------------------------------------------------------------------------------------------


def test_encode_sentences():
    words = [["a", "b"], ["b", "c"]]
    assert rnn.encode_sentences(words) == ([[0, 1], [1, 2]], {"\n": -1, "a": 0, "b": 1, "c": 2})
    assert rnn.encode_sentences([["a", "b"], ["b", "\n", "c"]], invalid_label=7, start_label=6, invalid_key="q") == (
        [[6, 8], [8, 9, 10]], {"q": 7, "a": 6, "b": 8, "\n": 9, "c": 10})
    assert rnn.encode_sentences(words, {"a": 1, "b": 2, "?": 9}, unknown_token="?") == (
        [[1, 2], [2, 9]], {"a": 1, "b": 2, "?": 9})
    assert rnn.encode_sentences(words, {"a": 1, "b": 2}, unknown_token="?")[0] == [[1, 2], [2, 0]]
    assert error_of(lambda: rnn.encode_sentences(words, {"a": 1, "b": 2}), ValueError) == (
        "encode_sentences: 'c' is not in the vocabulary of 2 tokens. Give unknown_token to read on.")


def test_bucket_sentence_iter_gives_the_batches_of_mxnet(caplog):
    """The same order from the same seeds; recorded from MXNet 1.9.1."""
    random.seed(3)
    np.random.seed(3)
    batches = rnn.BucketSentenceIter(SENTENCES, 2, buckets=[4], layout="TN", invalid_label=0, data_name="d",
                                     label_name="l", dtype="int32")
    assert caplog.messages == ["BucketSentenceIter: 1 sentences that are longer than the longest bucket are skipped"]
    assert (batches.provide_data[0].name, batches.provide_data[0].shape) == ("d", (4, 2))
    assert batches.default_bucket_key == 4
    first = [(batch.data[0].asnumpy().tolist(), batch.label[0].asnumpy().tolist()) for batch in batches]
    assert first == [([[3, 4], [4, 5], [5, 0], [6, 0]], [[4, 5], [5, 0], [6, 0], [0, 0]]),
                     ([[1, 6], [2, 7], [3, 8], [0, 9]], [[2, 7], [3, 8], [0, 9], [0, 0]]),
                     ([[1, 7], [2, 0], [0, 0], [0, 0]], [[2, 0], [0, 0], [0, 0], [0, 0]])]
    batches.reset()
    assert next(batches).data[0].asnumpy().tolist() == [[7, 3], [0, 4], [0, 5], [0, 6]]
    assert rnn.BucketSentenceIter(SENTENCES, 2).buckets == [2, 4]
    (batch, *_) = rnn.BucketSentenceIter(SENTENCES, 2)
    assert batch.provide_data[0].shape == (2, batch.bucket_key)


def test_errors():
    assert error_of(lambda: rnn.BucketSentenceIter(SENTENCES, 2, layout="XX"), ValueError) == (
        "BucketSentenceIter: layout is 'XX', expected 'NT' (batch first) or 'TN' (time first)")
    assert error_of(lambda: rnn.BucketSentenceIter(SENTENCES, 20), ValueError) == (
        "BucketSentenceIter: no length has 20 sentences, a batch. Give buckets.")
    cell = rnn.RNNCell(3)
    assert error_of(lambda: cell.unroll(2, [sym.var("a")])) == "unroll of length 2 got inputs for 1 steps"
    assert error_of(lambda: cell.unroll(2, sym.var("a"), layout="CNT")) == (
        "unroll: layout is 'CNT', expected 'NTC' or 'TNC'")
    assert error_of(lambda: cell.unroll(1, sym.Group([sym.var("a"), sym.var("b")]))) == (
        "unroll takes one symbol or a list, found a symbol with 2 outputs. Pass list(inputs) if they are the steps.")
    assert error_of(lambda: rnn.FusedRNNCell(3)(sym.var("a"), []), NotImplementedError) == (
        "FusedRNNCell does not support single steps. Use unroll.")
    assert error_of(lambda: rnn.ZoneoutCell(rnn.FusedRNNCell(3)), ValueError) == (
        "ZoneoutCell: a FusedRNNCell does not support single steps, which zoneout needs. Put the ZoneoutCell around "
        "the cells in it; those of a FusedRNNCell are in its unfuse().")
    for kernel in ((2, 3), 3):
        assert error_of(lambda kernel=kernel: rnn.ConvRNNCell((1, 3, 8, 6), 4, h2h_kernel=kernel), ValueError) == (
            f"ConvRNNCell: h2h_kernel is {kernel}, expected two odd numbers, so that a state keeps its size")
    rnn.ResidualCell(cell)
    assert error_of(cell.begin_state) == (
        "RNNCell with prefix 'rnn_' is inside a modifier such as ZoneoutCell, which creates its states: call the "
        "modifier's begin_state.")
    fused = rnn.FusedRNNCell(3, prefix="f_")
    assert error_of(lambda: fused.unpack_weights({"f_parameters": nd.zeros((7,))})).startswith(
        "FusedRNNCell: 'f_parameters' has 7 elements, which match no number of inputs for RNN(state_size=3, ")


def test_rnn_unroll_is_the_older_form():
    with pytest.warns(DeprecationWarning, match="call cell.unroll"):
        outputs, _ = rnn.rnn_unroll(rnn.RNNCell(3), 2, input_prefix="in_")
    assert outputs[1].list_arguments()[:1] == ["in_t1_data"]
    assert Path(rnn.rnn_cell.__file__).name == "rnn_cell.py"
    assert rnn.rnn_cell.FusedRNNCell is rnn.FusedRNNCell
