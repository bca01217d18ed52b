"""gluon.rnn: layers and cells against the real MXNet's recorded answers, against each other, and in every form."""

import gzip
import json
import os
import subprocess
import sys

import numpy as np
import pytest
from helpers import ROOT
from helpers.errors import error_of
from records import DATA, MXNET
from records import rnn_cases as cases

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.gluon import rnn

RECORDED = np.load(DATA / "mxnet_rnn.npz")
with gzip.open(DATA / "mxnet_rnn.json.gz") as _file:
    WRITTEN = json.load(_file)
LAYERS, CELLS = list(cases.layers(mx)), list(cases.cells(mx))
CLASSES = [(rnn.RNN, {}), (rnn.RNN, {"activation": "tanh"}), (rnn.LSTM, {}), (rnn.GRU, {})]


def assert_recorded(found, name):
    expected = {key.split("/")[1]: RECORDED[key] for key in RECORDED.files if key.startswith(f"{name}/")}
    assert found.keys() == expected.keys()
    for key, value in found.items():
        np.testing.assert_allclose(value, expected[key], rtol=2e-5, atol=2e-6, err_msg=key)


def jagged(block):
    """Values for all parameters, biases included."""
    for param in block.collect_params().values():
        param.set_data(nd.random.uniform(-0.5, 0.5, shape=param.shape, dtype=param.dtype))
    return block


# -- against MXNet ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.parametrize("hybridize", [False, True])
def test_layers_compute_what_mxnet_computes(name, hybridize):
    layer = cases.layers(mx)[name]
    if hybridize:
        layer.hybridize()
    assert_recorded(cases.run_layer(mx, name, layer), f"layer {name}")


@pytest.mark.parametrize("name", CELLS)
def test_cells_compute_what_mxnet_computes(name):
    cell, how = cases.cells(mx)[name]
    assert_recorded(cases.run_cell(mx, cell, how), f"cell {name}")


def test_cells_compute_the_same_step_by_step_hybridized():
    """A hybridized cell is one graph for each step."""
    cell, how = cases.cells(mx)["hybrid stack"]
    cell.hybridize()
    assert_recorded(cases.run_cell(mx, cell, how), "cell hybrid stack")


def test_graphs_are_those_of_mxnet():
    """Every node: operator, name, attributes, inputs. For gluon's layers and cells, and for mx.rnn's."""
    with pytest.warns(UserWarning, match="layout NTC"):
        found = cases.graphs(mx)
    assert found.keys() == WRITTEN["graphs"].keys()
    for name, graph in json.loads(json.dumps(found)).items():
        for node, expected in zip(graph[0], WRITTEN["graphs"][name][0], strict=True):
            assert node == expected, name
        assert graph[1:] == WRITTEN["graphs"][name][1:], name


def test_texts_and_names_are_those_of_mxnet():
    found = json.loads(json.dumps(cases.texts(mx)))
    for name, expected in WRITTEN["texts"].items():
        assert found[name] == expected


CROSSING = """
import os, sys, numpy as np, {library} as mx
folder = sys.argv[1]
for layer in ("LSTM", "GRU"):
    mine, theirs = (getattr(mx.gluon.rnn, layer)(4, 2, bidirectional=True) for _ in range(2))
    x = mx.nd.array(np.linspace(-1, 1, 60).reshape(4, 3, 5))
    mine.initialize()
    np.save(folder + "/{library}" + layer, mine(x).asnumpy())
    mine.save_parameters(folder + "/{library}" + layer)
    if os.path.exists(folder + "/{other}" + layer):
        theirs.load_parameters(folder + "/{other}" + layer)
        np.testing.assert_allclose(theirs(x).asnumpy(), np.load(folder + "/{other}" + layer + ".npy"), 1e-5, 1e-6)
        print("loaded", layer)
"""


