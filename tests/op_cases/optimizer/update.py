"""Rows of the operators in `minigluon/ops/optimizer/update.py`."""

import numpy as np

from ..case import case, u

MIXED = "MXNet's mixed precision wants float16 weights: tests/optimizer/test_optimizer.py compares those"
OPTIONS = {"lr": 0.3, "wd": 0.1, "rescale_grad": 0.5, "clip_gradient": 0.2}
S = (3, 5)
W, G, M, V = u(*S), u(*S), u(*S), u(*S, low=0.2, high=1)


def clip(g):
    return np.clip(0.5 * g, -0.2, 0.2)


def decayed(w, g):
    return np.clip(0.5 * g + 0.1 * w, -0.2, 0.2)


def sgd(w, g):
    return w - 0.3 * (clip(g) + 0.1 * w)


def sgd_mom(w, g, m):
    return w + 0.9 * m - 0.3 * (clip(g) + 0.1 * w)


def nag(w, g, m):
    d = clip(g) + 0.1 * w
    return w + 0.9 * (0.9 * m - 0.3 * d) - 0.3 * d


def adam(w, g, m, v):
    d = decayed(w, g)
    return w - 0.3 * (0.8 * m + 0.2 * d) / (np.sqrt(0.95 * v + 0.05 * d * d) + 1e-3)


def rmsprop(w, g, n):
    d = decayed(w, g)
    return np.clip(w - 0.3 * d / np.sqrt(0.95 * n + 0.05 * d * d + 1e-8), -0.5, 0.5)


def rmspropalex(w, g, n, mean, delta):
    d = decayed(w, g)
    n, mean = 0.95 * n + 0.05 * d * d, 0.95 * mean + 0.05 * d
    return w + 0.9 * delta - 0.3 * d / np.sqrt(n - mean ** 2 + 1e-2)


def ftrl(w, g, z, n):
    g = clip(g)
    z = z + g - (np.sqrt(n + g * g) - np.sqrt(n)) * w / 0.3
    rate = (1 + np.sqrt(n + g * g)) / 0.3 + 0.1
    return np.where(np.abs(z) <= 0.3, 0, -(z - np.sign(z) * 0.3) / rate)


def ftml(w, g, d, v, z):
    h = decayed(w, g)
    v = 0.999 * v + 0.001 * h * h
    new = (1 - 0.6 ** 3) / 0.3 * (np.sqrt(v / (1 - 0.999 ** 3)) + 1e-8)
    return -(0.6 * z + 0.4 * h - (new - 0.6 * d) * w) / new


def lamb1(w, g, m, v):
    m, v = 0.9 * m + 0.1 * clip(g), 0.999 * v + 0.001 * clip(g) ** 2
    return m / (1 - 0.9 ** 2) / (np.sqrt(v / (1 - 0.999 ** 2)) + 1e-6) + 0.1 * w


def adamw(w, g, m, v):
    m, v = 0.9 * m + 0.1 * clip(g), 0.999 * v + 0.001 * clip(g) ** 2
    return w - 0.7 * (0.3 * m / (np.sqrt(v) + 1e-8) + 0.1 * w)


def half(rng):
    return np.array([0.5])


def update(op, *makers, expect, **attrs):
    case(op, *makers, expect=expect, grad=(), **{**OPTIONS, **attrs})


update("sgd_update", W, G, expect=sgd)
case("sgd_update", W, G, expect=lambda w, g: w - 0.3 * g, grad=(), lr=0.3)
update("sgd_mom_update", W, G, M, momentum=0.9, expect=sgd_mom)
update("nag_mom_update", W, G, M, momentum=0.9, expect=nag)
update("mp_sgd_update", W, G, M, expect=lambda w, g, w32: sgd(w32, g), oracle=MIXED)
update("mp_sgd_mom_update", W, G, M, W, momentum=0.9, expect=lambda w, g, m, w32: sgd_mom(w32, g, m), oracle=MIXED)
update("mp_nag_mom_update", W, G, M, W, momentum=0.9, expect=lambda w, g, m, w32: nag(w32, g, m), oracle=MIXED)
update("adam_update", W, G, M, V, beta1=0.8, beta2=0.95, epsilon=1e-3, expect=adam)
update("rmsprop_update", W, G, V, clip_weights=0.5, expect=rmsprop)
update("rmspropalex_update", W, G, u(*S, low=1, high=2), u(*S, low=-0.5, high=0.5), M, epsilon=1e-2,
       expect=rmspropalex)
update("ftrl_update", W, G, M, V, lamda1=0.3, expect=ftrl)
case("ftml_update", W, G, V, V, M, lr=0.3, wd=0.1, rescale_grad=0.5, clip_grad=0.2, t=3, expect=ftml, grad=())
update("signsgd_update", W, G, expect=lambda w, g: w - 0.3 * (np.sign(g) + 0.1 * w))
update("signum_update", W, G, M, momentum=0.9, wd_lh=0.2,
       expect=lambda w, g, m: 0.94 * w + 0.3 * np.sign(0.9 * m - 0.1 * (clip(g) + 0.1 * w)))
case("lamb_update_phase1", W, G, M, V, t=2, wd=0.1, rescale_grad=0.5, clip_gradient=0.2, expect=lamb1, grad=())
case("lamb_update_phase1", W, G, M, V, t=2, wd=0.0, bias_correction=False, grad=(),
     expect=lambda w, g, m, v: (0.9 * m + 0.1 * g) / (np.sqrt(0.999 * v + 0.001 * g * g) + 1e-6))
case("mp_lamb_update_phase1", W, G, M, V, W, t=2, wd=0.1, rescale_grad=0.5, clip_gradient=0.2, grad=(), oracle=MIXED,
     expect=lambda w, g, m, v, w32: lamb1(w32, g, m, v))
case("lamb_update_phase2", W, G, half, half, lr=0.3, grad=(), expect=lambda w, g, r1, r2: w - 0.3 * g)
case("lamb_update_phase2", W, G, u(1, low=3, high=4), half, lr=0.3, lower_bound=0.1, upper_bound=2.0, grad=(),
     expect=lambda w, g, r1, r2: w - 0.3 * 4 * g)
case("lamb_update_phase2", W, G, half, u(1, low=0, high=0), lr=0.3, lower_bound=0.1, grad=(),
     expect=lambda w, g, r1, r2: w - 0.3 * g)
case("mp_lamb_update_phase2", W, G, half, half, M, lr=0.3, grad=(), oracle=MIXED,
     expect=lambda w, g, r1, r2, w32: w32 - 0.3 * g)
case("_adamw_update", W, G, M, V, half, lr=0.3, wd=0.1, eta=0.7, clip_gradient=0.2, grad=(), dtype="float32",
     expect=lambda w, g, m, v, scale: adamw(w, g, m, v))
case("_mp_adamw_update", W, G, M, V, W, half, lr=0.3, wd=0.1, eta=0.7, clip_gradient=0.2, grad=(), oracle=MIXED,
     expect=lambda w, g, m, v, w32, scale: adamw(w32, g, m, v))
