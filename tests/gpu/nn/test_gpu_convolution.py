"""Convolutions on the GPU: shapes around those of tiles, all layouts and dtypes, and every way to compute them."""

import numpy as np
import pytest
from helpers import gpu_checks
from helpers.convolution_draws import convolutions
from helpers.gpu_checks import Twin, backend, own_kernels
from hypothesis import given, settings
from hypothesis import strategies as st
from minigluon_accel.gpu import launch
from minigluon_accel.gpu.backend import Launches
from minigluon_accel.gpu.cudnn import library
from minigluon_accel.gpu.kernels import gemm
from minigluon_accel.gpu.kernels.nn import convolution
from minigluon_accel.gpu.passes.fuse_relu import JOINED, fuse_relu

import minigluon as mx
from minigluon.backend import Spec
from minigluon.base import MXNetError
from minigluon.hybrid import Draft
from minigluon.hybrid.specs import infer_specs
from minigluon.ops import REGISTRY


def check(op, *arrays):
    """By our own kernels, and by cuDNN where it is installed."""
    if library.available() is None:
        check_once(op, *arrays)
    with own_kernels():
        return check_once(op, *arrays)


def check_once(op, *arrays):
    twin = Twin(op, list(arrays))
    assert twin.declined is None, f"{op!r} on {twin.inputs}: declined: {twin.declined}"
    assert twin.check()
    return twin


