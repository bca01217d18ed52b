"""Convolutions of images in blocks of channels: csrc/nn/convolution_blocks.c.

    way               purpose
    blocks             each filter reads all channels
    channel blocks    depthwise
"""

import math
from functools import lru_cache

from ...engine import Call, Phase
from ...operators.blocked_images import BLOCK
from ..registry import finished, kernel_for, parts, reals, size

__all__ = ["MOST_ROWS", "WAYS", "dense", "each_channel", "filters_length", "filters_phase", "fits_groups"]

WAYS = "blocks", "channel blocks"
MOST_ROWS = 16              # the limit for taps along y in depthwise convolutions, as in csrc/nn/convolution_blocks.h
LANES, ROWS, TILE = 16, 14, 32      # sizes of the widest instruction set
FEWEST_FILTERS = 8          # in a group: with fewer, most of what is multiplied would be zeros
START = 3000                # the overhead per part, in vector multiplications
LINE_GRAIN = 2 ** 15        # the number of multiplications in a depthwise part, which takes a few microseconds


# -- filters --------------------------------------------------------------------------------------------------------

def fits_groups(geometry, shape):
    """Returns whether panels of filters can consist of whole groups or of a part of one. shape: the weight's shape."""
    filters, channels = shape[0] // geometry.groups, shape[1]
    if geometry.groups == 1:
        return True
    whole = all(n >= FEWEST_FILTERS and (n % BLOCK == 0 or BLOCK % n == 0) for n in (filters, channels))
    return whole and shape[0] % BLOCK == 0 and (filters >= BLOCK or filters == channels)


def filters_length(way, shape, groups=1):
    """Returns the number of elements of the packed filters. shape: the weight's shape."""
    filters, depth = shape[0], math.prod(shape[1:])
    if groups > 1 and way == WAYS[0]:       # a panel of at most BLOCK filters, of several groups, has zeros
        return filters * depth * max(1, BLOCK // (filters // groups))
    return -(-filters // (BLOCK if way == WAYS[1] else TILE)) * (BLOCK if way == WAYS[1] else TILE) * depth


def filters_phase(way, weight, groups, folded, packed):
    """Returns the Phase that packs filters. folded, packed: indices of arrays."""
    name = "pack_dense" if way == WAYS[0] else "pack_channels"
    return Phase(name, weight.dtype, max(1, parts(size(weight))), filters=weight.shape[0], channels=weight.shape[1],
                 groups=groups if way == WAYS[0] else 1, taps=math.prod(weight.shape[2:]), folded=folded, packed=packed)


# -- convolving -----------------------------------------------------------------------------------------------------

def each_channel(geometry, data, result, fields):
    """Returns the Call of a depthwise convolution. data, result: the shapes that the arrays have without blocks.

    fields: relu, cap, and the array indices, as in `PackedConv`.
    """
    batch, channels, height, width = data.shape
    out_height, out_width = result.shape[2:]
    lines = height, width, out_height, out_width, *geometry.kernel, geometry.stride[0], *geometry.pad
    blocks = -(-channels // BLOCK)
    cuts, shares = channel_division(getattr(batch, "value", batch), blocks, out_height,
                                    out_width * BLOCK * math.prod(geometry.kernel))
    return Call(Phase("convolve_channel_blocks", data.dtype, batch * cuts * shares, lines=lines, batch=batch,
                      channels=channels, cuts=cuts, shares=shares, **fields))


@lru_cache(1024)
def channel_division(batch, blocks, lines, line):
    """Returns (pieces of an image's lines, shares of its blocks) for lines with this much work.

    Dividing lines is preferable, because the next convolution divides them in the same way.
    """
    target = -(-min(parts(batch * blocks * lines * line, LINE_GRAIN), 32) // batch)
    cuts = min((-(-lines // cut), cut) for cut in range(1, min(target, lines) + 1))[1]
    return cuts, min(-(-target // cuts), blocks)


def dense(geometry, data, filters, result, plain, fields):
    """Returns the Call of a convolution with all channels and all filters.

    plain: whether the data is an image without blocks.
    """
    batch, channels, height, width = data.shape
    out_height, out_width = result.shape[2:]
    example = getattr(batch, "value", batch)
    cuts, shares = division(geometry, example, channels, filters, out_height, out_width)
    step_y, step_x = geometry.stride
    return Call(Phase("convolve_blocks", data.dtype, batch * cuts * shares, batch=batch,
                      channels=channels // geometry.groups, filters=filters, groups=geometry.groups, height=height,
                      width=width, out_height=out_height, out_width=out_width, taps_y=geometry.kernel[0],
                      taps_x=geometry.kernel[1], step_y=step_y, step_x=step_x, apart_y=geometry.dilate[0],
                      apart_x=geometry.dilate[1], pad_y=geometry.pad[0], pad_x=geometry.pad[1], plain=int(plain),
                      cuts=cuts, shares=shares, **fields))


@lru_cache(1024)
def division(geometry, batch, channels, filters, height, width):
    """Returns (pieces of an image's windows, shares of the filters)."""
    taps = math.prod(geometry.kernel)
    joint = min(geometry.groups, max(1, LANES // 2 * geometry.groups // filters))   # groups of a panel of 8 filters
    depth, panels = channels // geometry.groups * joint * taps, -(-filters // TILE)
    one_line = taps == 1 and geometry.stride == (1, 1) and not any(geometry.pad)
    lines, each_line = (-(-height * width // ROWS), ROWS) if one_line else (height, width)

    def time(cuts, shares):
        some = -(-lines // cuts)
        copy = 0 if one_line else (some + geometry.kernel[0]) * width * channels / LANES
        return finished(batch * cuts * shares, some * each_line * 2 * -(-panels // shares) * depth + copy + START)
    return min((time(cuts, shares), cuts, shares) for shares in range(1, min(8, panels) + 1)
               for cuts in sorted({-(-lines // each) for each in range(1, lines + 1)}) if cuts <= 32)[1:]


# -- conversion and pooling ------------------------------------------------------------------------------------------

@kernel_for("_to_blocks")
def to_blocks(op, inputs, outputs):
    return _layout("to_blocks", inputs[0], outputs[0])


@kernel_for("_from_blocks")
def from_blocks(op, inputs, outputs):
    return _layout("from_blocks", outputs[0], inputs[0])


def _layout(name, plain, blocked):
    batch, channels = plain.shape[:2]
    count = min(parts(size(blocked)), batch * blocked.shape[1])
    return reals(plain, blocked) or Call(Phase(name, plain.dtype, count, batch=batch, channels=channels,
                                               size=math.prod(plain.shape[2:])))


@kernel_for("_pool_blocks")
def pool_blocks(op, inputs, outputs):
    data, batch = inputs[0], inputs[0].shape[0]
    count = min(parts(size(data)), batch * data.shape[1])
    fields = {"size": math.prod(data.shape[2:4]), "mean": int(op.pooling.pool_type == "avg")}
    return reals(data, *outputs) or Call(Phase("pool_blocks", data.dtype, count, batch=batch, channels=op.channels,
                                               **fields))
