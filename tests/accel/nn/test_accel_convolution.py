"""Compiled convolutions: shapes that meet every tail, and the operators that the plugin's own pass makes."""

import numpy as np
import pytest
from helpers.convolution_draws import convolutions

pytest.importorskip("minigluon_accel", reason="minigluon-accel is not installed")

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from minigluon_accel.backend import BACKEND
from minigluon_accel.kernels import OWN_OPERATORS
from minigluon_accel.kernels.nn import convolution as kernels
from minigluon_accel.operators.fused_convolution import ConvPool, PooledConvDataGrad, PooledConvWeightGrad

import minigluon as mx
from minigluon import autograd, nd
from minigluon.backend import ReferenceBackend, Spec, use_backend
from minigluon.base import MXNetError
from minigluon.gluon import nn
from minigluon.hybrid.compiler import compile_graph
from minigluon.ops import REGISTRY
from minigluon_accel import engine

REFERENCE = ReferenceBackend()


def computed(backend, op, arrays):
    inputs = [Spec(a.shape, a.dtype) for a in arrays]
    shapes, dtypes = op.infer_shape(*[a.shape for a in arrays])[1], op.infer_dtype(*[a.dtype for a in arrays])[1]
    outputs = [Spec(tuple(shape), dtype) for shape, dtype in zip(shapes, dtypes, strict=True)]
    kernel = backend.prepare(op, inputs, outputs, False, None)
    assert not isinstance(kernel, str), f"declined: {kernel}"
    return [np.array(x) for x in kernel.run([a.copy() for a in arrays])]


def check(op, *arrays):
    """The kernel against the reference, the same bits with 1 and 2 threads."""
    wanted = computed(REFERENCE, op, arrays)
    engine.set_threads(2)
    found = computed(BACKEND, op, arrays)
    engine.set_threads(1)
    again = computed(BACKEND, op, arrays)
    engine.set_threads(2)
    eps = np.finfo(arrays[0].dtype).eps
    for x, y, z in zip(found, wanted, again, strict=True):
        scale = max(1, np.abs(y[np.isfinite(y)]).max(initial=0))
        np.testing.assert_allclose(x, y, 0, 200 * eps * scale, err_msg=f"{op!r} {[a.shape for a in arrays]}")
        np.testing.assert_array_equal(x, z, err_msg=f"{op!r}: threads")


def arrays_for(geometry, batch, channels, filters, space, dtype, seed=0):
    """data, weight, bias, and an array like the result."""
    rng = np.random.default_rng(seed)
    groups = geometry.get("num_group", 1)
    shapes = (batch, channels, *space), (filters, channels // groups, *geometry["kernel"]), (filters,)
    out = REGISTRY["Convolution"](num_filter=filters, **geometry).infer_shape(*shapes)[1][0]
    return [rng.standard_normal(shape).astype(dtype) for shape in (*shapes, out)]


def check_all(geometry, *how):
    data, weight, bias, grad = arrays_for(geometry, *how)
    filters = weight.shape[0]
    check(REGISTRY["Convolution"](num_filter=filters, **geometry), data, weight, bias)
    check(REGISTRY["Convolution"](num_filter=filters, no_bias=True, **geometry), data, weight)
    check(REGISTRY["_conv"](**geometry), data, weight, grad)
    check(REGISTRY["_conv_data_grad"](**geometry), grad, weight, data)
    check(REGISTRY["_conv_weight_grad"](**geometry), grad, data, weight)
    # the transpose, from arrays like the result to one that the windows reach
    transpose = REGISTRY["Deconvolution"](num_filter=data.shape[1], no_bias=False, **geometry)
    try:
        transpose.infer_shape(grad.shape, weight.shape, (data.shape[1],))
    except MXNetError:
        return
    check(transpose, grad, weight, data[0, :, 0].reshape(data.shape[1], -1)[:, 0])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("geometry", "how"), [
    ({"kernel": (5, 5)}, (3, 1, 20, (28, 28))),                                     # LeNet's first
    ({"kernel": (5, 5)}, (2, 20, 50, (12, 12))),
    ({"kernel": (11, 11), "stride": (4, 4), "pad": (2, 2)}, (2, 3, 17, (51, 47))),
    ({"kernel": (7, 7), "stride": (2, 2), "pad": (3, 3)}, (1, 3, 65, (33, 34))),
    ({"kernel": (1, 1)}, (5, 33, 31, (7, 7))),
    ({"kernel": (1, 1), "stride": (2, 2)}, (2, 65, 15, (15, 14))),
    ({"kernel": (1, 1), "stride": (3, 2), "pad": (1, 1)}, (2, 4, 4, (9, 8))),
    ({"kernel": (3, 3), "pad": (1, 1), "num_group": 6}, (2, 6, 6, (14, 13))),       # depthwise
    ({"kernel": (3, 3), "pad": (1, 1), "num_group": 3}, (2, 12, 21, (9, 20))),
    ({"kernel": (3, 2), "dilate": (2, 3), "stride": (2, 3), "pad": (3, 2)}, (2, 5, 7, (12, 17))),
    ({"kernel": (2, 2), "stride": (3, 3)}, (2, 5, 7, (12, 11))),                    # elements that no window sees
    ({"kernel": (1,)}, (9, 3, 2, (1,))),
    ({"kernel": (4,), "stride": (2,), "pad": (1,)}, (3, 16, 16, (100,))),
    ({"kernel": (2, 3, 3), "pad": (0, 1, 1), "stride": (1, 2, 1)}, (2, 5, 9, (4, 9, 8))),
])
def test_geometries(geometry, how, dtype):
    check_all(geometry, *how, dtype)


