"""BatchNorm: its moving statistics, types, and the messages."""

import numpy as np
import pytest
from helpers.errors import assert_refused, message, operator_of
from helpers.small_arrays import zeros
from hypothesis import given, settings
from hypothesis import strategies as st

from minigluon import autograd, nd
from minigluon.base import DTypeError, ShapeError
from minigluon.ops import REGISTRY

SHAPE_MESSAGES = [
    ("BatchNorm", {}, [(2, 3, 4), (4,), None, None, None], "BatchNorm: gamma has shape (4,), expected (3,)"),
    ("BatchNorm", {"axis": 3}, [(2, 3, 4)] + [None] * 4,
     "BatchNorm: axis 3 is out of range for 3 dimensions; the axes are -3 to 2"),
]


@pytest.mark.parametrize(("name", "attributes", "shapes", "text"), SHAPE_MESSAGES)
def test_messages_of_shape_rules(name, attributes, shapes, text):
    assert message(ShapeError, REGISTRY[name](**attributes).infer_shape, *shapes) == text


def test_batch_norm_wants_float32_statistics_for_float16_data():
    half, single = np.dtype("float16"), np.dtype("float32")
    op = REGISTRY["BatchNorm"]()
    assert op.infer_dtype(half, None, None, None, None)[0] == [half] + [single] * 4
    with pytest.raises(DTypeError) as info:
        op.infer_dtype(half, half, single, single, single)
    assert str(info.value) == ("BatchNorm: inputs have different dtypes: data float16, gamma float16, beta float32, "
                               "moving_mean float32, moving_var float32. Convert with .astype(dtype).")


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 99), st.sampled_from([0.0, 0.5, 0.9, 1.0]), st.sampled_from([0, 1, -1]))
def test_batch_norm_moves_its_statistics_while_training_alone(seed, momentum, axis):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((3, 3, 3)) * 2 + 1
    mean, var = nd.array(rng.random(3), dtype="float64"), nd.array(rng.random(3) + 1, dtype="float64")
    old_mean, old_var = mean.asnumpy(), var.asnumpy()
    arrays = nd.array(x, dtype="float64"), nd.ones(3, dtype="float64"), nd.zeros(3, dtype="float64"), mean, var
    nd.BatchNorm(*arrays, momentum=momentum, axis=axis)
    with autograd.train_mode():
        nd.BatchNorm(*arrays, momentum=momentum, axis=axis, use_global_stats=True)
    np.testing.assert_array_equal(mean.asnumpy(), old_mean)
    np.testing.assert_array_equal(var.asnumpy(), old_var)
    with autograd.train_mode():
        nd.BatchNorm(*arrays, momentum=momentum, axis=axis)
    others = tuple(i for i in range(3) if i != axis % 3)
    kept = float(np.float64(momentum))
    np.testing.assert_allclose(mean.asnumpy(), kept * old_mean + (1 - kept) * x.mean(others), rtol=1e-12)
    np.testing.assert_allclose(var.asnumpy(), kept * old_var + (1 - kept) * x.var(others), rtol=1e-12)


def test_batch_norm_differentiates_as_it_was_run():
    """Recorded in predict mode the statistics are constants, whatever mode backward is called in."""
    x = nd.array([[1.0], [3.0], [8.0]])
    arrays = nd.array([2.0]), nd.array([0.0]), nd.array([1.0]), nd.array([3.0])
    x.attach_grad()
    with autograd.record(train_mode=False):
        y = nd.BatchNorm(x, *arrays, fix_gamma=False, eps=1.0)
    y.backward()
    assert x.grad.asnumpy().ravel().tolist() == [1, 1, 1]


def test_half_precision_keeps_float32_statistics():
    x = (nd.random.normal(shape=(64, 2, 32, 32)) * 10 + 100).astype("float16")
    with autograd.train_mode():
        y, mean, _ = nd.BatchNorm(x, nd.ones(2), nd.zeros(2), nd.zeros(2), nd.ones(2), output_mean_var=True)
    assert (y.dtype, mean.dtype) == (np.float16, np.float32)
    np.testing.assert_allclose(mean.asnumpy(), x.asnumpy().astype("float64").mean((0, 2, 3)), rtol=1e-5)
    assert abs(y.asnumpy().astype("float64").std() - 1) < 1e-2


def test_the_third_output_of_sync_batch_norm_is_the_variance():
    """As in real MXNet 1.9.1, of [[1, 2], [3, 6]] 1 and 4; the gradient is that of BatchNorm."""
    x = np.array([[1, 2], [3, 6.0]])
    how = {"output_mean_var": True, "fix_gamma": False}
    grads = []
    for call, variance in (lambda *a: nd.contrib.SyncBatchNorm(*a, key="k", **how), True), (
            lambda *a: nd.BatchNorm(*a, **how), False):
        data, gamma = nd.array(x), nd.array([1, 2])
        data.attach_grad()
        gamma.attach_grad()
        with autograd.record():
            out, mean, third = call(data, gamma, nd.zeros(2), nd.zeros(2), nd.ones(2))
        out.backward(nd.array([[1, 2], [3, 5]]))
        assert mean.asnumpy().tolist() == [2, 4]
        np.testing.assert_allclose(third.asnumpy(), [1, 4] if variance else [1.001 ** -0.5, 4.001 ** -0.5], 1e-6)
        grads.append((data.grad.asnumpy(), gamma.grad.asnumpy()))
    for found, wanted in zip(*grads, strict=True):
        np.testing.assert_allclose(found, wanted, 1e-5, 1e-6)


MESSAGES = [
    (lambda: nd.contrib.SyncBatchNorm(zeros(2, 3), *[zeros(3)] * 4, key="a", ndev=2),
     "_contrib_SyncBatchNorm: ndev=2: statistics over several devices are not available. Use BatchNorm, which takes "
     "those of each device's part of the batch."),
]


@pytest.mark.parametrize(("call", "message"), MESSAGES, ids=operator_of)
def test_messages(call, message):
    assert_refused(call, message, ShapeError)
