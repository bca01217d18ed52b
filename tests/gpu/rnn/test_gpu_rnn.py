"""Recurrent layers on the GPU, forward and backward, against the reference."""

import numpy as np
import pytest
from helpers.gpu_checks import GPU, Twin
from helpers.gpu_rows import cases_of, check_case

import minigluon as mx
from minigluon import autograd, dispatch, gluon, nd
from minigluon.ops import REGISTRY
from minigluon.ops.rnn.layout import parameter_shapes, size_of_all

OWN = {"RNN", "_backward_RNN", "_rnn_data_grad"}
ROWS = [case for case in cases_of(*OWN) if not case.attrs.get("p")]      # what is dropped has a test of its own


@pytest.mark.parametrize("case", ROWS, ids=lambda c: c.id)
def test_rows(case):
    """All modes, with projections, clipped cells, and sequences of different lengths."""
    for dtype in ("float32", "float16") if case is ROWS[3] else ("float32",):
        check_case(case, dtype, only=OWN)


def drawn(shape, seed=0):
    return np.random.default_rng(seed).uniform(-0.7, 0.7, shape).astype("float32")


@pytest.mark.parametrize(("mode", "sizes"), [("lstm", (1, 1, 1, 1)), ("gru", (2, 3, 5, 17)), ("rnn_relu", (3, 0, 2, 4)),
                                             ("lstm", (2, 2, 3, 33))])
def test_sizes(mode, sizes):
    steps, batch, inputs, units = sizes
    op = REGISTRY["RNN"](mode=mode, state_size=units, num_layers=2, bidirectional=True)
    shapes = [(steps, batch, inputs), (size_of_all(parameter_shapes(op, inputs)),), *op.state_shapes(batch)]
    arrays = [drawn(shape, seed) for seed, shape in enumerate(shapes)]
    arrays[1] /= np.sqrt(np.float32(units))
    forward = Twin(op, arrays)
    assert forward.check()
    results = forward.wanted()[0]
    backward = REGISTRY["_backward_RNN"](**op.attributes)
    backward = Twin(backward, [drawn(results[0].shape, 9), *arrays, results[0], results[-1]])
    assert backward.check()
    assert Twin(REGISTRY["_rnn_data_grad"](**op.attributes), [backward.wanted()[0][-1], arrays[1]]).check()


def trained(ctx, hybridize):
    """Results of three steps of training, the last one a graph on the GPU where it is hybridized."""
    with ctx:
        mx.random.seed(5, ctx)
        layer = gluon.rnn.LSTM(4, 2, dropout=0.5, input_size=3)
        layer.initialize(mx.init.Constant(0.1))
        if hybridize:
            layer.hybridize()
        x, found = nd.array(drawn((3, 2, 3))), []
        x.attach_grad()
        for _ in range(3):
            with autograd.record():
                y = layer(x)
            y.backward()
            found += [y.asnumpy(), x.grad.asnumpy()]
        return found


@pytest.mark.parametrize("hybridize", [False, True])
def test_the_same_elements_are_dropped_as_on_the_cpu(hybridize):
    before = dict(dispatch.declined)
    for found, wanted in zip(trained(GPU, hybridize), trained(mx.cpu(), False), strict=True):
        np.testing.assert_allclose(found, wanted, 1e-5, 1e-6)
    assert [key for key in dispatch.declined if key not in before and key[1] == "gpu"] == []
