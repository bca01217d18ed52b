"""Elementwise operators on one array: most consist of a loop with the same name."""

import math

from ..loops import loops, single_loop
from ..registry import kernel_for

_SAME_NAME = ["identity", "negative", "abs", "sign", "rint", "round", "ceil", "floor", "trunc", "logical_not",
              "reciprocal", "square", "sqrt", "rsqrt", "cbrt", "rcbrt", "exp", "expm1", "log", "log2", "log10", "log1p",
              "sin", "cos", "tan", "tanh", "relu", "sigmoid", "softsign", "erf", "erfinv",
              "gamma", "gammaln"]

_LOOPS = loops({name: name for name in _SAME_NAME} | {
    "fix": "trunc",
    "BlockGrad": "identity",
    "make_loss": "identity",
    "zeros_like": "constant",
    "ones_like": ("constant", 1.0),
    "degrees": ("mul_r", 180 / math.pi),
    "radians": ("mul_r", math.pi / 180),
    "_relu_grad": "relu_grad",
    "_contrib_isnan": "isnan",
    "_contrib_isinf": "isinf",
    "_contrib_isfinite": "isfinite",
    "hard_sigmoid": ("hard_sigmoid", lambda op: op.alpha, lambda op: op.beta),
    "smooth_l1": ("smooth_l1", lambda op: op.scalar ** 2),
    "clip": ("clip", lambda op: op.a_min, lambda op: op.a_max),
    "_clip_grad": ("clip_grad", lambda op: op.a_min, lambda op: op.a_max),
})


@kernel_for(*_LOOPS)
def elementwise(op, inputs, outputs):
    return single_loop(op, inputs, outputs)
