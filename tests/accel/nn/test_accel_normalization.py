"""The kernels of normalization against the reference: any axis, sizes that fill no vector, far means, nothing."""

import numpy as np
import pytest
from helpers.numeric import numbers

pytest.importorskip("minigluon_accel", reason="minigluon-accel is not installed")

from helpers.accel_checks import BACKEND, ISAS, Twin, configured
from hypothesis import given, settings
from hypothesis import strategies as st
from minigluon_accel.kernels.nn import batch_norm

from minigluon import autograd, nd
from minigluon.backend import use_backend
from minigluon.backend.forgetting import forget_kernels
from minigluon.ops import REGISTRY

SHAPES = st.one_of(st.tuples(st.integers(1, 40), st.integers(1, 70)),
                   st.tuples(st.integers(1, 5), st.integers(1, 9), st.integers(1, 70)),
                   st.tuples(st.integers(1, 4), st.integers(1, 5), st.integers(1, 9), st.integers(1, 9)))
DTYPES = st.sampled_from(["float32", "float64"])


def tolerances(dtype):
    return {"rtol": 2e-4, "atol": 2e-4} if dtype == "float32" else {"rtol": 1e-10, "atol": 1e-10}


def check(name, arrays, train=False, **attributes):
    """Against the reference with a tolerance of its own: statistics amplify what they divide by; and all ways agree."""
    op = REGISTRY[name](**attributes)
    twin = Twin(op, arrays, train)
    assert twin.declined is None
    wanted, mutated = twin.wanted()
    call, scratch = twin._prepare()
    results = twin.run(call, scratch)
    for found, expected in zip(results[0], wanted, strict=True):
        np.testing.assert_allclose(found, expected, **tolerances(expected.dtype.name), err_msg=repr(op))
    for name_, after, before in zip(twin.names, results[1], arrays, strict=True):
        np.testing.assert_allclose(after, mutated.get(name_, before), **tolerances(after.dtype.name), err_msg=name_)
    twin.check_ways(call, scratch, results)
    return wanted


@settings(deadline=None, max_examples=30)
@given(SHAPES, DTYPES, st.sampled_from([1, 1, 0, -1]), st.booleans(), st.booleans(), st.booleans(),
       st.sampled_from(["BatchNorm", "_contrib_BatchNormWithReLU"]))
def test_batch_norm(shape, dtype, axis, fix_gamma, use_global_stats, train, name):
    data = numbers(shape, dtype) * 2 + 3
    vectors = [numbers(shape[axis], dtype, seed) for seed in range(4)]
    vectors[3] = abs(vectors[3])
    outputs = check(name, [data, *vectors], train, axis=axis, fix_gamma=fix_gamma, use_global_stats=use_global_stats)
    check("_batch_norm_grad", [numbers(shape, dtype, 5), data, vectors[0], *outputs[1:4]], axis=axis,
          fix_gamma=fix_gamma)
    check("_batch_norm_recompute", [data, *vectors[:2], *outputs[1:3]], axis=axis, fix_gamma=fix_gamma,
          relu=name == "_contrib_BatchNormWithReLU")


@pytest.mark.parametrize("shape", [(4, 8, 30, 30), (900, 8)])
def test_variance_of_numbers_far_from_zero(shape):
    """The mean is taken out before squares are summed."""
    data = (np.random.default_rng(0).standard_normal(shape) + 3000).astype("float32")
    ones, zeros = np.ones(8, "float32"), np.zeros(8, "float32")
    twin = Twin(REGISTRY["BatchNorm"](eps=1e-5), [data, ones, zeros, zeros, ones], True)
    inverse = twin.imperative()[2]
    axes = (0, 2, 3)[:len(shape) - 1]
    np.testing.assert_allclose(inverse, 1 / np.sqrt(data.astype("float64").var(axes) + 1e-5), rtol=1e-4)


@pytest.mark.parametrize("shape", [(0, 3, 4), (2, 0, 4), (2, 3, 0), (0, 3)])
def test_batch_norm_of_nothing(shape):
    vectors = [np.ones(shape[1], "float32") for _ in range(4)]
    for train in True, False:
        check("BatchNorm", [np.zeros(shape, "float32"), *vectors], train)


def test_nan_stays_in_its_channel():
    data = numbers((3, 4, 20), "float32")
    data[1, 2, 5] = np.nan
    vectors = [np.ones(4, "float32") for _ in range(4)]
    out = check("BatchNorm", [data, *vectors], True)[0]
    assert np.isnan(out[:, 2]).all()
    assert np.isfinite(np.delete(out, 2, 1)).all()