@settings(max_examples=30, deadline=None)
@given(convolutions((40, 14, 6), st.integers(1, 9)))
def test_drawn(convolution):
    check_all(*convolution)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(convolutions((40, 14, 6), st.integers(1, 9)))
def test_drawn_and_folded(monkeypatch, convolution):
    """What is usually done where the kernel is as large as the image is right for every geometry."""
    monkeypatch.setattr(kernels, "GAIN", 1e-9)
    check_all(*convolution)


@pytest.mark.parametrize(("geometry", "how", "folded"), [
    ({"kernel": (12, 11)}, (5, 3, 7, (12, 11)), True),                              # one window
    ({"kernel": (5, 5), "pad": (1, 1)}, (70, 16, 120, (5, 5)), True),                # more windows than a part has
    ({"kernel": (9, 9), "num_group": 3}, (2, 12, 6, (10, 10)), True),
    ({"kernel": (8, 8), "stride": (8, 8)}, (2, 3, 100, (40, 42)), True),
    ({"kernel": (5, 5), "pad": (2, 2)}, (4, 32, 32, (14, 14)), False),
    ({"kernel": (4, 4), "stride": (2, 2), "pad": (1, 1)}, (4, 32, 16, (16, 16)), False),
])
def test_large_kernels_are_folded(geometry, how, folded):
    data, weight, _, grad = arrays_for(geometry, *how, "float32")
    op, specs = REGISTRY["_conv_data_grad"](**geometry), [Spec(a.shape, a.dtype) for a in (grad, weight, data)]
    call = kernels.conv_data_grad(op, specs, [specs[2]])
    assert ("fold_windows" in [phase.name for phase in call.phases]) == folded
    check_all(geometry, *how, "float32")


@pytest.mark.parametrize(("batch", "channels", "filters"), [(0, 3, 4), (2, 3, 4)])
def test_empty(batch, channels, filters):
    geometry = {"kernel": (3, 3), "pad": (1, 1)}
    data, weight, bias, grad = arrays_for(geometry, batch, channels, filters, (5, 5), "float32")
    for op, arrays in ((REGISTRY["Convolution"](num_filter=filters, **geometry), (data, weight, bias)),
                       (REGISTRY["_conv_data_grad"](**geometry), (grad, weight, data))):
        check(op, *arrays)


def test_the_weight_of_no_windows_gets_zeros():
    """A deconvolution of an image without columns; the reference does it."""
    arrays = np.ones((65, 2, 2, 2, 0), "float32"), np.ones((65, 2, 3, 4, 1), "float32"), np.ones((2,) * 5, "float32")
    op = REGISTRY["_conv_weight_grad"](kernel=(2, 2, 2), stride=(1, 2, 1), pad=(0, 0, 0), dilate=(1, 1, 1), num_group=1)
    specs = [Spec(a.shape, a.dtype) for a in arrays]
    assert BACKEND.prepare(op, specs, [specs[2]], False, None) == "an empty gradient"
    assert not computed(REFERENCE, op, arrays)[0].any()


def test_infinite_weights_stay_where_their_windows_are():
    geometry = {"kernel": (3,), "pad": (1,)}
    data, weight, bias, grad = arrays_for(geometry, 2, 3, 4, (7,), "float32")
    weight[1, 2, 0], weight[2, 1, 2], grad[0, 0, 3] = np.inf, np.nan, -np.inf
    check(REGISTRY["_conv_data_grad"](**geometry), grad, weight, data)
    check(REGISTRY["Convolution"](num_filter=4, **geometry), data, weight, bias)


# -- what the pass makes --------------------------------------------------------------------------------------------

def nets():
    return {
        "relu": lambda: [nn.Conv2D(8, 3, activation="relu"), nn.Conv2D(5, 2, activation="relu", use_bias=False)],
        "pooled": lambda: [nn.Conv2D(7, 5, activation="relu"), nn.MaxPool2D(2, 2), nn.Conv2D(9, 3, padding=1),
                           nn.MaxPool2D(2, 2), nn.Activation("relu"), nn.Dense(3)],
        "3 x 3 apart": lambda: [nn.Conv2D(6, (3, 2), strides=(2, 1)), nn.MaxPool2D((3, 2), (3, 3))],
        "overlapping": lambda: [nn.Conv2D(6, 3, activation="relu"), nn.MaxPool2D(3, 2)],
    }


