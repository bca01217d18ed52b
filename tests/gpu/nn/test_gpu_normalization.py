"""Normalization on the GPU: BatchNorm there and back, and what brings parts of one item to mean 0 and variance 1."""

import numpy as np
import pytest
from helpers import WIDE
from helpers.gpu_checks import GPU, Twin, agree, own_kernels
from helpers.gpu_rows import cases_of, check_case
from hypothesis import given, settings
from hypothesis import strategies as st
from minigluon_accel.gpu import launch
from minigluon_accel.gpu.cudnn import library
from minigluon_accel.gpu.kernels.nn import batch_norm
from minigluon_accel.gpu.passes.fuse_relu import fuse_relu

import minigluon as mx
from minigluon import autograd, nd
from minigluon.backend import Spec
from minigluon.gluon import nn
from minigluon.hybrid import Draft
from minigluon.hybrid.specs import infer_specs
from minigluon.ops import REGISTRY

OWN = {"BatchNorm", "_contrib_BatchNormWithReLU", "_batch_norm_grad", "_batch_norm_recompute", "LayerNorm",
       "InstanceNorm", "_layer_norm_grad", "GroupNorm", "L2Normalization", "LRN", "_sum_neighbours"}
ROWS = cases_of(*OWN)
LENGTHS = st.lists(st.sampled_from([1, 2, 3, 5, 8, 33]), min_size=2, max_size=4).map(tuple)


