"""Dropout and uniform numbers by kernels: the reference's own numbers, from the same generator, on any threads."""

import numpy as np
import pytest

pytest.importorskip("minigluon_accel", reason="minigluon-accel is not installed")

from helpers.accel_checks import configured
from hypothesis import given, settings
from hypothesis import strategies as st

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.backend import use_backend
from minigluon.ops import REGISTRY


def generator():
    return np.random.Generator(np.random.Philox(key=(5, 7)))


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(st.integers(0, 5000), st.sampled_from([0.1, 0.5, 1 / 3, 0.9, 1.0]), st.integers(0, 3)),
                max_size=8))
def test_the_reference_s_numbers_wherever_its_generator_stands(steps):
    """Between dropouts NumPy draws itself, halves of words among it."""
    from minigluon_accel.backend import BACKEND

    from minigluon.backend import Spec
    ours, theirs = generator(), generator()
    for count, p, between in steps:
        op, data = REGISTRY["Dropout"](p=p), np.linspace(-1, 1, count, dtype="float32")
        spec = Spec(data.shape, data.dtype)
        kernel = BACKEND.prepare(op, [spec], [spec, spec], True, ours)
        for found, wanted in zip(kernel.run([data]), op.forward(data, True, theirs), strict=True):
            np.testing.assert_array_equal(found, wanted)
        np.testing.assert_array_equal(ours.random(between, np.float32), theirs.random(between, np.float32))
        if between == 3:
            assert ours.random() == theirs.random()
        assert ours.integers(0, 2 ** 31) == theirs.integers(0, 2 ** 31)


def net():
    block = gluon.nn.HybridSequential(prefix="")
    block.add(gluon.nn.Dropout(0.3), gluon.nn.Dropout(0.5))
    return block


def run(hybridize, threads=1):
    block = net()
    if hybridize:
        block.hybridize(static_alloc=True)
    with configured(threads=threads):
        mx.random.seed(11)
        x = nd.ones((300, 401))
        with autograd.record():
            first, second = block(x), block(x)
        return first.asnumpy(), second.asnumpy(), nd.random.uniform(2, 5, shape=(77,)).asnumpy()


def test_equal_for_backends_threads_and_hybridized_nets():
    with use_backend("numpy"):
        wanted = run(False)
    assert not np.array_equal(wanted[0], wanted[1])
    for hybridize in False, True:
        for threads in 1, 2, 3:
            for found, expected in zip(run(hybridize, threads), wanted, strict=True):
                np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_prediction_passes_data(dtype):
    x = np.random.default_rng(0).standard_normal((7, 33)).astype(dtype)
    np.testing.assert_array_equal(nd.Dropout(nd.array(x, dtype=dtype)).asnumpy(), x)


def test_the_share_that_is_dropped():
    mx.random.seed(3)
    with autograd.train_mode():
        out = nd.Dropout(nd.ones((1000, 1000)), p=0.2).asnumpy()
    assert abs((out == 0).mean() - 0.2) < 0.002
    np.testing.assert_array_equal(np.unique(out), np.array([0, 1.25], "float32"))