def arrays_for(geometry, batch, channels, filters, space, dtype):
    """data, weight, bias, and an array like the result."""
    rng = np.random.default_rng(0)
    geometry = {"num_filter": filters, **geometry}
    op = REGISTRY["Convolution"](**geometry)
    layout = op.geometry()
    shapes = [layout.shape(batch, channels, space),
              layout.shape(filters, channels // layout.groups, layout.kernel), (filters,)]
    shapes.append(op.infer_shape(*shapes)[1][0])
    if np.dtype(dtype).kind == "f":
        return [rng.standard_normal(shape).astype(dtype) for shape in shapes]
    return [rng.integers(0, 20, shape).astype(dtype) for shape in shapes]


def operators(geometry, batch, channels, filters, space, dtype):
    """(operator, its inputs) for all that compute with this geometry."""
    data, weight, bias, grad = arrays_for(geometry, batch, channels, filters, space, dtype)
    yield REGISTRY["Convolution"](num_filter=filters, **geometry), (data, weight, bias)
    yield REGISTRY["_conv"](**geometry), (data, weight, grad)
    yield REGISTRY["_conv_data_grad"](**geometry), (grad, weight, data)
    yield REGISTRY["_conv_weight_grad"](**geometry), (grad, data, weight)
    # the transpose, from arrays like the result to one that the windows reach
    transpose = REGISTRY["Deconvolution"](num_filter=channels, no_bias=False, **geometry)
    try:
        transpose.infer_shape(grad.shape, weight.shape, (channels,))
    except MXNetError:
        return
    yield transpose, (grad, weight, np.arange(channels).astype(dtype))


def check_all(geometry, *how):
    for op, arrays in operators(geometry, *how):
        check(op, *arrays)


@pytest.mark.parametrize(("geometry", "how"), [
    ({"kernel": (5, 5)}, (3, 1, 20, (12, 13))),                                     # LeNet's first
    ({"kernel": (7, 7), "stride": (2, 2), "pad": (3, 3)}, (1, 3, 65, (13, 14))),
    ({"kernel": (1, 1)}, (2, 3, 70, (9, 9))),
    ({"kernel": (1, 1), "num_group": 2}, (2, 6, 80, (9, 9))),
    ({"kernel": (1, 1), "stride": (3, 2), "pad": (1, 1)}, (2, 4, 4, (9, 8))),
    ({"kernel": (3, 3), "pad": (1, 1), "num_group": 6}, (2, 6, 12, (7, 8))),        # depthwise
    ({"kernel": (3, 3), "pad": (1, 1), "num_group": 3}, (2, 12, 21, (9, 10))),
    ({"kernel": (3, 2), "dilate": (2, 3), "stride": (2, 3), "pad": (3, 2)}, (2, 5, 7, (12, 17))),
    ({"kernel": (2, 2), "stride": (3, 3)}, (2, 5, 7, (12, 11))),                    # elements that no window sees
    ({"kernel": (4,), "stride": (2,), "pad": (1,)}, (3, 16, 16, (40,))),
    ({"kernel": (2, 3, 3), "pad": (0, 1, 1), "stride": (1, 2, 1)}, (2, 5, 9, (4, 6, 5))),
    ({"kernel": (3, 2), "dilate": (2, 1), "stride": (2, 3), "pad": (3, 2), "layout": "NHWC"}, (2, 6, 8, (12, 7))),
    ({"kernel": (3, 3), "num_group": 6, "layout": "NHWC"}, (2, 6, 6, (6, 7))),
    ({"kernel": (1, 1), "layout": "NHWC"}, (2, 6, 8, (12, 7))),
    ({"kernel": (2,), "num_group": 2, "layout": "NWC"}, (2, 6, 8, (12,))),
    ({"kernel": (2, 1, 2), "layout": "NDHWC"}, (2, 3, 4, (3, 4, 5))),
])
def test_geometries(geometry, how):
    check_all(geometry, *how, "float32")


@settings(max_examples=12)
@given(convolutions((30, 10, 5), st.integers(0, 4), layouts=("NWC", "NHWC", "NDHWC")))
def test_drawn(convolution):
    check_all(*convolution)


@pytest.mark.parametrize("dtype", ["float64", "float16", "int32", "int64", "uint8", "int8"])
def test_dtypes(dtype):
    check_all({"kernel": (3, 2), "pad": (1, 1)}, 2, 3, 5, (5, 6), dtype)
    check_all({"kernel": (3, 2), "pad": (1, 1), "num_group": 3}, 1, 3, 3, (5, 6), dtype)


@pytest.mark.parametrize("target_shape", [(9, 11), (10, 12)])
def test_deconvolution_to_a_shape(target_shape):
    rng = np.random.default_rng(0)
    how = {"kernel": (3, 3), "stride": (2, 2), "target_shape": target_shape, "num_filter": 4}
    data, weight = (rng.standard_normal(shape).astype("float32") for shape in ((2, 3, 5, 6), (3, 4, 3, 3)))
    check(REGISTRY["Deconvolution"](**how), data, weight)
    attrs = {"kernel": (3, 3), "stride": (2, 2), "fit": True}
    grad = rng.standard_normal((2, 4, *target_shape)).astype("float32")
    check(REGISTRY["_conv"](**attrs), grad, weight, data)
    check(REGISTRY["_conv_weight_grad"](**attrs), data, grad, weight)


@pytest.mark.parametrize("groups", [1, 4])
@pytest.mark.parametrize("stride", [1, 2])
def test_infinite_factors_stay_where_their_windows_are(groups, stride):
    """Around the data windows see zeros, whose product with infinity is NaN; the gradient of the data has no such.

    cuDNN's algorithms multiply infinities by other zeros, too.
    """
    geometry = {"kernel": (3,), "pad": (1,), "num_group": groups, "stride": (stride,)}
    data, weight, bias, grad = arrays_for(geometry, 2, 4, 4, (7,), "float32")
    weight[1, 0, 0], weight[2, 0, 2], grad[0, 0, 3], weight[3, 0, 0] = np.inf, np.nan, -np.inf, -np.inf
    with own_kernels():
        check_once(REGISTRY["_conv_data_grad"](**geometry), grad, weight, data)
        check_once(REGISTRY["Convolution"](num_filter=4, **geometry), data, weight, bias)
        check_once(REGISTRY["_conv_weight_grad"](**geometry), grad, data, weight)


@pytest.mark.parametrize("groups", [1, 3])
def test_arrays_so_large_that_places_take_64_bits(monkeypatch, groups):
    monkeypatch.setattr(convolution, "SMALL", 0)
    check_all({"kernel": (3, 2), "pad": (1, 1), "stride": (2, 1), "num_group": groups}, 2, 6, 9, (7, 6), "float32")
    check_all({"kernel": (2, 2, 2), "pad": (1, 1, 0), "num_group": groups}, 1, 3, 3, (3, 4, 3), "float64")


# -- the ways to compute them -----------------------------------------------------------------------------------------

WAYS = {"Convolution": convolution.forward, "_conv_data_grad": convolution.backward,
        "_conv_weight_grad": convolution.weight_gradient}


def computed(op, arrays, way):
    """The result of an operator's kernels in one of their ways, in memory that holds NaN before."""
    specs = [Spec(a.shape, a.dtype) for a in arrays]
    result = Spec(op.infer_shape(*[a.shape for a in arrays])[1][0], arrays[0].dtype)
    bias = {"bias": launch.In(2)} if op.name == "Convolution" else {}
    work = WAYS[op.name](op.geometry(), *specs[:2], result, backend().device, way=way, **bias)
    kernel = Launches(backend().device, op, specs, [result], work)
    targets = [gpu_checks.to_gpu(gpu_checks.garbage(spec)) for spec in (result, *work.scratch)]
    return kernel([gpu_checks.to_gpu(a) for a in arrays], targets)[0].numpy()


@pytest.mark.parametrize("geometry", [
    {"kernel": (3, 3), "pad": (1, 1)}, {"kernel": (2, 3), "stride": (2, 1), "dilate": (1, 2), "num_group": 2},
    {"kernel": (3, 3), "pad": (1, 1), "layout": "NHWC", "num_group": 2}])
@pytest.mark.parametrize("tiles", [gemm.BIG, gemm.MEDIUM, gemm.SMALL, gemm.FLAT])
@pytest.mark.parametrize("splits", [1, 2])
def test_every_tile_and_the_direct_way_are_the_twin(monkeypatch, geometry, tiles, splits):
    monkeypatch.setattr(gemm, "tiles_for", lambda *args: tiles)
    monkeypatch.setattr(gemm, "cut", lambda tiles, count, depth, device: (splits, -(-depth // splits // 16) * 16))
    for op, arrays in operators(geometry, 2, 6, 34, (7, 10), "float32"):
        if op.name in WAYS:
            plain = computed(op, arrays, "plain")
            np.testing.assert_allclose(computed(op, arrays, "tiles"), plain, 1e-5, 1e-4)
            if tiles is gemm.SMALL:
                np.testing.assert_allclose(computed(op, arrays, "direct"), plain, 1e-5, 1e-4)


@settings(max_examples=10)
@given(convolutions((20, 8, 4), st.integers(1, 3), layouts=("NWC", "NHWC", "NDHWC")))
def test_asking_windows_is_the_twin(convolution):
    for op, arrays in operators(*convolution):
        if op.name == "_conv_data_grad":
            plain, few = (computed(op, arrays, way) for way in ("plain", "few windows"))
            np.testing.assert_allclose(few, plain, 1e-5, 1e-4)


@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
def test_a_kernel_as_large_as_the_image_asks_its_window(layout):
    geometry = {"kernel": (9, 8), "layout": layout}
    check_all(geometry, 2, 3, 4, (9, 9), "float32")
    for op, arrays in operators(geometry, 2, 3, 4, (9, 9), "float32"):
        if op.name == "_conv_data_grad":
            specs = [Spec(a.shape, a.dtype) for a in arrays]
            with own_kernels():
                work = convolution.conv_data_grad(op, specs, [specs[2]], backend().device)
            assert [step.function for step in work.launches] == ["conv_few_windows"]


@pytest.mark.parametrize(("dtype", "mma"), [("float16", 16), ("float32", 8)])
def test_tensor_cores_are_the_twin(monkeypatch, dtype, mma):
    monkeypatch.setattr(gemm, "tiles_for", lambda *args: gemm.Tiles(64, 64, 16, mma=mma))
    for op, arrays in operators({"kernel": (3, 2), "pad": (1, 0)}, 1, 3, 20, (5, 6), "int32"):
        if op.name in WAYS:
            arrays = [a.astype(dtype) % 5 for a in arrays]          # whole numbers, so that all is exact
            np.testing.assert_array_equal(computed(op, arrays, "tiles"), computed(op, arrays, "plain"))


def test_parts_of_the_depth(monkeypatch):
    monkeypatch.setattr(gemm, "processors", lambda device: 64)
    monkeypatch.setattr(gemm, "MIN_DEPTH", 8)
    check_all({"kernel": (3, 3), "pad": (1, 1), "stride": (2, 1)}, 3, 5, 7, (8, 9), "float32")


def test_more_than_one_grid(monkeypatch):
    monkeypatch.setattr(launch, "MAX_BLOCKS", 2)
    check_all({"kernel": (3, 3), "pad": (1, 1), "num_group": 6}, 3, 6, 6, (9, 10), "float32")


# -- with relu --------------------------------------------------------------------------------------------------------

def with_relu(name, **attrs):
    """The operator of the pass in place of this one and relu."""
    first = REGISTRY[name](**attrs)
    operands = tuple(range(len(first.list_arguments())))
    return JOINED[name](program=((first, operands), (REGISTRY["relu"](), (-1,))))


@pytest.mark.parametrize(("geometry", "how"), [
    ({"kernel": (3, 3), "pad": (1, 1)}, (2, 3, 5, (6, 7))), ({"kernel": (1, 1)}, (2, 3, 5, (9, 8))),
    ({"kernel": (1, 1), "layout": "NHWC"}, (2, 3, 5, (9, 8))), ({"kernel": (2, 2), "num_group": 3}, (2, 3, 6, (5, 5)))])
@pytest.mark.parametrize("no_bias", [False, True])
def test_convolution_with_relu(geometry, how, no_bias):
    data, weight, bias, _ = arrays_for(geometry, *how, "float32")
    data[0, 0] = np.nan
    check(with_relu("Convolution", num_filter=how[2], no_bias=no_bias, **geometry), data, weight,
          *([] if no_bias else [bias]))


@pytest.mark.parametrize("rows", [1, 4, 70])
def test_layer_with_relu(rows):
    rng = np.random.default_rng(0)
    arrays = [rng.standard_normal(shape).astype("float32") for shape in ((rows, 30), (80, 30), (80,))]
    check(with_relu("FullyConnected", num_hidden=80), *arrays)


def test_the_pass_joins_relu_with_what_is_before_it():
    data = mx.sym.var("data")
    conv = mx.sym.Convolution(data, kernel=(3, 3), num_filter=4, name="conv")
    layer = mx.sym.FullyConnected(mx.sym.relu(conv), num_hidden=5, name="layer")
    shared = mx.sym.FullyConnected(mx.sym.Activation(layer, act_type="relu"), num_hidden=2, name="shared")
    graph = mx.sym.Group([mx.sym.relu(shared), shared])
    specs = infer_specs(graph, {name: Spec(shape, np.dtype("float32")) for name, shape in zip(
        graph.list_arguments(), graph.infer_shape(data=(2, 3, 6, 6))[0], strict=True)})
    after = fuse_relu(Draft(graph, specs, results=len(graph)))
    names = [node.op.name for node in after.graph.nodes() if node.op is not None]
    assert names == ["_conv_relu", "_fully_connected_relu", "FullyConnected", "relu"]       # shared has two users
    assert after.summary[1] == ["conv: with relu", "layer: with relu"]
    assert all((node, 0) in specs for node in after.graph.nodes())
