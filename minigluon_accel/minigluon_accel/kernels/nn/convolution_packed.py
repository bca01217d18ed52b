"""Convolutions with prepacked filters, and the operators fused after them, for inference plans.

    way         purpose of the packed filters
    winograd    fewer multiplications: convolution_winograd.py
    panels      the product of csrc/nn/convolution.c
    channels    depthwise: csrc/nn/convolution_depthwise_3x3.c, or convolution_depthwise.c

Two more methods, for images in blocks of channels, are in `convolution_blocks.py`.
"""

import math
from functools import lru_cache

import numpy as np

from minigluon.hybrid.parameter_constants import PrepackOp
from minigluon.ops.shapes import Spec

from ...engine import Call, Phase
from ..registry import finished, kernel_for, parts, reals
from . import convolution_blocks
from . import convolution_winograd as winograd
from .convolution import (
    MIN_CHANNELS,
    NO_POOLING,
    ROWS,
    SCENE,
    Axes,
    axis_fields,
    meets_zeros,
    reason_against,
)

__all__ = ["FilterPrepack", "fits_behind", "length_of", "pack_filters", "suits_3x3", "way_for"]

LANES = 16                  # the number of elements in a vector of the widest instruction set
# Chosen by measurement, in vector multiplications:
COPY = 1.5                  # the cost of copying a vector of a window for the product
START = 2000                # the overhead of a part
KEPT = 6 / LANES            # the cost of reading a byte of the filters from memory


def way_for(conv, inputs, result):
    """Returns the best method for a convolution, or None to leave it unchanged. inputs, result: Specs."""
    inputs, result = [spec._replace(shape=_example(spec)) for spec in inputs], result._replace(shape=_example(result))
    data, weight = inputs[:2]
    if reason_against(conv, inputs) or reals(*inputs, result) or 0 in (*data.shape, *weight.shape, *result.shape):
        return None
    geometry = conv.geometry()
    if geometry.groups == weight.shape[0] and weight.shape[1] == 1:
        return "channels"
    enough = min(weight.shape[:2]) >= MIN_CHANNELS
    return "winograd" if enough and winograd.pays_when_saved(geometry, data, weight, result, KEPT * LANES) else "panels"


def _example(spec):
    """Returns the shape with example values in place of symbolic dimensions. Any choice is correct for all sizes, but
    fast only for some."""
    return tuple([getattr(n, "value", n) for n in spec.shape])


def fits_behind(op, program, way):
    """Returns whether an operator can be the next line. The order is: a BatchNorm, an addition, a bound."""
    names = [line.name for line, _ in program]
    last = names[-1]
    if last in ("_conv_relu", "Activation", "relu", "clip"):
        return False
    if op.name == "BatchNorm":
        return len(program) == 1
    if op.name in ("elemwise_add", "broadcast_add"):
        return last not in ("elemwise_add", "broadcast_add") and way != "channels"
    return True


