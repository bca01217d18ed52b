"""Convolutions and transposed convolutions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..... import symbol as sym
from ..array.padding import padded
from ..quantized.wholes import convolved, dequantized_product
from ..table import operator
from .windows import pads_of, symmetric_end, tuple_of

if TYPE_CHECKING:
    from .....symbol import Symbol
    from ..call import Call


def _kernel(call, index=1):
    """Returns the size of a window, taken from the filters."""
    shape = call.static_shape(index)
    return shape[2:], shape


@operator("Conv")
def convolution(call: Call) -> Symbol:
    kernel, shape = _kernel(call)
    if not 1 <= len(kernel) <= 3:
        raise call.refuse(f"a convolution over {len(kernel)} spatial axes")
    whole = dequantized_product(call, convolved)
    if whole is not None:
        return whole
    strides, dilations = (tuple_of(call, name, len(kernel)) for name in ("strides", "dilations"))
    before, behind = pads_of(call, kernel, strides, dilations)
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilations, strict=True)]
    behind = symmetric_end(call, reach, strides, before, behind)
    x = call.data()
    if before != behind or min(before) < 0:
        x = padded(call, x, [0, 0, *before], [0, 0, *behind])
        before = (0,) * len(kernel)
    return sym.Convolution(x, *call.all_data()[1:], kernel=kernel, stride=strides, dilate=dilations, pad=before,
                           num_filter=shape[0], num_group=call.attribute("group", 1), no_bias=not call.has(2))


@operator("ConvTranspose")
def deconvolution(call: Call) -> Any:
    """Crops asymmetric padding from the result, and appends output_padding of any size."""
    kernel, shape = _kernel(call)
    count, group = len(kernel), call.attribute("group", 1)
    if not 1 <= count <= 3:
        raise call.refuse(f"a convolution over {count} spatial axes")
    strides, dilations = (tuple_of(call, name, count) for name in ("strides", "dilations"))
    more = tuple_of(call, "output_padding", count, 0)
    before, behind = _transposed_pads(call, kernel, strides, dilations, more)
    symmetric = before == behind and min(before) >= 0 and all(a < s for a, s in zip(more, strides, strict=True))
    args = [call.data(0), call.data(1)]
    options = {"kernel": kernel, "stride": strides, "dilate": dilations, "num_group": group,
               "num_filter": shape[1] * group}
    if symmetric:
        bias = [call.data(2)] if call.has(2) else []
        return sym.Deconvolution(*args, *bias, pad=before, adj=more, no_bias=not bias, **options)
    out = sym.Deconvolution(*args, pad=(0,) * count, no_bias=True, **options)
    out = padded(call, out, [0, 0, *[-n for n in before]], [0, 0, *[m - n for m, n in zip(more, behind, strict=True)]])
    if call.has(2):
        out = sym.broadcast_add(out, sym.reshape(call.data(2), shape=(1, -1) + (1,) * count))
    return out


def _transposed_pads(call, kernel, strides, dilations, more):
    outs = call.attribute("output_shape", None)
    mode = call.choice("auto_pad", "NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER")
    if outs is None and not mode.startswith("SAME"):
        return pads_of(call, kernel, strides, dilations)
    space = [call.length(axis) for axis in range(2, 2 + len(kernel))]
    outs = list(outs)[-len(kernel):] if outs else [n * s for n, s in zip(space, strides, strict=True)]
    before, behind = [], []
    for n, size, stride, dilation, extra, out in zip(space, kernel, strides, dilations, more, outs, strict=True):
        total = (n - 1) * stride + extra + (size - 1) * dilation + 1 - out
        small, large = total // 2, total - total // 2
        before.append(small if mode == "SAME_UPPER" else large)
        behind.append(large if mode == "SAME_UPPER" else small)
    return tuple(before), tuple(behind)


@operator("DeformConv")
def deformable_convolution(call: Call) -> Symbol:
    kernel, shape = _kernel(call)
    if len(kernel) != 2:
        raise call.refuse("a deformable convolution that is not over two spatial axes")
    strides, dilations, pads = (tuple_of(call, name, n, default) for name, n, default in (
        ("strides", 2, 1), ("dilations", 2, 1), ("pads", 4, 0)))
    x, before = call.data(), pads[:2]
    if before != pads[2:]:
        x, before = padded(call, x, [0, 0, *before], [0, 0, *pads[2:]]), (0, 0)
    offset, groups = call.data(2), call.attribute("offset_group", 1)
    options = {"kernel": kernel, "stride": strides, "dilate": dilations, "pad": before, "num_filter": shape[0],
               "num_group": call.attribute("group", 1), "num_deformable_group": groups, "no_bias": not call.has(3)}
    bias = [call.data(3)] if call.has(3) else []
    if call.has(4):
        return sym.contrib.ModulatedDeformableConvolution(x, offset, call.data(4), call.data(1), *bias, **options)
    return sym.contrib.DeformableConvolution(x, offset, call.data(1), *bias, **options)


@operator("Col2Im")
def col2im(call: Call) -> Symbol:
    size, kernel = call.integers("", 1), call.integers("", 2)
    if len(size) != 2:
        raise call.refuse(f"{len(size)} spatial axes; only two are supported")
    pads = tuple_of(call, "pads", 4, 0)
    if pads[:2] != pads[2:]:
        raise call.refuse("asymmetric padding")
    return sym.col2im(call.data(), output_size=tuple(size), kernel=tuple(kernel), stride=tuple_of(call, "strides", 2),
                      dilate=tuple_of(call, "dilations", 2), pad=pads[:2])
