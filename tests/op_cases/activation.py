import numpy as np

from .case import case, distinct

_x = distinct(3, 4, low=-2.2, high=2.1)

case("Activation", _x, act_type="relu", expect=lambda x: np.maximum(x, 0))
case("Activation", _x, act_type="sigmoid", expect=lambda x: 1 / (1 + np.exp(-x)))
case("Activation", _x, act_type="tanh", expect=np.tanh)
case("Activation", _x, act_type="softrelu", expect=lambda x: np.log1p(np.exp(x)))
case("Activation", _x, act_type="softsign", expect=lambda x: x / (1 + np.abs(x)))
