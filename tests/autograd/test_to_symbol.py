"""`autograd.get_symbol`: the record as a graph, which computes the same again. Names are MXNet's, see the comments."""

import numpy as np
import pytest

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.base import AutogradError, GraphFreedError, NotRecordedError, WrittenInPlaceError


def tracked(*arrays):
    found = [nd.array(a) for a in arrays]
    for x in found:
        x.attach_grad()
    return found


def operators(symbol):
    return [(n.op.name, n.name, n.attrs) for n in symbol.nodes() if n.op is not None]


def test_operators_and_names():
    """As MXNet 1.9.1 writes it at the first call in a process."""
    x, = tracked(np.ones((2, 3)))
    with autograd.record():
        y = nd.relu(x * 2 + nd.ones((2, 3))) * x
    symbol = autograd.get_symbol(y)
    assert symbol.list_arguments() == ["var0", "null1"]
    assert symbol.list_outputs() == ["node_3_output"]
    assert operators(symbol) == [("_mul_scalar", "node_0", {"scalar": "2.0"}), ("broadcast_add", "node_1", {}),
                                 ("relu", "node_2", {}), ("broadcast_mul", "node_3", {})]
    assert mx.sym.load_json(symbol.tojson()).tojson() == symbol.tojson()


def test_the_graph_computes_the_same():
    x, w, b = tracked(*[np.random.default_rng(0).normal(size=s) for s in ((2, 4), (3, 4), (3,))])
    with autograd.record():
        hidden = nd.FullyConnected(x, w, b, num_hidden=3)
        first, second = nd.split(x, num_outputs=2, axis=1)
        y = nd.concat(nd.tanh(hidden), second[:, ::-1], first.reshape((2, 2)), x[1].expand_dims(0).tile((2, 1)), dim=1)
    symbol = autograd.get_symbol(y)
    assert symbol.list_arguments() == ["var0", "var1", "var2"]
    again, = symbol.eval(var0=x, var1=w, var2=b)
    np.testing.assert_array_equal(again.asnumpy(), y.asnumpy())


def test_one_output_of_several():
    x, = tracked(np.arange(6).reshape(2, 3))
    with autograd.record():
        parts = nd.split(x, num_outputs=3, axis=1)
    symbol = autograd.get_symbol(parts[2])
    assert symbol.list_outputs() == ["node_0_output2"]
    assert symbol.eval(var0=x)[0].asnumpy().tolist() == [[2], [5]]


def test_a_variable_is_its_own_record():
    x, = tracked([1, 2])
    assert autograd.get_symbol(x).list_outputs() == ["var0"]


def test_constants():
    """The gradient of x * c needs c, so that the tape knows it again."""
    x, = tracked([1, 2])
    c = nd.array([3, 4])
    with autograd.record():
        y = x * c * c
        z = x + c + c
    assert autograd.get_symbol(y).list_arguments() == ["var0", "null1"]
    assert autograd.get_symbol(z).list_arguments() == ["var0", "null1", "null2"]


@pytest.mark.parametrize("hybridize", [False, True])
def test_the_record_of_a_block(hybridize):
    net = gluon.nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(gluon.nn.Dense(3, activation="tanh"), gluon.nn.BatchNorm())
    net.initialize()
    if hybridize:
        net.hybridize()
    data = nd.array(np.random.default_rng(0).normal(size=(4, 2)))
    net(data)
    with autograd.record(train_mode=False):
        y = net(data) * 2
    symbol = autograd.get_symbol(y)
    assert sorted(symbol.list_arguments()) == ["null4", "var0", "var1", "var2", "var3"]
    assert symbol.list_auxiliary_states() == ["null5", "null6"]
    assert [op for op, _, _ in operators(symbol)] == ["FullyConnected", "Activation", "BatchNorm", "_mul_scalar"]
    names = [name for _, name, _ in operators(symbol)]
    assert names == (["net_dense0_fwd", "net_dense0_tanh_fwd", "net_batchnorm0_fwd", "node_0"] if hybridize
                     else ["node_0", "node_1", "node_2", "node_3"])
    values = dict(zip(symbol.list_inputs(), [data, *[net.collect_params()[f"net_{name}"].data() for name in (
        "dense0_weight", "dense0_bias", "batchnorm0_gamma", "batchnorm0_beta", "batchnorm0_running_mean",
        "batchnorm0_running_var")]], strict=True))
    np.testing.assert_allclose(symbol.eval(**values)[0].asnumpy(), y.asnumpy(), rtol=1e-5)


def test_long_records():
    x, = tracked([0])
    with autograd.record():
        y = x
        for _ in range(5000):
            y = y + 1
    symbol = autograd.get_symbol(y)
    assert symbol.name == "node_4999"
    assert symbol.eval(var0=x)[0].asscalar() == 5000


def test_messages():
    with pytest.raises(AutogradError) as error:
        autograd.get_symbol(3)
    assert str(error.value) == "get_symbol takes an NDArray, found int 3"
    with pytest.raises(NotRecordedError):
        autograd.get_symbol(nd.ones((2,)))

    class Double(autograd.Function):
        def forward(self, x):
            return x * 2

    x, c = tracked([1, 2], [3, 4])
    with autograd.record():
        y, z, v = Double()(x) + 1, x * 2, x * c
    with pytest.raises(AutogradError) as error:
        autograd.get_symbol(y)
    assert str(error.value) == ("get_symbol: Double is an autograd.Function, which has no operator that a graph could "
                                "hold.")
    z.backward()
    with pytest.raises(GraphFreedError):
        autograd.get_symbol(z)
    c[:] = 0
    with pytest.raises(WrittenInPlaceError):
        autograd.get_symbol(v)