@settings(deadline=None, max_examples=50)
@given(SHAPES, DTYPES, st.integers(1, 3), st.integers(1, 7), st.sampled_from(["instance", "channel", "spatial"]))
def test_the_others(shape, dtype, groups, nsize, mode):
    data = numbers(shape, dtype) + 1
    check("LayerNorm", [data, numbers(shape[-1], dtype, 1), numbers(shape[-1], dtype, 2)], eps=1e-3)
    moments = [numbers((*shape[:-1], 1), dtype, 3), 1 + abs(numbers((*shape[:-1], 1), dtype, 4))]
    check("_layer_norm_grad", [numbers(shape, dtype, 5), data, numbers(shape[-1], dtype, 1), *moments])
    check("LRN", [data], nsize=nsize, alpha=0.1)
    check("_sum_neighbours", [data], nsize=nsize)
    if len(shape) > 2:
        check("InstanceNorm", [data, numbers(shape[1], dtype, 1), numbers(shape[1], dtype, 2)])
        if shape[1] % groups == 0:
            check("GroupNorm", [data, numbers(groups, dtype, 1), numbers(groups, dtype, 2)], num_groups=groups,
                  eps=1e-3)
    if len(shape) > 2 or mode != "spatial":
        check("L2Normalization", [data], mode=mode)


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("axis", [1, -1])
def test_the_statistics_of_many_rows_are_exact(axis, isa, monkeypatch):
    """One number in each channel is the mean, and beta's gradient a multiple. In one piece, as of more rows."""
    monkeypatch.setattr(batch_norm, "parts", lambda work: 1)
    data = np.full((2 ** 19, 3) if axis == -1 else (8, 3, 2 ** 16), 0.1, "float32")
    rows, ones = data.size // 3, [np.full(3, x, "float32") for x in (1, 0, 0, 1)]
    with configured(isa):
        twin = Twin(REGISTRY["BatchNorm"](axis=axis, fix_gamma=False), [data, *ones], True)
        mean = twin.run(*twin._prepare())[0][1]
        twin = Twin(REGISTRY["_batch_norm_grad"](axis=axis, fix_gamma=False),
                    [data, data, *ones[:3], np.ones(1, "float32")])
        beta_grad = twin.run(*twin._prepare())[0][2]
    np.testing.assert_allclose(mean, data.flat[0], rtol=1e-6)
    np.testing.assert_allclose(beta_grad, rows * float(data.flat[0]), rtol=2e-6)


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("shape", [(2 ** 17, 3), (700, 130), (40, 9000), (0, 3), (3, 0)], ids=str)
def test_the_gradient_of_a_layer_norm(shape, isa):
    """Rows of more than one piece, of more than one block and of more than one chunk; sums over rows do not drift."""
    grad, ones = np.full(shape, 0.1, "float32"), np.ones(shape[1], "float32")
    moments = np.zeros((shape[0], 1), "float32"), np.ones((shape[0], 1), "float32")
    arrays = [grad, numbers(shape, "float32"), ones, *moments]
    with configured(isa):
        if shape[0] < 2 ** 17:          # the reference's sum of so many is off by 0.001
            check("_layer_norm_grad", arrays)
        twin = Twin(REGISTRY["_layer_norm_grad"](), arrays)
        of_beta = twin.run(*twin._prepare())[0][2]
    np.testing.assert_allclose(of_beta, shape[0] * np.float32(0.1), rtol=1e-6)


def test_the_gradient_of_a_layer_norm_along_another_axis_is_the_reference_s():
    data, small = numbers((2, 3, 4), "float32"), np.ones((2, 1, 4), "float32")
    twin = Twin(REGISTRY["_layer_norm_grad"](axis=1), [data, data, np.ones(3, "float32"), small, small])
    assert not twin.check()
    assert twin.declined == "axis 1"


SPECIAL = [np.nan, np.inf, -np.inf, 1e30, -1e30, 1e20]     # a sum near the largest number overflows by its order


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("name", "vectors", "attributes"), [
    ("LayerNorm", (1, 0), {}), ("GroupNorm", (1, 0), {"num_groups": 5}), ("InstanceNorm", (1, 0), {}),
    ("BatchNorm", (1, 0, 0, 1), {"axis": 1}), ("BatchNorm", (1, 0, 0, 1), {"axis": -1})])
def test_gradients_of_numbers_that_are_huge_or_none(name, vectors, attributes):
    """Where the reference has NaN, an infinity or a finite number, so has the plugin: both form the same products."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        arrays = [rng.normal(size=(3, 5, 5)).astype("float32") for _ in range(2)]
        for _ in range(rng.integers(2, 6)):
            arrays[rng.integers(2)].flat[rng.integers(75)] = rng.choice(SPECIAL)
        kinds = []
        for chosen in "numpy", BACKEND.name:
            with use_backend(chosen):
                forget_kernels()
                data = nd.array(arrays[0])
                data.attach_grad()
                with autograd.record():
                    out = getattr(nd, name)(data, *[nd.full((5,), x) for x in vectors], **attributes)
                out.backward(nd.array(arrays[1]))
                kinds.append([np.where(np.isfinite(a), 0, a) for a in (out.asnumpy(), data.grad.asnumpy())])
        np.testing.assert_array_equal(*kinds, err_msg=f"{arrays}")
