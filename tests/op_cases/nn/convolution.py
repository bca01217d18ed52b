"""Rows of the operators in `minigluon/ops/nn/convolution.py`."""

from functools import partial

import numpy as np

from ..case import case, u


def _per_axis(value, d, default):
    return tuple(value) if value else (default,) * d


def convolution(x, w, b=None, *, kernel, stride=(), dilate=(), pad=(), num_group=1, last=False, **ignored):
    """Window by window and group by group."""
    if last:
        x, w = np.moveaxis(x, -1, 1), np.moveaxis(w, -1, 1)
    d = len(kernel)
    stride, dilate, pad = _per_axis(stride, d, 1), _per_axis(dilate, d, 1), _per_axis(pad, d, 0)
    x = np.pad(x, [(0, 0), (0, 0), *[(p, p) for p in pad]])
    size = [(n - dl * (k - 1) - 1) // s + 1 for n, k, s, dl in zip(x.shape[2:], kernel, stride, dilate)]
    out = np.zeros((x.shape[0], w.shape[0], *size))
    per_out, per_in = w.shape[0] // num_group, w.shape[1]
    for o in range(w.shape[0]):
        seen = x[:, o // per_out * per_in:][:, :per_in]
        for at in np.ndindex(*size):
            window = seen[(slice(None), slice(None), *[slice(i * s, i * s + dl * (k - 1) + 1, dl)
                                                       for i, s, dl, k in zip(at, stride, dilate, kernel)])]
            out[(slice(None), o, *at)] = (window * w[o]).reshape(x.shape[0], -1).sum(1)
    if b is not None:
        out = out + b.reshape(-1, *[1] * d)
    return np.moveaxis(out, 1, -1) if last else out


def deconvolution(x, w, b=None, *, kernel, size, stride=(), dilate=(), pad=(), num_group=1, last=False, **ignored):
    """Each element of x adds its multiple of a filter; what falls outside `size` after cutting `pad` is lost."""
    if last:
        x, w = np.moveaxis(x, -1, 1), np.moveaxis(w, -1, 1)
    d = len(kernel)
    stride, dilate, pad = _per_axis(stride, d, 1), _per_axis(dilate, d, 1), _per_axis(pad, d, 0)
    per_in, per_out = x.shape[1] // num_group, w.shape[1]
    reach = [max(n + 2 * p, s * (i - 1) + dl * (k - 1) + 1)
             for n, p, s, i, dl, k in zip(size, pad, stride, x.shape[2:], dilate, kernel)]
    out = np.zeros((x.shape[0], per_out * num_group, *reach))
    for c in range(x.shape[1]):
        group = c // per_in
        for at in np.ndindex(*x.shape[2:]):
            where = tuple(slice(i * s, i * s + dl * (k - 1) + 1, dl)
                          for i, s, dl, k in zip(at, stride, dilate, kernel))
            value = x[(slice(None), c, *at)].reshape(-1, *[1] * (d + 1))
            out[(slice(None), slice(group * per_out, (group + 1) * per_out), *where)] += value * w[c]
    out = out[(slice(None), slice(None), *[slice(p, p + n) for p, n in zip(pad, size)])]
    if b is not None:
        out = out + b.reshape(-1, *[1] * d)
    return np.moveaxis(out, 1, -1) if last else out


def conv(*makers, oracle=True, note="", **attrs):
    last = attrs.get("layout", "N")[-1] == "C"
    case("Convolution", *makers, oracle=oracle, note=note, expect=partial(convolution, last=last, **attrs), **attrs)


def deconv(*makers, size, oracle=True, note="", pads=None, **attrs):
    last = attrs.get("layout", "N")[-1] == "C"
    how = {**attrs, "pad": pads} if pads else attrs
    case("Deconvolution", *makers, oracle=oracle, note=note, expect=partial(deconvolution, size=size, last=last, **how),
         **attrs)


_LAST = "MXNet's CPU build has channels first only"

conv(u(2, 3, 7), u(4, 3, 3), u(4), kernel=(3,), num_filter=4, note="1d")
conv(u(2, 4, 9), u(6, 2, 3), kernel=(3,), num_filter=6, stride=(2,), dilate=(2,), pad=(1,), num_group=2, no_bias=True,
     note="1d")
conv(u(2, 1, 6, 5), u(3, 1, 3, 3), u(3), kernel=(3, 3), num_filter=3)
conv(u(2, 2, 5, 6), u(3, 2, 3, 2), u(3), kernel=(3, 2), num_filter=3, stride=(2, 1), dilate=(1, 2), pad=(1, 0))
conv(u(2, 3, 4, 5), u(2, 3, 1, 1), u(2), kernel=(1, 1), num_filter=2, note="pointwise")
conv(u(2, 4, 3, 3), u(4, 2, 1, 1), kernel=(1, 1), num_filter=4, num_group=2, no_bias=True, note="pointwise groups")
conv(u(2, 3, 5, 4), u(3, 3, 1, 1), u(3), kernel=(1, 1), num_filter=3, stride=(2, 2))
conv(u(2, 3, 5, 5), u(3, 1, 3, 3), u(3), kernel=(3, 3), num_filter=3, num_group=3, pad=(1, 1), note="depthwise")
conv(u(1, 2, 4, 4), u(4, 1, 2, 2), kernel=(2, 2), num_filter=4, num_group=2, no_bias=True, note="one image")
conv(u(2, 2, 3, 4, 3), u(2, 2, 2, 2, 2), u(2), kernel=(2, 2, 2), num_filter=2, stride=(1, 2, 1), pad=(1, 0, 1),
     note="3d")
conv(u(2, 5, 4, 3), u(2, 2, 3, 3), u(2), kernel=(2, 3), num_filter=2, pad=(0, 1), layout="NHWC", oracle=_LAST)
conv(u(2, 5, 4), u(4, 3, 2), u(4), kernel=(3,), num_filter=4, stride=(2,), num_group=2, layout="NWC", oracle=_LAST)
conv(u(1, 3, 3, 3, 2), u(2, 2, 2, 2, 2), kernel=(2, 2, 2), num_filter=2, no_bias=True, layout="NDHWC", oracle=_LAST)
conv(u(2, 2, 4, 4), u(2, 2, 3, 3), u(2), kernel=(3, 3), num_filter=2, layout="NCHW", workspace=256, cudnn_off=True)

deconv(u(2, 3, 4), u(3, 2, 3), kernel=(3,), num_filter=2, size=(6,), note="1d")
deconv(u(2, 4, 3), u(4, 1, 3), u(2), kernel=(3,), num_filter=2, stride=(2,), pad=(1,), adj=(1,), num_group=2,
       no_bias=False, size=(6,), note="1d")
deconv(u(2, 2, 3, 4), u(2, 3, 3, 2), kernel=(3, 2), num_filter=3, size=(5, 5))
deconv(u(2, 2, 3, 2), u(2, 3, 3, 3), u(3), kernel=(3, 3), num_filter=3, stride=(2, 3), pad=(1, 0), adj=(1, 2),
       no_bias=False, size=(6, 8))
deconv(u(1, 2, 3, 3), u(2, 2, 2, 2), kernel=(2, 2), num_filter=2, dilate=(2, 1), size=(5, 4))
deconv(u(2, 4, 3, 3), u(4, 1, 4, 4), kernel=(4, 4), num_filter=4, num_group=4, stride=(2, 2), pad=(1, 1), size=(6, 6),
       note="depthwise")
deconv(u(1, 2, 3, 3), u(2, 2, 4, 4), kernel=(4, 4), num_filter=2, stride=(2, 2), target_shape=(6, 5), pads=(1, 2),
       size=(6, 5), note="target shape")
deconv(u(1, 2, 2, 2, 3), u(2, 2, 2, 2, 2), u(2), kernel=(2, 2, 2), num_filter=2, no_bias=False, stride=(1, 2, 1),
       size=(3, 4, 4), note="3d", oracle="MXNet's CPU build has 1D and 2D only")
deconv(u(2, 3, 3, 2), u(2, 3, 2, 3), kernel=(3, 2), num_filter=3, stride=(2, 1), layout="NHWC", size=(7, 4),
       oracle=_LAST)
