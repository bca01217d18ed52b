"""Rows of the operators in `minigluon/ops/quantized/weights.py`."""

import numpy as np

from ..case import case, ints, plain, u


def expected(bits, group):
    """Each weight by itself: its integer times the scale of its group."""
    def multiply(data, weight, scale, *bias):
        real = np.zeros((len(weight), data.shape[-1]))
        for n, k in np.ndindex(real.shape):
            q = int(weight[n, k]) if bits == 8 else (int(weight[n, k // 2]) >> 4 * (k % 2)) % 16 - 8
            real[n, k] = q * scale[n, k // group]
        return data @ real.T + (bias[0] if bias else 0)
    return multiply


def scales(*shape):
    """Scales, which are float32 for all dtypes of data."""
    def make(rng):
        return rng.uniform(0.01, 0.1, shape).astype("float32")
    make.floating = False
    return make


_WHY = "MXNet has no such operator"
# Data is -1, 0 or 1, which kernels do not round; tests/accel/quantized/test_accel_weights.py has other data.
for _lead, _depth in (((3,), 70), ((2, 1), 33)):
    case("_contrib_weight_only_fully_connected", ints(*_lead, _depth, low=-1, high=2),
         ints(5, _depth, low=-127, high=128, dtype="int8"), scales(5, -(-_depth // 32)), plain(u(5)), num_hidden=5,
         group_size=32, grad=(), oracle=_WHY, expect=expected(8, 32))
    case("_contrib_weight_only_fully_connected", ints(*_lead, _depth, low=-1, high=2),
         ints(5, -(-_depth // 2), low=0, high=256, dtype="uint8"), scales(5, -(-_depth // 64)), num_hidden=5, bits=4,
         no_bias=True, grad=(), oracle=_WHY, expect=expected(4, 64))
