"""SoftmaxOutput and slopes of PReLU on other numbers of axes; the numbers are those of MXNet 1.9.1."""

import numpy as np
import pytest

from minigluon import autograd, nd, sym

DATA = np.random.RandomState(0).uniform(-1, 1, (2, 2, 3)).round(2)
SOFTMAX = [[[0.1542, 0.2145, 0.1721], [0.1527, 0.1201, 0.1865]], [[0.0959, 0.2360, 0.2741], [0.0859, 0.1932, 0.1149]]]
GRAD = [[[-0.8458, 0.2145, 0.1721], [0.1527, 0.1201, 0.1865]], [[0.0959, -0.7640, 0.2741], [0.0859, 0.1932, 0.1149]]]
LABEL = [[0, 1], [0, 1]]


def trained(label, **attributes):
    data = nd.array(DATA)
    data.attach_grad()
    with autograd.record():
        out = nd.SoftmaxOutput(data, nd.array(label), **attributes)
    out.backward()
    return out.asnumpy(), data.grad.asnumpy()


def test_the_label_has_all_axes_but_the_last():
    graph = sym.SoftmaxOutput(sym.var("data"), sym.var("label"))
    assert graph.infer_shape(data=(2, 2, 3)) == ([(2, 2, 3), (2, 2)], [(2, 2, 3)], [])
    assert graph.infer_shape(data=(2, 2, 2, 2))[0][1] == (2, 2, 2)
    assert graph.infer_shape(data=(2, 2, 3), label=(2,))[0][1] == (2,)          # a label for each item: only here


@pytest.mark.parametrize(("attributes", "scale"), [({}, 1), ({"normalization": "batch"}, 0.25),
                                                   ({"normalization": "valid"}, 0.25), ({"grad_scale": 2.0}, 2)])
def test_it_trains_over_all_elements_of_an_item(attributes, scale):
    out, grad = trained(LABEL, **attributes)
    np.testing.assert_allclose(out, SOFTMAX, atol=1e-4)
    np.testing.assert_allclose(grad, np.multiply(GRAD, scale), atol=1e-4)


def test_ignored_labels():
    grad = trained(LABEL, use_ignore=True, ignore_label=1)[1]
    np.testing.assert_allclose(grad, [GRAD[0], np.zeros((2, 3))], atol=1e-4)


def test_smoothed_labels():
    grad = trained(LABEL, smooth_alpha=0.1)[1]
    np.testing.assert_allclose(grad[0], [[-0.7458, 0.1945, 0.1521], [0.1327, 0.1001, 0.1665]], atol=1e-4)


@pytest.mark.parametrize(("data", "slopes", "out", "grad"), [
    ((2, 3), (2,), [-0.1] * 3 + [-0.2] * 3, [-3, -3]),
    ((2, 3), (2, 3), [-0.1, -0.2, -0.3, -0.4, -0.5, -0.6], [-1] * 6),
    ((2, 3), (1, 3), [-0.1, -0.2, -0.3] * 2, [-2] * 3), ((2, 3), (2, 1), [-0.1] * 3 + [-0.2] * 3, [-3, -3]),
    ((2, 3), (1, 1), [-0.1] * 6, [-6]), ((2, 3, 4), (2,), [-0.1] * 12 + [-0.2] * 12, [-12, -12]),
    ((4,), (4,), [-0.1, -0.2, -0.3, -0.4], [-1] * 4), ((2, 3), (3,), [-0.1, -0.2, -0.3] * 2, [-2] * 3)])
def test_slopes(data, slopes, out, grad):
    x, slope = -nd.ones(data), nd.array(np.arange(1, 1 + np.prod(slopes)).reshape(slopes) / 10)
    slope.attach_grad()
    with autograd.record():
        y = nd.LeakyReLU(x, slope, act_type="prelu")
    y.backward()
    np.testing.assert_allclose(y.asnumpy().ravel(), out, rtol=1e-6)
    assert (slope.grad.shape, slope.grad.asnumpy().ravel().tolist()) == (slopes, grad)


def test_indices_of_an_array_with_more_elements_than_int64_counts():
    places = nd.unravel_index(nd.array([5, 2 ** 62], dtype="int64"), shape=(2 ** 33, 2 ** 31))
    assert places.asnumpy().tolist() == [[0, 2 ** 31], [5, 0]]
