"""Convolutions of images in blocks of channels, in plans that only infer."""

import numpy as np
import pytest

pytest.importorskip("minigluon_accel", reason="minigluon-accel is not installed")

from helpers.accel_checks import ISAS, configured
from minigluon_accel.backend import BACKEND
from minigluon_accel.kernels.batch_chain import assign_chain_offsets
from minigluon_accel.operators.blocked_images import FromBlocks, PoolBlocks, ToBlocks, from_blocks, to_blocks

import minigluon as mx
from minigluon import gluon, nd
from minigluon.backend import Spec, use_backend
from minigluon.gluon import nn

# Channels, kernel, strides, padding of a convolution of each channel by itself, the channels behind it, and the data.
SEPARABLE = {
    "small image": ((64, 3, 1, 1), 64, (2, 64, 25, 5)),
    "no whole block": ((9, 3, 2, 1), 20, (1, 9, 15, 37)),
    "no margin": ((24, 3, 1, 0), 8, (3, 24, 6, 20)),
    "wide margin": ((5, 3, 2, 2), 40, (2, 5, 7, 7)),
    "5 x 5": ((20, 5, 1, 2), 33, (1, 20, 12, 30)),
    "5 x 3": ((17, (5, 3), 2, (2, 1)), 17, (2, 17, 9, 9)),
    "margin beyond the image": ((4, (3, 5), 1, (3, 4)), 6, (1, 4, 2, 3)),
    "one pixel": ((16, 3, 1, 1), 100, (2, 16, 1, 1)),
}


def separable(between, behind, bounded=True):
    """A convolution of all channels, one of each by itself and one of all, each normalized; the mean of an image."""
    channels, kernel, strides, padding = between
    net = nn.HybridSequential()
    for layer in (nn.Conv2D(channels, (3, 1), padding=(1, 0), use_bias=False),
                  nn.Conv2D(channels, kernel, strides, padding, groups=channels), nn.Conv2D(behind, 1)):
        net.add(layer, nn.BatchNorm())
        net.add(*([nn.HybridLambda(lambda F, x: F.clip(x, 0, 1.5))] if bounded else []))
    return net


class Added(gluon.HybridBlock):
    """A bottleneck, what it gives once more, and both as they are: blocks are read by others, too."""

    def __init__(self, channels):
        super().__init__()
        self.body, self.again = separable((2 * channels, 3, 1, 1), channels), nn.Conv2D(channels, 3, 2, 2, 2)

    def hybrid_forward(self, F, x):
        y = self.body(x)
        z = F.relu(self.again(y) + F.slice_like(x, self.again(y)))
        return y, z, F.Pooling(y, global_pool=True, pool_type="sum"), F.Pooling(z, kernel=(2, 2), pool_type="max")


def with_values(net, x, dtype="float32"):
    """The net with parameters that are neither 0 nor 1."""
    mx.random.seed(7)
    net.initialize(mx.init.Normal(0.3))
    net.cast(dtype)
    net(x)
    for param in net.collect_params().values():
        param.set_data(nd.random.uniform(0.5, 1.5, param.shape, dtype=dtype) if param.name.endswith(("gamma", "var"))
                       else nd.random.normal(0, 0.3, param.shape, dtype=dtype))
    return net


def results(net, x):
    found = net(x)
    return [y.asnumpy() for y in (found if isinstance(found, (list, tuple)) else [found])]


def references(net, x):
    """By NumPy, layer by layer."""
    net.hybridize(False)
    with use_backend("numpy"):
        return results(net, x)


def last_plan(net):
    return list(net._graphs.values())[-1].compiled.last_plan


def names_of(net):
    return [step.op.name for step in last_plan(net).steps]