def length_of(conv, shape, way):
    """Returns the number of elements of the packed filters. shape: the weight's shape."""
    filters, depth = shape[0], math.prod(shape[1:])
    if way in convolution_blocks.WAYS:
        return convolution_blocks.filters_length(way, shape, conv.geometry().groups)
    if way == "winograd":
        return winograd.length_of_filters(shape)
    if way == "panels":
        groups = conv.geometry().groups
        return groups * (filters // groups + ROWS) * depth
    return filters * depth


# -- packing --------------------------------------------------------------------------------------------------------

class FilterPrepack(PrepackOp):
    """Filters in the order of a `PackedConv`'s kernel, followed by the terms added to each channel of the result.

    This array has no meaning outside this plugin.

    conv: the convolution. norm: the BatchNorm after it, or None. way: as above. length: the number of elements before
    the added terms. isa: the instruction set, which determines the order.

    Inputs: those of the convolution except its data, then those of the BatchNorm except its data.
    """

    name = "_pack_filters"
    fields = dict.fromkeys(("conv", "norm", "way", "length", "isa"))

    def infer_shape(self, *shapes):
        return list(shapes), [(self.length + shapes[0][0],)]

    def forward(self, *inputs):
        specs = [Spec(x.shape, x.dtype) for x in inputs]
        result = np.empty(self.infer_shape(*[x.shape for x in inputs])[1][0], inputs[0].dtype)
        call = pack_filters(self, specs, [Spec(result.shape, result.dtype)])
        call(list(inputs), [result, *[np.empty(*spec) for spec in call.scratch]])
        return result


@kernel_for("_pack_filters")
def pack_filters(op, inputs, outputs):
    """Packs filters. Inputs: weight, bias if there is one, then gamma, beta, mean and var if there is a BatchNorm."""
    weight, out = inputs[0], len(inputs)
    filters, size = weight.shape[0], math.prod(weight.shape[1:])
    first = 1 if op.conv.no_bias else 2
    vectors = dict(zip(("gamma", "beta", "mean", "var"), range(first, first + 4) if op.norm else [-1] * 4, strict=True))
    folded = out if op.way == "channels" else out + 1
    fields = {"filters": filters, "size": size, "fix_gamma": op.norm.fix_gamma if op.norm else 1,
              "eps": op.norm.eps if op.norm else 0.0, "weight": 0, "bias": -1 if op.conv.no_bias else 1, **vectors,
              "folded": folded, "added": out, "added_at": op.length}
    count = max(1, parts(filters * size))
    phases = [Phase("fold_filters", weight.dtype, count, **fields)]
    if op.way in convolution_blocks.WAYS:
        phases.append(convolution_blocks.filters_phase(op.way, weight, op.conv.geometry().groups, folded, out))
    elif op.way == "winograd":
        phases.append(winograd.filters_phase(weight, {"weight": folded, "stash": out}))
    elif op.way == "panels":
        geometry = op.conv.geometry()
        ones = (1,) * len(geometry.kernel)
        axes = Axes(geometry, ones, ones).forward()
        phases.append(Phase("pack_weights", weight.dtype, count, **_convolve_fields(
            axes, geometry, weight.shape, batch=1, weight=folded, packed=out)))
    return Call(*phases, scratch=[] if folded == out else [weight])


def _convolve_fields(axes, geometry, shape, **more):
    """Returns the fields of csrc/nn/convolution.c. shape: the weight's shape. more: the fields that differ."""
    filters, channels, *kernel = shape
    taps = math.prod(kernel)
    return {**axis_fields(axes), "groups": geometry.groups, "rows": filters // geometry.groups, "channels": channels,
            "row_stride": channels * taps, "channel_stride": taps, "images": 1, "lines": 1, "shares": 1, "relu": 0,
            "finite": 0, "source": 0, "weight": -1, "bias": -1, "other": -1, "out": -1, "packed": -1, "bias_at": 0,
            "cap": 0.0, **NO_POOLING, **more}


# -- convolving -----------------------------------------------------------------------------------------------------

@kernel_for("_packed_conv")
def packed_conv(op, inputs, outputs):
    conv, (data, weight), result = op.program[0][0], inputs[:2], outputs[0]
    geometry, packed, out = conv.geometry(), len(inputs) - 1, len(inputs)
    tail = {"relu": 0, "cap": 0.0, "other": -1, **dict(_tail(op.program))}
    if op.way == "winograd":
        places = {"data": 0, "kept": packed, "bias": packed, "other": tail["other"], "out": out, "stash": out + 1}
        return winograd.with_saved_filters(geometry, data, weight, result, places, op.length, tail["relu"], tail["cap"])
    axes = Axes(geometry, data.shape[2:], result.shape[2:]).forward()
    if op.way == "channels":
        return _by_channels(axes, op, data, result, packed, out, tail)
    lines, shares = _panels(geometry, _example(data), weight.shape, _example(result))
    count = data.shape[0] * geometry.groups * -(-axes[0][0][1] // lines) * shares
    return Call(Phase("convolve", data.dtype, count, **_convolve_fields(
        axes, geometry, weight.shape, batch=data.shape[0], lines=lines, shares=shares, packed=packed, bias=packed,
        bias_at=op.length, out=out, **tail)))


@kernel_for("_blocked_conv")
def blocked_conv(op, inputs, outputs):
    plain = op._plain([spec.shape for spec in inputs])
    conv, data, weight = op.program[0][0], inputs[0]._replace(shape=plain[0]), inputs[1]
    result = outputs[0]._replace(shape=(data.shape[0], weight.shape[0], *outputs[0].shape[2:4]))
    fields = {"relu": 0, "cap": 0.0, "other": -1, **dict(_tail(op.program)), "source": 0, "packed": len(inputs) - 1,
              "added_at": op.length, "out": len(inputs)}
    if op.way == "blocks":
        return convolution_blocks.dense(conv.geometry(), data, weight.shape[0], result, 0 not in op.blocked, fields)
    del fields["other"]
    return convolution_blocks.each_channel(conv.geometry(), data, result, fields)


def _tail(program):
    """Returns the fields that describe the operators after the convolution and its normalization."""
    for op, operands in program[1:]:
        if op.name in ("elemwise_add", "broadcast_add"):
            yield "other", next(k for k in operands if k >= 0)
        elif op.name == "clip":
            yield from (("relu", 1), ("cap", op.a_max))
        elif op.name != "BatchNorm":
            yield "relu", 1


def _by_channels(axes, op, data, result, packed, out, tail):
    batch, channels = data.shape[:2]
    del tail["other"]
    geometry = op.program[0][0].geometry()
    if suits_3x3(geometry):
        height, width = data.shape[2:]
        count = min(parts(math.prod(result.shape) * 2, 2 ** 15, 64), batch * channels)
        return Call(Phase("depthwise_3x3", data.dtype, count, batch=batch, channels=channels, height=height,
                          width=width, out_height=result.shape[2], out_width=result.shape[3], step=geometry.stride[0],
                          pad_y=geometry.pad[0], pad_x=geometry.pad[1], source=0, packed=packed, added_at=op.length,
                          out=out, **tail))
    windows, taps = (math.prod(axis[0][place] for axis in axes) for place in (1, 3))
    fields = dict(axis_fields(axes), batch=batch, channels=channels, finite=0, source=0, other=packed, bias=packed,
                  bias_at=op.length, out=out, **tail)
    count = min(parts(batch * channels * windows * (taps + 1), 2 ** 17, 64), batch * channels)
    return Call(Phase("depthwise", data.dtype, count, **fields))


def suits_3x3(geometry):
    """Returns whether csrc/nn/convolution_depthwise_3x3.c computes a depthwise convolution."""
    return (geometry.kernel == (3, 3) and geometry.stride in ((1, 1), (2, 2)) and geometry.dilate == (1, 1)
            and geometry.pad[1] <= 1)


# -- division -------------------------------------------------------------------------------------------------------

@lru_cache(1024)
def _panels(geometry, data, weight, result):
    """Returns (lines per part, shares of the filters) for windows in lanes. data, weight, result: shapes."""
    rows, depth = weight[0] // geometry.groups, math.prod(weight[1:])
    axes = Axes(geometry, data[2:], result[2:]).forward()
    lines, across = axes[0][0][1], axes[1][0][1] * axes[2][0][1]
    groups, panels = data[0] * geometry.groups, -(-rows // 14)
    elements = weight[1] * math.prod(min(w[0], w[1] * w[2]) for w, _, _ in axes) / lines      # elements read per line
    copies = meets_zeros(axes) or axes[2][0][2] > 1

    def time(cut, shares):
        each = -(-lines // cut)
        vectors = -(-each * across // LANES)
        multiply = -(-panels // shares) * -(-rows // panels) * vectors * depth
        copy = COPY * vectors * depth + (COPY * elements * (each + len(geometry.kernel)) / LANES if copies else 0)
        cold = 1.2 if elements * each > SCENE else 1
        return finished(groups * -(-lines // each) * shares, cold * (multiply + copy) + START)
    _, cut, shares = min((time(cut, shares), cut, shares) for shares in range(1, min(8, panels) + 1)
                         for cut in sorted({-(-lines // each) for each in range(1, lines + 1)}) if cut <= 64)
    return -(-lines // cut), shares
