"""Products of integers: fully connected layers, and what they share with convolutions (see csrc/quantized/matrix.h)."""

from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np

from minigluon.backend import Spec

from ... import engine
from ...engine import Call, Phase
from ...strides import layer_rows
from ..integer_steps import TYPES, not_reals
from ..registry import finished, kernel_for, parts

__all__ = ["Sizes", "layer_of", "multiplying", "packed_length", "packing", "product_call", "rows_of",
           "way_of"]

LANES = {"avx512": 16, "avx2": 8, "baseline": 4}
FILL = {"squares": 64, "quads": 4, "pairs": 4}          # bytes, of which runs are a multiple
ROWS = {"squares": 32, "quads": 14, "pairs": 6}         # windows of a tile
SPEED = {"squares": 250, "quads": 100, "pairs": 20, "patches": 40}      # multiplications per cycle
POINTS = 16                 # of a patch, see csrc/quantized/matrix_patches_bytes.c
PARTS = 24                  # maximum number of parts
GRAIN = 2 ** 14             # cycles of a part, at least
START, READ, STORE = 3000, 1 / 16, 1         # cycles per part, per byte that is read, and per result


class Sizes(NamedTuple):
    """The sizes of a convolution of images with channels last; a matrix is an image of one line."""

    batch: int
    groups: int
    height: int
    width: int
    channels: int
    out_height: int
    out_width: int
    filters: int
    taps_y: int = 1
    taps_x: int = 1
    step_y: int = 1
    step_x: int = 1
    apart_y: int = 1
    apart_x: int = 1
    pad_y: int = 0
    pad_x: int = 0

    @property
    def is_depthwise(self):
        """Returns whether each channel has one filter of its own."""
        return self.groups == self.channels == self.filters > 1

    @property
    def fills_squares(self):
        """Returns whether most bytes of a multiple of 64 would be used, for enough windows."""
        return self.batch * self.out_height * self.out_width >= 8 and self.quads(64) <= 2 * self.quads(4)

    @property
    def suits_patches(self):
        """Returns whether Winograd's convolution of integers is possible and has enough channels to be faster.

        4 times a sum of 9 products for each channel must fit in int32.
        """
        return (self.taps_y == self.taps_x == 3 and self[10:14] == (1, 1, 1, 1) and self.groups == 1
                and self.channels % 16 == 0 and self.channels <= 1024 and self.filters >= 16)

    def quads(self, fill):
        """Returns the number of groups of four bytes in a window, whose runs are a multiple of `fill` bytes."""
        joined = self.taps_x if self.apart_x == 1 else 1
        run = joined * self.channels // self.groups
        return self.taps_y * self.taps_x // joined * -(-run // fill) * fill // 4


def weight_sizes(sizes):
    """Returns Sizes that are the same for all images and batches with the same packed weight, so that plans share it.

    `way_of` asks only whether there are eight windows, and for the steps.
    """
    windows = min(sizes.batch * sizes.out_height * sizes.out_width, 8)
    return sizes._replace(batch=1, height=1, width=1, out_height=1, out_width=windows, pad_y=0, pad_x=0)


def rows_of(rows, depth, columns):
    """Returns the Sizes of a matrix product."""
    return Sizes(1, 1, 1, rows, depth, 1, rows, columns)


@cache
def ways(isa):
    """Returns the ways to multiply that this instruction set and the processor have, the fastest first."""
    return engine.byte_products(isa)


@cache
def has_patches(isa):
    """Returns whether an instruction set has the convolution of csrc/quantized/matrix_patches_bytes.c."""
    return (isa, "bytes", "multiply_integers_in_patches") in engine.kernels()


def way_of(sizes):
    """Returns the way to multiply, see csrc/quantized/matrix.h. Packed weights depend on it."""
    usable = ways(engine.isa())
    way = next(way for way in usable if way != "squares" or sizes.fills_squares)
    return "patches" if way == "pairs" and sizes.suits_patches and has_patches(engine.isa()) else way


def _named(name, way):
    return name if way == "pairs" else f"{name}_in_{way}"


# -- packing --------------------------------------------------------------------------------------------------------

def _panel(way):
    """Returns (filters of a panel, bytes of four weights)."""
    return 2 * LANES[engine.isa()], 8 if way in ("pairs", "patches") else 4


