"""Options at the edges of what they may be: 0, negative and huge numbers, text. None is taken for something else."""

import numpy as np
import pytest

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.backend import available, use_backend
from minigluon.base import ArgumentError, ShapeError

on_each = pytest.mark.parametrize("backend", [name for name in ("numpy", "accel") if name in available()])


@on_each
@pytest.mark.parametrize("zero", [0, 0.0, -0.0, "0", np.float32(0), np.int64(0)], ids=repr)
@pytest.mark.parametrize("name", ["softmax", "softmin", "log_softmax"])
def test_a_temperature_of_0_gives_nan(name, zero, backend):
    """As in MXNet; it is not a temperature that is left out."""
    with use_backend(backend):
        x = nd.array([[1, 2, 4], [0, 0, 0]])
        x.attach_grad()
        with autograd.record():
            y = getattr(nd, name)(x, temperature=zero)
        y.backward()
        assert np.isnan(y.asnumpy()).all()
        assert np.isnan(x.grad.asnumpy()).all()
        plain = getattr(nd, name)(x, temperature=None).asnumpy()
        np.testing.assert_array_equal(plain, getattr(nd, name)(x).asnumpy())
        halved = getattr(nd, name)(x, temperature=np.float32(2)).asnumpy()
        np.testing.assert_allclose(halved, getattr(nd, name)(x / 2).asnumpy(), 1e-6)


SEEDS = [0, 1, -1, -2, 5, 2 ** 31, 2 ** 32, 2 ** 32 + 5, 2 ** 63 - 1, 2 ** 63, 2 ** 64 - 1, 2 ** 64, 2 ** 64 + 5,
         -2 ** 63, -2 ** 64, -2 ** 79, 2 ** 79 - 1]


@pytest.mark.parametrize("devices", ["all", "cpu"])
def test_no_two_seeds_draw_the_same(devices):
    drawn = {}
    for seed in SEEDS:
        mx.random.seed(seed, ctx=devices)
        first = tuple(nd.random.uniform(shape=(4,)).asnumpy().tolist())
        mx.random.seed(np.int64(seed) if -2 ** 63 <= seed < 2 ** 63 else seed, ctx=devices)
        assert first == tuple(nd.random.uniform(shape=(4,)).asnumpy().tolist())
        assert first not in drawn, f"seeds {seed} and {drawn[first]} draw the same numbers"
        drawn[first] = seed


@pytest.mark.parametrize("seed", [2 ** 79, -2 ** 79 - 1, "7", 7.5, None])
def test_what_is_not_a_seed(seed):
    with pytest.raises(ArgumentError, match="expected an integer"):
        mx.random.seed(seed)


@on_each
@pytest.mark.parametrize(("kernel", "pad"), [((2, 2), (2, 2)), ((2, 2), (3, 3)), ((1, 1), (1, 1)), ((3, 2), (0, 2))])
@pytest.mark.parametrize("kind", ["max", "avg"])
def test_windows_of_padding_alone_are_refused(kind, kernel, pad, backend):
    with use_backend(backend):
        x = nd.array(np.arange(16).reshape(1, 1, 4, 4))
        with pytest.raises(ShapeError, match="must be smaller than kernel"):
            nd.Pooling(x, kernel=kernel, pad=pad, pool_type=kind)
        assert nd.Pooling(x, kernel=kernel, pad=pad, pool_type="sum").shape[0] == 1       # sums of nothing are 0
        assert nd.Pooling(x, kernel=kernel, pad=pad, pool_type=kind, global_pool=True).shape == (1, 1, 1, 1)
    layer = {"max": gluon.nn.MaxPool2D, "avg": gluon.nn.AvgPool2D}[kind](kernel, padding=pad)
    with pytest.raises(ShapeError, match="must be smaller than kernel"):
        layer(x)


@pytest.mark.parametrize("scale", [0, -1, float("nan"), "1", None])
def test_the_scale_of_an_exponential(scale):
    with pytest.raises(ArgumentError):
        nd.random.exponential(scale, shape=(2,))