def trained(make, x, backend):
    """Result and gradients of a hybridized net with parameters drawn from a fixed seed."""
    with use_backend(backend):
        net = nn.HybridSequential()
        with net.name_scope():
            net.add(*make())
        net.initialize()
        net(x)
        rng = np.random.default_rng(1)
        for p in net.collect_params().values():
            p.set_data(nd.array(rng.uniform(-0.5, 0.5, p.shape)))
        net.hybridize()
        x.attach_grad()
        with autograd.record():
            y = net(x)
        y.backward(nd.array(rng.uniform(-1, 1, y.shape)))
        grads = [p.grad().asnumpy() for p in net.collect_params().values()]
        return [y.asnumpy(), net(x).asnumpy(), x.grad.asnumpy(), *grads]


@pytest.mark.parametrize("name", sorted(nets()))
def test_nets_agree_with_the_reference(name):
    x = nd.array(np.random.default_rng(0).uniform(-1, 1, (5, 3, 22, 19)))
    for ours, theirs in zip(trained(nets()[name], x, "accel"), trained(nets()[name], x, "numpy"), strict=True):
        np.testing.assert_allclose(ours, theirs, 1e-5, 1e-5 * max(1, np.abs(theirs).max()))


@pytest.mark.parametrize(("name", "wanted"), [
    ("relu", {"_conv_relu"}), ("overlapping", set()),
    ("pooled", {"_conv_pool", "_pooled_conv_weight_grad", "_pooled_conv_data_grad"})])
def test_the_pass_finds_its_places(name, wanted):
    net = nn.HybridSequential()
    net.add(*nets()[name]())
    net.initialize()
    x = nd.random.uniform(shape=(5, 3, 22, 19))
    net(x)
    names = {node.op.name for node in planned(net, x)}
    assert names & set(OWN_OPERATORS) == wanted


def planned(net, x):
    """The nodes of a net's plan."""
    symbol = net(mx.sym.var("data"))
    params = {p.name: p.data() for p in net.collect_params().values()}
    known = {"data": x, **params}
    known = {name: Spec(x.shape, x.buffer.dtype) for name, x in known.items()}
    reports = []
    compile_graph(symbol, known, list(known), mx.cpu(), True, tuple(params), reports)
    return [node for node in reports[-1].after.nodes() if node.op is not None]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("kernel", "stride"), [((2, 2), (2, 2)), ((2, 1), (2, 2)), ((1, 3), (1, 3)), ((3, 2), (4, 5))])
def test_convolution_with_pooling(kernel, stride, dtype):
    conv = {"kernel": (4, 3), "pad": (1, 0), "num_group": 2}
    data, weight, bias, _ = arrays_for(conv, 5, 4, 6, (18, 47), dtype)
    data[1, 0, 3, 3], data[2, 1, 5, 7] = np.nan, -np.inf
    first = REGISTRY["Convolution"](num_filter=6, **conv), (0, 1, 2)
    relu = REGISTRY["Activation"](act_type="relu"), (-2,)
    pool = REGISTRY["Pooling"](kernel=kernel, stride=stride, pool_type="max"), (-1,)
    check(ConvPool(program=(first, pool)), data, weight, bias)
    check(ConvPool(program=(first, pool, relu)), data, weight, bias)
    winners = REGISTRY["_max_pooling_argmax"](**{
        name: value for name, value in pool[0].attributes.items() if name in REGISTRY["_max_pooling_argmax"].fields})
    data[1, 0, 3, 3] = 0                # which element of a window with NaN wins is left open
    check(ConvPool(program=(first, (winners, (-1,)))), data, weight, bias)
    check(ConvPool(program=(first, (winners, (-1,)), relu)), data, weight, bias)


def test_winners_of_pooled_gradients():
    rng = np.random.default_rng(3)
    for dtype in "float32", "float64":
        conv = {"kernel": (3, 5), "pad": (1, 2)}
        data, weight, _, like = arrays_for(conv, 6, 3, 11, (9, 21), dtype)
        pool = REGISTRY["_max_pooling_argmax"](**_pooling(like))
        out, winners = (np.asarray(a) for a in pool.forward(like))
        grad = rng.standard_normal(out.shape).astype(dtype) * (out > 0)
        back = REGISTRY["_max_pooling_argmax_grad"](**pool.attributes)
        weight_op, data_op = (
            made(program=((back, (0, 1, 2)), (REGISTRY[name](**conv), (-1, 3, 4)))) for made, name in (
                (PooledConvWeightGrad, "_conv_weight_grad"), (PooledConvDataGrad, "_conv_data_grad")))
        assert weight_op.shape_only == ("inputs2", "inputs4") == data_op.shape_only
        check(weight_op, grad, winners, like, data, weight)
        check(data_op, grad, winners, like, weight, data)
        weight[2, 1, 1, 1] = np.inf
        data[3, 1, 4, 4] = np.nan
        check(weight_op, grad, winners, like, data, weight)
        check(data_op, grad, winners, like, weight, data)


def _pooling(like):
    fields = REGISTRY["_max_pooling_argmax"].fields
    wanted = {"kernel": (2, 3), "stride": (2, 3), "pool_type": "max"}
    return {name: value for name, value in wanted.items() if name in fields}