def packed_length(sizes):
    """Returns the number of bytes of packed weights and the sum of each filter."""
    if sizes.is_depthwise:
        return 4 * sizes.taps_y * sizes.taps_x * sizes.channels
    way = way_of(sizes)
    columns, width = _panel(way)
    panels = sizes.groups * -(-sizes.filters // sizes.groups // columns)
    quads = POINTS * sizes.channels // 4 if way == "patches" else sizes.quads(FILL[way])
    return panels * quads * columns * width + 4 * sizes.filters


def packing(sizes, weight, packed):
    """Returns the Phase that packs. weight, packed: indices of arrays."""
    if sizes.is_depthwise:
        return Phase("pack_channels_of_integers", None, 1, channels=sizes.channels, taps=sizes.taps_y * sizes.taps_x,
                     weight=weight, packed=packed)
    way = way_of(sizes)
    panels = sizes.groups * -(-sizes.filters // sizes.groups // _panel(way)[0])
    return Phase(_named("pack_integers", way), None, min(panels, 64), groups=sizes.groups, filters=sizes.filters,
                 channels=sizes.channels // sizes.groups, taps_y=sizes.taps_y, taps_x=sizes.taps_x,
                 apart_x=sizes.apart_x, weight=weight, packed=packed)


# -- multiplying ----------------------------------------------------------------------------------------------------

def multiplying(sizes, dtype, packed, out, bias, ranges, out_dtype, ends, rows=(), data=0):
    """Returns the Phase that multiplies.

    dtype: that of the data. packed, out, data: indices of arrays; bias: likewise, or -1. ranges: the index of the
    first of the ranges, of data, weight and bias. ends: indices of the result's range, -1 for none. rows: the rows of
    the operators that follow.
    """
    fields = dict(sizes._asdict(), type=TYPES[dtype], out_type=TYPES[out_dtype], data=data, packed=packed, bias=bias,
                  out=out, ranges=ranges, bias_ranges=ranges + 4, out_low=ends[0], out_high=ends[1],
                  operators=len(rows), rows=[n for row in rows for n in row])
    if sizes.is_depthwise:
        for name in "groups", "filters":
            del fields[name]
        lines = sizes.batch * sizes.out_height
        work = lines * sizes.out_width * sizes.channels * (sizes.taps_y * sizes.taps_x + 4)
        return Phase("convolve_channels_of_integers", None, min(max(1, parts(work, 2 ** 16, PARTS)), lines), cuts=1,
                     **fields)
    way = way_of(sizes)
    if way == "patches":                        # its lines are rows of patches
        lines = sizes._replace(out_height=-(-sizes.out_height // 2), out_width=2 * sizes.out_width)
        cuts, shares = _division(lines, _panel(way)[0], 1, SPEED[way])
    else:
        cuts, shares = _division(sizes, _panel(way)[0], ROWS[way], SPEED[way])
    return Phase(_named("multiply_integers", way), None, sizes.batch * sizes.groups * cuts * shares
                 if sizes.batch * sizes.groups * cuts * shares <= engine.MAX_PARTS else PARTS,
                 cuts=cuts, shares=shares, **fields)


@lru_cache(1024)
def _division(sizes, columns, rows, speed):
    """Returns (pieces of an image's lines or pixels, shares of a group's filters). columns, rows: of a tile."""
    each, depth = sizes.filters // sizes.groups, 4 * sizes.quads(4)
    panels, images = -(-each // columns), sizes.batch * sizes.groups
    one_line = sizes.out_height == sizes.taps_y == sizes.taps_x == sizes.step_x == 1 and not sizes.pad_x
    units, unit = (-(-sizes.out_width // rows), rows) if one_line else (sizes.out_height, sizes.out_width)
    data = sizes.height * sizes.width * sizes.channels // sizes.groups
    work = units * unit * each * (depth / speed + STORE)
    most = max(1, min(parts(int(images * work), GRAIN, PARTS) // images, PARTS))

    def time(cuts, shares):
        some = -(-units // cuts) * unit * -(-panels // shares) * columns * (depth / speed + STORE)
        reading = (cuts * depth * each + shares * data) * images * READ
        return finished(images * cuts * shares, some + START) + reading
    return min((time(cuts, shares), cuts, shares) for shares in range(1, min(most, panels) + 1)
               for cuts in range(1, min(-(-most // shares), units) + 1))[1:]


def layer_of(op):
    """Returns the indices (bias or -1, first range) among a layer's inputs. The bias of a fused layer is packed."""
    if op.name.startswith("_sg_"):
        return -1, op.list_arguments().index("min_data")
    return (-1, 2) if op.no_bias else (2, 3)


def product_call(op, sizes, inputs, outputs, turns=None):
    """Returns the Call of a layer that packs its weight each time. turns: (before, after), the functions
    `(source, out)` -> the Phases that move channels."""
    bias, ranges = layer_of(op)
    if reason := not_reals(*inputs[ranges:]):
        return reason
    out, data, scratch, before, after = len(inputs), 0, [Spec((packed_length(sizes),), np.dtype("int8"))], [], []
    packed, target = out + 3, out
    if turns is not None:
        data, target = out + 4, out + 5
        scratch += [inputs[0], outputs[0]]
        before, after = [turns[0](0, data)], [turns[1](target, out)]
    return Call(packing(sizes, 1, packed), *before,
                multiplying(sizes, inputs[0].dtype, packed, target, bias, ranges, outputs[0].dtype, (out + 1, out + 2),
                            data=data), *after, scratch=scratch)


@kernel_for("_contrib_quantized_fully_connected")
def quantized_fully_connected(op, inputs, outputs):
    if 0 in (*inputs[0].shape, *inputs[1].shape):
        return "no elements"
    columns, depth = inputs[1].shape
    return product_call(op, rows_of(layer_rows(op, inputs[0].shape), depth, columns), inputs, outputs)
