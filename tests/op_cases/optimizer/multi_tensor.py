"""Rows of the operators in `minigluon/ops/optimizer/multi_tensor.py`."""

import numpy as np

from ..case import case, u
from .update import MIXED, G, M, V, W, clip, sgd, sgd_mom

LRS, WDS = (0.3, 0.2), (0.1, 0.0)
TWO = {"rescale_grad": 0.5, "clip_gradient": 0.2, "num_weights": 2}
W2, G2, M2 = u(4), u(4), u(4)


def pair(first, second, preloaded=False):
    def expect(*data):
        data = data[:-2] if preloaded else data
        size = len(data) // 2
        return first(*data[:size]), second(*data[size:])
    return expect


def sgd2(w, g):
    return w - 0.2 * clip(g)


def sgd_mom2(w, g, m):
    return w + 0.9 * m - 0.2 * clip(g)


def lrs(rng):
    return np.array(LRS)


def wds(rng):
    return np.array(WDS)


for pre, tail, attrs in (("", (), {"lrs": LRS, "wds": WDS}), ("preloaded_", (lrs, wds), {})):
    why = "MXNet takes these steps only in place: tests/optimizer/test_optimizer.py compares them"
    case(pre + "multi_sgd_update", W, G, W2, G2, *tail, expect=pair(sgd, sgd2, bool(pre)), grad=(), oracle=why,
         **TWO, **attrs)
    case(pre + "multi_sgd_mom_update", W, G, M, W2, G2, M2, *tail, momentum=0.9, oracle=why,
         expect=pair(sgd_mom, sgd_mom2, bool(pre)), grad=(), **TWO, **attrs)
    case(pre + "multi_mp_sgd_update", W, G, M, W2, G2, M2, *tail, oracle=MIXED, grad=(),
         expect=pair(lambda w, g, w32: sgd(w32, g), lambda w, g, w32: sgd2(w32, g), bool(pre)), **TWO, **attrs)
    case(pre + "multi_mp_sgd_mom_update", W, G, M, W, W2, G2, M2, W2, *tail, momentum=0.9, oracle=MIXED, grad=(),
         expect=pair(lambda w, g, m, w32: sgd_mom(w32, g, m), lambda w, g, m, w32: sgd_mom2(w32, g, m), bool(pre)),
         **TWO, **attrs)



def steps_rates(rng):
    return np.array([0.5, *LRS, *WDS])


def nothing(*data):
    return np.empty(0)


for name, groups, attrs in (("_sgd_steps", (W, G, W2, G2), {}),
                            ("_sgd_mom_steps", (W, G, M, W2, G2, M2), {"momentum": 0.9}),
                            ("_adam_steps", (W, G, M, V, W2, G2, M2, u(4, low=0.2, high=1)), {"beta1": 0.8})):
    case(name, *groups, steps_rates, num_weights=2, clip_gradient=0.2, **attrs, expect=nothing, grad=(),
         oracle="not an operator of MXNet; tests/optimizer/test_optimizer.py compares the weights")

case("multi_sum_sq", u(2, 3), u(5), num_arrays=2, grad=(), dtype="float32",
     expect=lambda a, b: np.array([(a ** 2).sum(), (b ** 2).sum()], "float32"))


def lars(lr, w, g, wd):
    w, g = np.sqrt(w), np.sqrt(g)
    return np.where((w > 0) & (g > 0), lr * 0.01 * w / (0.5 * g + wd * w + 1e-3), lr)


case("multi_lars", u(3, low=0.1, high=1), lambda rng: np.array([2.0, 0.0, 3.0]), u(3, low=1, high=2),
     u(3, low=0, high=0.1), eta=0.01, eps=1e-3, rescale_grad=0.5, expect=lars, grad=(), dtype="float32")
case("reset_arrays", u(2), u(3), num_arrays=2, expect=lambda a, b: (), grad=(), oracle="there is no result")
