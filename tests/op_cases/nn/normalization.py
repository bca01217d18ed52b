"""Rows of the operators in `minigluon/ops/nn/normalization.py`."""

import numpy as np

from ..case import case, u


def standard(x, axes, eps):
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + eps)


def std(x, axes, eps=1e-5):
    return np.sqrt(x.var(axes, keepdims=True) + eps)


case("LayerNorm", u(3, 5), u(5), u(5), expect=lambda x, g, b: standard(x, 1, 1e-5) * g + b)
case("LayerNorm", u(2, 4, 3), u(4), u(4), axis=1, eps=1e-2,
     expect=lambda x, g, b: standard(x, 1, 1e-2) * g[:, None] + b[:, None])
case("LayerNorm", u(3, 5), u(5), u(5), output_mean_var=True, oracle="MXNet loses the gradients of mean and std",
     expect=lambda x, g, b: (standard(x, 1, 1e-5) * g + b, x.mean(1, keepdims=True), std(x, 1)))
# MXNet computes these in float32 alone.
case("InstanceNorm", u(2, 3, 5), u(3), u(3), dtype="float32",
     expect=lambda x, g, b: standard(x, 2, 1e-3) * g[:, None] + b[:, None])
case("InstanceNorm", u(2, 3, 3, 2), u(3), u(3), eps=.1, dtype="float32",
     expect=lambda x, g, b: standard(x, (2, 3), .1) * g[:, None, None] + b[:, None, None])


def group_norm(groups, eps=1e-5):
    def expect(x, g, b):
        parts = x.reshape(len(x), groups, -1)
        return (standard(parts, 2, eps) * g[:, None] + b[:, None]).reshape(x.shape)
    return expect


case("GroupNorm", u(2, 4, 3), u(2), u(2), num_groups=2, expect=group_norm(2))
case("GroupNorm", u(2, 6, 2, 2), u(3), u(3), num_groups=3, eps=.01, expect=group_norm(3, .01))
case("GroupNorm", u(2, 3, 4), u(1), u(1), expect=group_norm(1))
case("GroupNorm", u(2, 4, 3), u(2), u(2), num_groups=2, output_mean_var=True,
     oracle="MXNet loses the gradients of mean and std",
     expect=lambda x, g, b: (group_norm(2)(x, g, b), x.reshape(2, 2, 6).mean(2), std(x.reshape(2, 2, 6), 2)[..., 0]))
case("L2Normalization", u(2, 3, 4), expect=lambda x: x / np.sqrt((x ** 2).sum((1, 2), keepdims=True)))
case("L2Normalization", u(2, 3, 4), mode="channel", eps=.1,
     expect=lambda x: x / np.sqrt((x ** 2).sum(1, keepdims=True) + .1))
case("L2Normalization", u(2, 3, 4, 2), mode="spatial",
     expect=lambda x: x / np.sqrt((x ** 2).sum((2, 3), keepdims=True)))


def lrn(nsize, alpha, beta, knorm):
    def expect(x):
        c = x.shape[1]
        near = [[j for j in range(c) if abs(i - j) <= (nsize - 1) // 2] for i in range(c)]
        total = np.stack([(x[:, js] ** 2).sum(1) for js in near], 1)
        return x / (knorm + alpha / nsize * total) ** beta
    return expect


case("LRN", u(2, 5, 3, 2), nsize=3, dtype="float32", expect=lrn(3, 1e-4, .75, 2))
case("LRN", u(2, 4, 2, 2), nsize=5, alpha=.7, beta=.4, knorm=1.5, dtype="float32",
     oracle="its plain kernel wants nsize channels", expect=lrn(5, .7, .4, 1.5))
case("LRN", u(1, 2, 2, 1), nsize=7, alpha=.7, beta=1.5, knorm=1., dtype="float32",
     oracle="its plain kernel wants nsize channels", expect=lrn(7, .7, 1.5, 1))
case("LRN", u(2, 5, 2, 2), nsize=4, alpha=.7, beta=.4, knorm=1.5, dtype="float32",
     oracle="its plain kernel takes odd nsize only", expect=lrn(4, .7, .4, 1.5))
case("LRN", u(2, 3, 2, 2), nsize=2, alpha=.7, dtype="float32", oracle="its plain kernel takes odd nsize only",
     expect=lrn(2, .7, .75, 2))
