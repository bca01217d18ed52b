"""Convolutions of each channel by itself: all sizes, both gradients, and values that are not finite."""

import numpy as np
import pytest

pytest.importorskip("minigluon_accel", reason="minigluon-accel is not installed")

from helpers.accel_checks import Twin
from helpers.rows import bound
from hypothesis import given, settings
from hypothesis import strategies as st
from minigluon_accel.kernels.nn.convolution import backward, forward, weight_gradient

from minigluon.backend import Spec
from minigluon.ops.nn.convolution import Geometry


def arrays_of(batch, channels, space, kernel, dtype, geometry):
    """(data, weight, gradient at the result)"""
    rng = np.random.default_rng(0)
    shapes = (batch, channels, *space), (channels, 1, *kernel), (batch, channels, *geometry.out_space(space))
    return [rng.standard_normal(shape).astype(dtype) for shape in shapes]


def check(data, weight, grad, attrs):
    """The convolution with a bias and without, and both gradients, in all the ways of `Twin`."""
    bias = np.linspace(-1, 1, len(weight)).astype(data.dtype)
    for name, arrays, more in [("Convolution", [data, weight, bias], {"num_filter": len(weight)}),
                               ("_conv_data_grad", [grad, weight, data], {}),
                               ("_conv_weight_grad", [grad, data, weight], {})]:
        assert Twin(bound(name, arrays, attrs | more), arrays).check(), name


def attrs_of(geometry):
    return {"kernel": geometry.kernel, "stride": geometry.stride, "dilate": geometry.dilate, "pad": geometry.pad,
            "num_group": geometry.groups}


@st.composite
def problems(draw):
    rank = draw(st.sampled_from([1, 2, 2, 2, 3]))
    axes = st.tuples(*[st.integers(1, 3)] * rank)
    kernel, stride, dilate = draw(st.tuples(*[st.sampled_from([1, 2, 3, 5])] * rank)), draw(axes), draw(axes)
    pad = draw(st.tuples(*[st.integers(0, 3)] * rank))
    space = tuple(max(1, d * (k - 1) + 1 - 2 * p) + draw(st.integers(0, 19))
                  for k, d, p in zip(kernel, dilate, pad, strict=True))
    channels = draw(st.integers(1, 5))
    return Geometry(kernel, stride, dilate, pad, channels), draw(st.integers(1, 3)), channels, space


@settings(max_examples=10)
@given(problems(), st.sampled_from(["float32", "float64"]))
def test_of_all_sizes(problem, dtype):
    geometry, batch, channels, space = problem
    check(*arrays_of(batch, channels, space, geometry.kernel, dtype, geometry), attrs_of(geometry))


@pytest.mark.parametrize(("side", "kernel", "stride"), [(7, 3, 1), (14, 3, 2), (28, 5, 1), (33, 7, 2)])
def test_layers_of_mobile_networks(side, kernel, stride):
    """They take this way, not the one by products of matrices."""
    geometry = Geometry((kernel,) * 2, (stride,) * 2, (1, 1), (kernel // 2,) * 2, 24)
    data, weight, grad = arrays_of(2, 24, (side, side), geometry.kernel, "float32", geometry)
    check(data, weight, grad, attrs_of(geometry))
    specs = [Spec(a.shape, a.dtype) for a in (data, weight, grad)]
    calls = [forward(geometry, specs[0], specs[1], specs[2]), backward(geometry, specs[2], specs[1], specs[0]),
             weight_gradient(geometry, specs[2], specs[0], specs[1])]
    assert [{phase.name for phase in call.phases} for call in calls] == [
        {"depthwise"}, {"depthwise"}, {"depthwise_weight_grad"}]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("space", "kernel", "dilate"), [
    ((25, 5), 3, 1), ((3, 3), 3, 1), ((6, 6), 5, 1), ((12, 13), 3, 2), ((32, 32), 3, 1), ((40,), 3, 1),
    ((3, 4, 5), 3, 1), ((1, 7), 5, 1), ((33, 32), 3, 1), ((8, 9), 7, 1)])
def test_windows_as_many_as_elements(space, kernel, dilate, dtype):
    """Small images are read as they lie, but the first and the last; the last two cases are too large for that."""
    rank = len(space)
    geometry = Geometry((kernel,) * rank, (1,) * rank, (dilate,) * rank, (dilate * (kernel // 2),) * rank, 7)
    data, weight, grad = arrays_of(3, 7, space, geometry.kernel, dtype, geometry)
    check(data, weight, grad, attrs_of(geometry))


@pytest.mark.parametrize("value", [np.inf, np.nan])
def test_an_image_does_not_see_its_neighbours(value):
    """All of them but one have values that are not finite, which masks hide."""
    geometry = Geometry((3, 3), (1, 1), (1, 1), (1, 1), 5)
    data, weight, grad = arrays_of(3, 5, (6, 7), geometry.kernel, "float32", geometry)
    for array in (data, grad):
        others = np.ones(array.shape, bool)
        others[1, 2] = False
        array[others] = value
    with np.errstate(all="ignore"):
        check(data, weight, grad, attrs_of(geometry))


@pytest.mark.parametrize("value", [np.inf, np.nan])
@pytest.mark.parametrize("where", [0, 1, 2])
def test_not_finite(value, where):
    """As in the reference: zeros around the data meet weights, zeros around the gradient do not."""
    geometry = Geometry((3, 3), (2, 1), (1, 1), (1, 2), 3)
    arrays = arrays_of(2, 3, (9, 20), geometry.kernel, "float32", geometry)
    arrays[where][1, 0, 1, 2] = value
    with np.errstate(all="ignore"):
        check(*arrays, attrs_of(geometry))
