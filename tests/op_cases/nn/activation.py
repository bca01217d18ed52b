"""Rows of the operators in `minigluon/ops/nn/activation.py`."""

import math

import numpy as np

from ..case import case, distinct, u

_x = distinct(3, 4, low=-2.2, high=2.1)

case("Activation", _x, act_type="relu", expect=lambda x: np.maximum(x, 0))
case("Activation", _x, act_type="sigmoid", expect=lambda x: 1 / (1 + np.exp(-x)))
case("Activation", _x, act_type="tanh", expect=np.tanh)
case("Activation", _x, act_type="softrelu", expect=lambda x: np.log1p(np.exp(x)))
case("Activation", _x, act_type="softsign", expect=lambda x: x / (1 + np.abs(x)))

case("LeakyReLU", _x, expect=lambda x: np.where(x > 0, x, .25 * x))
case("LeakyReLU", _x, act_type="leaky", slope=.1, expect=lambda x: np.where(x > 0, x, .1 * x))
case("LeakyReLU", _x, act_type="elu", slope=.7, expect=lambda x: np.where(x > 0, x, .7 * (np.exp(x) - 1)))
case("LeakyReLU", _x, act_type="selu", oracle="MXNet's gradient of selu is wrong below 0: λ(y + α) for y + λα",
     expect=lambda x: 1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * (np.exp(x) - 1)))
case("LeakyReLU", _x, act_type="gelu", expect=lambda x: x * (1 + np.vectorize(math.erf)(x / np.sqrt(2))) / 2)
case("_gelu_slope", _x, oracle="internal", expect=lambda x: ((1 + np.vectorize(math.erf)(x / np.sqrt(2))) / 2
                                                             + x * np.exp(-x * x / 2) / np.sqrt(2 * np.pi)))
case("LeakyReLU", _x, u(4), act_type="prelu", expect=lambda x, a: np.where(x > 0, x, a * x))
case("LeakyReLU", _x, u(1), act_type="prelu", expect=lambda x, a: np.where(x > 0, x, a * x))
case("LeakyReLU", distinct(2, 3, 3, 2), u(3), act_type="prelu",
     expect=lambda x, a: np.where(x > 0, x, a[:, None, None] * x))
case("LeakyReLU", _x, act_type="rrelu", lower_bound=.2, upper_bound=.4, expect=lambda x: np.where(x > 0, x, .3 * x),
     oracle="MXNet shows the hidden slopes and leaves them out of the gradient")
case("LeakyReLU", _x, act_type="rrelu", lower_bound=.25, upper_bound=.25, train=True,
     expect=lambda x: np.where(x > 0, x, .25 * x), oracle="MXNet crashes in training mode")
# slopes for the first axes of data
for _slopes in (2, 3), (2, 1):
    case("LeakyReLU", distinct(2, 3, 3, 2), u(*_slopes), act_type="prelu", note="first axes",
         expect=lambda x, a: np.where(x > 0, x, a.reshape(*a.shape, *[1] * (4 - a.ndim)) * x))
