"""Values and gradients against NumPy's longest float, at inputs of all sizes. `docs/accuracy.md` has the numbers."""

import numpy as np
import pytest
from helpers.accuracy import FLOATS, function_errors, limit_of
from helpers.accuracy_rows import ROWS

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.backend import available, use_backend

BACKENDS = [name for name in ("numpy", "accel") if name in available()]
on_each = pytest.mark.parametrize("backend", BACKENDS)
pytestmark = pytest.mark.skipif(np.finfo(np.longdouble).nmant < 60, reason="the longest float is float64 here")


@on_each
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_functions_of_one_number(row, backend):
    for dtype in FLOATS:
        errors = function_errors(row, dtype, backend)
        for what, (error, place), limit in zip(("value", "slope"), errors, limit_of(row.name, backend, dtype),
                                               strict=True):
            assert error <= limit, f"{row.name}, {dtype}: {what} at {place:g} is {error:.1e} off, limit {limit:.1e}"


def gradient(function, x, dtype="float32"):
    x = nd.array(x, dtype=dtype)
    x.attach_grad()
    with autograd.record():
        y = function(x)
    y.backward()
    return x.grad.asnumpy()


@pytest.mark.parametrize("hybridized", [False, True], ids=["imperative", "hybridized"])
@pytest.mark.parametrize("loss", [gluon.loss.SigmoidBCELoss(), gluon.loss.LogisticLoss(label_format="binary")],
                         ids=["SigmoidBCELoss", "LogisticLoss"])
def test_the_loss_of_a_logit_keeps_small_gradients(loss, hybridized):
    loss.hybridize(hybridized)
    found = gradient(lambda x: loss(x, nd.ones((3,))), [20, -20, 0])
    np.testing.assert_allclose(found, [-2.0611536e-9, -1, -0.5], 1e-6)
    found = gradient(lambda x: loss(x, nd.zeros((3,))), [20, -20, 0])
    np.testing.assert_allclose(found, [1, 2.0611536e-9, 0.5], 1e-6)
    found = gradient(lambda x: loss(x, nd.ones((1,), dtype="float16")), [8], "float16")
    np.testing.assert_allclose(found, [-3.353e-4], 1e-3)


def test_the_weight_of_the_positive_class():
    loss = gluon.loss.SigmoidBCELoss()
    found = gradient(lambda x: loss(x, nd.array([1, 0]), None, nd.array([3, 3])), [20, -20])
    np.testing.assert_allclose(found, [-3 * 2.0611536e-9, 2.0611536e-9], 1e-6)


def test_gradients_at_infinity():
    infinite = [np.inf, -np.inf]
    for kind, right in (("elu", [1, 0]), ("selu", [1.0507009873554805, 0])):
        found = gradient(lambda x, kind=kind: nd.LeakyReLU(x, act_type=kind), infinite)
        np.testing.assert_allclose(found, right, 1e-6)
    np.testing.assert_allclose(gradient(nd.expm1, [-np.inf, -17, -10]), [0, 4.1399377e-8, 4.5399930e-5], 1e-6)
    np.testing.assert_allclose(gradient(nd.arcsinh, [1e30, -1e30]), [1e-30, 1e-30], 1e-6)
    np.testing.assert_allclose(gradient(lambda x: nd.Activation(x, act_type="softrelu"), infinite), [1, 0])


@on_each
@pytest.mark.parametrize(("dtype", "size"), [("float32", 1e30), ("float64", 1e300)])
def test_norms_whose_squares_leave_the_range(backend, dtype, size):
    with use_backend(backend):
        for scale in (size, 1 / size):
            x = nd.array([[3 * scale, -4 * scale], [3, 4]], dtype=dtype)
            for axis, right in ((1, [5 * scale, 5]), (None, [5 * max(scale, 1 if scale < 1 else scale)])):
                np.testing.assert_allclose(nd.norm(x, axis=axis).asnumpy(), right, 1e-6)
            wide = nd.array(np.full((2, 40), scale), dtype=dtype)
            np.testing.assert_allclose(nd.norm(wide, axis=0).asnumpy(), np.full(40, 2 ** 0.5 * scale), 1e-6)
            slopes = gradient(lambda x: nd.norm(x, axis=1), x, dtype)
            np.testing.assert_allclose(slopes, [[0.6, -0.8], [0.6, 0.8]], 1e-6)
            for mode in ("instance", "channel"):
                unit = nd.L2Normalization(x, eps=0, mode=mode).asnumpy()
                np.testing.assert_allclose(unit, [[0.6, -0.8], [0.6, 0.8]], 1e-6)


@on_each
def test_norms_of_special_numbers(backend):
    with use_backend(backend):
        x = nd.array([[0, 0], [np.inf, 1], [np.nan, 1], [np.inf, np.nan], [1e38, 3e38], [1e-45, 0]])
        norms = [0, np.inf, np.nan, np.nan, 3.1622777e38, np.float32(1e-45)]
        np.testing.assert_allclose(nd.norm(x, axis=1).asnumpy(), norms, 1e-6)
        np.testing.assert_array_equal(gradient(lambda x: nd.norm(x, axis=1), [[0, 0]]), [[0, 0]])
        unit = nd.L2Normalization(nd.array([[0, 0], [1e30, 0], [1e-30, 0]]))
        np.testing.assert_allclose(unit.asnumpy(), [[0, 0], [1, 0], [1e-25, 0]], 1e-6)


def test_what_is_built_on_norms():
    arrays = [nd.array([3e30]), nd.array([4e30])]
    assert gluon.utils.clip_global_norm(arrays, 1) == pytest.approx(5e30)
    np.testing.assert_allclose([a.asscalar() for a in arrays], [0.6, 0.8], 1e-6)
    for name, right in (("lamb", 1e20 * (1 - 0.001)), ("lars", 1e20 * (1 - 0.001 * 0.001))):
        weight = mx.gluon.Parameter("dense_weight", shape=(1,))
        weight.initialize(mx.init.Constant(1e20))
        trainer = gluon.Trainer({"dense_weight": weight}, name, {"learning_rate": 0.001, "wd": 0.0})
        with autograd.record():
            loss = weight.data() * 1.0
        loss.backward()
        trainer.step(1)
        if name == "lamb":
            np.testing.assert_allclose(weight.data().asnumpy(), [right], 1e-6)
        assert np.isfinite(weight.data().asnumpy()).all()
