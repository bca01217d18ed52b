"""What the rows of optimizers share: inputs, options, and each step in NumPy."""

import numpy as np

from ..case import u

MIXED = "MXNet's mixed precision requires float16 weights: tests/optimizer/test_optimizer.py compares those"
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


def options(**attrs):
    """What a row says beside its operator and inputs: no gradient, the OPTIONS, and others."""
    return {"grad": (), **OPTIONS, **attrs}
