"""float16 and bfloat16: conversions bit by bit, and kernels for float32 between them."""

import warnings

import numpy as np
import pytest

pytest.importorskip("minigluon_accel", reason="minigluon-accel is not installed")

from helpers.accel_checks import ISAS, Twin, configured
from minigluon_accel.kernels.wide import converted

import minigluon as mx
from minigluon import autograd, dispatch, gluon, nd
from minigluon.backend import Spec
from minigluon.backend.forgetting import forget_kernels
from minigluon.gluon import nn
from minigluon.ops import REGISTRY
from minigluon_accel import engine

EVERY_HALF = np.arange(2 ** 16, dtype="uint16")


def narrow_types():
    """float16, and bfloat16 where it is installed."""
    try:
        import ml_dtypes
    except ImportError:
        return [np.dtype("float16")]
    return [np.dtype("float16"), np.dtype(ml_dtypes.bfloat16)]


by_isa = pytest.mark.parametrize("isa", ISAS)
by_type = pytest.mark.parametrize("dtype", narrow_types(), ids=str)


def convert(array, dtype):
    """By the kernel, at an odd place of memory, in several parts."""
    narrow = dtype if dtype != np.float32 else None
    out = np.empty(array.size + 1, dtype)[1:]
    phase = converted(Spec(array.shape, array.dtype), 0, 1, narrow)
    engine.Call(phase)([array], [out])
    return out


@by_isa
@by_type
def test_every_narrow_number_becomes_the_same_float32(isa, dtype):
    numbers = EVERY_HALF.view(dtype)
    with configured(isa):
        found = convert(numbers, np.dtype("float32"))
    with np.errstate(invalid="ignore"):             # NumPy warns of some NaN on ARM
        wanted = numbers.astype("float32")
    np.testing.assert_array_equal(found, wanted)
    assert (np.signbit(found) == np.signbit(wanted)).all()


@by_isa
@by_type
def test_float32_is_rounded_to_the_nearest_and_to_the_even_one_between(isa, dtype):
    """Each narrow number, the middle between it and the next, and what lies just beside these."""
    with np.errstate(all="ignore"):
        numbers = EVERY_HALF.view(dtype).astype("float32")
        middles = (numbers[:-1] + numbers[1:]) / 2
        exact = np.concatenate([numbers, middles])
        around = np.concatenate([exact, np.nextafter(exact, np.float32(np.inf)),
                                 np.nextafter(exact, np.float32(-np.inf)), np.float32([3e38, -3e38, 1e-45, -1e-45])])
        wanted = around.astype(dtype)
    with configured(isa):
        found = convert(around, dtype)
    is_nan = np.isnan(around)
    np.testing.assert_array_equal(found[~is_nan].view("uint16"), wanted[~is_nan].view("uint16"))
    assert np.isnan(found[is_nan].astype("float32")).all()


def drawn(*shapes, dtype):
    rng = np.random.default_rng(7)
    return [rng.standard_normal(shape, "float32").astype(dtype) for shape in shapes]


CALLS = [
    ("FullyConnected", {"num_hidden": 5}, [(7, 9), (5, 9), (5,)]),
    ("Convolution", {"kernel": (3, 3), "num_filter": 4}, [(2, 3, 9, 8), (4, 3, 3, 3), (4,)]),
    ("Pooling", {"kernel": (2, 2), "stride": (2, 2)}, [(2, 3, 8, 8)]),
    ("softmax", {}, [(4, 33)]),
    ("sum", {"axis": 1}, [(5, 300)]),
    ("broadcast_add", {}, [(4, 5), (1, 5)]),
    ("sigmoid", {}, [(70,)]),
    ("sgd_update", {"lr": 0.1}, [(70,)] * 2),
    ("sgd_mom_update", {"lr": 0.1, "momentum": 0.9}, [(70,)] * 3),
    ("_sum_like", {}, [(4, 5), (1, 5)]),
]


@by_type
@pytest.mark.parametrize(("name", "attributes", "shapes"), CALLS, ids=[name for name, _, _ in CALLS])
def test_kernels_for_float32_between_conversions(name, attributes, shapes, dtype):
    if dtype.name == "bfloat16":
        check_by_float32(REGISTRY[name](**attributes), drawn(*shapes, dtype=dtype))
    else:
        assert Twin(REGISTRY[name](**attributes), drawn(*shapes, dtype=dtype)).check()


