"""The checks of step 7, with expected values computed by slow loops."""

import itertools

import numpy as np

from ..... import ndarray as nd
from .....gluon import nn
from .....ops import REGISTRY
from .....ops.nn.convolution_kernels import Geometry, convolve_direct, data_gradient_direct
from .....ops.nn.pooling import WindowGeometry
from .....ops.nn.pooling_kernels import MaxPoolingKernels
from ...checking import check, expect, same


def _numbers(*shape):
    """Return small integers in which neighbors are never equal."""
    return (np.arange(1, np.prod(shape) + 1).reshape(shape) * 7 % 11 - 5).astype("float32")


def _dense(**how):
    return REGISTRY["FullyConnected"](num_hidden=4, **how)


@check("FullyConnected.forward", "data · weightᵀ + bias")
def fully_connected() -> None:
    weight, bias = _numbers(4, 3), _numbers(4)
    for rows in (2, 1):
        data = _numbers(rows, 3)
        same(f"FullyConnected: data ({rows}, 3), weight (4, 3), bias (4,): the result",
             _dense().forward(data, weight, bias), data @ weight.T + bias, "a row of data times each row of weight")
        same("the same with no_bias=True", _dense(no_bias=True).forward(data, weight), data @ weight.T,
             "then bias is None")
    data = _numbers(2, 3, 5)
    weight = _numbers(4, 15)
    same("FullyConnected: data (2, 3, 5), weight (4, 15): the result", _dense().forward(data, weight, bias),
         data.reshape(2, 15) @ weight.T + bias, "with flatten, each item of the batch is one row")
    weight = _numbers(4, 5)
    same("FullyConnected with flatten=False: data (2, 3, 5), weight (4, 5): the result",
         _dense(flatten=False).forward(data, weight, bias), data @ weight.T + bias,
         "without flatten, all axes except the last stay")
    same("FullyConnected with flatten=False: data (5,), weight (4, 5): the result",
         _dense(flatten=False).forward(_numbers(5), weight, bias), _numbers(5) @ weight.T + bias,
         "without flatten, a single row does not need its own axis")
    one, data, weight = REGISTRY["FullyConnected"](num_hidden=1), _numbers(3, 5), _numbers(1, 5)
    same("FullyConnected of one unit: data (3, 5), weight (1, 5), bias [2]: the result",
         one.forward(data, weight, np.array([2], "float32")), data @ weight.T + 2, "the bias is added to every row")
    data, before, weight = _numbers(1, 5), _numbers(4), _numbers(4, 5)
    _dense().forward(data, weight, bias)
    same("the bias after forward", bias, before, "inputs are only read")


@check("FullyConnected.gradient", "the gradients of data, weight and bias")
def fully_connected_gradients() -> None:
    data, weight, g = _numbers(2, 3, 5), _numbers(4, 5), _numbers(2, 3, 4)
    arrays = [nd.array(a) for a in (data, weight, np.zeros(4))]
    grads = _dense(flatten=False).gradient(nd, [nd.array(g)], arrays, [None])
    expect(isinstance(grads, list) and len(grads) == 3 and all(map(callable, grads)),
           "FullyConnected: gradient returns {found}; expected a list of three functions without arguments",
           found=grads)
    rows = g.reshape(6, 4)
    for which, f, e, why in [("data", grads[0], g @ weight, "g · weight, in the shape of data"),
                             ("weight", grads[1], rows.T @ data.reshape(6, 5), "gᵀ · data, both as matrices of rows"),
                             ("bias", grads[2], rows.sum(0), "bias is broadcast to every row: sum over the rows")]:
        same(f"FullyConnected with flatten=False: data (2, 3, 5), weight (4, 5): the gradient of {which}", f(), e, why)
    arrays = [nd.array(_numbers(2, 3)), nd.array(_numbers(4, 3))]
    grads = _dense(no_bias=True).gradient(nd, [nd.array(rows[:2])], arrays, [None])
    same("FullyConnected with no_bias=True: the number of gradients", len(grads), 2, "there are two inputs")
    same("its gradient of weight", grads[1](), rows[:2].T @ _numbers(2, 3), "gᵀ · data")


