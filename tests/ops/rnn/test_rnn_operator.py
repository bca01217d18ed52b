"""The operator RNN beyond its rows in op_cases: shapes both ways, lengths, clipping, dropout, errors."""

import numpy as np
import pytest

import minigluon as mx
from minigluon import autograd, nd, sym
from minigluon.ops import REGISTRY
from minigluon.ops.rnn.layout import directions_of, input_size_of, parameter_shapes, size_of_all, views

RNN = REGISTRY["RNN"]


def arrays(op, steps=4, batch=2, inputs=3, dtype="float64"):
    """data, parameters and states for an operator."""
    rng = np.random.default_rng(0)
    shapes = [(steps, batch, inputs), (size_of_all(parameter_shapes(op, inputs)),), *op.state_shapes(batch)]
    return [nd.array(rng.uniform(-0.8, 0.8, shape), dtype=dtype) for shape in shapes]


def error_of(action):
    with pytest.raises(mx.MXNetError) as info:
        action()
    return str(info.value).split("\n")[0]


@pytest.mark.parametrize("mode", ["rnn_relu", "lstm", "gru"])
@pytest.mark.parametrize("both", [False, True])
def test_the_packed_vector(mode, both):
    op = RNN(state_size=3, num_layers=2, mode=mode, bidirectional=both)
    shapes = parameter_shapes(op, 5)
    size = size_of_all(shapes)
    assert input_size_of(op, size) == 5
    assert input_size_of(op, size + 1) is None
    assert directions_of(op) == (("l0", "r0", "l1", "r1") if both else ("l0", "l1"))
    parts = views(np.arange(size), shapes)
    assert np.concatenate([part.ravel() for part in parts.values()]).tolist() == list(range(size))
    kinds = [name[3:] for name in parts]
    half = len(kinds) // 2
    assert kinds == ["i2h_weight", "h2h_weight"] * (half // 2) + ["i2h_bias", "h2h_bias"] * (half // 2)


def test_shapes_in_both_directions():
    graph = sym.RNN(sym.var("data"), state_size=4, num_layers=2, mode="lstm", bidirectional=True, projection_size=3,
                    state_outputs=True, use_sequence_length=True, name="net")
    assert graph.list_arguments() == ["data", "net_parameters", "net_state", "net_state_cell", "net_sequence_length"]
    assert graph.list_outputs() == ["net_output", "net_state_output", "net_statecell_output"]
    assert graph.infer_shape(data=(5, 2, 5)) == (
        [(5, 2, 5), (720,), (4, 2, 3), (4, 2, 4), (2,)], [(5, 2, 6), (4, 2, 3), (4, 2, 4)], [])
    known = graph.infer_shape_partial(data=(5, None, None), net_parameters=(720,), net_state_cell=(None, 2, None))
    assert known[0] == [(5, 2, 5), (720,), (4, 2, 3), (4, 2, 4), (2,)]
    assert sym.RNN(sym.var("x"), state_size=4, num_layers=1, mode="gru", name="g").list_outputs() == ["g_output"]


def test_first_states_that_leave_the_batch_size_to_the_graph():
    state, parameters = sym.zeros((1, 0, 4)), sym.var("parameters")
    graph = sym.RNN(sym.var("data"), parameters, state, state_size=4, num_layers=1, mode="gru")
    assert graph.infer_shape(data=(3, 2, 5))[1] == [(3, 2, 4)]
    values = {"data": nd.ones((3, 2, 5)), "parameters": nd.ones((132,))}
    expected = nd.RNN(values["data"], values["parameters"], nd.zeros((1, 2, 4)), state_size=4, num_layers=1, mode="gru")
    np.testing.assert_array_equal(graph.eval(**values)[0].asnumpy(), expected.asnumpy())
    assert mx.hybrid.interpret(graph, values)[0].shape == (3, 2, 4)
    # Where operators that stretch see it, it is as long as its partner; where nothing tells, 0 is a length.
    assert (sym.zeros((0, 3)) + sym.var("x")).infer_shape(x=(2, 3))[1] == [(2, 3)]
    assert sym.zeros((0, 3)).eval()[0].shape == (0, 3)
    assert (sym.zeros((0, 3)) * 2).infer_shape()[1] == [(0, 3)]


def test_a_flattened_matrix_tells_its_number_of_inputs():
    parts = [sym.reshape(sym.var(name, shape=shape), shape=(-1,)) for name, shape in (
        ("left", (3, 0)), ("right", (3, 0)), ("bias", (4,)))]
    graph = sym.broadcast_add(sym._rnn_param_concat(*parts, dim=0), sym.var("all", shape=(1,)))
    assert graph.infer_shape_partial(all=(1,))[0] == [(3, 0), (3, 0), (4,), (1,)]
    graph = sym.elemwise_add(sym._rnn_param_concat(*parts, dim=0), sym.var("all"))
    assert graph.infer_shape(all=(34,))[0] == [(3, 5), (3, 5), (4,), (34,)]


@pytest.mark.parametrize("mode", ["rnn_tanh", "lstm", "gru"])
def test_what_follows_the_end_of_an_item_does_not_matter(mode):
    op = RNN(state_size=3, num_layers=2, mode=mode, bidirectional=True, state_outputs=True, use_sequence_length=True)
    inputs, lengths = arrays(op, batch=3), nd.array([4, 1, 2], dtype="float64")
    inputs[1].attach_grad()
    results = []
    for filler in (0, np.nan):
        data = inputs[0].copy()
        data[1:, 1] = data[2:, 2] = filler
        data.attach_grad()
        with autograd.record():
            outputs = nd.RNN(data, *inputs[1:], sequence_length=lengths, **op.attributes)
            total = sum((y * y).sum() for y in outputs)
        total.backward()
        results.append([*outputs, data.grad, inputs[1].grad.copy()])
    for a, b in zip(*results, strict=True):
        np.testing.assert_array_equal(a.asnumpy(), b.asnumpy())
    assert not data.grad[1:, 1].asnumpy().any()
    assert not outputs[0][1:, 1].asnumpy().any()


def test_clipped_cells():
    op = RNN(state_size=3, num_layers=1, mode="lstm", state_outputs=True, lstm_state_clip_min=-0.05,
             lstm_state_clip_max=0.1, lstm_state_clip_nan=True)
    inputs = arrays(op)
    cells = nd.RNN(*inputs, **op.attributes)[2].asnumpy()
    assert cells.min() >= -0.05
    assert cells.max() <= 0.1
    inputs[3][0, 0, 0] = np.nan
    assert nd.RNN(*inputs, **op.attributes)[2].asnumpy()[0, 0, 0] > -0.051
    keeping = RNN(**{**op.attributes, "lstm_state_clip_nan": False})
    assert np.isnan(nd.RNN(*inputs, **keeping.attributes)[2].asnumpy()[0, 0, 0])


def test_dropout_between_layers():
    op = RNN(state_size=5, num_layers=3, mode="gru", p=0.5, bidirectional=True)
    inputs = arrays(op)

    def value(data):
        mx.random.seed(3)           # the same elements are dropped each time
        with autograd.record():
            y = nd.RNN(data, *inputs[1:], **op.attributes)
            return (y * y).sum()

    data = inputs[0]
    data.attach_grad()
    value(data).backward()
    step = nd.array(np.random.default_rng(1).normal(size=data.shape), dtype="float64")
    slope = (value(data + 1e-6 * step) - value(data - 1e-6 * step)).asscalar() / 2e-6
    np.testing.assert_allclose((data.grad * step).sum().asscalar(), slope, rtol=1e-6)
    predicted = nd.RNN(*inputs, **op.attributes)
    undropped = RNN(**{**op.attributes, "p": 0})
    np.testing.assert_array_equal(predicted.asnumpy(), nd.RNN(*inputs, **undropped.attributes).asnumpy())
    with autograd.train_mode():
        shares = [(nd.RNN(*inputs, **op.attributes) == predicted).asnumpy().mean() for _ in range(2)]
        assert max(shares) < 0.1
        all_dropped = RNN(**{**op.attributes, "p": 1})
        steps = nd.RNN(*inputs, **all_dropped.attributes)
    assert np.isfinite(steps.asnumpy()).all()


def test_float16_is_computed_in_float32():
    op = RNN(state_size=3, num_layers=2, mode="lstm", state_outputs=True)
    wide = arrays(op, dtype="float32")
    narrow = [x.astype("float16") for x in wide]
    for a, b in zip(nd.RNN(*narrow, **op.attributes), nd.RNN(*[x.astype("float32") for x in narrow], **op.attributes),
                    strict=True):
        assert a.dtype == np.float16
        np.testing.assert_array_equal(a.asnumpy(), b.astype("float16").asnumpy())


def test_sequences_without_steps_or_items():
    op = RNN(state_size=3, num_layers=2, mode="gru", bidirectional=True, state_outputs=True)
    for steps, batch in ((0, 2), (3, 0)):
        inputs = arrays(op, steps, batch)
        for x in inputs:
            x.attach_grad()
        with autograd.record():
            output, state = nd.RNN(*inputs, **op.attributes)
        assert output.shape == (steps, batch, 6)
        autograd.backward([output, state])
        if steps == 0:
            np.testing.assert_array_equal(state.asnumpy(), inputs[2].asnumpy())
            assert (inputs[2].grad.asnumpy() == 1).all()


def test_inputs_without_features():
    """What is left are the states and the biases: two of 1 to the first step, and the state before to the second."""
    data, parameters, state = nd.zeros((2, 3, 0)), nd.ones((3,)), nd.zeros((1, 3, 1))
    for array in (data, parameters):
        array.attach_grad()
    with autograd.record():
        out = nd.RNN(data, parameters, state, state_size=1, num_layers=1, mode="rnn_relu")
    out.backward()
    assert out.asnumpy().tolist() == [[[2]] * 3, [[4]] * 3]
    assert parameters.grad.asnumpy().tolist() == [6, 9, 9]
    assert data.grad.shape == (2, 3, 0)


def test_errors():
    def call(data=(3, 2, 5), parameters=(44,), state=(1, 2, 4), dtype="float32", **attributes):
        shapes = [data, parameters, state]
        return nd.RNN(*[nd.ones(shape, dtype=dtype) for shape in shapes],
                      **{"mode": "rnn_tanh", "state_size": 4, "num_layers": 1, **attributes})

    for problem, text in (
            ({"state_size": 0}, "RNN: attribute state_size is 0, expected 1 or more."),
            ({"projection_size": -1}, "RNN: attribute projection_size is -1, expected 1 or more."),
            ({"p": 2}, "RNN: attribute p is 2.0, expected a probability, 0 to 1."),
            ({"projection_size": 2}, "RNN: projection_size is only for mode='lstm', found mode='rnn_tanh'."),
            ({"lstm_state_clip_min": 1}, "RNN: lstm_state_clip_min and lstm_state_clip_max go together, found 1.0 and "
                                         "None."),
            ({"mode": "x"}, "RNN: attribute mode is 'x', expected one of 'rnn_relu', 'rnn_tanh', 'lstm', 'gru'."),
            ({"data": (3, 2)}, "RNN: data has shape (3, 2), expected 3 dimensions"),
            ({"parameters": (40,)}, "RNN: parameters has shape (40,), expected (44,)"),
            ({"state": (2, 2, 4)}, "RNN: state has shape (2, 2, 4), expected (1, 2, 4)"),
            ({"state": (1, 3, 4)}, "RNN: state has shape (1, 3, 4), expected (1, 2, 4)"),
            ({"dtype": "int32"}, "RNN: data is int32, expected a floating-point dtype. Convert with "
                                 ".astype('float32')."),
            ({"mode": "lstm"}, "RNN(state_size=4, num_layers=1, bidirectional=False, mode='lstm', p=0.0, state_outputs="
                               "False, projection_size=None, lstm_state_clip_min=None, lstm_state_clip_max=None, "
                               "lstm_state_clip_nan=False, use_sequence_length=False) takes 4 inputs (data, "
                               "parameters, state, state_cell): state_cell missing.")):
        assert error_of(lambda problem=problem: call(**problem)) == text


def test_a_gradient_of_its_gradient_is_refused():
    op = RNN(state_size=4, num_layers=1, mode="gru")
    inputs = arrays(op)
    inputs[0].attach_grad()
    with autograd.record():
        y = nd.RNN(*inputs, **op.attributes)
        total = autograd.grad(y, inputs[0], create_graph=True)[0].sum()
    assert error_of(total.backward) == (
        "RNN: its gradient cannot be differentiated again. The cells of gluon.rnn, to which unfuse() takes a layer, "
        "can.")
