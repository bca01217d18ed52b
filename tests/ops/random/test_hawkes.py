"""The likelihood of a Hawkes process: its gradient by beta, which the state that it also returns depends on as well."""

import numpy as np
import pytest

import minigluon as mx
from minigluon import autograd, nd


def arrays(dtype="float64"):
    rng = np.random.default_rng(3)
    reals = [rng.uniform(0.3, 1.2, shape) for shape in ((3, 2), (2,), (2,), (3, 2), (3, 5))]
    ends = [rng.integers(0, 2, (3, 5)).astype("int32"), np.array([2.0, 5, 0]), np.array([4.0, 9, 1])]
    return [nd.array(x, dtype=x.dtype if x.dtype.kind == "i" else dtype) for x in [*reals, *ends]]


def test_gradient_by_beta():
    inputs = arrays()
    beta = inputs[2]
    beta.attach_grad()
    with autograd.record():
        likelihood, _ = nd.contrib.hawkesll(*inputs)
    likelihood.backward()
    found = beta.grad.asnumpy()
    for k in range(2):
        move = nd.array(np.eye(2)[k] * 1e-5, dtype="float64")
        above, below = (nd.contrib.hawkesll(*inputs[:2], b, *inputs[3:])[0].sum().asscalar()
                        for b in (beta + move, beta - move))
        assert found[k] == pytest.approx((above - below) / 2e-5, rel=1e-6)


def test_a_poisson_process_is_one_without_excitement():
    """alpha = 0: the likelihood is n log(rate) - rate · time for each class."""
    lda, alpha, beta, state, lags, marks, length, end = arrays()
    found = nd.contrib.hawkesll(lda, alpha * 0, beta, state, lags, marks, length, end)[0].asnumpy()
    for row, (rates, kinds, count, time) in enumerate(zip(*(x.asnumpy() for x in (lda, marks, length, end)),
                                                          strict=True)):
        wanted = np.log(rates[kinds[:int(count)]]).sum() - rates.sum() * time
        assert found[row] == pytest.approx(wanted)


def test_message():
    inputs = arrays()
    with pytest.raises(mx.base.ShapeError) as caught:
        nd.contrib.hawkesll(*inputs[:5], nd.zeros((3, 4), dtype="int32"), *inputs[6:])
    assert str(caught.value).splitlines()[0] == "_contrib_hawkesll: marks has shape (3, 4), expected (3, 5)"
