"""Indices out of range on the GPU: noted by kernels, within CUDA graphs too, and raised where the host waits."""

import gc

import numpy as np
import pytest
from helpers import gpu_choice  # noqa: F401 - first: it chooses the GPU, or skips the module
from helpers.gpu_checks import GPU, _pooled, backend  # noqa: F401 - fixture
from minigluon_accel.gpu.program import GraphProgram

import minigluon as mx
from minigluon import autograd, nd
from minigluon.base import OutOfRangeError
from minigluon.gluon import nn

TAKE = "take: index {} is out of range; indices must be at least 0 and less than 3."
WILD = [3, -1, -2 ** 31, 2 ** 31 - 1, 10 ** 6, 4]       # none is an index of three elements, the first is one of four


def on_gpu(*values, dtype="int32"):
    return nd.array(values, ctx=GPU, dtype=dtype)


def taken(*indices):
    return nd.take(on_gpu(1, 2, 3, dtype="float32"), on_gpu(*indices), mode="raise")


def raised(wait):
    with pytest.raises(OutOfRangeError) as error:
        wait()
    return str(error.value)


@pytest.fixture(autouse=True)
def _nothing_is_left():
    yield
    nd.waitall()


# -- when it is raised ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wait", [lambda x: x.asnumpy(), lambda x: x.wait_to_read(), lambda x: nd.waitall(),
                                  lambda x: on_gpu(5).asscalar(), lambda x: float(x.sum().asscalar())],
                         ids=["asnumpy", "wait_to_read", "waitall", "another array", "a result of it"])
def test_each_wait_raises_it_once(wait):
    x = taken(0, 7, 1)                                  # nothing is raised yet
    assert raised(lambda: wait(x)) == TAKE.format(7)
    assert x.asnumpy()[[0, 2]].tolist() == [1, 2]       # what was in range is right, and the device goes on


def test_the_first_of_several_is_the_one_that_is_told():
    first = taken(1, 9, 8)
    second = nd.gather_nd(on_gpu(1, 2), on_gpu([6]))
    third = taken(-4)
    assert raised(third.asnumpy) == TAKE.format(9)
    assert second.shape + first.shape == (1, 3)
    nd.waitall()                                        # the others are not told


def test_a_wait_between_them_tells_each():
    assert raised(taken(4).asnumpy) == TAKE.format(4)
    assert raised(nd.gather_nd(on_gpu(1, 2), on_gpu([-3])).asnumpy) == (
        "gather_nd: index -3 is out of range for axis 0, which has length 2.")
    assert raised(taken(5).asnumpy) == TAKE.format(5)


def test_other_modes_raise_nothing():
    x, where = on_gpu(1, 2, 3), on_gpu(*WILD[:3])
    assert nd.take(x, where, mode="clip").asnumpy().tolist() == [3, 1, 1]
    assert nd.take(x, where, mode="wrap").asnumpy().tolist() == [1, 3, 2]
    assert nd.Embedding(where, x.reshape((3, 1)), input_dim=3, output_dim=1).asnumpy().ravel().tolist() == [3, 1, 1]


# -- in a graph -------------------------------------------------------------------------------------------------------


class Lookup(nn.HybridBlock):
    def hybrid_forward(self, F, table, where):
        rows = F.take(table * 2, where, mode="raise")
        return F.gather_nd(rows.sum(axis=1), F.expand_dims(where, 0)) + F.tanh(rows).sum()


def test_such_operators_are_part_of_one_graph(pooled):
    """Captured at the second run, and launched as one thing from then on; an error is noted by a graph as well."""
    net, graphs = Lookup(), []
    net.hybridize()
    table, where = nd.ones((3, 4), ctx=GPU), on_gpu(2, 0, 1)
    for bad in None, None, None, 5, None, -7, None:
        where[1] = 0 if bad is None else bad
        nd.waitall()
        result = net(table, where)
        if bad is None:
            assert np.isfinite(result.asnumpy()).all()
        else:
            assert raised(result.asnumpy) == TAKE.format(bad)
        del result
        (program,) = programs(net)
        graphs.append([graph is not None for found in program._graphs.values() for graph in found or ()])
    assert len(program._pieces) == 1
    assert graphs[-1]
    assert all(graphs[-1])


