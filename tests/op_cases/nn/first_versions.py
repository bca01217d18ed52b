"""Rows of the operators in `minigluon/ops/nn/first_versions.py`."""

import numpy as np

from ..case import case, distinct, u
from .batch_norm import CHANNELS, normalize, trained
from .pooling import pooling

_aux = "MXNet's imperative call has no place for the moving statistics; test_first_versions has its executors' numbers"
case("BatchNorm_v1", u(4, 3, 2, 2), *CHANNELS, fix_gamma=False, train=True, oracle=_aux, expect=trained())
case("BatchNorm_v1", u(4, 3), *CHANNELS, train=True, eps=1e-2, momentum=.7, oracle=_aux,
     expect=trained(eps=1e-2, fix=True))
case("BatchNorm_v1", u(4, 3, 2), *CHANNELS, fix_gamma=False, use_global_stats=True, train=True, oracle=_aux,
     expect=normalize)
case("BatchNorm_v1", u(4, 3, 2), *CHANNELS, fix_gamma=False, output_mean_var=True, train=True, grad=(), oracle=_aux,
     expect=lambda *a: (trained()(*a), a[0].mean((0, 2)), a[0].var((0, 2))))
case("BatchNorm_v1", u(4, 3, 2), *CHANNELS, fix_gamma=False, output_mean_var=True, grad=(), oracle=_aux,
     expect=lambda *a: (normalize(*a), a[3], a[4]))


def pooling_v1(x, *, kernel=(), pool_type="max", global_pool=False, pooling_convention="valid", stride=(), pad=(0, 0)):
    """`pooling` of data with a border of zeros; an average divides by the whole kernel."""
    if global_pool:
        return pooling(x, pool_type=pool_type, global_pool=True)
    p, q = pad
    out = pooling(np.pad(x, ((0, 0), (0, 0), (p, p), (q, q))), kernel=kernel, stride=stride,
                  pool_type="max" if pool_type == "max" else "sum", pooling_convention=pooling_convention)
    return out / np.prod(kernel) if pool_type == "avg" else out


def pool_v1(maker, **attrs):
    case("Pooling_v1", maker, oracle="test_first_versions has MXNet's numbers",
         expect=lambda x: pooling_v1(x, **attrs), **attrs)


for _type in "max", "avg", "sum":
    pool_v1(distinct(2, 3, 5, 4), kernel=(3, 2), stride=(2, 2), pad=(1, 1), pool_type=_type)
    pool_v1(distinct(2, 2, 5, 7), kernel=(2, 3), stride=(3, 2), pad=(1, 0), pool_type=_type, pooling_convention="full")
    pool_v1(distinct(2, 3, 4, 3), pool_type=_type, global_pool=True)
