"""Recurrent layers of plans that only infer: parameters packed for an earlier call."""

import numpy as np
import pytest

pytest.importorskip("minigluon_accel", reason="minigluon-accel is not installed")

from helpers.accel_checks import ISAS, configured
from minigluon_accel.kernels.rnn.rnn_packed import PackedRNN, RNNPrepack

import minigluon as mx
from minigluon import nd
from minigluon.gluon import rnn
from minigluon.ops import REGISTRY
from minigluon.ops.rnn.layout import parameter_size

LAYERS = {"lstm": rnn.LSTM, "gru": rnn.GRU, "relu": rnn.RNN}


def operators(net):
    graph = list(net._graphs.values())[-1]
    return [step.op.name for step in graph.compiled.last_plan.steps]


@pytest.mark.parametrize("kind", LAYERS)
@pytest.mark.parametrize(("layers", "bidirectional", "steps", "batch"), [
    (1, False, 1, 1), (2, False, 4, 3), (2, True, 3, 7)])
@pytest.mark.parametrize("isa", ISAS)
def test_a_net_computes_the_same_as_without(kind, layers, bidirectional, steps, batch, isa):
    dtype = "float64" if batch == 3 else "float32"
    net = LAYERS[kind](19, layers, bidirectional=bidirectional, input_size=5, dropout=0.5)
    net.initialize(mx.init.Normal(0.4))
    net.cast(dtype)
    x = nd.random.normal(shape=(steps, batch, 5), dtype=dtype)
    with configured(isa, 2):
        wanted = net(x)
        net.hybridize()
        # Not bit for bit: of one row, the product with the inputs is summed in another order.
        np.testing.assert_allclose(net(x).asnumpy(), wanted.asnumpy(), rtol=0, atol=16 * np.finfo(dtype).eps)
        assert "_packed_rnn" in operators(net)
        assert "RNN" not in operators(net)
        assert "_rnn_param_concat" not in operators(net)


def test_parameters_that_are_written_to_are_packed_again():
    net, x = rnn.LSTM(7, input_size=3), nd.ones((2, 1, 3))
    net.initialize(mx.init.One())
    net.hybridize()
    before = net(x).asnumpy()
    net.l0_h2h_weight.set_data(nd.ones((28, 7)) * -1)
    after = net(x).asnumpy()
    assert not np.array_equal(after, before)
    net.hybridize(False)
    np.testing.assert_allclose(net(x).asnumpy(), after, rtol=0, atol=16 * np.finfo("float32").eps)


@pytest.mark.parametrize(("inputs", "units", "steps", "batch"), [(40, 130, 3, 20), (7, 70, 2, 14), (300, 17, 1, 40)])
@pytest.mark.parametrize("kind", LAYERS)
@pytest.mark.parametrize("isa", ISAS)
def test_inputs_of_many_rows_and_columns(kind, inputs, units, steps, batch, isa):
    net = LAYERS[kind](units, 2, bidirectional=True, input_size=inputs)
    net.initialize(mx.init.Normal(0.1))
    x = nd.random.normal(shape=(steps, batch, inputs))
    with configured(isa, 2):
        wanted = net(x)
        net.hybridize()
        np.testing.assert_allclose(net(x).asnumpy(), wanted.asnumpy(), rtol=0, atol=256 * np.finfo("float32").eps)


@pytest.mark.parametrize("mode", ["lstm", "gru", "rnn_tanh"])
def test_the_twin_says_what_the_kernel_computes(mode):
    op = REGISTRY["RNN"](mode=mode, state_size=6, num_layers=2, bidirectional=True)
    rng, size = np.random.default_rng(0), parameter_size(op, 5)
    data, parameters = rng.normal(size=(3, 2, 5)), rng.normal(size=size)
    states = [rng.normal(size=(4, 2, 6)) for _ in op.state_names]
    packed = RNNPrepack(rnn=op, size=5, isa=ISAS[-1]).forward(parameters[:100], parameters[100:])
    found = PackedRNN(rnn=op, ready=size).forward(data, packed, *states)
    np.testing.assert_array_equal(found[0], op.forward(data, parameters, *states)[0])
