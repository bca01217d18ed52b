"""Convolutions by Winograd's way: the identity it rests on, all sizes and paddings, and how exact the results are."""

from fractions import Fraction

import numpy as np
import pytest

pytest.importorskip("minigluon_accel", reason="minigluon-accel is not installed")

from helpers.accel_checks import ISAS, Twin, configured, fenced
from helpers.rows import bound
from hypothesis import given, settings
from hypothesis import strategies as st
from minigluon_accel.kernels.nn import convolution_winograd as winograd

from minigluon.backend import Spec
from minigluon.ops.nn.convolution import Geometry
from minigluon.ops.nn.convolution_kernels import convolve, data_gradient, weight_gradient

POINTS = [Fraction(0), Fraction(5, 8), -Fraction(5, 8), Fraction(3, 2), -Fraction(3, 2)]      # and infinity

# Of the largest result, in units in the last place: 4 times the largest error of 120 problems drawn like those below,
# which was that of a weight gradient of 5 x 5 filters. Outputs and data gradients had at most 19.
ULPS = 250


# -- the identity, in fractions ---------------------------------------------------------------------------------------

def product(polynomials):
    """Coefficients of a product, the lowest first."""
    result = np.array([Fraction(1)])
    for p in polynomials:
        result = np.convolve(result, p)
    return result


def evaluate(n):
    """(6, n): the values at the points of the polynomial with these coefficients; at infinity its last one."""
    return np.array([[p ** k for k in range(n)] for p in POINTS] + [[Fraction(k == n - 1) for k in range(n)]])


def spread():
    """(6, 6): coefficients of the polynomials with zeros at all points but one; for infinity, at all."""
    rows = [[*product([[-q, 1] for q in POINTS if q != p]), Fraction(0)] for p in POINTS]
    return np.array([*rows, product([[-q, 1] for q in POINTS])])


def reciprocals():
    """1 / the values of these polynomials at the point where they are not zero."""
    return np.array([1 / np.prod([p - q for q in POINTS if q != p]) for p in POINTS] + [Fraction(1)])


@pytest.mark.parametrize(("outputs", "taps"), [(4, 3), (2, 5)])
def test_outputs_are_sums_of_data_times_taps(outputs, taps):
    combine, filters = evaluate(outputs).T, evaluate(taps) * reciprocals()[:, None]
    coefficients = np.einsum("ji,ik,il->jkl", combine, filters, spread())
    for j, k, i in np.ndindex(outputs, taps, 6):
        assert coefficients[j, k, i] == (i == j + k)


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("kernel", [3, 5])
def test_the_kernels_matrices_are_these(isa, kernel):
    """A filter with one tap, and data with one number that is not 0: the error is that of one way through all three."""
    data = np.zeros((1, 16, 9, 9), "float64")
    weight = np.zeros((32, 16, kernel, kernel), "float64")
    data[0, 3, 4, 5], weight[20, 3, 1, 2] = 3, 2
    geometry = Geometry((kernel, kernel), (1, 1), (1, 1), (2, 2))
    out = run("forward", geometry, [data, weight], (1, 32, 14 - kernel, 14 - kernel), isa=isa)
    np.testing.assert_allclose(out, convolve(data, weight, geometry, out.shape[2:]), atol=1e-14)


# -- all sizes --------------------------------------------------------------------------------------------------------

def run(what, geometry, arrays, shape, isa=None, threads=1, refused=None, **options):
    """The result of one of the three functions. arrays: its two inputs, then a mask or a bias if options name it."""
    names = {"forward": ("data", "weight"), "data_gradient": ("data", "weight"), "weight_gradient": ("grad", "data")}
    third = options.pop("third", None)
    places = dict(zip([*names[what], third], range(len(arrays)), strict=False)) | {
        "out": len(arrays), "stash": len(arrays) + 1}
    specs = [Spec(a.shape, a.dtype) for a in arrays[:2]] + [Spec(shape, arrays[0].dtype)]
    with configured(isa, threads):
        call = getattr(winograd, what)(geometry, *specs, places, **options)
        call.outputs, call.fallback = (specs[2],), refused
        with fenced([specs[2], *call.scratch]) as memory:
            call(arrays, memory)
    return memory[0]


@st.composite
def problems(draw):
    kernel = draw(st.sampled_from([3, 5]))
    pad = draw(st.tuples(*[st.integers(0, kernel - 1)] * 2))
    space = [draw(st.integers(max(1, kernel - 2 * p), 21)) for p in pad]
    batch, channels, filters = draw(st.integers(1, 5)), draw(st.integers(1, 40)), draw(st.integers(1, 80))
    geometry = Geometry((kernel, kernel), (1, 1), (1, 1), pad)
    return (geometry, (batch, channels, *space), (filters, channels, kernel, kernel),
            (batch, filters, *geometry.out_space(space)))


