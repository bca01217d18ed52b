"""Factors: gradients for symmetric arguments, identities, and the messages."""

import numpy as np
import pytest
from helpers.errors import message, operator_of
from helpers.numeric import numeric_gradient

from minigluon import autograd, nd
from minigluon.base import ArgumentError, ShapeError


def spd(x):
    """Symmetric and positive definite from any square matrices, with operators."""
    return nd.linalg.gemm2(x, x, transpose_b=True) + nd.linalg.makediag(nd.ones(x.shape[:-1], dtype="float64")) * 0.5


def weights(shape):
    return nd.array(np.random.default_rng(5).uniform(0.5, 1.5, shape), dtype="float64")


def weighted(*arrays):
    return sum((nd.sum(a * weights(a.shape)) for a in arrays), start=nd.zeros((1,), dtype="float64"))


FUNCTIONS = {
    "potrf": lambda x: weighted(nd.linalg.potrf(spd(x))),
    "potri": lambda x: weighted(nd.linalg.potri(nd.linalg.potrf(spd(x)))),
    "upper potrf": lambda x: weighted(nd.linalg.potrf(spd(x), lower=False)),
    "upper potri": lambda x: weighted(nd.linalg.potri(nd.linalg.potrf(spd(x), lower=False), lower=False)),
    "syevd": lambda x: weighted(*nd.linalg.syevd(spd(x))),
    "syevd values": lambda x: weighted(nd.linalg.syevd(spd(x))[1]),
    "log determinant": lambda x: weighted(nd.linalg.sumlogdiag(nd.linalg.potrf(spd(x)))),
}


@pytest.mark.parametrize("shape", [(3, 3), (2, 4, 4)])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradients_of_functions_of_symmetric_matrices(name, shape):
    f, x = FUNCTIONS[name], np.random.default_rng(3).uniform(-1, 1, shape)
    a = nd.array(x, dtype="float64")
    a.attach_grad()
    with autograd.record():
        y = f(a)
    y.backward()
    numeric = numeric_gradient(lambda v: float(f(nd.array(v[0], dtype="float64")).asscalar()), [x], 0)
    np.testing.assert_allclose(a.grad.asnumpy(), numeric, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("name", ["potrf", "log determinant", "syevd values"])
def test_second_order(name):
    f, x = FUNCTIONS[name], np.random.default_rng(4).uniform(-1, 1, (3, 3))

    def first(values, create_graph):
        a = nd.array(values, dtype="float64")
        a.attach_grad()
        with autograd.record():
            grad, = autograd.grad(f(a), a, create_graph=create_graph, retain_graph=True)
            total = weighted(grad)
        return total, a

    total, a = first(x, True)
    total.backward()
    numeric = numeric_gradient(lambda v: float(first(v[0], False)[0].asscalar()), [x], 0)
    np.testing.assert_allclose(a.grad.asnumpy(), numeric, rtol=1e-5, atol=1e-6)


def test_factors_multiply_to_the_matrix():
    x = nd.array(np.random.default_rng(1).uniform(-1, 1, (2, 3, 3)), dtype="float64")
    a = spd(x)
    u, values = nd.linalg.syevd(a)
    again = nd.linalg.gemm2(nd.linalg.gemm2(u, nd.linalg.makediag(values), transpose_a=True), u)
    np.testing.assert_allclose(again.asnumpy(), a.asnumpy(), rtol=1e-12, atol=1e-12)
    assert (np.take_along_axis(u.asnumpy(), np.abs(u.asnumpy()).argmax(-1)[..., None], -1) > 0).all()
    q, low = nd.linalg.gelqf(x)
    np.testing.assert_allclose(nd.linalg.gemm2(low, q).asnumpy(), x.asnumpy(), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(nd.linalg.gemm2(q, q, transpose_b=True).asnumpy(), np.broadcast_to(np.eye(3), (2, 3, 3)),
                               atol=1e-12)


WHOLE_MESSAGES = [
    (lambda: nd.linalg.potrf(nd.array([[1, 2], [2, 1]])), ArgumentError,
     "_linalg_potrf: Matrix is not positive definite"),
    (lambda: nd.linalg.inverse(nd.zeros((2, 2))), ArgumentError, "_linalg_inverse: Singular matrix"),
    (lambda: nd.linalg.det(nd.ones((2, 3))), ShapeError,
     "_linalg_det: A has shape (2, 3), expected (2, 2)\n  inputs: A (2, 3) float32"),
    (lambda: nd.linalg.gelqf(nd.ones((3, 2))), ShapeError,
     "_linalg_gelqf: A has shape (3, 2), expected at most as many rows as columns\n  inputs: A (3, 2) float32"),
    (lambda: nd.linalg.sumlogdiag(nd.ones((3,))), ShapeError,
     "_linalg_sumlogdiag: A has shape (3,), expected a matrix or a batch of them\n  inputs: A (3,) float32"),
]


@pytest.mark.parametrize(("call", "error", "text"), WHOLE_MESSAGES, ids=operator_of)
def test_whole_messages(call, error, text):
    assert message(error, call) == text


def test_upper_factors_are_those_of_mxnet():
    """Values and gradients that real MXNet 1.9.1 gave; the lower triangle of A and the one of U say nothing."""
    a, u = nd.array([[25, 5], [99, 10]], dtype="float64"), nd.array([[5, 1], [77, 3]], dtype="float64")
    h = nd.array([[1, 2], [3, 4]], dtype="float64")
    a.attach_grad()
    u.attach_grad()
    with autograd.record():
        factor, inverse = nd.linalg.potrf(a, lower=False), nd.linalg.potri(u, lower=False)
    autograd.backward([factor, inverse], [h, h])
    for found, wanted in (
            (factor, [[5, 1], [0, 3]]), (inverse, [[2 / 45, -1 / 45], [-1 / 45, 1 / 9]]),
            (a.grad, [[0.08666666666666667, 0.06666666666666667], [0.06666666666666668, 0.6666666666666666]]),
            (u.grad, [[0.004444444444444438, -0.10222222222222221], [0, -0.22518518518518515]])):
        np.testing.assert_allclose(found.asnumpy(), wanted, 1e-12, 1e-15)
