"""`invoke` takes shorter ways, and calls of a HybridBlock are written out. Plain functions do the same."""

import numpy as np
import pytest

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.autograd import is_training
from minigluon.backend.registry import use_backend
from minigluon.common.fast_paths import plain_paths
from minigluon.dispatch import find_kernel
from minigluon.gluon import nn
from minigluon.gluon.hybrid_block import HybridBlock
from minigluon.ndarray.imperative import _finish, invoke
from minigluon.ndarray.input_errors import on_one_device
from minigluon.ops import REGISTRY


def array(*shape, dtype="float32", ctx=None):
    values = np.random.default_rng(sum(shape)).uniform(0.5, 1.5, size=shape)
    return nd.array(values, dtype=dtype, ctx=ctx)


def op(name, **attributes):
    return REGISTRY[name](**attributes)


def sharing(x):
    """Inputs, and an `out` on the memory of the first of them."""
    return [x, array(2, 3)], x.reshape((2, 3))


# name: (operator, inputs, out= or None)
CALLS = {
    "one input": lambda: (op("relu"), [array(2, 3)], None),
    "two inputs": lambda: (op("broadcast_add"), [array(2, 3), array(1, 3)], None),
    "three inputs": lambda: (op("FullyConnected", num_hidden=4), [array(2, 3), array(4, 3), array(4)], None),
    "four inputs": lambda: (op("add_n", num_args=4), [array(2, 3) for _ in range(4)], None),
    "a train mode": lambda: (op("Dropout", p=0.5), [array(20, 30)], None),
    "overwritten inputs": lambda: (op("BatchNorm", fix_gamma=False), [array(4, 3), *[array(3) for _ in range(4)]],
                                   None),
    "states that are overwritten": lambda: (op("sgd_mom_update", lr=0.1, momentum=0.9), [array(2, 3) for _ in range(3)],
                                            array(2, 3)),
    "several outputs": lambda: (op("split", num_outputs=3, axis=1), [array(2, 3)], None),
    "several outputs of its own": lambda: (op("topk", k=2, ret_typ="both"), [array(2, 3)], None),
    "no gradient": lambda: (op("argmax", axis=1), [array(2, 3)], None),
    "an unknown shape": lambda: (op("_contrib_boolean_mask"), [array(3, 2), nd.array([1, 0, 1])], None),
    "out": lambda: (op("tanh"), [array(2, 3)], array(2, 3)),
    "an input as out": lambda: (op("broadcast_add"), *sharing(array(2, 3))),
    "out on another device": lambda: (op("tanh"), [array(2, 3)], array(2, 3, ctx=mx.cpu(1))),
    "a small out of another dtype": lambda: (op("tanh"), [array(2, 3)], array(2, 3, dtype="float64")),
    "a large out": lambda: (op("tanh"), [array(90, 91)], array(90, 91)),
    "out of another dtype": lambda: (op("tanh"), [array(90, 91)], array(90, 91, dtype="float64")),
    "a list as out": lambda: (op("split", num_outputs=2, axis=0), [array(90, 92)], [array(45, 92), array(45, 92)]),
    "out of another shape": lambda: (op("tanh"), [array(2, 3)], array(3, 2)),
    "shapes that clash": lambda: (op("elemwise_add"), [array(2, 3), array(3, 2)], None),
    "three shapes that clash": lambda: (op("FullyConnected", num_hidden=4), [array(2, 3), array(4, 2), array(4)], None),
    "devices that clash": lambda: (op("elemwise_add"), [array(2, 3), array(2, 3, ctx=mx.cpu(1))], None),
    "three devices that clash": lambda: (op("FullyConnected", num_hidden=4),
                                         [array(2, 3), array(4, 3), array(4, ctx=mx.cpu(1))], None),
    "four devices that clash": lambda: (op("add_n", num_args=4), [*[array(2) for _ in range(3)],
                                                                  array(2, ctx=mx.cpu(1))], None),
    "dtypes that clash": lambda: (op("elemwise_add"), [array(2, 3), array(2, 3, dtype="int32")], None),
}


