"""Values that are equal but not the same, 0.0 and -0.0 or 1 and 1.0, in turns: what is remembered of one call is not
taken for the other.
"""

import numpy as np
import pytest

import minigluon as mx
from minigluon import gluon, nd, sym
from minigluon.base import ArgumentError

X = nd.array([1, 2])


class Argument(gluon.HybridBlock):
    def hybrid_forward(self, F, x, number):
        return number / x


class Attribute(gluon.HybridBlock):
    def __init__(self, number, **kwargs):
        super().__init__(**kwargs)
        self.number = number

    def hybrid_forward(self, F, x):
        return self.number / x


argument = Argument()
argument.hybridize()


def as_attribute(number):
    block = Attribute(number)
    block.hybridize()
    return block(X)


def assigned(number):
    x = nd.ones((2,))
    x[:] = number
    return x


# Each gives an array of zeros with the sign of a number.
SIGNS = {
    "number / x": lambda v: v / X,
    "x * number": lambda v: X * v,
    "nd.divide": lambda v: nd.divide(v, X),
    "clip": lambda v: nd.clip(X, a_min=v, a_max=v),
    "clip, by position": lambda v: nd.clip(X, v, v),
    "clip, a method": lambda v: X.clip(v, v),
    "full": lambda v: nd.full((2,), v),
    "x[:] = number": assigned,
    "one_hot": lambda v: nd.one_hot(nd.array([0]), 1, on_value=v),
    "pad": lambda v: nd.pad(nd.ones((1, 1, 1, 1)), mode="constant", pad_width=(0, 0, 0, 0, 0, 0, 0, 1),
                            constant_value=v)[0, 0, 0, 1:],
    "SequenceMask": lambda v: nd.SequenceMask(X.reshape((1, 2)), nd.zeros((2,)), use_sequence_length=True, value=v),
    "mx.np": lambda v: v / mx.np.array([1.0, 2.0]),
    "mx.np.full": lambda v: mx.np.full((2,), v),
    "mx.np.clip": lambda v: mx.np.clip(mx.np.array([1.0]), v, v),
    "symbol": lambda v: (v / sym.var("x")).eval(x=X)[0],
    "argument of a hybridized block": lambda v: argument(X, v),
    "attribute of a hybridized block": as_attribute,
}


@pytest.mark.parametrize("zero", [float, np.float32, np.float64])
@pytest.mark.parametrize("call", SIGNS.values(), ids=SIGNS)
def test_zeros_keep_their_sign(call, zero):
    for number, negative in [(0.0, False), (-0.0, True), (0, False), (-0.0, True), (0.0, False)]:
        x = call(zero(number) if isinstance(number, float) else number).asnumpy()
        assert np.signbit(x).all() == np.signbit(x).any() == negative, number
        assert not x.any()


def test_a_sampler_is_made_for_a_zero_with_its_sign():
    for _ in range(2):
        assert nd.random.gamma(0.0, 1, shape=3).asnumpy().tolist() == [0, 0, 0]
        with pytest.raises(ArgumentError, match="shape < 0"):
            nd.random.gamma(-0.0, 1, shape=3)


@pytest.mark.parametrize("number", [1.0, np.float32(1)])
def test_a_number_that_equals_true_is_true_before_and_after_it(number):
    shapes = {X.reshape((2, 1), reverse=value).shape for value in (number, True, number, 1)}
    assert shapes == {(2, 1)}