def programs(net):
    """The programs of a hybridized net's plans."""
    return [each for each in gc.get_objects() if isinstance(each, GraphProgram) and each.count > 3
            and any("gather" in getattr(kernel, "name", "") for kernel in each._program.kernels)]


def test_training_through_a_graph_with_an_index_out_of_range(pooled):
    """Gradients of what was out of range stay within their arrays, and the step after it is right."""
    net = nn.HybridSequential()
    net.add(nn.HybridLambda(lambda F, x: F.take(F.ones((3, 2), ctx=GPU), x, mode="raise")), nn.Dense(1, in_units=2))
    net.initialize(mx.init.One(), ctx=GPU)
    net.hybridize()
    for bad in 0, 0, 0, 77, 0:
        with autograd.record():
            loss = net(on_gpu(0, bad, 2)).sum()
        loss.backward()
        if bad:
            assert raised(loss.asnumpy) == TAKE.format(bad)
        else:
            assert loss.asscalar() == 6
    assert net[1].weight.grad(GPU).asnumpy().tolist() == [[3, 3]]


# -- nothing is read or written outside of the arrays -----------------------------------------------------------------


def wild(name, *arrays, grad=False, **attrs):
    """Run an operator, and its gradient; the emulated device would fail at the first address outside of an array."""
    arrays = [nd.array(a, ctx=GPU, dtype=a.dtype) for a in arrays]
    for array in arrays:
        if array.dtype == np.float32:
            array.attach_grad()
    with autograd.record():
        result = getattr(nd._internal if name.startswith("_") else nd, name)(*arrays, **attrs)
    if grad:
        result.backward()
    text = raised(nd.waitall)
    nd.waitall()
    return text


DATA = np.arange(12, dtype="float32").reshape(3, 4)


@pytest.mark.parametrize("dtype", ["int64", "float32"])
def test_wild_indices_and_their_gradients(dtype):
    values = [*WILD, *([np.nan, np.inf, -1e30] if dtype.startswith("float") else [])]
    where = np.array(values).astype(dtype)
    pairs = np.stack([where, where[::-1]])
    assert wild("take", DATA, where, mode="raise", grad=True).startswith("take: index 3 ")
    assert wild("take", DATA, where, axis=1, mode="raise", grad=True).startswith("take: index -1 ")
    assert wild("gather_nd", DATA, pairs, grad=True).startswith("gather_nd: index 3 is out of range for axis 0")
    assert wild("scatter_nd", np.ones((len(where), 4), "float32"), where[None], shape=(3, 4), grad=True).startswith(
        "scatter_nd: index 3 ")
    rows = np.ones((len(where), 4), "float32")
    assert wild("_scatter_set_nd", DATA, rows, where[None], shape=(3, 4), grad=True).startswith(
        "_scatter_set_nd: index 3 ")
    assert wild("_last_writer", rows, where[None], shape=(3, 4)).startswith("_last_writer: index 3 ")
    assert wild("softmax_cross_entropy", np.ones((len(where), 3), "float32"), where).startswith(
        "softmax_cross_entropy: index 3 ")
    if dtype.startswith("int"):
        assert "index_copy: index 3 " in wild("_contrib_index_copy", DATA, where, rows)


def test_an_axis_without_elements():
    """Every index is out of range there, and no element could be taken instead. `take` refuses such an array."""
    assert raised(nd.gather_nd(nd.zeros((0, 2), ctx=GPU), on_gpu([0])).asnumpy) == (
        "gather_nd: index 0 is out of range for axis 0, which has length 0.")


def test_each_operator_has_its_own_number():
    outside = backend().device.memory.outside
    assert outside.number("a", False) == outside.number("a", False) != outside.number("a", True)