def drawn(shape, dtype="float32", seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def positive(count, dtype, seed=0):
    return (0.5 + np.random.default_rng(seed).random(count)).astype(dtype)


@pytest.mark.parametrize("case", ROWS, ids=lambda c: c.id)
def test_rows(case):
    for dtype in "float32", "float64", "float16":
        check_case(case, dtype, only=OWN)


def check_batch_norm(data, train, axis, name="BatchNorm", **attributes):
    """Forward and the gradient on what forward has left: by our own kernels, and by cuDNN where it is installed."""
    if library.available() is None:
        check_once(data, train, axis, name, **attributes)
    with own_kernels():
        check_once(data, train, axis, name, **attributes)


def check_once(data, train, axis, name, **attributes):
    wide = np.promote_types(data.dtype, "float32")
    vectors = [positive(data.shape[axis], wide, seed) for seed in range(4)]
    op = REGISTRY[name](axis=axis, **attributes)
    twin = Twin(op, [data, *vectors], train)
    assert twin.check()
    (_, mean, inverse, batch), _ = twin.wanted()
    again, _ = op.recompute_as
    assert Twin(again, [data, *vectors[:2], mean, inverse]).check()
    grad_op = REGISTRY["_batch_norm_grad"](axis=axis, fix_gamma=op.fix_gamma)
    grad = drawn(data.shape, "float64", 1).astype(data.dtype)
    assert Twin(grad_op, [grad, data, vectors[0], mean, inverse, batch]).check()


@settings(deadline=None, max_examples=30 if WIDE else 15)
@given(LENGTHS, st.integers(0, 3), st.booleans(), st.booleans(), st.booleans(),
       st.sampled_from(["float32", "float16"]), st.sampled_from(["BatchNorm", "_contrib_BatchNormWithReLU"]))
def test_batch_norm(shape, axis, train, fix_gamma, use_global_stats, dtype, name):
    check_batch_norm(2 + drawn(shape, dtype), train, axis % len(shape), name, fix_gamma=fix_gamma, eps=1e-2,
                     momentum=0.7, use_global_stats=use_global_stats)


def test_indices_of_64_bits(monkeypatch):
    """What arrays of 2**31 elements or more run, on small ones."""
    monkeypatch.setattr(batch_norm, "SMALL", 1)
    check_batch_norm(2 + drawn((3, 4, 5)), True, 1, fix_gamma=False)


@pytest.mark.parametrize("shape", [(1, 3, 5000), (3000, 3), (600, 2, 30), (0, 3, 4), (2, 0, 4), (2, 3, 0)], ids=str)
def test_long_and_empty_channels(shape):
    for train in True, False:
        check_batch_norm(drawn(shape), train, 1, fix_gamma=False)


def test_batch_norm_of_integers():
    data = np.random.default_rng(0).integers(0, 100, (4, 3, 5))
    for dtype in "int32", "uint8":
        check_batch_norm(data.astype(dtype), True, 1, fix_gamma=False)


def test_more_channels_than_the_grid_has_blocks(monkeypatch):
    monkeypatch.setattr(launch, "MAX_BLOCKS", 2)
    check_batch_norm(drawn((5, 1200, 3)), True, 1, fix_gamma=False)
    check_batch_norm(drawn((40, 700)), True, 1, fix_gamma=False)
    agree("LayerNorm", drawn((1200, 30)), drawn(30), drawn(30))


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize(("shape", "axis"), [
    ((5, 7), -1), ((3, 4, 5), 1), ((6, 3, 2), 0), ((2000, 33), -1), ((3, 3000), 1), ((2, 700, 3), 1), ((0, 4), -1),
    ((4, 0), -1), ((1,), 0)], ids=str)
def test_the_gradient_of_a_layer_norm(shape, axis, dtype):
    small = tuple(1 if i == axis % len(shape) else n for i, n in enumerate(shape))
    moments = drawn(small, dtype, 3), positive(small, dtype, 4)
    grad, gamma = drawn(shape, dtype, 1) / 4, drawn(shape[axis], dtype, 2)
    agree("_layer_norm_grad", grad, drawn(shape, dtype), gamma, *moments, axis=axis)


def test_channels_far_from_zero():
    """Where the mean is 1,000 times the deviation, a difference of squares would have no digit left."""
    data = 1000 + drawn((64, 3, 20, 20))
    arrays = [nd.array(a, ctx=GPU) for a in (data, np.ones(3), np.zeros(3), np.zeros(3), np.ones(3))]
    with autograd.train_mode():
        out = nd.BatchNorm(*arrays, fix_gamma=False, eps=1e-5, momentum=0.0).asnumpy()
    np.testing.assert_allclose(arrays[3].asnumpy(), data.astype("float64").mean((0, 2, 3)), rtol=1e-6)
    np.testing.assert_allclose(arrays[4].asnumpy(), data.astype("float64").var((0, 2, 3)), rtol=1e-3)
    np.testing.assert_allclose(out.mean((0, 2, 3)), 0, atol=1e-3)


def test_one_value_everywhere():
    """The variance is 0, so that the mean is taken off exactly: its last bit divided by √eps would be 1.5e-5. That is
    about what cuDNN's results are off by."""
    with own_kernels():
        check_once(np.full((8, 3, 40), 7.7, "float32"), True, 1, "BatchNorm", fix_gamma=False)
    agree("LayerNorm", np.full((3, 40), 7.7, "float32"), drawn(40), drawn(40))


@pytest.mark.parametrize("special", [np.nan, np.inf, 1e30])
def test_special_values_stay_in_their_channel(special):
    data = drawn((4, 5, 60))
    data[1, 2, 3] = special
    vectors = [positive(5, "float32", seed) for seed in range(4)]
    agree("BatchNorm", data, *vectors, train=True, fix_gamma=False)
    agree("LayerNorm", data, positive(60, "float32"), positive(60, "float32", 1))
    agree("L2Normalization", data)


def test_training_moves_the_averages_as_on_the_cpu():
    nets = {}
    for ctx in mx.cpu(), GPU:
        net = nets[ctx] = nn.BatchNorm(in_channels=3)
        net.initialize(ctx=ctx)
        net.hybridize()
        for seed in range(3):
            with autograd.record():
                loss = net(nd.array(drawn((8, 3, 5), seed=seed), ctx=ctx)).square().sum()
            loss.backward()
    for ours, theirs in zip(*(net.collect_params().values() for net in nets.values()), strict=True):
        np.testing.assert_allclose(ours.data().asnumpy(), theirs.data().asnumpy(), rtol=1e-5, atol=1e-6)


@settings(deadline=None, max_examples=25)
@given(LENGTHS, st.integers(0, 3), st.sampled_from(["float32", "float16"]))
def test_layer_norm(shape, axis, dtype):
    axis %= len(shape)
    n = shape[axis]
    agree("LayerNorm", 3 + drawn(shape, dtype), positive(n, dtype), drawn(n, dtype), axis=axis)


@pytest.mark.parametrize("shape", [(2, 4, 1), (3, 4, 50), (2, 6, 7, 9), (1, 2, 3000), (2, 0, 3), (0, 4, 3), (2, 4, 0)],
                         ids=str)
@pytest.mark.parametrize("dtype", ["float32", "float16", "int32"])
def test_instance_and_group_norm(shape, dtype):
    data = (10 * drawn(shape)).astype(dtype)
    channels = shape[1]
    agree("InstanceNorm", data, np.arange(channels).astype(dtype), np.ones(channels, dtype))
    if shape[0]:                # no items are no shape that the reference can divide into groups
        agree("GroupNorm", data, np.array([1, 3], dtype), np.array([0, 2], dtype), num_groups=2)


@pytest.mark.parametrize("mode", ["instance", "channel", "spatial"])
@pytest.mark.parametrize("shape", [(2, 3, 4), (3, 70, 5), (2, 3, 40, 40), (2, 0, 3), (2, 3, 0)], ids=str)
def test_l2_normalization(mode, shape):
    agree("L2Normalization", drawn(shape), mode=mode)


@pytest.mark.parametrize("nsize", [1, 2, 3, 5, 20])
@pytest.mark.parametrize("dtype", ["float32", "float16", "int32", "uint8"])
def test_neighbouring_channels(nsize, dtype):
    data = np.abs(9 * drawn((2, 7, 3, 2))).astype(dtype)
    agree("_sum_neighbours", data, nsize=nsize)
    agree("LRN", data, nsize=nsize, alpha=0.1)
    agree("LRN", np.zeros((2, 0, 3), dtype), nsize=nsize)


def test_with_given_statistics_the_gradient_does_not_depend_on_the_data():
    """Not even where these are NaN or infinite."""
    def gradient(ctx):
        x = np.ones((4, 3, 5), "float32")
        x[0, 0, 0], x[1, 1, 1], x[2, 2, 2] = np.nan, np.inf, 1e30
        with ctx:
            x = nd.array(x)
            x.attach_grad()
            with autograd.record(train_mode=False):
                y = nd.BatchNorm(x, nd.ones((3,)), nd.zeros((3,)), nd.zeros((3,)), nd.ones((3,)))
            y.backward()
            return x.grad.asnumpy()
    found, wanted = gradient(GPU), gradient(mx.cpu())
    assert np.isfinite(wanted).all()
    np.testing.assert_allclose(found, wanted, rtol=1e-6)


# -- with relu --------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("activation", [mx.sym.relu, lambda x: mx.sym.Activation(x, act_type="relu")])
def test_the_pass_joins_relu_with_batch_norm(activation):
    """The normalization stays, for the sake of its other outputs, and what relu gave is its first."""
    norm = mx.sym.BatchNorm(mx.sym.var("data"), name="norm")
    graph = mx.sym.Group([activation(norm) + 1, mx.sym.BatchNorm(mx.sym.var("data"), name="shared")])
    graph = mx.sym.Group([*graph, mx.sym.relu(graph[1])])
    specs = infer_specs(graph, {name: Spec(shape, np.dtype("float32")) for name, shape in zip(
        [*graph.list_arguments(), *graph.list_auxiliary_states()],
        [*graph.infer_shape(data=(2, 3, 6, 6))[0], *graph.infer_shape(data=(2, 3, 6, 6))[2]], strict=True)})
    with own_kernels():         # cuDNN's normalization while training has no relu
        after = fuse_relu(Draft(graph, specs, results=len(graph)))
    names = [node.op.name for node in after.graph.nodes() if node.op is not None]
    assert names == ["_contrib_BatchNormWithReLU", "_plus_scalar", "BatchNorm", "relu"]
    assert after.summary[1] == ["norm: with relu"]


def test_a_net_with_batch_norm_and_relu_learns_as_on_the_cpu():
    found = []
    for ctx in mx.cpu(), GPU:
        mx.random.seed(3)
        np.random.seed(3)
        net = nn.HybridSequential()
        net.add(nn.Conv2D(4, 3), nn.BatchNorm(), nn.Activation("relu"), nn.Dense(3))
        net.initialize(mx.init.Constant(0.1), ctx=ctx)
        net.hybridize()
        trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
        data = nd.array(drawn((2, 3, 6, 6)), ctx=ctx)
        for _ in range(3):
            with autograd.record():
                loss = (net(data) ** 2).sum()
            loss.backward()
            trainer.step(2)
        found.append([loss.asscalar(), *[p.data().asnumpy() for p in net.collect_params().values()]])
    for ours, theirs in zip(*found, strict=True):
        np.testing.assert_allclose(ours, theirs, 1e-4, 1e-5)
