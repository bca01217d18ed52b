"""Rows of the operators in `minigluon/ops/nn/attention.py`."""

import numpy as np

from ..case import case, u


def heads(x, count, parts, which):
    length, batch, _ = x.shape
    return x.reshape(length, batch, count, parts, -1)[:, :, :, which].transpose(1, 2, 0, 3).reshape(
        batch * count, length, -1)


def joined(x, count):
    return x.reshape(-1, count, *x.shape[1:]).transpose(2, 0, 1, 3).reshape(x.shape[1], len(x) // count, -1)


def scores(q, k):
    return q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[-1])


_name = "_contrib_interleaved_matmul_"
case(_name + "selfatt_qk", u(3, 2, 12), heads=2, dtype="float32",
     expect=lambda x: scores(heads(x, 2, 3, 0), heads(x, 2, 3, 1)))
case(_name + "selfatt_valatt", u(3, 2, 12), u(4, 3, 3), heads=2, dtype="float32",
     expect=lambda x, a: joined(a @ heads(x, 2, 3, 2), 2))
case(_name + "encdec_qk", u(3, 2, 4), u(2, 2, 8), heads=2, dtype="float32",
     expect=lambda q, kv: scores(heads(q, 2, 1, 0), heads(kv, 2, 2, 0)))
case(_name + "encdec_valatt", u(2, 2, 8), u(4, 3, 2), heads=2, dtype="float32",
     expect=lambda kv, a: joined(a @ heads(kv, 2, 2, 1), 2))