@pytest.mark.parametrize("name", SEPARABLE)
def test_layers_agree_with_the_reference(name):
    between, behind, shape = SEPARABLE[name]
    for dtype, bounded in ("float32", True), ("float64", False):
        x = nd.random.normal(shape=shape, dtype=dtype)
        net = with_values(separable(between, behind, bounded), x, dtype)
        (wanted,) = references(net, x)
        error = 400 * np.finfo(dtype).eps * max(1, np.abs(wanted).max())
        for isa in ISAS:
            found = []
            for threads in (1, 2):
                with configured(isa, threads):
                    net.hybridize()
                    found += results(net, x)
            assert names_of(net).count("_blocked_conv") == 3
            np.testing.assert_array_equal(*found)
            np.testing.assert_allclose(found[0], wanted, 0, error, err_msg=f"{dtype} {isa}")


# Channels, filters, groups, kernel, strides, padding, dilation, and height and width of the data.
GROUPED = {
    "8 filters": (32, 32, 4, 3, 1, 1, 1, (9, 14)),
    "16 filters": (64, 64, 4, 3, 1, 1, 1, (7, 7)),
    "stride 2": (96, 96, 6, 3, 2, 1, 1, (13, 30)),
    "more filters than channels": (64, 128, 2, 3, 1, 1, 1, (5, 29)),
    "fewer filters than channels": (128, 32, 2, 1, 1, 0, 1, (6, 11)),
    "48 filters, 8 channels": (16, 96, 2, 3, 1, 1, 1, (8, 8)),
    "dilated": (32, 32, 2, 3, 1, 2, 2, (10, 9)),
    "no margin": (64, 64, 8, (1, 3), 1, 0, 1, (4, 12)),
    "one pixel": (32, 32, 4, 3, 1, 1, 1, (1, 1)),
}
# Those that stay as they are: panels of filters would be mostly zeros, or begin within a block.
NOT_GROUPED = {"4 filters": (32, 32, 8), "24 filters": (48, 48, 2), "8 filters, 16 channels": (64, 32, 4)}


def grouped(channels, filters, groups, kernel, strides, padding, dilation, in_blocks):
    net = nn.HybridSequential()
    if in_blocks:
        net.add(nn.Conv2D(channels, (3, 1), padding=(1, 0), use_bias=False), nn.BatchNorm())
    net.add(nn.Conv2D(filters, kernel, strides, padding, dilation, groups), nn.BatchNorm(), nn.Activation("relu"))
    net.add(*[nn.Conv2D(136, 1)] * in_blocks)
    return net


def agrees(net, x, dtype, wanted_names):
    """Compares a net in all instruction sets with NumPy; 1, 2 and 3 threads must give the same bits."""
    net = with_values(net, x, dtype)
    (wanted,) = references(net, x)
    error = 400 * np.finfo(dtype).eps * max(1, np.abs(wanted).max())
    for isa in ISAS:
        found = []
        for threads in (1, 2, 3):
            with configured(isa, threads):
                net.hybridize()
                found += results(net, x)
        assert [name for name in names_of(net) if "conv" in name] == wanted_names
        np.testing.assert_array_equal(found[0], found[1])
        np.testing.assert_array_equal(found[0], found[2])
        np.testing.assert_allclose(found[0], wanted, 0, error, err_msg=f"{dtype} {isa}")


@pytest.mark.parametrize("in_blocks", [False, True])
@pytest.mark.parametrize("name", GROUPED)
def test_groups_of_channels(name, in_blocks):
    *layer, size = GROUPED[name]
    for dtype in "float32", "float64":
        x = nd.random.normal(shape=(2, layer[0], *size), dtype=dtype)
        agrees(grouped(*layer, in_blocks), x, dtype, ["_blocked_conv"] * (3 if in_blocks else 1))


@pytest.mark.parametrize("name", NOT_GROUPED)
def test_groups_that_panels_of_filters_do_not_fit(name):
    channels, filters, groups = NOT_GROUPED[name]
    x = nd.random.normal(shape=(1, channels, 6, 9))
    agrees(grouped(channels, filters, groups, 3, 1, 1, 1, False), x, "float32", ["_packed_conv"])


