"""Rows of the operators in `minigluon/ops/nn/batch_norm.py`."""

import numpy as np

from ..case import case, fixed, u


def statistic(*values):
    """A moving average: BatchNorm writes to it, so it gets no gradient."""
    return fixed(values, floating=False)


def normalize(x, gamma, beta, mean, var, axis=1, eps=1e-3):
    shape = [-1 if i == axis % x.ndim else 1 for i in range(x.ndim)]
    mean, var, gamma, beta = (a.reshape(shape) for a in (mean, var, gamma, beta))
    return (x - mean) / np.sqrt(var + eps) * gamma + beta


def trained(axis=1, eps=1e-3, fix=False):
    def expect(x, gamma, beta, mean, var):
        axes = tuple(i for i in range(x.ndim) if i != axis % x.ndim)
        return normalize(x, np.ones_like(gamma) if fix else gamma, beta, x.mean(axes), x.var(axes), axis, eps)
    return expect


CHANNELS = u(3, low=.5, high=1.5), u(3), statistic(.1, .2, -.3), statistic(1., .5, 2.)

case("BatchNorm", u(4, 3, 2, 2), *CHANNELS, fix_gamma=False, train=True, expect=trained())
case("BatchNorm", u(4, 3), *CHANNELS, fix_gamma=False, train=True, eps=1e-2, momentum=.7, expect=trained(eps=1e-2))
case("BatchNorm", u(3, 3, 4), *CHANNELS, train=True, expect=trained(fix=True))
case("BatchNorm", u(2, 4, 3), *CHANNELS, fix_gamma=False, train=True, axis=-1, expect=trained(axis=-1))
case("BatchNorm", u(3, 2, 2, 2), *CHANNELS, fix_gamma=False, train=True, axis=0, expect=trained(axis=0))
case("BatchNorm", u(4, 3, 2), *CHANNELS, fix_gamma=False, expect=normalize)
case("BatchNorm", u(4, 3, 2), *CHANNELS,
     expect=lambda x, g, b, m, v: normalize(x, np.ones(3), b, m, v))
case("BatchNorm", u(4, 3, 2), *CHANNELS, fix_gamma=False, use_global_stats=True, train=True, expect=normalize)
case("BatchNorm", u(4, 3, 2), *CHANNELS, fix_gamma=False, output_mean_var=True, train=True, grad=(), expect=lambda *a: (
    trained()(*a), a[0].mean((0, 2)), 1 / np.sqrt(a[0].var((0, 2)) + 1e-3)))
case("_contrib_BatchNormWithReLU", u(4, 3, 2), *CHANNELS, fix_gamma=False, train=True,
     oracle="MXNet's CPU build leaves out the relu", expect=lambda *a: np.maximum(trained()(*a), 0))
case("_contrib_SyncBatchNorm", u(4, 3, 2), *CHANNELS, fix_gamma=False, train=True, key="layer", dtype="float32",
     expect=trained())
case("_contrib_SyncBatchNorm", u(4, 3, 2), *CHANNELS, key="layer", dtype="float32",
     expect=lambda x, g, b, m, v: normalize(x, np.ones_like(g), b, m, v))
case("_contrib_SyncBatchNorm", u(4, 3, 2), *CHANNELS, fix_gamma=False, output_mean_var=True, train=True, key="third",
     dtype="float32", grad=(), expect=lambda *a: (trained()(*a), a[0].mean((0, 2)), a[0].var((0, 2))))
