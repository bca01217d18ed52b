"""Products of integers: fully connected layers, and what they share with convolutions (see csrc/quantized/matrix.h)."""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from minigluon.backend import Spec

from ... import engine
from ...engine import Call, Phase
from ...strides import layer_rows
from ..integer_steps import TYPES, not_reals
from ..registry import finished, kernel_for, parts

__all__ = ["Sizes", "kind", "layer_of", "multiplying", "packed_length", "packing", "product_call", "rows_of"]

LANES = {"avx512": 16, "avx2": 8, "baseline": 4}
PARTS = 24                  # the maximum number of parts
MACS = 2 ** 20              # the number of multiplications in a part, which takes about 10 microseconds
SPEED, START, READ = 100, 3000, 1 / 16      # multiplications per cycle, and cycles per part and per byte


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
    def quads(self):
        """Returns the number of groups of four bytes in a window."""
        joined = self.taps_x if self.apart_x == 1 else 1
        return self.taps_y * self.taps_x // joined * -(-joined * self.channels // self.groups // 4)


def rows_of(rows, depth, columns):
    """Returns the Sizes of a matrix product."""
    return Sizes(1, 1, 1, rows, depth, 1, rows, columns)


def kind():
    """Returns the way to multiply: "quads" with AVX512-VNNI, else "". Packed weights depend on it."""
    return "quads" if engine.multiplies_bytes() else ""


def _name(name):
    return f"{name}_in_{kind()}" if kind() else name


# -- packing --------------------------------------------------------------------------------------------------------

def _panel():
    """Returns (filters of a panel, bytes of four weights)."""
    return 2 * LANES[engine.isa()], 4 if kind() else 8


def packed_length(sizes):
    """Returns the number of bytes of packed weights and the sum of each filter."""
    if sizes.is_depthwise:
        return 4 * sizes.taps_y * sizes.taps_x * sizes.channels
    columns, width = _panel()
    panels = sizes.groups * -(-sizes.filters // sizes.groups // columns)
    return panels * sizes.quads * columns * width + 4 * sizes.filters


def packing(sizes, weight, packed):
    """Returns the Phase that packs. weight, packed: indices of arrays."""
    if sizes.is_depthwise:
        return Phase("pack_channels_of_integers", None, 1, channels=sizes.channels, taps=sizes.taps_y * sizes.taps_x,
                     weight=weight, packed=packed)
    columns, _ = _panel()
    panels = sizes.groups * -(-sizes.filters // sizes.groups // columns)
    return Phase(_name("pack_integers"), None, min(panels, 64), groups=sizes.groups, filters=sizes.filters,
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
    cuts, shares = _division(sizes, _panel()[0])
    return Phase(_name("multiply_integers"), None, sizes.batch * sizes.groups * cuts * shares
                 if sizes.batch * sizes.groups * cuts * shares <= engine.MAX_PARTS else PARTS,
                 cuts=cuts, shares=shares, **fields)


@lru_cache(1024)
def _division(sizes, columns):
    """Returns (pieces of an image's lines or pixels, shares of a group's filters)."""
    each = sizes.filters // sizes.groups
    panels, images = -(-each // columns), sizes.batch * sizes.groups
    one_line = sizes.out_height == sizes.taps_y == sizes.taps_x == sizes.step_x == 1 and not sizes.pad_x
    units, unit = (-(-sizes.out_width // 14), 14) if one_line else (sizes.out_height, sizes.out_width)
    weights = sizes.quads * 4 * each
    data = sizes.height * sizes.width * sizes.channels // sizes.groups
    most = max(1, min(parts(images * units * unit * each * sizes.quads * 4, MACS, PARTS) // images, PARTS))

    def time(cuts, shares):
        some = -(-units // cuts) * unit * -(-panels // shares) * columns * sizes.quads * 4
        reading = (cuts * weights + shares * data) * images * READ
        return finished(images * cuts * shares, some / SPEED + START) + reading
    return min((time(cuts, shares), cuts, shares) for shares in range(1, min(most, panels) + 1)
               for cuts in range(1, min(-(-most // shares), units) + 1))[1:]


def layer_of(op):
    """Returns the indices (bias or -1, first range) among a layer's inputs."""
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