def close(found, wanted):
    eps = np.finfo(found.dtype).eps
    np.testing.assert_allclose(found, wanted, rtol=0, atol=ULPS * eps * np.abs(wanted).max())


@pytest.mark.parametrize("isa", ISAS)
@settings(max_examples=12)
@given(problems(), st.sampled_from(["float32", "float64"]), st.sampled_from([8, 30, 80]), st.integers(1, 3),
       st.sampled_from([2 ** 10, 2 ** 20]))
def test_of_all_sizes(isa, problem, dtype, tiles, pairs, values):
    geometry, *shapes = problem
    rng = np.random.default_rng(3)
    data, weight, grad = (rng.standard_normal(shape).astype(dtype) for shape in shapes)
    mask, bias = rng.standard_normal(grad.shape).astype(dtype), rng.standard_normal(weight.shape[0]).astype(dtype)
    exact = [a.astype("float64") for a in (data, weight, bias, grad * (mask > 0))]
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"GAIN": 0, "TILES": tiles, "PAIRS": pairs, "VALUES": values, "GRAIN": 2 ** 8}.items():
            patch.setattr(winograd, name, value)

        def of(what, arrays, shape, **options):
            results = [run(what, geometry, arrays, shape, isa, threads, **options) for threads in (1, 2)]
            np.testing.assert_array_equal(*results, strict=True)
            return results[0]
        wanted = convolve(*exact[:2], geometry, grad.shape[2:], exact[2])
        close(of("forward", [data, weight, bias], grad.shape, third="bias"), wanted)
        close(of("forward", [data, weight], grad.shape, relu=True), np.maximum(wanted - exact[2].reshape(-1, 1, 1), 0))
        wanted = data_gradient(exact[3], exact[1], geometry, data.shape[2:])
        close(of("data_gradient", [grad, weight, mask], data.shape, third="mask"), wanted)
        wanted = weight_gradient(exact[3], exact[0], geometry)
        close(of("weight_gradient", [grad, data, mask], weight.shape, third="mask"), wanted)


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("channels", "filters"), [(64, 192), (16, 32), (33, 65)])
def test_sums_of_several_blocks_have_room(isa, dtype, channels, filters, monkeypatch):
    """Vectors of fewer numbers make more products, each with some numbers more than its sums."""
    monkeypatch.setattr(winograd, "VALUES", 2 ** 14)
    geometry = Geometry((3, 3), (1, 1), (1, 1), (1, 1))
    rng = np.random.default_rng(0)
    grad, data = (rng.standard_normal((2, n, 8, 8)).astype(dtype) for n in (filters, channels))
    found = run("weight_gradient", geometry, [grad, data], (filters, channels, 3, 3), isa)
    close(found, weight_gradient(grad.astype("float64"), data.astype("float64"), geometry))


@pytest.mark.parametrize(("kernel", "most"), [(3, 1.2e-6), (5, 1.8e-6)])
def test_rounding_is_what_the_docstring_says(kernel, most):
    rng = np.random.default_rng(0)
    data, weight = rng.standard_normal((2, 96, 16, 16)), rng.standard_normal((64, 96, kernel, kernel))
    data, weight = data.astype("float32"), weight.astype("float32")
    geometry = Geometry((kernel, kernel), (1, 1), (1, 1), (kernel // 2,) * 2)
    wanted = convolve(data.astype("float64"), weight.astype("float64"), geometry, (16, 16))
    error = run("forward", geometry, [data, weight], wanted.shape) - wanted
    assert np.sqrt(np.mean(error ** 2)) <= most * wanted.std()
    assert np.abs(error).max() <= 12 * most * wanted.std()


# -- values that are not finite, and sums that overflow ---------------------------------------------------------------

@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan, 1e38])
@pytest.mark.parametrize("at", [(0, 0, 0, 0), (1, 20, 9, 4), (1, 31, 11, 11)])
def test_not_finite(value, at):
    """Only those results are not finite that are so in the reference, although others share their tile."""
    rng = np.random.default_rng(0)
    data, weight = rng.standard_normal((2, 32, 12, 12)), rng.standard_normal((32, 32, 3, 3))
    data, weight = data.astype("float32"), weight.astype("float32")
    data[at] = value
    attrs = {"kernel": (3, 3), "pad": (1, 1), "num_filter": 32, "no_bias": True}
    with np.errstate(all="ignore"):
        assert Twin(bound("Convolution", [data, weight], attrs), [data, weight]).check()


