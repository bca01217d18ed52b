"""The kernels of softmax and its relatives against the reference."""

import numpy as np
import pytest
from helpers.numeric import numbers

pytest.importorskip("minigluon_accel", reason="minigluon-accel is not installed")

from helpers.accel_checks import ISAS, Twin, configured
from hypothesis import given, settings
from hypothesis import strategies as st

from minigluon import nd
from minigluon.base import MXNetError
from minigluon.ops import REGISTRY

DTYPES = st.sampled_from(["float32", "float64"])
SHAPES = st.lists(st.integers(1, 40), min_size=1, max_size=3).map(tuple)


def check(name, arrays, **attributes):
    assert Twin(REGISTRY[name](**attributes), arrays).check(), name


@settings(deadline=None, max_examples=30)
@given(SHAPES, DTYPES, st.integers(0, 2), st.sampled_from([None, 0.25, -2.0]),
       st.sampled_from([0, np.nan, np.inf, -np.inf]), st.sampled_from(["softmax", "log_softmax", "softmin"]))
def test_softmax_and_its_gradient(shape, dtype, axis, temperature, special, name):
    axis %= len(shape)
    data = 5 * numbers(shape, dtype)
    data.flat[::11] += special
    check(name, [data], axis=axis, temperature=temperature)
    result = REGISTRY[name](axis=axis).forward(numbers(shape, dtype))
    gradient = "_log_softmax_grad" if name == "log_softmax" else "_softmax_grad"
    check(gradient, [numbers(shape, dtype, 1), result], axis=axis)


@pytest.mark.parametrize("factor", [1, 1e-3, -7])
def test_large_numbers_with_a_temperature(factor):
    """What is multiplied is rounded before the largest is taken out, not after."""
    data = np.array([[3.3601773e8], [-1e30], [7e34]], "float32")
    for name in "softmax", "log_softmax", "softmin":
        found = Twin(REGISTRY[name](temperature=factor), [data]).imperative()[0]
        np.testing.assert_array_equal(found, name != "log_softmax")


@settings(deadline=None, max_examples=40)
@given(st.lists(st.integers(1, 20), min_size=2, max_size=4).map(tuple), DTYPES,
       st.sampled_from(["plain", "multi", "kept"]), st.booleans(), st.sampled_from(["null", "batch", "valid"]),
       st.sampled_from([0, 0.1]))
def test_softmax_output(shape, dtype, kind, use_ignore, normalization, smooth):
    kind = "plain" if kind == "multi" and len(shape) == 2 else kind
    attributes = {"multi_output": kind == "multi", "preserve_shape": kind == "kept", "use_ignore": use_ignore,
                  "normalization": normalization, "smooth_alpha": smooth, "ignore_label": 1.0, "grad_scale": 0.5}
    data = numbers(shape, dtype)
    op = REGISTRY["SoftmaxOutput"](**attributes)
    places = {"plain": shape[:1], "multi": shape[:1] + shape[2:], "kept": shape[:-1]}[kind]
    label = np.random.default_rng(1).integers(-1, op.rows_shape(shape)[1] + 1, places).astype(dtype)
    check("SoftmaxOutput", [data, label], **attributes)
    check("_softmax_output_grad", [op.forward(data, label), label], **attributes)
    if kind == "multi":
        check("_softmax_output_grad", [op.forward(data, label), label.reshape(len(data), -1)], **attributes)
    check("SoftmaxActivation", [data], mode="channel" if kind == "multi" else "instance")


def test_softmax_cross_entropy_refuses_what_is_no_class():
    data = numbers((5, 19), "float32")
    check("softmax_cross_entropy", [data, np.arange(5, dtype="float32")])
    for wrong in 19, -1, 1e30, np.nan:
        with pytest.raises(MXNetError, match="out of range"):
            nd.softmax_cross_entropy(nd.array(data), nd.array([0, 1, wrong, 2, 3])).asnumpy()


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("shape", [(1, 2 ** 20), (2 ** 18, 3)], ids=str)
def test_the_sums_of_a_long_line_are_exact(shape, isa):
    """One number again and again, which each addition rounds in the same direction."""
    count, axis = max(shape), int(np.argmax(shape))
    data, ones = np.full(shape, np.log(np.float32(0.1))), np.ones(shape, "float32")
    np.moveaxis(data, axis, 0)[0] = 0
    total = 1 + (count - 1) * np.exp(data.flat[-1].astype("float64"))
    with configured(isa):
        first = [nd._internal._softmax_grad(nd.array(0.1 * ones), nd.array(ones), axis=axis),
                 nd._internal._log_softmax_grad(nd.array(0.1 * ones), nd.array(0 * ones), axis=axis),
                 nd.softmax(nd.array(data), axis=axis), nd.log_softmax(nd.array(data), axis=axis)]
    wanted = [0.1 * (1 - count), 0.1 * (1 - count), 1 / total, -np.log(total)]
    np.testing.assert_allclose([a.asnumpy().flat[0] for a in first], wanted, rtol=2e-6)
