"""`nd.CachedOp`: a symbol that is called with arrays. The expected numbers are what MXNet 1.9.1 printed."""

import numpy as np
import pytest

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.base import ArgumentError, DTypeError

A = mx.sym.var("a")


def test_outputs_and_gradients():
    fc = mx.sym.FullyConnected(A, num_hidden=2, name="fc")
    op = nd.CachedOp(mx.sym.Group([fc, fc * 2]), [("static_alloc", True)])
    x, w, b = nd.ones((2, 3)), nd.ones((2, 3)), nd.zeros(2)
    for array in (x, w, b):
        array.attach_grad()
    with autograd.record():
        outputs = op(x, w, b)
        loss = outputs[0].sum() + outputs[1].sum()
    loss.backward()
    assert [y.shape for y in outputs] == [(2, 2), (2, 2)]
    assert w.grad.asnumpy().tolist() == [[6, 6, 6], [6, 6, 6]]
    assert b.grad.asnumpy().tolist() == [6, 6]


def test_one_output_on_two_devices_and_out():
    op = nd.CachedOp(A + 1)
    for ctx in (mx.cpu(0), mx.cpu(1)):
        y = op(nd.ones((2,), ctx=ctx))
        assert (y.context, y.asnumpy().tolist()) == (ctx, [2, 2])
    out = nd.zeros(2)
    assert op(nd.ones(2), out=out) is out
    assert out.asnumpy().tolist() == [2, 2]
    assert op(nd.ones(2), out=[out]) == [out]


def test_auxiliary_states_and_a_hook():
    op = nd.CachedOp(mx.sym.BatchNorm(A, name="bn"))
    arrays = [nd.array([[1.0], [3.0]]), nd.ones(1), nd.zeros(1), nd.zeros(1), nd.ones(1)]
    arrays[0].attach_grad()
    with autograd.record():
        y = op(*arrays)
    y.backward()
    np.testing.assert_allclose([x.asscalar() for x in arrays[3:]], [0.2, 1.0], rtol=1e-6)
    seen = []
    op._register_op_hook(lambda name, operator, array: seen.append((name, operator, array.shape)))
    op(*arrays)
    assert seen == [("bn_output", "BatchNorm", (2, 1))]


def test_load_json_where_mxnet_has_it():
    assert gluon.block.load_json((A + 1).tojson()).list_arguments() == ["a"]


@pytest.mark.parametrize(("run", "kind", "text"), [
    (lambda: nd.CachedOp(3), DTypeError, "CachedOp: sym must be a Symbol, found int"),
    (lambda: nd.CachedOp(A, [("static_aloc", True)]), ArgumentError,
     "CachedOp: no flag is called 'static_aloc'; there are static_alloc, static_shape, inline_limit, "
     "forward_bulk_size, backward_bulk_size, recompute, memory, passes. Did you mean 'static_alloc', 'static_shape'?"),
    (lambda: nd.CachedOp(A + 1)(), ArgumentError, "CachedOp: 0 arrays for the 1 inputs a"),
    (lambda: nd.CachedOp(A + 1)(np.ones(2)), DTypeError,
     "CachedOp: input 'a' must be an NDArray, found ndarray. Convert it with nd.array(...)."),
    (lambda: nd.CachedOp(A + 1)(nd.ones(2), out=[]), ArgumentError, "CachedOp: out has 0 arrays for 1 outputs"),
])
def test_wrong_use(run, kind, text):
    with pytest.raises(kind) as caught:
        run()
    assert str(caught.value) == text


def test_out_is_not_recorded():
    with autograd.record(), pytest.raises(ArgumentError) as caught:
        nd.CachedOp(A + 1)(nd.ones(2), out=nd.zeros(2))
    assert str(caught.value) == ("CachedOp: out= cannot be recorded. Take what the call returns, or call it under "
                                 "autograd.pause().")
