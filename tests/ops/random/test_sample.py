"""Draws by Zipf's law. Numbers are those of MXNet 1.9.1."""

import numpy as np

import minigluon as mx
from minigluon import nd


def test_classes_by_zipfs_law():
    mx.random.seed(5)
    classes, few, drawn = nd.contrib.rand_zipfian(nd.array([3, 0]), 20000, 5)
    assert (classes.dtype, few.dtype, drawn.dtype) == (np.int64, np.float64, np.float64)
    probability = np.log((np.arange(5) + 2) / (np.arange(5) + 1)) / np.log(6)
    np.testing.assert_allclose(np.bincount(classes.asnumpy(), minlength=5) / 20000, probability, atol=0.02)
    np.testing.assert_allclose(few.asnumpy(), 20000 * probability[[3, 0]])
    np.testing.assert_allclose(drawn.asnumpy(), 20000 * probability[classes.asnumpy()])
    outputs = mx.sym.Group(mx.sym.contrib.rand_zipfian(mx.sym.var("t"), 4, 5))
    values = outputs.eval(t=nd.array([3]))
    np.testing.assert_allclose(values[1].asnumpy(), 4 * probability[[3]])
    np.testing.assert_allclose(values[2].asnumpy(), 4 * probability[values[0].asnumpy()])