GEOMETRIES = [      # geometry, space of the data, windows
    (Geometry((3,), (1,), (1,), (0,)), (5,), (3,)),
    (Geometry((3,), (2,), (1,), (1,)), (5,), (3,)),
    (Geometry((2,), (2,), (1,), (0,)), (5,), (2,)),
    (Geometry((2,), (1,), (3,), (2,)), (4,), (5,)),
    (Geometry((3, 2), (1, 2), (2, 1), (1, 0)), (6, 5), (4, 2)),
]


def _described(geometry, space):
    return (f"kernel {geometry.kernel}, stride {geometry.stride}, dilate {geometry.dilate}, pad {geometry.pad} on "
            f"space {space}")


@check("Geometry.out_space", "the number of windows that fit")
def counts_windows() -> None:
    for geometry, space, windows in GEOMETRIES:
        same(f"{_described(geometry, space)}: the number of windows", geometry.out_space(space), windows,
             "(n + 2 pad - dilate · (kernel - 1) - 1) divided by the stride, rounded down, plus one")
    same("kernel (3, 2) on space (None, 5): the number of windows",
         Geometry((3, 2), (1, 1), (1, 1), (0, 0)).out_space((None, 5)), (None, 4), "an unknown size stays unknown")


@check("Geometry.taps", "the elements that all windows see at each tap")
def finds_taps() -> None:
    for geometry, space, windows in GEOMETRIES:
        case = _described(geometry, space)
        actual = list(geometry.taps(windows))
        taps = list(itertools.product(*map(range, geometry.kernel)))
        same(f"{case}: the taps", [tap for tap, _ in actual], taps, "all taps of the kernel, the last axis varying "
             "fastest")
        padded = np.arange(np.prod([n + 2 * p for n, p in zip(space, geometry.pad)])).reshape(
            [n + 2 * p for n, p in zip(space, geometry.pad)])
        for tap, slices in actual:
            places = [[w * s + t * d for w in range(n)] for t, s, d, n in zip(tap, geometry.stride, geometry.dilate,
                                                                               windows)]
            same(f"{case}: what the windows see at tap {tap} of numbered elements", padded[tuple(slices)],
                 padded[np.ix_(*places)], "window w sees the element w · stride + tap · dilate, and there are as many "
                 "as windows")


