"""Recurrent layers of plans with gradients: parameters stay arrays of their own."""

import numpy as np
import pytest

pytest.importorskip("minigluon_accel", reason="minigluon-accel is not installed")

from helpers.accel_checks import ISAS, configured
from minigluon_accel.kernels.rnn.rnn_separate_weights import (
    SeparateWeightsRNN,
    SeparateWeightsRNNDataGrad,
    SeparateWeightsRNNGrad,
)

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.gluon import rnn
from minigluon.ops import REGISTRY
from minigluon.ops.rnn.layout import parameter_shapes, parameter_size, views

LAYERS = {"lstm": rnn.LSTM, "gru": rnn.GRU, "relu": rnn.RNN}


def plan_of(net):
    return list(net._graphs.values())[-1].compiled.last_plan


def operators(net):
    return [step.op.name for step in plan_of(net).steps]


def gradients(net, x, states):
    """Of all parameters, of the data and of the states; the results first."""
    arrays = [x, *states]
    for array in arrays:
        array.attach_grad()
    with autograd.record():
        out, ends = net(x, states)
        error = (out * out).sum() + sum((end * end).sum() for end in ends)
    error.backward()
    params = [param.grad() for param in net.collect_params().values()]
    return [value.asnumpy() for value in [out, *ends, *params, *[array.grad for array in arrays]]]


@pytest.mark.parametrize("kind", LAYERS)
@pytest.mark.parametrize(("layers", "steps", "batch", "dtype"), [
    (1, 1, 1, "float32"), (2, 4, 3, "float64"), (3, 3, 7, "float32"), (2, 5, 30, "float32")])
@pytest.mark.parametrize("isa", ISAS)
def test_a_net_computes_the_same_as_without(kind, layers, steps, batch, dtype, isa):
    net = LAYERS[kind](19, layers, input_size=5)
    net.initialize(mx.init.Normal(0.4))
    net.cast(dtype)
    x = nd.random.normal(shape=(steps, batch, 5), dtype=dtype)
    states = [nd.random.normal(shape=(layers, batch, 19), dtype=dtype) for _ in net.state_info()]
    with configured(isa, 2):
        wanted = gradients(net, x, states)
        net.hybridize()
        found = gradients(net, x, states)
    for result, expected in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(result, expected)
    assert {"_rnn_separate_weights", "_rnn_separate_weights_grad",
            "_rnn_separate_weights_data_grad"} <= set(operators(net))
    assert not {"RNN", "_rnn_param_concat", "_concat_grad", "reshape_like"} & set(operators(net))


def test_what_is_dropped_between_layers_is_the_same():
    net, x = rnn.LSTM(8, 2, input_size=5, dropout=0.5), nd.random.normal(shape=(4, 3, 5))
    net.initialize(mx.init.Normal(0.4))

    def results():
        mx.random.seed(7)
        return gradients(net, x, [nd.zeros((2, 3, 8)), nd.zeros((2, 3, 8))])
    wanted = results()
    net.hybridize()
    for result, expected in zip(results(), wanted, strict=True):
        np.testing.assert_array_equal(result, expected)
    assert "_rnn_separate_weights" in operators(net)


def test_both_directions_keep_their_vector():
    net, x = rnn.GRU(8, bidirectional=True, input_size=5), nd.ones((4, 3, 5))
    net.initialize()
    net.hybridize()
    with autograd.record():
        net(x).sum().backward()
    assert "RNN" in operators(net)
    assert "_rnn_separate_weights" not in operators(net)


class FlatWeight(gluon.HybridBlock):
    """An RNN whose first weight is joined as a flat array that the result reads, too."""

    def __init__(self):
        super().__init__()
        with self.name_scope():
            for name, shape in {"i2h": (6, 5), "h2h": (6, 6), "i2h_bias": (6,), "h2h_bias": (6,)}.items():
                setattr(self, name, self.params.get(name, shape=shape))

    def hybrid_forward(self, F, x, state, i2h, h2h, i2h_bias, h2h_bias):
        flat = F.reshape(i2h, shape=-1)
        parameters = F._rnn_param_concat(flat, F.reshape(h2h, shape=-1), i2h_bias, h2h_bias, dim=0)
        out = F.RNN(x, parameters, state, mode="rnn_tanh", state_size=6, num_layers=1)
        return F.broadcast_add(out, F.sum(flat * flat))


