"""Histograms on the GPU."""

import numpy as np
import pytest
from helpers.gpu_checks import GPU, agree

from minigluon import nd
from minigluon.base import ArgumentError


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int32", "uint8"])
def test_histograms(dtype):
    data = (10 * np.random.default_rng(0).random((40, 50))).astype(dtype)
    if "float" in dtype:
        data.flat[[0, 7, 9]] = np.nan, np.inf, -np.inf
    for count, ends in (5, (0, 9)), (7, (1.5, 8.25)), (3, (2, 2)), (64, (0, 1)):
        agree("_histogram", data, bin_cnt=count, range=ends)
    for edges in [0, 2, 2, 5, 9], [3, 4]:
        agree("_histogram", data, np.array(edges, dtype))


def test_bins_that_decrease():
    data = nd.array([1, 2, 3], ctx=GPU)
    with pytest.raises(ArgumentError) as caught:
        nd._histogram(data, nd.array([0, 2, 1], ctx=GPU))[0].asnumpy()
    assert str(caught.value) == "_histogram: bins must not decrease, found [0.0, 2.0, 1.0]"