def _convolution(data, weight, geometry, out):
    """Return (result, the indices of result, weight and padded data for each term of the sum)."""
    padded = np.pad(data, [(0, 0), (0, 0), *((p, p) for p in geometry.pad)])
    result, terms = np.zeros((len(data), len(weight), *out), "float32"), []
    outs, ins = len(weight) // geometry.groups, weight.shape[1]
    for n, o, c in itertools.product(range(len(data)), range(len(weight)), range(ins)):
        for window in np.ndindex(*out):
            for tap in np.ndindex(*geometry.kernel):
                place = tuple(w * s + t * d for w, s, t, d in zip(window, geometry.stride, tap, geometry.dilate))
                term = (n, o, *window), (o, c, *tap), (n, o // outs * ins + c, *place)
                result[term[0]] += weight[term[1]] * padded[term[2]]
                terms.append(term)
    return result, terms, padded.shape


CASES = [           # geometry, shape of data, shape of weight, windows
    (Geometry((2,), (1,), (1,), (0,)), (1, 1, 4), (1, 1, 2), (3,)),
    (Geometry((3,), (2,), (1,), (1,)), (2, 2, 5), (3, 2, 3), (3,)),
    (Geometry((2, 3), (1, 2), (2, 1), (1, 0)), (2, 2, 4, 5), (3, 2, 2, 3), (4, 2)),
    (Geometry((2,), (1,), (1,), (0,), groups=2), (2, 4, 3), (6, 2, 2), (2,)),
]


@check("convolve_direct", "the convolution is the sum in its first line")
def convolves() -> None:
    for geometry, data, weight, out in CASES:
        case = f"convolution of data {data} with weight {weight}, {_described(geometry, data[2:])}"
        if geometry.groups > 1:
            case += f", {geometry.groups} groups"
        data, weight = _numbers(*data), _numbers(*weight)
        same(f"{case}: the result", convolve_direct(data, weight, geometry, out),
             _convolution(data, weight, geometry, out)[0], "sum over the input channels and all taps")


@check("data_gradient_direct", "each window's gradient goes to all elements that it sees")
def convolves_back() -> None:
    for geometry, shape, weight, out in CASES:
        case = f"convolution of data {shape} with weight {weight}, {_described(geometry, shape[2:])}"
        if geometry.groups > 1:
            case += f", {geometry.groups} groups"
        weight = _numbers(*weight)
        result, terms, padded = _convolution(np.zeros(shape, "float32"), weight, geometry, out)
        grad, expected = _numbers(*result.shape), np.zeros(padded, "float32")
        for at, tap, source in terms:
            expected[source] += grad[at] * weight[tap]
        inside = (slice(None), slice(None), *(slice(p, p + n) for p, n in zip(geometry.pad, shape[2:])))
        same(f"{case}: the gradient of data", data_gradient_direct(grad, weight, geometry, shape[2:]),
             expected[inside], "an element gets grad · weight from each window that sees it, and all are added")


def _places(kernel, stride, out, space, first=1):
    return WindowGeometry((kernel,), (stride,), (0,), (out,), (space,), first)


@check("WindowGeometry.taps_along", "the elements that the windows of pooling see along one axis")
def pools_along() -> None:
    for kernel, stride, out, space in [(2, 2, 3, 6), (3, 2, 2, 6), (3, 1, 4, 6), (1, 2, 3, 6)]:
        padded = _numbers(2, space, 4)
        taps = list(_places(kernel, stride, out, space).taps_along(0, padded))
        same(f"pooling of {kernel} with stride {stride} over {space} elements: the number of taps", len(taps), kernel,
             "one view for each tap")
        for tap, view in enumerate(taps):
            same(f"pooling of {kernel} with stride {stride} over {space} elements: what {out} windows see at tap {tap}",
                 view, padded[:, [w * stride + tap for w in range(out)]], "window w sees w · stride + tap")
            expect(np.shares_memory(view, padded), "taps_along returns copies; expected views: in the backward pass, "
                   "gradients are written through them")
    places = WindowGeometry((2, 2), (2, 2), (0, 0), (2, 3), (4, 6), 2)
    padded = _numbers(1, 1, 4, 6)
    same("pooling of (2, 2) along the second space axis: tap 1", list(places.taps_along(1, padded))[1],
         padded[:, :, :, 1::2], "space axis 1 is the array's axis first + 1; all others stay whole")


@check("MaxPoolingKernels.largest_along", "the largest element that a window sees")
def takes_largest() -> None:
    for kernel, stride, out in [(1, 1, 6), (2, 2, 3), (3, 1, 4), (4, 2, 2)]:
        level = _numbers(2, 6)
        before, target = level.copy(), np.zeros((2, out), "float32")
        largest = MaxPoolingKernels(_places(kernel, stride, out, 6), (2, 1, 6), False)
        largest.largest_along(0, level, target)
        expected = np.stack([before[:, w * stride:w * stride + kernel].max(1) for w in range(out)], 1)
        same(f"pooling of {kernel} with stride {stride} over {before[0].tolist()}: the largest", target[0], expected[0],
             "the larger of the first two taps, then of that and the third, and so on")
        same("the second row", target[1], expected[1], "all rows are processed at once")
        same("the data afterwards", level, before, "write into target only")


@check("Dense.hybrid_forward", "a layer calls its operator")
def runs_layer() -> None:
    x = nd.array(_numbers(2, 3, 5))
    for how, columns in [({}, 15), ({"use_bias": False}, 15), ({"flatten": False}, 5), ({"activation": "relu"}, 15)]:
        layer = nn.Dense(4, in_units=columns, **how)
        layer.initialize()
        weight = _numbers(4, columns)
        layer.weight.set_data(nd.array(weight))
        bias = np.zeros(4, "float32")
        if layer.bias is not None:
            bias = _numbers(4)
            layer.bias.set_data(nd.array(bias))
        rows = x.asnumpy() if "flatten" in how else x.asnumpy().reshape(2, 15)
        expected = rows @ weight.T + bias
        if "activation" in how:
            expected = np.maximum(expected, 0)
        options = "".join(f", {key}={value!r}" for key, value in how.items())
        same(f"Dense(4{options}) on (2, 3, 5): the result", layer(x), expected.astype("float32"),
             "FullyConnected with the layer's own settings, then the activation")
    called = []

    class Spy:
        def FullyConnected(self, *args, **how):
            called.append(how)
            return "out"

    nn.Dense(4, prefix="spied_").hybrid_forward(Spy(), "x", "weight", "bias")
    same("Dense(4): how it calls F.FullyConnected", called, [{"num_hidden": 4, "no_bias": False, "flatten": True,
         "name": "fwd"}], "with name='fwd', which graphs show")