@pytest.mark.skipif(not MXNET, reason="MINIGLUON_MXNET_PYTHON does not name a Python with MXNet 1.9.1")
def test_parameter_files_cross(tmp_path):
    """Saved here and loaded in MXNet, and the reverse, with the same outputs."""
    for python, library, other in ((MXNET, "mxnet", "minigluon"), (sys.executable, "minigluon", "mxnet"),
                                   (MXNET, "mxnet", "minigluon")):
        program = CROSSING.format(library=library, other=other)
        done = subprocess.run([python, "-W", "ignore", "-c", program, str(tmp_path)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.split("\n")[:2] == ["loaded LSTM", "loaded GRU"]


# -- layers, cells, and their forms agree -----------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "how"), CLASSES)
@pytest.mark.parametrize(("layers", "both", "layout"), [(1, False, "TNC"), (2, True, "NTC")])
def test_a_layer_is_its_cells(kind, how, layers, both, layout):
    layer = kind(4, layers, layout=layout, bidirectional=both, input_size=3, dtype="float64", **how)
    layer.initialize()
    jagged(layer)
    cells = layer.unfuse()
    x = nd.random.uniform(-1, 1, shape=(3, 2, 3), dtype="float64")
    states = 2 if kind is rnn.LSTM else 1
    batch = x.shape[layout.find("N")]
    ours = differentiated(layer, x, lambda: layer(x, layer.begin_state(batch, dtype="float64")))

    def unrolled():
        outputs, last = cells.unroll(x.shape[layout.find("T")], x, layout=layout, merge_outputs=True)
        return outputs, [nd.stack(*last[i::states]) for i in range(states)]
    theirs = differentiated(layer, x, unrolled)
    layer.hybridize()
    hybrid = differentiated(layer, x, lambda: layer(x, layer.begin_state(batch, dtype="float64")))
    for a, b, c in zip(ours, theirs, hybrid, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(a, c, rtol=1e-9, atol=1e-12)


def differentiated(block, x, call):
    """Outputs, then the gradients of x and of all parameters."""
    x.attach_grad()
    with autograd.record():
        outputs = cases.flat(call())
        total = sum((y * y).sum() * (1 + i) for i, y in enumerate(outputs))
    total.backward()
    return [a.asnumpy() for a in (*outputs, x.grad, *[p.grad() for p in block.collect_params().values()])]


class Unrolled(gluon.HybridBlock):
    """A cell unrolled inside of a network, whose first states have the batch size that the graph finds."""

    def __init__(self, cell, length):
        super().__init__()
        self.cell, self.length = cell, length

    def hybrid_forward(self, F, x):
        outputs, states = self.cell.unroll(self.length, x, layout="TNC", merge_outputs=True)
        return [outputs, *states]


@pytest.mark.parametrize("cell", [rnn.LSTMCell, rnn.GRUCell, lambda size: rnn.ResidualCell(rnn.RNNCell(size))])
def test_an_unrolled_cell_hybridizes(cell):
    net = Unrolled(cell(5), 4)
    net.initialize()
    x = cases.inputs(mx, "TNC")
    ours = differentiated(net, x, lambda: net(x))
    net.hybridize()
    for a, b in zip(ours, differentiated(net, x, lambda: net(x)), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
    assert net(nd.zeros((4, 7, 5)))[0].shape == (4, 7, 5)       # another batch size, another plan


def test_a_layer_in_a_network_without_states():
    net = gluon.nn.HybridSequential()
    net.add(gluon.nn.Embedding(7, 5), rnn.LSTM(4, 2, dropout=0.5), gluon.nn.Dense(3, flatten=False))
    net.initialize()
    words = nd.array([[1, 2], [3, 4], [5, 6]])
    expected = net(words)
    net.hybridize()
    np.testing.assert_allclose(net(words).asnumpy(), expected.asnumpy(), rtol=1e-5, atol=1e-6)
    with autograd.record():
        assert (net(words) - expected).asnumpy().any()          # dropped between the layers
    assert net(words[:, :1]).shape == (3, 1, 3)


def test_an_exported_layer_comes_back(tmp_path):
    layer = rnn.GRU(4, 2)
    layer.initialize()
    layer.hybridize()
    x = cases.inputs(mx, "TNC")
    output = layer(x)
    layer.export(str(tmp_path / "net"))
    loaded = gluon.SymbolBlock.imports(str(tmp_path / "net-symbol.json"), ["data0", "data1"],
                                       str(tmp_path / "net-0000.params"))
    again = loaded(x, layer.begin_state(3)[0])
    np.testing.assert_allclose(again.asnumpy(), output.asnumpy(), rtol=1e-6)


@pytest.mark.parametrize("kind", [rnn.RNN, rnn.LSTM, rnn.GRU])
def test_sequence_length_is_a_shorter_sequence(kind):
    layer = kind(3, 2, bidirectional=True, use_sequence_length=True, input_size=4)
    layer.initialize()
    jagged(layer)
    x = nd.random.uniform(-1, 1, shape=(5, 3, 4))
    lengths = nd.array([5, 2, 3])
    output, states = layer(x, layer.begin_state(3), lengths)
    twin = kind(3, 2, bidirectional=True, input_size=4, params=layer.params)
    for item, length in enumerate([5, 2, 3]):
        alone, its_states = twin(x[:length, item:item + 1], twin.begin_state(1))
        np.testing.assert_allclose(output[:length, item:item + 1].asnumpy(), alone.asnumpy(), rtol=1e-5, atol=1e-6)
        assert not output[length:, item].asnumpy().any()
        for a, b in zip(states, its_states, strict=True):
            np.testing.assert_allclose(a[:, item:item + 1].asnumpy(), b.asnumpy(), rtol=1e-5, atol=1e-6)


def test_float16():
    layer, wide = (rnn.LSTM(4, 2, bidirectional=True, input_size=5, dtype=dtype) for dtype in ("float16", "float32"))
    layer.initialize()
    wide.initialize()
    for a, b in zip(layer.collect_params().values(), wide.collect_params().values(), strict=True):
        b.set_data(a.data().astype("float32"))
    x = cases.inputs(mx, "TNC").astype("float16")
    assert layer(x).dtype == np.float16
    np.testing.assert_allclose(layer(x).asnumpy(), wide(x.astype("float32")).asnumpy(), atol=1e-3)


def test_cast_casts_the_first_states_too():
    layer = rnn.LSTM(4)
    layer.cast("float64")
    layer.initialize()
    assert layer.begin_state(2)[0].dtype == np.float64
    assert layer(nd.zeros((3, 2, 5), dtype="float64")).dtype == np.float64


# -- what books do with them ------------------------------------------------------------------------------------------


def test_states_are_carried_over_and_detached():
    layer = rnn.LSTM(8)
    layer.initialize()
    states = layer.begin_state(batch_size=2, ctx=mx.cpu())
    assert [s.shape for s in states] == [(1, 2, 8), (1, 2, 8)]
    for _ in range(2):
        states = [s.detach() for s in states]
        with autograd.record():
            output, states = layer(nd.ones((3, 2, 4)), states)
            loss = output.sum()
        loss.backward()
        grads = [p.grad() for p in layer.collect_params().values()]
        assert gluon.utils.clip_global_norm(grads, 0.1) > 0.1
    assert layer.begin_state(func=nd.ones, batch_size=1)[1].asnumpy().all()
    gru = rnn.GRU(8)
    gru.initialize()
    output, state = gru(nd.ones((3, 2, 4)), gru.begin_state(2)[0])      # one state need not be in a list
    assert isinstance(state, list)


def test_zoneout_keeps_some_of_the_old():
    mx.random.seed(1)
    cell = rnn.ZoneoutCell(rnn.RNNCell(200), zoneout_outputs=0.5, zoneout_states=0.25)
    cell.initialize()
    x = nd.random.uniform(shape=(1, 2, 3))
    with autograd.train_mode():
        (first, second), (state,) = cell.unroll(2, x)
    plain, _ = cell.base_cell.__class__(200, params=cell.params).unroll(2, x)
    kept = (second == first).asnumpy().mean()
    assert 0.3 < kept < 0.7
    assert 0.3 < (first == 0).asnumpy().mean() < 0.7        # before the first step there is zero
    assert (plain[0] == first).asnumpy().mean() > 0.3
    cell.hybridize()
    assert cell(x[:, 0], cell.begin_state(1))[0].shape == (1, 200)


def test_a_symbol_left_by_a_trace_does_not_reach_zoneout():
    cell = rnn.ZoneoutCell(rnn.RNNCell(3), zoneout_outputs=0.5)
    cell.initialize()
    cell(nd.ones((2, 4)), cell.begin_state(2))
    cell(mx.sym.var("x"), cell.begin_state(func=mx.sym.zeros))
    assert cell(nd.ones((2, 4)), cell.begin_state(2))[0].shape == (2, 3)


def test_activations_of_a_cell():
    for activation in ("relu", "softsign", gluon.nn.LeakyReLU(0.2), gluon.nn.PReLU()):
        cell = rnn.RNNCell(3, activation=activation)
        cell.initialize()
        assert cell(nd.ones((2, 4)), cell.begin_state(2))[0].shape == (2, 3)


# -- errors -----------------------------------------------------------------------------------------------------------


def test_errors_of_layers():
    with mx.name.NameManager():
        layer = rnn.LSTM(4)
        lengths = rnn.GRU(4, use_sequence_length=True)
    layer.initialize()
    lengths.initialize()
    x = nd.ones((3, 2, 5))
    assert error_of(lambda: rnn.LSTM(4, layout="CNT")) == "LSTM: layout is 'CNT', expected 'TNC' or 'NTC'"
    assert error_of(lambda: rnn.RNN(4, activation="sigmoid")) == (
        "RNN: activation is 'sigmoid', expected 'relu' or 'tanh'. The cell rnn.RNNCell accepts any.")
    assert error_of(lambda: layer(x, layer.begin_state(3)), ValueError) == (
        "LSTM 'lstm0': the states have shapes [(1, 3, 4), (1, 3, 4)], expected [(1, 2, 4), (1, 2, 4)], that is (layers "
        "· directions, batch, size). begin_state(batch_size=2) returns such states.")
    assert "expected [(1, 2, 4), (1, 2, 4)]" in error_of(lambda: layer(x, layer.begin_state(2)[0]))
    assert error_of(lambda: layer(nd.ones((3, 5)))) == (
        "LSTM 'lstm0': inputs have shape (3, 5), expected three dimensions, TNC: time, batch and features")
    assert error_of(lambda: lengths(x)) == (
        "GRU 'gru0': sequence_length is missing, but the layer was created with use_sequence_length=True")
    assert error_of(lambda: layer(x, sequence_length=nd.ones(2))) == (
        "LSTM 'lstm0': sequence_length was given, but the layer was created without use_sequence_length=True")
    assert error_of(lambda: layer(x, state=layer.begin_state(2))) == (
        "LSTM 'lstm0' takes inputs, states and sequence_length, found state")
    layer(x)
    assert error_of(lambda: layer(nd.ones((3, 2, 6)))) == (
        "LSTM 'lstm0': inputs have shape (3, 2, 6), expected 5 features (TNC)\n"
        "  parameter: 'lstm0_l0_i2h_weight' of LSTM 'lstm0' has shape (16, 5), fixed when the block was created or in "
        "its first forward pass\n"
        "  remedy: feed inputs of the same size as then, or create a new block; initialize(force_reinit=True) keeps "
        "the shape")
    projected = rnn.LSTM(4, projection_size=2, prefix="p_")
    assert error_of(projected.unfuse) == "LSTM 'p': unfuse has no cells for projection_size=2"


def test_errors_of_cells():
    with mx.name.NameManager():
        cell = rnn.RNNCell(3)
        both = rnn.BidirectionalCell(rnn.RNNCell(3), rnn.RNNCell(3))
        stack = rnn.SequentialRNNCell()
        stack.add(both)
    x = nd.ones((2, 4, 5))
    assert error_of(lambda: cell.unroll(3, x)) == "RNNCell 'rnn0': unroll of length 3 got inputs for 4 steps"
    assert error_of(lambda: cell.unroll(4, x, layout="NCT")) == (
        "RNNCell 'rnn0': layout is 'NCT', expected 'NTC' or 'TNC'")
    assert error_of(lambda: cell.unroll(1, mx.sym.Group([mx.sym.var("a"), mx.sym.var("b")]))) == (
        "RNNCell 'rnn0': unroll takes one symbol or a list, found a symbol with 2 outputs. Pass list(inputs) if they "
        "are the steps.")
    assert error_of(lambda: both(x, []), NotImplementedError) == (
        "a BidirectionalCell does not support single steps, since one of its cells begins at the end. Use unroll.")
    assert error_of(lambda: stack(x, [])) == (
        "SequentialRNNCell 'sequentialrnncell0' has a BidirectionalCell, which does not support single steps. Use "
        "unroll.")
    assert error_of(lambda: stack.unroll(4, x, begin_state=[])) == (
        "SequentialRNNCell 'sequentialrnncell0': 0 states were given, expected 2, as returned by begin_state")
    assert error_of(lambda: rnn.ZoneoutCell(both), ValueError) == (
        "ZoneoutCell: a BidirectionalCell does not support single steps, which zoneout needs. Put the ZoneoutCell "
        "around each of its two cells.")
    rnn.ResidualCell(cell)
    assert error_of(cell.begin_state) == (
        "RNNCell 'rnn0' is inside a modifier such as ZoneoutCell, which creates its states: call the modifier's "
        "begin_state.")
    assert error_of(lambda: rnn.DropoutCell("much"), ValueError) == (
        "DropoutCell: rate is 'much', expected a number from 0 to 1, the share of elements that are dropped")
    assert error_of(rnn.RecurrentCell().state_info, NotImplementedError) == "RecurrentCell has no state_info"


@pytest.mark.skipif(not MXNET, reason="MINIGLUON_MXNET_PYTHON does not name a Python with MXNet 1.9.1")
def test_the_language_model_learns_as_in_mxnet():
    """Perplexities of each epoch within 5 %; the script exits with an error otherwise."""
    script = ROOT / "benchmarks" / "character_lstm.py"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, script, "--mxnet", MXNET, "--small"], capture_output=True, text=True,
                          env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "largest difference of a perplexity: " in done.stdout


@pytest.mark.parametrize("merge", [None, True, False])
def test_residual_cell_masks_its_inputs_however_outputs_are_merged(merge):
    cell = rnn.ResidualCell(rnn.GRUCell(3, input_size=3))
    cell.initialize(mx.init.Zero())
    x = nd.ones((2, 4, 3))
    outputs, _ = cell.unroll(4, x, merge_outputs=merge, valid_length=nd.array([2, 4]))
    steps = outputs if isinstance(outputs, list) else [outputs[:, t] for t in range(4)]
    assert [step[:, 0].asnumpy().tolist() for step in steps] == [[1, 1], [1, 1], [0, 1], [0, 1]]
