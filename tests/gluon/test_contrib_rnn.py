"""gluon.contrib.rnn: cells with convolutions or a projection, and one dropout mask for a sequence."""


import numpy as np
import pytest
from records import DATA, contrib_rnn_cases

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.gluon.contrib import rnn
from minigluon.gluon.contrib.rnn import rnn_cell

RECORDED = np.load(DATA / "contrib_rnn.npz")
NAMES = sorted({key.split("/")[0] for key in RECORDED})


@pytest.mark.parametrize("name", NAMES)
def test_as_recorded(name):
    cell, shape = contrib_rnn_cases.cells(mx)[name]
    output, grad = contrib_rnn_cases.run(mx, cell, shape)
    assert [f"{key} {param.shape}" for key, param in cell.collect_params().items()] == list(RECORDED[f"{name}/params"])
    np.testing.assert_allclose(output, RECORDED[f"{name}/output"], rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(grad, RECORDED[f"{name}/grad"], rtol=1e-4, atol=1e-5)


def test_all_cells_are_recorded():
    assert sorted(contrib_rnn_cases.cells(mx)) == NAMES


@pytest.mark.once
def test_names_of_an_lstm_with_a_projection():
    outputs, states = rnn.LSTMPCell(4, 3, prefix="l_").unroll(2, [mx.sym.var("a"), mx.sym.var("b")])
    assert [x.name for x in [*outputs, *states]] == ["l_t0_out", "l_t1_out", "l_t1_out", "l_t1_state"]
    assert [x.name for x in outputs[1].get_children()] == ["l_t1_hidden", "l_h2r_weight"]
    assert gluon.rnn.LSTMCell(4, prefix="m_").unroll(1, [mx.sym.var("a")])[0][0].name == "m_t0_out"


@pytest.mark.parametrize("name", ["Conv1DRNN", "Conv2DLSTM", "Conv3DGRU", "LSTMP", "VariationalDropout"])
def test_hybridized_steps(name):
    cell, shape = contrib_rnn_cases.cells(mx)[name]
    contrib_rnn_cases.run(mx, cell, shape)
    inputs = nd.array(contrib_rnn_cases.numbers((2, *shape), 5))
    cell.reset()
    expected, expected_states = cell(inputs, cell.begin_state(2))
    cell.reset()
    cell.hybridize()
    output, states = cell(inputs, cell.begin_state(2))
    for found, wanted in zip([output, *states], [expected, *expected_states], strict=True):
        np.testing.assert_allclose(found.asnumpy(), wanted.asnumpy(), rtol=1e-5, atol=1e-6)


def test_channels_last():
    """The same numbers in another order; MXNet has no such convolution on the CPU."""
    first = rnn.Conv2DLSTMCell((2, 4, 5), 3, 3, 3, 1, prefix="c_")
    last = rnn.Conv2DLSTMCell((4, 5, 2), 3, 3, 3, 1, prefix="c_", conv_layout="NHWC")
    x = nd.random.normal(shape=(2, 2, 4, 5))
    for cell in (first, last):
        cell.initialize()
    for name, param in first.collect_params().items():
        value = param.data()
        last.collect_params()[name].set_data(value.transpose((0, 2, 3, 1)) if value.ndim == 4 else value)
    assert last.state_info(2)[0] == {"shape": (2, 4, 5, 3), "__layout__": "NHWC"}
    expected, _ = first(x, first.begin_state(2))
    output, _ = last(x.transpose((0, 2, 3, 1)), last.begin_state(2))
    np.testing.assert_allclose(output.transpose((0, 3, 1, 2)).asnumpy(), expected.asnumpy(), rtol=1e-5, atol=1e-6)


def test_a_layer_as_activation():
    """MXNet's `unroll` fails with one."""
    cell = rnn.Conv1DLSTMCell((2, 5), 2, 3, 3, 1, activation=gluon.nn.LeakyReLU(0.3))
    cell.initialize()
    outputs, _ = cell.unroll(2, nd.ones((1, 2, 2, 5)))
    assert [y.shape for y in outputs] == [(1, 2, 5)] * 2


def test_texts_and_states():
    cell = rnn.Conv2DLSTMCell((3, 7, 7), 4, (3, 3), (3, 3), i2h_pad=(1, 1))
    assert repr(cell) == "Conv2DLSTMCell(3 -> 16, tanh, NCHW)"
    assert cell.state_info(2) == [{"shape": (2, 4, 7, 7), "__layout__": "NCHW"}] * 2
    assert rnn.Conv1DRNNCell((3, 7), 4, 3, 3, i2h_dilate=2).state_info() == [{"shape": (0, 4, 3), "__layout__": "NCW"}]
    projected = rnn.LSTMPCell(4, 2)
    assert repr(projected) == "LSTMPCell(None -> 16 -> 2)"
    assert [info["shape"] for info in projected.state_info(3)] == [(3, 2), (3, 4)]
    assert repr(rnn.VariationalDropoutCell(projected, 0.5, 0.2, 0.1)) == \
        "VariationalDropoutCell(p_out = 0.1, p_state = 0.2)"


@pytest.mark.parametrize("drop_states", [0.0, 0.5])
@pytest.mark.parametrize("layout", ["NTC", "TNC"])
def test_one_mask_for_a_sequence(drop_states, layout):
    cell = rnn.VariationalDropoutCell(gluon.rnn.RNNCell(40), 0.5, drop_states, 0.5)
    cell.initialize()
    masks = []
    for _ in range(2):
        with autograd.record():
            outputs, _ = cell.unroll(3, nd.ones((2, 3, 5) if layout == "NTC" else (3, 2, 5)), layout=layout,
                                     merge_outputs=True)
        dropped = outputs.asnumpy().swapaxes(0, 0 if layout == "TNC" else 1) == 0
        assert (dropped == dropped[0]).all()
        assert 0.2 < dropped[0].mean() < 0.8
        masks.append(dropped[0])
    assert (masks[0] != masks[1]).any()
    outputs, _ = cell.unroll(3, nd.ones((2, 3, 5)), merge_outputs=False)
    assert (len(outputs), float((outputs[0] == 0).sum())) == (3, 0)


def test_mistakes():
    def message(function, *args, **kwargs):
        with pytest.raises(mx.base.ArgumentError) as caught:
            function(*args, **kwargs)
        return str(caught.value)

    assert message(rnn.Conv1DRNNCell, (3, 7), 4, 3, 2) == (
        "Conv1DRNNCell: h2h_kernel is 2, expected odd numbers: others would change the size of the states")
    assert message(rnn.Conv2DGRUCell, (3, 7), 4, 3, 3) == (
        "Conv2DGRUCell: input_shape is (3, 7), expected 3 numbers, one for each letter of NCHW except N")
    both = gluon.rnn.BidirectionalCell(gluon.rnn.RNNCell(4), gluon.rnn.RNNCell(4))
    assert message(rnn.VariationalDropoutCell, both, 0.5, 0.5) == (
        "VariationalDropoutCell: a BidirectionalCell does not support single steps, which dropout of states needs. "
        "Put the VariationalDropoutCell around each of its two cells.")


@pytest.mark.parametrize("hybridize", [False, True])
@pytest.mark.parametrize("layout", ["TNC", "NTC"])
@pytest.mark.parametrize("lengths", [None, [3, 5]])
def test_dynamic_unroll(hybridize, layout, lengths):
    """The same as `unroll`, as a loop."""
    class Scan(gluon.HybridBlock):
        def __init__(self):
            super().__init__()
            with self.name_scope():
                self.cell = gluon.rnn.LSTMCell(3, input_size=2)

        def hybrid_forward(self, F, x, h, c, lengths=None):
            return rnn_cell.dynamic_unroll(self.cell, x, [h, c], layout=layout, valid_length=lengths)

    mx.random.seed(1)
    net = Scan()
    net.initialize(mx.init.Normal(1))
    net.hybridize(hybridize)
    x = nd.random.normal(shape=(5, 2, 2) if layout == "TNC" else (2, 5, 2))
    states = [nd.random.normal(shape=(2, 3)) for _ in range(2)]
    lengths = lengths and nd.array(lengths)
    found = net(x, *states, *[lengths] * (lengths is not None))
    wanted = net.cell.unroll(5, x, states, layout, True, lengths)
    for a, b in zip([found[0], *found[1]], [wanted[0], *wanted[1]], strict=True):
        np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=1e-5, atol=1e-6)


