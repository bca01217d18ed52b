"""Values and gradients against NumPy's longest float, at inputs of all sizes. `docs/accuracy.md` has the numbers."""

import numpy as np
import pytest
from helpers.accuracy import FLOATS, function_errors, limit_of
from helpers.accuracy_rows import ROWS

from minigluon import autograd, gluon, nd
from minigluon.backend import available

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