def test_a_gradient_read_in_another_shape_keeps_the_vector():
    """That of `flat` is the sum of two, added as the flat arrays that they are."""
    net, x, state = FlatWeight(), nd.random.normal(shape=(4, 3, 5)), nd.zeros((1, 3, 6))
    net.initialize(mx.init.Normal(0.4))

    def results():
        with autograd.record():
            out = net(x, state)
        out.backward()
        return [out.asnumpy(), *[param.grad().asnumpy() for param in net.collect_params().values()]]
    wanted = results()
    net.hybridize()
    for result, expected in zip(results(), wanted, strict=True):
        np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-5)
    assert "RNN" in operators(net)
    assert "_rnn_separate_weights" not in operators(net)


def test_parameters_and_their_gradients_are_there_once():
    net, x = rnn.GRU(64, 2, input_size=64), nd.random.normal(shape=(2, 2, 64))
    net.initialize()
    net.hybridize()
    with autograd.record():
        out = net(x)
    out.backward()
    numbers = sum(param.data().size for param in net.collect_params().values())
    buffers = plan_of(net)._layout.memory.buffers
    assert sum(buffer.size for buffer in buffers if buffer.kind == "gradient") == 4 * numbers
    planned = sum(buffer.size for buffer in buffers if buffer.kind in ("value", "scratch", "own"))
    assert planned < 4 * numbers


@pytest.mark.parametrize("kind", ["lstm", "gru"])
def test_a_step_as_one_call_trains_as_three(kind):
    x, label = nd.random.normal(shape=(3, 4, 5)), nd.random.normal(shape=(3, 4, 9))
    found = []
    for one_call in (False, True):
        mx.random.seed(3)
        net = LAYERS[kind](9, 2, input_size=5)
        net.initialize(mx.init.Normal(0.3), force_reinit=True)
        loss, trainer = gluon.loss.L2Loss(), gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
        step = gluon.TrainStep(net, loss, trainer)
        for _ in range(3):
            if one_call:
                step(x, label)
                continue
            with autograd.record():
                error = loss(net(x), label)
            error.backward()
            trainer.step(len(label))
        found.append([param.data().asnumpy() for param in net.collect_params().values()])
    for three, one in zip(*found, strict=True):
        np.testing.assert_allclose(one, three, rtol=0, atol=1e-6)


@pytest.mark.parametrize("mode", ["lstm", "gru", "rnn_tanh"])
def test_the_twins_say_what_the_kernels_compute(mode):
    op = REGISTRY["RNN"](mode=mode, state_size=6, num_layers=2, state_outputs=True)
    grad = REGISTRY["_backward_RNN"](**op.attributes)
    data_grad = REGISTRY["_rnn_data_grad"](**op.attributes)
    rng = np.random.default_rng(0)
    data, vector = rng.normal(size=(3, 2, 5)), rng.normal(size=parameter_size(op, 5))
    states = [rng.normal(size=(2, 2, 6)) for _ in op.state_names]
    parts = list(views(vector, parameter_shapes(op, 5)).values())
    outputs = op.forward(data, vector, *states)
    results = SeparateWeightsRNN(rnn=op, size=5).forward(data, *parts, *states)
    for result, expected in zip(results, outputs, strict=True):
        np.testing.assert_array_equal(result, expected)
    grads = [rng.normal(size=x.shape) for x in outputs[:-1]]
    wanted = grad.forward(*grads, data, vector, *states, outputs[0], outputs[-1])
    found = SeparateWeightsRNNGrad(rnn=grad, size=5).forward(*grads, data, *parts, *states, outputs[0], outputs[-1])
    np.testing.assert_array_equal(np.concatenate([x.ravel() for x in found[:len(parts)]]), wanted[0])
    for result, expected in zip(found[len(parts):], wanted[1:], strict=True):
        np.testing.assert_array_equal(result, expected)
    np.testing.assert_allclose(SeparateWeightsRNNDataGrad(rnn=data_grad, size=5).forward(wanted[-1], parts[0]),
                               data_grad.forward(wanted[-1], vector), rtol=1e-12)
