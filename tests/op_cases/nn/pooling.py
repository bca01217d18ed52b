"""Rows of the operators in `minigluon/ops/nn/pooling.py`."""

import numpy as np

from ..case import case, distinct, u


def pooling(x, *, kernel=(), pool_type="max", global_pool=False, pooling_convention="valid", stride=(), pad=(),
            p_value=None, count_include_pad=True, layout="", before=None):
    """Window by window. before: how much padding 'same' puts in front."""
    if layout.endswith("C"):
        x = np.moveaxis(x, -1, 1)
    space, d = x.shape[2:], x.ndim - 2
    kernel = space if global_pool else kernel
    stride = (1,) * d if global_pool or not stride else stride
    pad = (0,) * d if global_pool or not pad else pad
    rounded = np.ceil if pooling_convention == "full" else np.floor
    size = [int(rounded((n + 2 * p - k) / s)) + 1 for n, k, s, p in zip(space, kernel, stride, pad)]
    if pooling_convention == "same":
        size, pad = [-(-n // s) for n, s in zip(space, stride)], before
    out = np.zeros((*x.shape[:2], *size))
    for at in np.ndindex(*size):
        starts = [i * s - p for i, s, p in zip(at, stride, pad)]
        ends = [min(b + k, n + p) for b, k, n, p in zip(starts, kernel, space, pad)]
        inside = [slice(max(b, 0), min(e, n)) for b, e, n in zip(starts, ends, space)]
        window = x[(slice(None), slice(None), *inside)].reshape(*x.shape[:2], -1)
        whole = np.prod([e - b for b, e in zip(starts, ends)])
        if pool_type == "max":
            value = window.max(-1)
        elif pool_type == "lp":
            value = (window ** p_value).sum(-1)
            value = np.cbrt(value) if p_value == 3 else np.sqrt(value) if p_value == 2 else value
        else:
            value = window.sum(-1)
            if pool_type == "avg":
                value = value / (whole if count_include_pad else window.shape[-1])
        out[(slice(None), slice(None), *at)] = value
    return np.moveaxis(out, 1, -1) if layout.endswith("C") else out


def pool(maker, oracle=True, note="", before=None, **attrs):
    case("Pooling", maker, oracle=oracle, note=note, expect=lambda x: pooling(x, before=before, **attrs), **attrs)


for _type in ("max", "avg", "sum"):
    _note = _type
    pool(distinct(2, 3, 7), kernel=(3,), stride=(2,), pool_type=_type, note=_note)
    pool(distinct(2, 2, 9), kernel=(3,), stride=(3,), pad=(1,), pool_type=_type, pooling_convention="full", note=_note)
    pool(distinct(2, 2, 6, 4), kernel=(2, 2), stride=(2, 2), pool_type=_type, note=_note)
    pool(distinct(1, 2, 7, 5), kernel=(2, 2), stride=(2, 2), pool_type=_type, note=_note)
    pool(distinct(2, 2, 5, 6), kernel=(3, 2), stride=(2, 1), pad=(1, 1), pool_type=_type, note=_note)
    pool(distinct(2, 1, 6, 7), kernel=(3, 3), stride=(2, 3), pad=(1, 0), pool_type=_type, pooling_convention="full",
         note=_note)
    pool(distinct(1, 2, 4, 3, 5), kernel=(2, 3, 2), stride=(2, 1, 2), pad=(0, 1, 1), pool_type=_type, note=_note)
    pool(distinct(2, 3, 4, 3), kernel=(1, 1), global_pool=True, pool_type=_type, note=_note)
    pool(distinct(2, 5, 4, 3), kernel=(2, 3), stride=(2, 1), pad=(1, 1), pool_type=_type, layout="NHWC", note=_note)
    pool(distinct(2, 5, 3), kernel=(2,), pool_type=_type, layout="NWC", note=_note)
    pool(distinct(1, 3, 4, 3, 2), kernel=(2, 2, 2), pool_type=_type, layout="NDHWC", note=_note)
    pool(distinct(2, 3, 4, 2), global_pool=True, pool_type=_type, layout="NHWC", note=_note)
    pool(distinct(1, 2, 7), kernel=(3,), stride=(2,), pool_type=_type, pooling_convention="same", before=(1,),
         oracle="MXNet reads a second stride that is not there", note=_note + " same")
pool(distinct(2, 2, 5, 5), kernel=(3, 3), stride=(2, 2), pad=(1, 1), pool_type="avg", count_include_pad=False)
pool(distinct(2, 2, 6), kernel=(3,), stride=(2,), pad=(1,), pool_type="avg", count_include_pad=False)
for _p in (1, 2, 3):
    pool(u(2, 2, 5, 5, low=.2), kernel=(3, 3), stride=(2, 2), pool_type="lp", p_value=_p, note="lp")
    pool(u(2, 2, 6, low=.2), kernel=(3,), pad=(1,), stride=(2,), pool_type="lp", p_value=_p, note="lp")
pool(u(1, 2, 3, 3, low=-1, high=-.2), kernel=(2, 2), pool_type="lp", p_value=3, note="lp of negative numbers")
pool(u(2, 2, 3, 4, low=.2), global_pool=True, pool_type="lp", p_value=2, note="lp")
# Numbers of pad and stride behind those of the kernel are not looked at.
case("Pooling", distinct(1, 2, 6, 5), kernel=(2, 2), pad=(0, 1, 5), stride=(2, 1, 3), note="superfluous numbers",
     expect=lambda x: pooling(x, kernel=(2, 2), pad=(0, 1), stride=(2, 1)))
case("Pooling", distinct(1, 2, 6, 5), kernel=(2, 2), pool_type="max", stride=(2, 2, 7), note="superfluous numbers",
     expect=lambda x: pooling(x, kernel=(2, 2), stride=(2, 2)))
