"""Values and gradients against NumPy's longest float, at inputs of all sizes. `docs/accuracy.md` has the numbers."""

import numpy as np
import pytest
from helpers.accuracy import FLOATS, function_errors, limit_of, row_errors
from helpers.accuracy_rows import ROWS
from op_cases import CASES

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


def two_of_each():
    """Two rows of each operator that draws no random numbers."""
    rows = {}
    for case in CASES:
        if not any(word in case.op for word in ("random", "_sample", "shuffle")):
            rows.setdefault(case.op, []).append(case)
    return [case for cases in rows.values() for case in cases[:2]]


@on_each
def test_all_operators(backend):
    """Results and gradients in float32 beside float64, divided by the largest number of their array."""
    errors = {case.id: row_errors(case, "float32", backend) for case in two_of_each()}
    wrong = {name: error for name, error in errors.items() if error is not None and error > 3e-6}
    assert not wrong
    assert len(errors) > 500


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


LONG = [10 ** 4, 10 ** 6, 10 ** 7]


def error_of_sum(found, right):
    return float(np.max(np.abs(np.asarray(found, np.float64) / right - 1)))


@on_each
@pytest.mark.parametrize("count", LONG)
def test_sums_over_leading_axes_grow_like_a_logarithm(backend, count):
    """In float32; row after row the sum of 10 million times 0.1 is 8.8 % off."""
    number = float(np.float32(0.1))
    limit = 2 ** -23 * np.log2(count)
    with use_backend(backend):
        x = nd.full((count, 2), 0.1)
        assert error_of_sum(nd.sum(x, axis=0).asnumpy(), number * count) < limit
        if count == LONG[-1]:
            return              # the rest in a tenth of the time
        assert error_of_sum(nd.mean(x, axis=0).asnumpy(), number) < limit
        assert error_of_sum(nd.norm(x, axis=0).asnumpy(), number * count ** 0.5) < limit
        assert error_of_sum(gradient(lambda row: nd.broadcast_mul(x, row), [1, 1]), number * count) < limit
        assert error_of_sum(nd.moments(x, axes=0)[0].asnumpy(), number) < limit


def uniform(*shape):
    return np.random.default_rng(0).random(shape, np.float32)


def results(name, arrays, wanted=(), **how):
    """Outputs of an operator in training mode, then the gradients of the wanted inputs for a head of ones."""
    arrays = [nd.array(a, dtype=a.dtype) for a in arrays]
    for number in wanted:
        arrays[number].attach_grad()
    with autograd.record():
        outputs = getattr(nd, name)(*arrays, **how)
        first = outputs[0] if isinstance(outputs, (list, tuple)) else outputs
    if wanted:
        first.backward(nd.array(uniform(*first.shape), dtype=first.dtype))
    return [first.asnumpy(), *[arrays[number].grad.asnumpy() for number in wanted]]


# operator, shapes of the inputs, the inputs whose gradients are looked at, attributes: each adds up 200,000 rows
ROWS_ADDED = [
    ("BatchNorm", [(200_000, 3), (3,), (3,), (3,), (3,)], (1, 2), {"fix_gamma": False, "eps": 1e-3}),
    ("BatchNorm", [(50, 40, 100, 3), (3,), (3,), (3,), (3,)], (1, 2), {"fix_gamma": False, "axis": 3}),
    ("BatchNorm", [(200_000, 3, 1), (3,), (3,), (3,), (3,)], (1, 2), {"fix_gamma": False}),
    ("LayerNorm", [(200_000, 3), (3,), (3,)], (2,), {}),
    ("InstanceNorm", [(50_000, 3, 4), (3,), (3,)], (2,), {}),
    ("GroupNorm", [(50_000, 2, 4), (2,), (2,)], (2,), {"num_groups": 2}),
    ("FullyConnected", [(200_000, 3), (2, 3), (2,)], (1, 2), {"num_hidden": 2}),
    ("Convolution", [(200, 2, 32, 32), (2, 2, 1, 1), (2,)], (1, 2), {"num_filter": 2, "kernel": (1, 1)}),
    ("broadcast_add", [(200_000, 3), (3,)], (1,), {}),
    ("broadcast_div", [(100, 2000, 3), (1, 1, 3)], (1,), {}),
    ("broadcast_to", [(1, 3)], (0,), {"shape": (200_000, 3)}),
    ("tile", [(1, 3)], (0,), {"reps": (200_000, 1)}),
    ("LeakyReLU", [(200_000, 3), (3,)], (1,), {"act_type": "prelu"}),
    ("softmax", [(200_000, 3)], (), {"axis": 0}),
    ("log_softmax", [(200_000, 3)], (0,), {"axis": 0}),
    ("sum", [(100, 2000, 3)], (), {"axis": (0, 1)}),
    ("nansum", [(200_000, 3)], (), {"axis": 0}),
    ("L2Normalization", [(200_000, 3)], (), {"mode": "instance"}),
    ("dot", [(200_000, 3), (200_000, 2)], (), {"transpose_a": True}),
    ("batch_dot", [(2, 3, 100_000), (2, 100_000, 3)], (), {}),
    ("linalg_gemm2", [(2, 3, 100_000), (2, 100_000, 3)], (), {}),
    ("linalg_syrk", [(2, 3, 100_000)], (), {}),
]


@on_each
@pytest.mark.parametrize(("name", "shapes", "wanted", "how"), ROWS_ADDED, ids=lambda v: v if isinstance(v, str) else "")
def test_operators_that_add_up_many_rows(name, shapes, wanted, how, backend):
    """float32 beside float64: positive numbers, so that nothing cancels, and an error of 32 units is of the sum."""
    arrays = [uniform(*shape) + np.float32(0.5) for shape in shapes]
    if name == "LeakyReLU":
        arrays[0] *= -1         # where the slope counts
    with use_backend(backend):
        found = results(name, arrays, wanted, **how)
    with use_backend("numpy"):
        right = results(name, [a.astype(np.float64) for a in arrays], wanted, **how)
    for number, (y, e) in enumerate(zip(found, right, strict=True)):
        if number == 0 and wanted:
            continue                    # a row's own result, where data - mean cancels
        error = np.max(np.abs(y - e)) / np.max(np.abs(e))
        assert error < 4e-6, f"{name}: result {number} is {error:.1e} off"


@pytest.mark.parametrize("rows", [16, 100, 250])
def test_a_sum_of_a_few_rows_loses_two_units(rows):
    """Training with gradients that cancel needs this. MXNet's sums, which compensate their errors, lose half a unit;
    float64 would do the same here, but takes up to five times as long as these blocks of rows do.
    """
    x = np.random.RandomState(rows).randn(rows, 5000).astype("float32")
    bias = nd.zeros((1, 5000))
    bias.attach_grad()
    with use_backend("numpy"):
        with autograd.record():
            y = nd.broadcast_add(nd.zeros(x.shape), bias)
        y.backward(nd.array(x))
        found = {"sum": nd.sum(nd.array(x), axis=0), "gradient": bias.grad[0]}
    right = x.astype("float64").sum(0)
    for name, value in found.items():
        units = np.sqrt(np.mean((value.asnumpy() - right) ** 2) / np.mean(right ** 2)) * 2 ** 24
        assert units < 2, f"{name}: {units:.2f} units in the last place"
