"""Indices out of range in Embedding: an error by default, but for -1, which stands for filling."""

import numpy as np
import pytest

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.backend import available, use_backend
from minigluon.base import OutOfRangeError
from minigluon.diagnostics import strictness

on_each = pytest.mark.parametrize("backend", [name for name in ("numpy", "accel") if name in available()])


@pytest.fixture
def lenient():
    strictness.be_lenient()
    yield
    strictness.be_strict()


@on_each
@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse_grad"])
@pytest.mark.parametrize("hybridized", [False, True], ids=["imperative", "hybridized"])
@pytest.mark.parametrize("recorded", [False, True], ids=["predict", "record"])
@pytest.mark.parametrize("bad", [4, -2, 1000, 2 ** 40])
def test_an_index_out_of_range_is_refused(bad, recorded, hybridized, sparse, backend):
    with use_backend(backend):
        layer = gluon.nn.Embedding(4, 2, sparse_grad=sparse)
        layer.initialize(mx.init.One())
        layer.hybridize(hybridized)
        for dtype in ("float32", "int32", "int64") if abs(bad) < 2 ** 31 else ("float32", "int64"):
            with autograd.record() if recorded else autograd.pause():
                assert layer(nd.array([[0, 3], [-1, 1]], dtype=dtype)).shape == (2, 2, 2)
                message = rf"Embedding: data has {bad} at \(1, 0\), expected 0 to 3; 1 of"
                with pytest.raises(OutOfRangeError, match=message):
                    layer(nd.array([[0, 3], [bad, 1]], dtype=dtype)).wait_to_read()


@on_each
def test_filling_is_row_0(backend):
    with use_backend(backend):
        rows = nd.Embedding(nd.array([-1, 2]), nd.array([[5], [6], [7]]), input_dim=3, output_dim=1)
        np.testing.assert_array_equal(rows.asnumpy(), [[5], [7]])
        assert nd.Embedding(nd.zeros((0,)), nd.array([[5]]), input_dim=1, output_dim=1).shape == (0, 1)


@on_each
def test_a_lenient_run_takes_the_nearest_row(backend, lenient):
    index, weight = nd.array([-5, 2, 99]), nd.array([[5], [6], [7]])
    with use_backend(backend):
        with pytest.warns(strictness.LenientWarning, match="Embedding: data has -5"):
            rows = nd.Embedding(index, weight, input_dim=3, output_dim=1)
        np.testing.assert_array_equal(rows.asnumpy(), [[5], [7], [7]])