# Filters, kernel, padding and dilation of a convolution of a plain image, and the data. With more than two panels of
# filters its windows are copied into tiles; the last windows of the last channel end where the memory ends.
PLAIN = {
    "one line of windows": (1000, 1, 0, 1, (1, 130, 5, 7)),
    "several pieces": (112, 1, 0, 1, (2, 160, 40, 33)),
    "one pixel": (100, 1, 0, 1, (3, 144, 1, 1)),
    "margins": (128, (1, 7), (0, 3), 1, (1, 65, 5, 17)),
    "no margins": (128, (1, 3), 0, 1, (2, 48, 3, 9)),
    "dilated": (130, 3, 2, 2, (1, 32, 11, 6)),
    "few filters": (16, 1, 0, 1, (1, 160, 9, 9)),
}


@pytest.mark.parametrize("name", PLAIN)
def test_windows_of_plain_images(name):
    filters, kernel, padding, dilation, shape = PLAIN[name]
    for dtype in "float32", "float64":
        net = nn.HybridSequential()
        net.add(nn.Conv2D(filters, kernel, 1, padding, dilation), nn.Activation("relu"))
        agrees(net, nd.random.normal(shape=shape, dtype=dtype), dtype, ["_blocked_conv"])


# Filters, kernel, strides, padding, dilation and groups of a convolution with a stride, and the data.
STRIDED = {
    "3 x 3": (64, 3, 2, 1, 1, 1, (2, 32, 14, 15)),
    "no whole block": (72, 3, 2, 1, 1, 1, (1, 17, 9, 30)),
    "one tap": (80, 1, 2, 0, 1, 1, (2, 144, 13, 7)),
    "along one axis": (64, (1, 5), (1, 3), (0, 2), 1, 1, (1, 40, 4, 31)),
    "dilated": (64, 3, 3, 2, 2, 1, (1, 16, 11, 12)),
    "groups": (64, 3, 2, 1, 1, 2, (1, 64, 8, 9)),
    "one pixel": (96, 3, 2, 1, 1, 1, (3, 16, 1, 1)),
}


@pytest.mark.parametrize("name", STRIDED)
def test_images_that_many_filters_read_with_a_stride_are_converted_first(name):
    *how, shape = STRIDED[name]
    for dtype in "float32", "float64":
        net = nn.HybridSequential()
        net.add(nn.Conv2D(*how), nn.Activation("relu"))
        agrees(net, nd.random.normal(shape=shape, dtype=dtype), dtype, ["_blocked_conv"])
        assert names_of(net) == ["_to_blocks", "_blocked_conv", "_from_blocks"]


@pytest.mark.parametrize(("filters", "channels", "stride"), [(48, 32, 2), (64, 15, 2), (64, 32, 1), (64, 32, (2, 1))])
def test_images_that_few_filters_read_or_without_a_stride_stay_plain(filters, channels, stride):
    net = nn.HybridSequential()
    net.add(nn.Conv2D(filters, (3, 5), stride, (1, 2)))
    x = nd.random.normal(shape=(1, channels, 8, 9))
    agrees(net, x, "float32", ["_blocked_conv"])
    assert "_to_blocks" not in names_of(net)


class Inverted(gluon.HybridBlock):
    """x + f(relu(x)) twice, with a depthwise convolution in f; relu is applied to what an addition gives."""

    def __init__(self, channels, returned):
        super().__init__()
        self.first, self.returned = nn.Conv2D(channels, (3, 1), padding=(1, 0)), returned
        self.bodies = nn.HybridSequential()
        for _ in range(2):
            body = nn.HybridSequential()
            body.add(nn.Conv2D(channels, 3, padding=1, groups=channels), nn.BatchNorm(), nn.Conv2D(channels, 1))
            self.bodies.add(body)

    def hybrid_forward(self, F, x):
        x = self.first(x)
        for body in self.bodies:
            y = F.relu(x)
            x = body(y) + x
        return [x, y] if self.returned else F.Pooling(x, global_pool=True, pool_type="avg")


