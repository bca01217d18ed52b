"""The kernels of RNN and its gradient against the reference: drawn sizes, dropout, nets in plans."""

import numpy as np
import pytest

pytest.importorskip("minigluon_accel", reason="minigluon-accel is not installed")

from helpers.accel_checks import Twin, configured
from hypothesis import example, given, settings
from hypothesis import strategies as st

import minigluon as mx
from minigluon import autograd, dispatch, gluon, nd
from minigluon.backend import use_backend
from minigluon.ops import REGISTRY
from minigluon.ops.rnn.layout import parameter_shapes, size_of_all

MODES = ["lstm", "gru", "rnn_tanh", "rnn_relu"]
SIZES = st.tuples(st.integers(1, 4), st.integers(0, 8), st.sampled_from([1, 3, 17]),       # steps, batch, inputs,
                  st.sampled_from([1, 2, 15, 33, 70]))                                     # units


def drawn(shape, dtype, seed):
    return np.random.default_rng(seed).uniform(-0.7, 0.7, shape).astype(dtype)


def operands(op, steps, batch, inputs, dtype):
    """Weights are so small that a difference of rounding does not grow from step to step."""
    shapes = [(steps, batch, inputs), (size_of_all(parameter_shapes(op, inputs)),), *op.state_shapes(batch)]
    arrays = [drawn(shape, dtype, seed) for seed, shape in enumerate(shapes)]
    arrays[1] /= np.sqrt(op.state_size).astype(dtype)
    return arrays


@settings(deadline=None, max_examples=25)
@given(SIZES, st.sampled_from(MODES), st.integers(1, 3), st.booleans(), st.booleans(),
       st.sampled_from(["float32", "float64"]))
@example((1, 2, 1, 1), "lstm", 1, False, False, "float32")
@example((2, 50, 3, 70), "gru", 1, True, True, "float64")       # more rows, and more depth, than meet at a time
@example((2, 29, 3, 130), "lstm", 1, False, True, "float32")
def test_forward_and_gradient(sizes, mode, layers, bidirectional, state_outputs, dtype):
    steps, batch, inputs, units = sizes
    op = REGISTRY["RNN"](mode=mode, state_size=units, num_layers=layers, bidirectional=bidirectional,
                         state_outputs=state_outputs)
    arrays = operands(op, steps, batch, inputs, dtype)
    forward = Twin(op, arrays)
    assert forward.check()
    results = forward.wanted()[0]
    grads = [drawn(result.shape, dtype, 9) for result in results[:-1]]
    backward = REGISTRY["_backward_RNN"](**op.attributes)
    backward = Twin(backward, [*grads, *arrays, results[0], results[-1]])
    assert backward.check()
    assert Twin(REGISTRY["_rnn_data_grad"](**op.attributes), [backward.wanted()[0][-1], arrays[1]]).check()


@pytest.mark.parametrize(("attributes", "reason"), [
    ({"projection_size": 2}, "projection_size"), ({"use_sequence_length": True}, "use_sequence_length"),
    ({"lstm_state_clip_min": -1.0, "lstm_state_clip_max": 1.0}, "lstm_state_clip_min")])
def test_what_the_reference_does(attributes, reason):
    op = REGISTRY["RNN"](mode="lstm", state_size=3, num_layers=1, **attributes)
    arrays = operands(op, 2, 2, 3, "float32")
    if op.use_sequence_length:
        arrays.append(np.ones(2, "float32"))
    assert reason in Twin(op, arrays).declined


def trained(kind, hybridize, threads, **more):
    """Outputs and gradients of two steps of a layer, from fixed parameters and seeds."""
    with configured(threads=threads):
        mx.random.seed(4)
        layer = getattr(gluon.rnn, kind)(33, 3, input_size=5, bidirectional=True, **more)
        layer.initialize(mx.init.Uniform(0.3))
        if hybridize:
            layer.hybridize()
        x = nd.array(drawn((4, 6, 5), "float32", 0))
        x.attach_grad()
        found = []
        for _ in range(2):
            with autograd.record():
                y = layer(x)
                square = y * y
            square.backward()
            found += [y, x.grad.copy(), *[p.grad().copy() for p in layer.collect_params().values()]]
        return [array.asnumpy() for array in found]


@pytest.mark.parametrize("kind", ["LSTM", "GRU"])
def test_the_reference_s_dropout_in_nets(kind):
    """The same elements are dropped, so results differ by rounding alone; and not at all by threads or plans."""
    with use_backend("numpy"):
        wanted = trained(kind, False, 1, dropout=0.4)
    ours = trained(kind, False, 1, dropout=0.4)
    for found, expected in zip(ours, wanted, strict=True):
        np.testing.assert_allclose(found, expected, 1e-5, 1e-5 * np.abs(expected).max())
    for hybridize, threads in (True, 1), (True, 2), (False, 3):
        for found, expected in zip(trained(kind, hybridize, threads, dropout=0.4), ours, strict=True):
            np.testing.assert_array_equal(found, expected)


def test_prediction_drops_nothing():
    layer = gluon.rnn.LSTM(7, 2, dropout=0.9, input_size=3)
    layer.initialize(mx.init.Uniform(0.5))
    x = nd.array(drawn((3, 2, 3), "float32", 0))
    found = layer(x).asnumpy()
    with use_backend("numpy"):
        np.testing.assert_allclose(found, layer(x).asnumpy(), 1e-5, 1e-6)


@pytest.mark.parametrize("kind", ["LSTM", "GRU", "RNN"])
def test_nets_for_text_run_on_kernels_alone(kind):
    net = gluon.nn.HybridSequential()
    net.add(gluon.nn.Embedding(20, 6), getattr(gluon.rnn, kind)(6, 2, dropout=0.5), gluon.nn.Dropout(0.5),
            gluon.nn.Dense(20, flatten=False))
    net.initialize()
    net.hybridize()
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    loss.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    x = nd.array(np.arange(8).reshape(4, 2))
    dispatch.declined.clear()
    for _ in range(2):
        with autograd.record():
            error = loss(net(x).reshape((-1, 20)), nd.array(np.arange(8)))
        error.backward()
        trainer.step(8)
    assert not dispatch.declined


@pytest.mark.parametrize("cell", ["LSTMCell", "GRUCell", "RNNCell"])
def test_unrolled_cells_run_on_kernels_alone(cell):
    """Their elementwise operators are fused to chains as any others are."""
    cell = getattr(gluon.rnn, cell)(5, input_size=4)
    cell.initialize()
    cell.hybridize()
    x = nd.array(drawn((2, 3, 4), "float32", 0))
    dispatch.declined.clear()
    with autograd.record():
        outputs, _ = cell.unroll(3, x, layout="NTC", merge_outputs=True)
    outputs.backward()
    assert not dispatch.declined