@pytest.mark.parametrize("what", ["data_gradient", "weight_gradient"])
def test_gradients_that_are_not_finite_are_the_references(what):
    geometry = Geometry((3, 3), (1, 1), (1, 1), (1, 1))
    arrays = {"grad": np.ones((8, 32, 8, 8), "float32"), "data": np.ones((8, 32, 8, 8), "float32"),
              "weight": np.ones((32, 32, 3, 3), "float32")}
    arrays["grad"][3, 4, 5, 6] = np.inf
    first, second, result = ("grad", "weight", "data") if what[0] == "d" else ("grad", "data", "weight")
    asked = []
    run(what, geometry, [arrays[first], arrays[second]], arrays[result].shape, refused=lambda *_: asked.append(1))
    assert asked


# -- where it is used -------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("batch", "channels", "side", "filters", "kernel"), [
    (8, 64, 14, 64, 3), (32, 16, 12, 32, 3), (2, 96, 13, 64, 5)])
def test_operators(batch, channels, side, filters, kernel):
    rng = np.random.default_rng(0)
    shapes = (batch, channels, side, side), (filters, channels, kernel, kernel), (batch, filters, side, side)
    data, weight, grad = (rng.standard_normal(shape).astype("float32") for shape in shapes)
    attrs = {"kernel": (kernel, kernel), "pad": (kernel // 2,) * 2}
    for name, arrays, more in [("Convolution", [data, weight], {"num_filter": filters, "no_bias": True}),
                               ("_conv_data_grad", [grad, weight, data], {}),
                               ("_conv_weight_grad", [grad, data, weight], {})]:
        assert Twin(bound(name, arrays, attrs | more), arrays).check()


LAYERS = [(32, 96, 26, 256, 5), (32, 384, 12, 256, 3), (8, 64, 56, 64, 3), (8, 512, 7, 512, 3), (1, 16, 14, 16, 3)]


@pytest.mark.parametrize(("batch", "channels", "side", "filters", "kernel"), LAYERS)
def test_takes_what_pays(batch, channels, side, filters, kernel):
    data, out = Spec((batch, channels, side, side), np.dtype("float32")), Spec(
        (batch, filters, side, side), np.dtype("float32"))
    weight = Spec((filters, channels, kernel, kernel), data.dtype)
    geometry = Geometry((kernel, kernel), (1, 1), (1, 1), (kernel // 2,) * 2)
    calls = [winograd.forward(geometry, data, weight, out, {"data": 0, "weight": 1, "out": 2, "stash": 3}),
             winograd.data_gradient(geometry, out, weight, data, {"data": 0, "weight": 1, "out": 2, "stash": 3}),
             winograd.weight_gradient(geometry, out, data, weight, {"grad": 0, "data": 1, "out": 2, "stash": 3})]
    for call in calls:
        memory = sum(np.prod(spec.shape) * 4 for spec in call.scratch)
        assert memory <= 2 ** 25, f"{call} needs {memory} bytes"


@pytest.mark.parametrize(("change", "shape"), [
    ({"kernel": (3, 5)}, None), ({"kernel": (7, 7)}, None), ({"stride": (2, 2)}, None), ({"dilate": (2, 1)}, None),
    ({"groups": 2}, None), ({"last": True}, None), ({"kernel": (3,)}, None), ({"kernel": (3, 3, 3)}, None),
    ({}, (0, 64, 28, 28)), ({}, (8, 3, 28, 28)), ({}, (1, 64, 2, 2)), ({}, (1, 64, 3, 2000))])
def test_leaves_the_rest(change, shape):
    geometry = Geometry(**{"kernel": (3, 3), "stride": (1, 1), "dilate": (1, 1), "pad": (1, 1)} | change)
    data = Spec(shape or (8, 64, 28, 28), np.dtype("float32"))
    out, weight = Spec((data.shape[0], 64, *data.shape[2:]), data.dtype), Spec((64, data.shape[1], 3, 3), data.dtype)
    assert winograd.forward(geometry, data, weight, out, {"data": 0, "weight": 1, "out": 2, "stash": 3}) is None


def test_more_padding_than_a_filter_has_gives_no_data_gradient():
    geometry = Geometry((3, 3), (1, 1), (1, 1), (3, 1))
    data, out = Spec((8, 64, 24, 28), np.dtype("float32")), Spec((8, 64, 28, 28), np.dtype("float32"))
    weight = Spec((64, 64, 3, 3), data.dtype)
    assert winograd.forward(geometry, data, weight, out, {"data": 0, "weight": 1, "out": 2, "stash": 3})
    assert winograd.data_gradient(geometry, out, weight, data, {"data": 0, "weight": 1, "out": 2, "stash": 3}) is None