@pytest.mark.parametrize("channels", [32, 21])
def test_relu_keeps_blocks(channels):
    x = nd.random.normal(shape=(2, channels, 6, 5))
    net = Inverted(channels, False)
    agrees(net, x, "float32", ["_blocked_conv"] * 5)
    assert not {"_from_blocks", "_to_blocks"} & set(names_of(net))


def test_a_relu_on_blocks_that_others_read():
    x = nd.random.normal(shape=(1, 20, 7, 9))
    net = with_values(Inverted(20, True), x)
    wanted = references(net, x)
    for isa in ISAS:
        with configured(isa, 2):
            net.hybridize()
            for y, z in zip(results(net, x), wanted, strict=True):
                np.testing.assert_allclose(y, z, 0, 1e-3, err_msg=isa)
            assert names_of(net).count("_from_blocks") == 2


@pytest.mark.parametrize("stride", [1, 2, 3])
@pytest.mark.parametrize("kernel", [5, 7, (5, 3)])
def test_depthwise_convolutions_alone(kernel, stride):
    """Those that have no kernel of their own for plain images are converted to blocks and back."""
    for dtype, shape in ("float32", (2, 24, 14, 15)), ("float64", (1, 9, 3, 4)), ("float32", (1, 32, 28, 28)):
        net = nn.HybridSequential()
        net.add(nn.Conv2D(shape[1], kernel, stride, 2, groups=shape[1]), nn.BatchNorm())
        agrees(net, nd.random.normal(shape=shape, dtype=dtype), dtype, ["_blocked_conv"])


@pytest.mark.parametrize("channels", [16, 21])
def test_blocks_that_others_read(channels):
    x = nd.random.normal(shape=(2, channels, 9, 11))
    net = with_values(Added(channels), x)
    wanted = references(net, x)
    for isa in ISAS:
        with configured(isa, 2):
            net.hybridize()
            for y, z in zip(results(net, x), wanted, strict=True):
                np.testing.assert_allclose(y, z, 0, 1e-3, err_msg=isa)
            assert {"_blocked_conv", "_from_blocks", "_pool_blocks"} <= set(names_of(net))


@pytest.mark.parametrize("batch", [2, 8])
def test_each_kernel_agrees_with_what_its_operator_says_in_numpy(batch):
    """Step by step, each from the operands that the operators before have given."""
    x = nd.random.normal(shape=(batch, 21, 9, 11))
    net = with_values(Added(21) if batch == 2 else separable((21, 3, 1, 1), 20), x)
    net.hybridize()
    net(x)
    (bound,) = list(net._graphs.values())[-1].bound.values()
    plan = last_plan(net)
    values = [x.asnumpy(), *bound.buffers, *bound.constants.of(plan.prepackers)]
    known, checked = {}, set()
    for node in plan.graph.nodes():
        if node.op is None:
            known[node, 0] = values[plan._layout.slot_of[node, 0]]
            continue
        inputs = [known[pair] for pair in node.inputs]
        known[node, 0] = node.op.forward(*inputs)
        if "block" in node.op.name or node.op.name == "_batch_chain":
            specs = [Spec(v.shape, v.dtype) for v in (*inputs, known[node, 0])]
            (found,) = BACKEND.prepare(node.op, specs[:-1], specs[-1:], False, None).run(inputs)
            assert node.op.infer_shape(*[v.shape for v in inputs])[1] == [found.shape]
            real = slice(None) if found.ndim < 5 or node.op.name == "_to_blocks" else slice(0, 1)
            np.testing.assert_allclose(found[:, real], known[node, 0][:, real], 0, 1e-4, err_msg=node.op.name)
            checked.add(node.op.name)
    assert checked >= ({"_blocked_conv", "_from_blocks", "_pool_blocks"} if batch == 2 else {"_batch_chain"})


