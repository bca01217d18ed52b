"""Rows of the operators in `minigluon/ops/linalg/fourier.py`."""

import numpy as np

from ..case import case, fixed, u

_on_gpus = "MXNet computes it only on GPUs"


def finite(*shape):
    """Numbers that stay finite in all tests: what a fast transform makes of infinity depends on its way."""
    numbers = u(*shape)

    def make(rng):
        return numbers(rng)
    make.floating = False
    return make


def parts(z):
    return np.stack([z.real, z.imag], -1).reshape(*z.shape[:-1], -1)


case("_contrib_fft", finite(2, 5), grad=(0,), expect=lambda x: parts(np.fft.fft(x)), oracle=_on_gpus)
case("_contrib_fft", finite(1, 2, 2, 4), grad=(0,), expect=lambda x: parts(np.fft.fft(x)), oracle=_on_gpus)
case("_contrib_ifft", finite(2, 6), grad=(0,), oracle=_on_gpus,
     expect=lambda x: 3 * np.fft.ifft(x[:, ::2] + 1j * x[:, 1::2]).real)
case("_contrib_count_sketch", u(2, 3), fixed([[0, 3, 4]], floating=False), fixed([[1, -1, 1]], floating=False),
     out_dim=5, oracle=_on_gpus,
     expect=lambda x, h, s: np.stack([x[:, 0], 0 * x[:, 0], 0 * x[:, 0], -x[:, 1], x[:, 2]], 1))