def check_by_float32(op, arrays):
    """bfloat16, of which NumPy's own checks know nothing: the result of float32, rounded once."""
    twin = Twin(op, arrays)
    wide = Twin(op, [a.astype("float32") for a in arrays])
    (call, scratch), (wide_call, wide_scratch) = twin._prepare(), wide._prepare()
    (found, inputs), (wanted, wide_inputs) = twin.run(call, scratch), wide.run(wide_call, wide_scratch)
    for ours, theirs in zip([*found, *inputs], [*wanted, *wide_inputs], strict=True):
        np.testing.assert_array_equal(ours.view("uint16"), theirs.astype(ours.dtype).view("uint16"))


@pytest.mark.parametrize("name", ["mp_sgd_update", "mp_sgd_mom_update", "mp_nag_mom_update"])
def test_steps_on_float32_copies(name):
    cls = REGISTRY[name]
    options = {"lr": 0.1, "wd": 0.01, "momentum": 0.9, "clip_gradient": 1.0}
    op = cls(**{key: value for key, value in options.items() if key in cls.fields})
    weight, grad = drawn((100,), (100,), dtype="float16")
    arrays = [weight, grad, *[a.astype("float32") for a in drawn((100,), dtype="float16")][:len(op.arguments) - 3],
              weight.astype("float32")]
    assert Twin(op, arrays).check()
    assert Twin(op, [a.astype("float32") for a in arrays]).declined == "not a narrow weight with states of float32"


@pytest.mark.parametrize("train", [True, False])
def test_batch_norm_of_float16_with_parameters_of_float32(train):
    data, = drawn((6, 4, 5, 5), dtype="float16")
    parameters = [np.abs(a) + 0.5 for a in drawn((4,), (4,), (4,), (4,), dtype="float32")]
    op = REGISTRY["BatchNorm"](fix_gamma=False)
    assert Twin(op, [data, *parameters], train).check()


def test_numbers_of_float64_are_rounded_once():
    x = np.float64([1 + 2 ** -11 + 2 ** -40])                   # by way of float32 it would be a tie, and rounded down
    assert nd.array(x, dtype="float64").astype("float16").asnumpy() == x.astype("float16") == np.float16(1.001)


@pytest.mark.parametrize("hybridized", [True, False])
def test_a_small_net_trains_in_float16_without_the_reference(hybridized):
    net = nn.HybridSequential()
    net.add(nn.Conv2D(4, 3, padding=1), nn.BatchNorm(), nn.Activation("relu"), nn.MaxPool2D(), nn.Flatten(),
            nn.Dense(8, activation="tanh"), nn.Dropout(0.2), nn.Dense(3))
    net.initialize()
    net.cast("float16")
    if hybridized:
        net.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "sgd",
                            {"learning_rate": 0.1, "momentum": 0.9, "multi_precision": True})
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    x, y = nd.random.normal(shape=(4, 1, 6, 6)).astype("float16"), nd.array([0, 1, 2, 1])
    forget_kernels()
    before = dispatch.declined.copy()
    for _ in range(2):
        with autograd.record():
            value = loss(net(x), y)
        value.backward()
        trainer.step(4)
    assert dict(dispatch.declined - before) == {}
    assert value.dtype == np.float16
    assert np.isfinite(value.asnumpy()).all()


def test_float16_in_a_plan_is_near_float32():
    net = nn.HybridSequential()
    net.add(nn.Conv2D(8, 5, activation="relu"), nn.MaxPool2D(), nn.Flatten(), nn.Dense(4))
    net.initialize(mx.init.Xavier())
    x = nd.random.normal(shape=(3, 1, 12, 12))
    net.hybridize()
    wanted = net(x).asnumpy()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        net.cast("float16")
    found = net(x.astype("float16")).asnumpy()
    assert found.dtype == np.float16
    np.testing.assert_allclose(found.astype("float32"), wanted, 5e-3, 5e-3)