@pytest.mark.parametrize("shape", [(2, 32, 3, 7), (1, 40, 5, 5), (3, 5, 1, 1), (1, 16, 33, 1)])
def test_to_blocks_and_back(shape):
    for dtype in "float32", "float64":
        x = np.random.default_rng(1).normal(size=shape).astype(dtype)
        blocks = to_blocks(x)
        np.testing.assert_array_equal(from_blocks(blocks, shape[1]), x)
        np.testing.assert_array_equal(blocks[:, -1, 0, 0, shape[1] % 16:] if shape[1] % 16 else 0, 0)
        pooled = nd.Pooling.op(global_pool=True, pool_type="avg", kernel=(1, 1))
        mean, pool = x.mean((2, 3), keepdims=True), PoolBlocks(pooling=pooled, channels=shape[1])
        for op, data, wanted in ((ToBlocks(), x, blocks), (FromBlocks(channels=shape[1]), blocks, x),
                                 (pool, blocks, mean)):
            for isa in ISAS:
                with configured(isa, 2):
                    (found,) = BACKEND.prepare(op, [Spec(data.shape, data.dtype)], [Spec(wanted.shape, wanted.dtype)],
                                               False, None).run([data])
                np.testing.assert_allclose(found, wanted, 0, 1e-6, err_msg=f"{op.name} {isa}")


def test_other_batches_and_other_parameters():
    net = with_values(separable((24, 3, 1, 1), 12), nd.ones((1, 4, 12, 12)))
    for batch in (1, 2, 3, 4, 7):                       # plans with names for lengths among them
        x = nd.random.uniform(shape=(batch, 4, 12, 12))
        net.hybridize(True)
        found = net(x).asnumpy()
        assert {"_blocked_conv", "_batch_chain"} & set(names_of(net))
        np.testing.assert_allclose(found, references(net, x)[0], 0, 1e-4)
        net[0].weight.data()[:] += 0.1


@pytest.mark.parametrize("batch", [4, 8, 9])
def test_a_batch_goes_through_a_chain_image_by_image(batch):
    for dtype in "float32", "float64":
        x = nd.random.normal(shape=(batch, 6, 11, 13), dtype=dtype)
        net = nn.HybridSequential()
        net.add(separable((20, 3, 2, 1), 33), gluon.model_zoo.vision.mobilenet.LinearBottleneck(33, 33, 2, 1),
                nn.GlobalAvgPool2D(), nn.Dense(3))
        with_values(net, x, dtype)
        (wanted,) = references(net, x)
        error = 1e3 * np.finfo(dtype).eps * max(1, np.abs(wanted).max())
        for isa in ISAS:
            found = []
            for threads in (1, 2):
                with configured(isa, threads):
                    net.hybridize()
                    found += results(net, x)
            assert names_of(net)[:1] == ["_batch_chain"]
            np.testing.assert_array_equal(*found)
            np.testing.assert_allclose(found[0], wanted, 0, error, err_msg=f"{dtype} {isa}")
            for n in range(batch):                  # each image has its own place
                alone = results(net, x[n:n + 1])[0][0]
                np.testing.assert_allclose(alone, wanted[n], 0, error)


def test_results_that_are_needed_at_the_same_time_lie_apart():
    assert assign_chain_offsets([100, 100, 100], [(0,), (-1,), (-2,)]) == ([0, 128, 0], 256)
    assert assign_chain_offsets([64, 64, 64, 64], [(0,), (-1,), (-2, -1), (-3,)]) == ([0, 64, 128, 0], 192)


def test_numbers_that_are_not_finite_stay_in_their_channel():
    x = nd.random.normal(shape=(1, 20, 8, 8))
    net = with_values(separable((20, 3, 1, 1), 12), x)
    x[0, 3, 2, 2] = np.nan
    wanted = references(net, x)
    net.hybridize()
    np.testing.assert_allclose(results(net, x)[0], wanted[0], 0, 1e-4)


def test_winograd_and_lonely_convolutions_stay_as_they_are():
    net = nn.HybridSequential()
    net.add(nn.Conv2D(32, 3, padding=1), nn.Activation("relu"), nn.Conv2D(32, 1))
    x = nd.random.normal(shape=(1, 32, 28, 28))
    with_values(net, x).hybridize()
    net(x)
    assert names_of(net) == ["_packed_conv"] * 2