def test_dynamic_unroll_drops_with_one_mask():
    cell = gluon.rnn.RNNCell(4, activation="relu", input_size=4)
    cell.initialize("ones")
    with autograd.train_mode():
        outputs, _ = rnn_cell.dynamic_unroll(cell, nd.ones((5, 8, 4)), cell.begin_state(8), drop_outputs=0.5)
        inputs, _ = rnn_cell.dynamic_unroll(cell, nd.ones((5, 8, 4)), [nd.zeros((8, 4))], drop_inputs=0.5)
    dropped = outputs.asnumpy() == 0
    assert 0 < dropped[0].sum() < 32
    assert (dropped == dropped[0]).all()
    assert len({float(v) for v in inputs[0].asnumpy().ravel()}) > 1


def test_what_cells_of_programs_import():
    """Shapes and numbers are those of MXNet's functions."""
    from minigluon.gluon.rnn.rnn_cell import _format_sequence, _get_begin_state, _mask_sequence_variable_length

    def shapes(value):
        return [x.shape for x in value] if isinstance(value, list) else value.shape

    x = nd.arange(12).reshape((2, 3, 2))
    steps = [x[:, i] for i in range(3)]
    for inputs, layout, merge, in_layout, wanted in [
            (x, "NTC", None, None, ((2, 3, 2), 1, 2)), (x, "NTC", False, None, ([(2, 2)] * 3, 1, 2)),
            (steps, "NTC", None, None, ([(2, 2)] * 3, 1, 2)), (steps, "TNC", True, None, ((3, 2, 2), 0, 2)),
            (x, "TNC", True, "NTC", ((3, 2, 2), 0, 2)), (x, "TNC", False, "NTC", ([(2, 2)] * 3, 0, 2))]:
        found, axis, F, batch = _format_sequence(3, inputs, layout, merge, in_layout)
        assert (shapes(found), axis, F, batch) == (*wanted[:2], nd, wanted[2])
    symbols, axis, F, batch = _format_sequence(3, mx.sym.var("x"), "NTC", False)
    assert (len(symbols), axis, F, batch) == (3, 1, mx.sym, 0)
    with pytest.raises(mx.base.ArgumentError, match="^a sequence of length 2 got inputs for 3 steps$"):
        _format_sequence(2, steps, "NTC", None)

    cell = gluon.rnn.LSTMCell(4)
    assert shapes(_get_begin_state(cell, nd, None, steps, 2)) == [(2, 4)] * 2
    assert _get_begin_state(cell, nd, [x], steps, 2) == [x]
    assert _get_begin_state(cell, nd, None, nd.ones((2, 2), ctx=mx.cpu(1)), 2)[0].context == mx.cpu(1)
    assert [type(s) for s in _get_begin_state(cell, mx.sym, None, mx.sym.var("x"), 0)] == [mx.sym.Symbol] * 2

    masked = _mask_sequence_variable_length(nd, steps, 3, nd.array([1, 2]), 1, False)
    assert [m.asnumpy().ravel().tolist() for m in masked] == [[0, 1, 6, 7], [0, 0, 8, 9], [0, 0, 0, 0]]
    assert shapes(_mask_sequence_variable_length(nd, x, 3, nd.array([1, 2]), 1, True)) == (2, 3, 2)