def outcome(function, make, recording, hidden, training):
    """All that can be told apart about a call: results, inputs and targets afterwards, the tape, or the error."""
    mx.random.seed(7)
    operator, inputs, out = make()
    found = []
    try:
        for _ in range(2):              # the second time all is prepared
            if recording:
                inputs[0].attach_grad()
            with autograd.record(training) if recording else autograd.pause(training):
                results = function(operator, inputs, out, hidden)
            found.append(of_call(operator, results, inputs, out))
    except mx.MXNetError as error:
        return type(error), str(error)
    return found


def of_call(operator, results, inputs, out):
    listed = results if isinstance(results, list) else [results]
    targets = [] if out is None else out if isinstance(out, list) else [out]
    entries = [None if y.entry is None else (y.entry.op is operator, y.entry.specs, y.output_index, len(y.entry.inputs),
                                              len(y.entry.outputs), [p is not None for p in y.entry.parents])
               for y in listed]
    if entries[0] is not None:
        autograd.backward([y for y in listed if y.entry is not None])
        entries.append(inputs[0].grad.asnumpy().tolist())
    return (isinstance(results, list), [any(y is x for x in targets) for y in listed],
            [(y.dtype, y.shape, y.asnumpy().tolist()) for y in listed],
            [(x.asnumpy().tolist(), x._version) for x in (*inputs, *targets)], entries)


def invoke_plainly(op, inputs, out=None, hidden=False):
    """Always by a kernel that makes its results: no site of a backend, and nothing written in place."""
    ctx = inputs[0].device
    if any(x.device is not ctx for x in inputs):
        inputs = on_one_device(op, inputs)
    handles = [x.buffer for x in inputs]
    key = ("plain", op, is_training(), *[(h.shape, h.dtype) for h in handles])
    kernel = find_kernel(op, ctx, handles, key, is_training())
    return _finish(op, inputs, kernel(handles), out, ctx, hidden)


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("recording", [False, True])
@pytest.mark.parametrize("backend", ["numpy", None])
@pytest.mark.parametrize("name", CALLS)
def test_invoke_is_the_plain_one(name, backend, recording, training):
    for hidden in False, True:
        if backend is None:
            found, wanted = (outcome(f, CALLS[name], recording, hidden, training)
                             for f in (invoke, invoke_plainly))
        else:
            with use_backend(backend):
                found, wanted = (outcome(f, CALLS[name], recording, hidden, training)
                                 for f in (invoke, invoke_plainly))
        assert found == wanted


# -- blocks ---------------------------------------------------------------------------------------------------------

class Tired(gluon.HybridBlock):
    """Forgets a parameter in its `hybrid_forward`."""

    def __init__(self):
        super().__init__(prefix="tired_")
        self.weight = self.params.get("weight", shape=(2,))

    def hybrid_forward(self, F, x):
        return x


class Listed(gluon.HybridBlock):
    """Takes a list of arrays."""

    def hybrid_forward(self, F, x, y=None):
        return x[0] * 2 if y is None else x[0] * y


def ready(block, **how):
    block.initialize(mx.init.One(), **how)
    return block


def hybridized(block):
    block.hybridize()
    return block


def moved(block):
    block.collect_params().reset_ctx(mx.cpu(1))
    return block


