"""Rows of the operators in `minigluon/ops/nn/softmax.py`."""

import numpy as np

from ..case import case, fixed, u


def softmax(x, axis=-1):
    e = np.exp(x)
    return e / e.sum(axis, keepdims=True)


case("softmax", u(3, 5, low=-3, high=3), expect=softmax)
case("softmax", u(2, 3, 4), axis=1, expect=lambda x: softmax(x, 1))
case("softmax", u(2, 3, 4), axis=0, temperature=2.5, expect=lambda x: softmax(x / 2.5, 0))
case("softmax", u(3, 4), fixed([2, 4, 1], "int32", floating=False), use_length=True,
     expect=lambda x, n: np.stack([np.append(softmax(r[:k]), np.zeros(4 - k)) for r, k in zip(x, n)]))
case("softmax", u(2, 3, 2), fixed([[1, 3], [2, 0]], "int32", floating=False), use_length=True, axis=1,
     expect=lambda x, n: np.stack([np.stack([np.append(softmax(x[i, :n[i, j], j]), np.zeros(3 - n[i, j]))
                                             for j in range(2)], 1) for i in range(2)]))
case("log_softmax", u(3, 5, low=-3, high=3), expect=lambda x: np.log(softmax(x)))
case("log_softmax", u(2, 3, 4), axis=1, temperature=.5, expect=lambda x: np.log(softmax(x / .5, 1)))
case("softmin", u(3, 5), expect=lambda x: softmax(-x))
case("softmin", u(2, 3, 4), axis=-2, temperature=2., expect=lambda x: softmax(-x / 2, 1))
case("SoftmaxActivation", u(3, 5), dtype="float32", expect=softmax)
case("SoftmaxActivation", u(2, 3, 4), dtype="float32", grad=(), expect=softmax)
case("SoftmaxActivation", u(2, 3, 4), mode="channel", dtype="float32", expect=lambda x: softmax(x, 1))
case("SoftmaxActivation", u(2, 3, 4), oracle="its gradient in MXNet is not that of the last axis", expect=softmax)
