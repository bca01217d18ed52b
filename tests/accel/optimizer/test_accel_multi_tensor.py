"""The kernels of optimizers: pieces that end anywhere, several weights in one division, values that are no numbers."""

import numpy as np
import pytest

pytest.importorskip("minigluon_accel", reason="minigluon-accel is not installed")

from hypothesis import given
from hypothesis import strategies as st
from minigluon_accel.backend import BACKEND

from minigluon.backend import ReferenceBackend, Spec
from minigluon.ops import REGISTRY
from minigluon_accel import engine

GROUPS = {"_sgd_steps": (2, {}), "_sgd_mom_steps": (3, {"momentum": 0.9}), "_adam_steps": (4, {"epsilon": 1e-3})}
SPECIAL = [np.nan, np.inf, -np.inf, -0.0, 1e-40, 3e38]


def results(backend, op, arrays, outputs):
    """All arrays after a step, and the results."""
    arrays = [a.copy() for a in arrays]
    specs = [Spec(a.shape, a.dtype) for a in arrays]
    kernel = backend.prepare(op, specs, outputs, False, None)
    made = [np.empty(spec.shape, spec.dtype) for spec in (*outputs, *kernel.scratch)]
    with np.errstate(all="ignore"):
        kernel.write(arrays, made)
    return [*arrays, *made]


def compare(op, arrays, outputs):
    wanted = results(ReferenceBackend(), op, arrays, outputs)
    for threads in 1, 2:
        engine.set_threads(threads)
        for x, y in zip(results(BACKEND, op, arrays, outputs), wanted, strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-6, atol=0, err_msg=repr(op))


@pytest.mark.parametrize("name", GROUPS)
@given(data=st.data())
def test_steps_of_many_weights(name, data):
    group, options = GROUPS[name]
    sizes = data.draw(st.lists(st.sampled_from([0, 1, 3, 15, 16, 17, 1000, 16384, 40001]), min_size=1, max_size=6))
    dtype = data.draw(st.sampled_from(["float32", "float64"]))
    clip = data.draw(st.sampled_from([-1.0, 0.5, 1e300]))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    arrays = [np.abs(rng.normal(size=size)).astype(dtype) for size in sizes for _ in range(group)]
    if data.draw(st.booleans()):
        for array in arrays:
            array[:len(SPECIAL)] = SPECIAL[:len(array)]
    rates = np.concatenate([[0.5], rng.uniform(0, 1, len(sizes)), rng.choice([0, 0.1], len(sizes))])
    op = REGISTRY[name](num_weights=len(sizes), clip_gradient=clip, **options)
    compare(op, [*arrays, rates], [Spec((0,), np.dtype(dtype))])


@pytest.mark.parametrize("name", ["sgd_update", "sgd_mom_update", "nag_mom_update", "adam_update", "rmsprop_update",
                                  "rmspropalex_update", "ftrl_update", "ftml_update", "signsgd_update",
                                  "signum_update", "lamb_update_phase1"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_special_numbers_are_those_of_the_reference(name, dtype):
    cls = REGISTRY[name]
    options = {"wd": 0.1, "t": 3, "lr": 0.2, "clip_gradient": 0.7}
    op = cls(**{key: value for key, value in options.items() if key in cls.fields})
    table = np.array(np.meshgrid(*[[0.3, *SPECIAL]] * len(op.arguments)), dtype).reshape(len(op.arguments), -1)
    compare(op, list(table), [Spec(table.shape[1:], table.dtype)])


def test_what_is_declined():
    whole, single, double = np.dtype("int32"), np.dtype("float32"), np.dtype("float64")
    for op, specs, reason in (
            (REGISTRY["sgd_update"](lr=0.1), [Spec((2,), whole)] * 2, "dtype int32"),
            (REGISTRY["sgd_update"](lr=0.1, clip_gradient=float("nan")), [Spec((2,), single)] * 2,
             "a limit that is NaN"),
            (REGISTRY["_sgd_steps"](num_weights=1), [Spec((2,), single), Spec((2,), double), Spec((3,), single)],
             "mixed dtypes")):
        assert BACKEND.prepare(op, specs, [specs[0]], False, None) == reason