# name: (block, arguments)
BLOCKS = {
    "parameters": lambda: (ready(nn.Dense(3, in_units=4, prefix="d_")), [array(2, 4)]),
    "deferred parameters": lambda: (ready(nn.Dense(3, prefix="d_")), [array(2, 4)]),
    "no parameters": lambda: (nn.Activation("tanh", prefix="t_"), [array(2, 4)]),
    "children": lambda: (ready(chain()), [array(2, 4)]),
    "statistics": lambda: (ready(nn.BatchNorm(in_channels=4, prefix="b_")), [array(2, 4)]),
    "hybridized": lambda: (hybridized(ready(chain())), [array(2, 4)]),
    "two arguments": lambda: (Listed(prefix="l_"), [[array(2, 4)], array(2, 4)]),
    "a list": lambda: (Listed(prefix="l_"), [[array(2, 4)]]),
    "a symbol": lambda: (nn.Dense(3, in_units=4, prefix="d_"), [mx.sym.var("x")]),
    "not initialized": lambda: (nn.Dense(3, in_units=4, prefix="d_"), [array(2, 4)]),
    "another width": lambda: (ready(nn.Dense(3, in_units=4, prefix="d_")), [array(2, 5)]),
    "another device": lambda: (moved(ready(nn.Dense(3, in_units=4, prefix="d_"))), [array(2, 4)]),
    "an argument too many": lambda: (ready(nn.Dense(3, in_units=4, prefix="d_")), [array(2, 4), array(2, 4)]),
    "an argument too many without parameters": lambda: (nn.Activation("tanh", prefix="t_"), [array(2), array(2)]),
    "a forgotten parameter": lambda: (ready(Tired()), [array(2, 4)]),
    "no array": lambda: (ready(nn.Dense(3, in_units=4, prefix="d_")), [3]),
}


def chain():
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Dense(3, activation="relu"), nn.Dense(2))
    return net


def of_block(name, recording):
    """All that can be told apart about two calls, or the error."""
    mx.random.seed(7)
    block, args = BLOCKS[name]()
    found = []
    try:
        for _ in range(2):              # the first may have to initialize
            with autograd.record() if recording else autograd.pause():
                y = block(*args)
            if isinstance(y, mx.sym.Symbol):
                found.append(y.list_arguments())
                continue
            found.append((y.asnumpy().tolist(), y.entry and y.entry.op.name))
            if y.entry is not None:
                y.backward()
    except (mx.MXNetError, TypeError) as error:
        return type(error), str(error)
    params = block.collect_params().values()
    return found, [(p.name, p.data().asnumpy().tolist()) for p in params if p.is_initialized], [
        p.grad().asnumpy().tolist() for p in params if p.is_initialized and p.grad_req != "null"]


@pytest.mark.parametrize("recording", [False, True])
@pytest.mark.parametrize("name", BLOCKS)
def test_a_call_of_a_block_is_the_plain_one(name, recording):
    found, fast = of_block(name, recording), HybridBlock.forward
    with plain_paths():
        assert HybridBlock.forward is not fast
        assert "__call__" not in vars(HybridBlock)
        assert found == of_block(name, recording)
    assert HybridBlock.forward is fast


def test_the_cases_are_what_they_say():
    """Errors where the name says so, and only there."""
    wrong = {name for name in CALLS if isinstance(outcome(invoke, CALLS[name], False, False, False), tuple)}
    assert wrong == {name for name in CALLS if "clash" in name or name == "out of another shape"}
    failed = {name for name in BLOCKS if isinstance(of_block(name, False)[0], type)}
    assert failed == {"not initialized", "another width", "another device", "an argument too many",
                      "an argument too many without parameters", "a forgotten parameter", "no array"}


@pytest.mark.parametrize("call", [
    lambda x: nd.clip(x, 1, 1.2), lambda x: nd.one_hot(x[0], 4, on_value=2), lambda x: nd.random.uniform(1, 2, shape=3),
    lambda x: nd.slice_axis(x, axis=1, begin=0, end=2)])
def test_a_call_is_read_once(call, monkeypatch):
    """The second time, attributes by position and calls without arrays are known, too."""
    from minigluon.ndarray import register
    x = array(2, 3)
    first = call(x)
    monkeypatch.setattr(register, "bind", None)
    assert call(x).shape == first.shape
