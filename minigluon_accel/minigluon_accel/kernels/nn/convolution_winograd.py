"""Convolutions with fewer multiplications, for 3 x 3 and 5 x 5 filters with stride 1.

csrc/nn/convolution_winograd.h derives them. `convolution` calls `forward`, `data_gradient` and `weight_gradient`. Each
of them returns a Call, or None if this method is not applicable or does not pay off. `places` holds the indices of the
arrays among those of the call; "stash" is its scratch, the first buffer after the outputs. "bias", if given, is added
to the result. "mask", if given, has the shape of the gradient of the result, which is used only where the mask is
greater than 0.

Rounding: the error of a result is proportional to the *largest* numbers in a patch, not to the terms of its own sum.
With normally distributed numbers and 96 channels in float32, the root mean square error relative to that of the results
is 9.0e-7 for 3 x 3 filters and 1.1e-6 for 5 x 5, compared with 5.3e-7 and 8.9e-7 for a sequential sum in the same type;
the largest error among a few thousand is 9 times as large. If a result is not finite, which its neighbors can cause
here, the reference computes it.
"""

import math
from typing import NamedTuple

from minigluon.ops.shapes import Spec

from ...engine import Call, Phase
from ..registry import parts, reals

__all__ = ["data_gradient", "forward", "weight_gradient"]

PATCH, POINTS = 6, 36
# For the widest instruction set. Other instruction sets need less scratch memory, except for the sums of a weight
# gradient.
WIDE, PAIR, ROWS = 16, 32, 8
PAIR_SIZES = 32, 16, 8, 4
NAMES = "data", "mask", "weight", "kept", "bias", "other", "out", "stash"      # a convolution's arrays

# Chosen by measurement; the working set roughly fits in the second-level cache.
TILES, PAIRS = 80, 2    # how many tiles, and pairs of filter vectors, are processed together
VALUES = 2 ** 20        # the number of elements in a block of strips, for a weight gradient
GRAIN = 2 ** 14         # the number of vector multiplications in a part of about 5 microseconds
MAX_TILES = 256        # the maximum number of tiles in a strip that is not divided
# The cost of a transform of 16 channels of a tile, or of 16 x 16 filters, in vector multiplications.
TILE_WORK, FILTER_WORK = 2 ** 8, 2 ** 12
GAIN = 1.1              # the ratio above which the direct method needs too many multiplications


class Tiles(NamedTuple):
    """The tiling of an output: tiles of size x size, strips of `each` tiles, strips_each per image, `strips` in
    total."""

    size: int
    strips_each: int
    each: int
    strips: int


def forward(geometry, data, weight, out, places, relu=False):
    """Returns the Call of out = the convolution of data with weight, plus the bias if there is one, then relu if set.

    places: {"data": 0, "weight": 1, "bias": 2, "out": 3, "stash": 4}.
    """
    if not _applies(geometry, data, weight, out) or not _pays(data, weight, out, ROWS):
        return None
    return _convolution(data, weight, out, geometry.pad, places, False, relu)


def data_gradient(geometry, grad, weight, data, places):
    """Returns the Call of the data gradient. places: {"data": that of grad, "weight", "mask", "out", "stash"}.

    It is a convolution of grad with the filters rotated by 180 degrees.
    """
    pad = tuple(k - 1 - p for k, p in zip(geometry.kernel, geometry.pad, strict=True))
    if not _applies(geometry, grad, weight, data) or min(pad) < 0 or not _pays(grad, weight, data, ROWS):
        return None
    return _convolution(grad, weight, data, pad, places, True, False)


def weight_gradient(geometry, grad, data, weight, places):
    """Returns the Call of the weight gradient. places: {"grad", "data", "mask", "out", "stash"}.

    A second scratch buffer may follow stash.
    """
    if not _applies(geometry, data, weight, grad) or not _pays(data, weight, grad, 1):
        return None
    channels, filters, tiles, dtype = data.shape[1], grad.shape[1], _tiles(weight, grad), data.dtype
    depth = _round_up(channels, WIDE) + _round_up(filters, PAIR)
    values = tiles.strips * tiles.each * depth * POINTS
    sums = max(_sums(channels, filters, pair) for pair in PAIR_SIZES)
    one = values < max(1.5 * VALUES, VALUES + sums)     # whether separate blocks and their sums would need more memory
    blocks = 1 if one else -(-values // VALUES)
    at_once = -(-tiles.strips // min(blocks, tiles.strips))
    most = at_once * tiles.each
    products = -(-channels // PAIR) * -(-filters // PAIR)
    names = "grad", "mask", "data", "out", "stash"
    sizes = {**{name: places.get(name, -1) for name in names}, "sums": places["stash"] + 1,
             **_sizes(data, grad, geometry.pad, tiles)}
    phases = []
    for first in range(0, tiles.strips, at_once):
        last = min(first + at_once, tiles.strips)
        fields = dict(**sizes, first=first, last=last, tiles=most, begins=first == 0, ends=last == tiles.strips)
        phases += [Phase("winograd_values", dtype, _parts(most * TILE_WORK, depth // WIDE), **fields),
                   Phase("winograd_outer", dtype, _parts(most * POINTS * PAIR * PAIR // WIDE, products), **fields)]
    scratch = [Spec((POINTS * (depth * most + 2 * WIDE),), dtype)]
    if len(phases) > 2:
        scratch.append(Spec((sums,), dtype))
    return Call(*phases, scratch=scratch)


def with_saved_filters(geometry, data, weight, out, places, bias_at, relu, cap):
    """Returns the same Call as `forward`, but for transformed filters that `filters_phase` has computed.

    The bias is in the same array, from index bias_at on. places: {"data", "kept", "bias", "other", "out", "stash"};
    other: the addend's index, or -1.
    """
    return _convolution(data, weight, out, geometry.pad, places, False, relu, bias_at, cap)


def filters_phase(weight, places):
    """Returns the Phase that transforms the filters. places: {"weight", "stash": of the result}."""
    filters, channels = weight.shape[:2]
    like = Spec((1, channels, 1, 1), weight.dtype), Spec((1, filters, 1, 1), weight.dtype)
    fields = {**{name: places.get(name, -1) for name in NAMES}, **_sizes(*like, (0, 0), _tiles(weight, like[1])),
              "bias_at": 0, "turned": False, "relu": False, "cap": 0.0, "strips": 1, "pairs": 1}
    count = _parts(FILTER_WORK, 2 * -(-filters // PAIR) * -(-channels // WIDE))
    return Phase("winograd_filters", weight.dtype, count, **fields)


def length_of_filters(shape):
    """Returns the number of elements of the transformed filters. shape: the weight's shape."""
    return -(-shape[0] // PAIR) * POINTS * (_round_up(shape[1], WIDE) * PAIR + WIDE)


def pays_when_saved(geometry, data, weight, out, byte):
    """Returns whether this method is better if transformed filters are saved. byte: the cost of reading a byte, in
    multiplications."""
    if not _applies(geometry, data, weight, out):
        return False
    filled, direct = _work(data, weight, out, ROWS)
    size = weight.dtype.itemsize
    return filled + byte * size * length_of_filters(weight.shape) < direct + byte * size * math.prod(weight.shape)


def _sums(channels, filters, pair):
    """Returns the number of sums for pairs of vectors of this size; products are padded to suit the caches."""
    return -(-channels // pair) * -(-filters // pair) * POINTS * (pair * pair + pair // 2)


def _applies(geometry, data, weight, out):
    """Returns whether the method supports the convolution and none of its arrays are empty."""
    return (geometry.kernel in ((3, 3), (5, 5)) and set(geometry.stride) == set(geometry.dilate) == {1}
            and geometry.groups == 1 and not geometry.last and not reals(data, weight, out)
            and 0 not in (*data.shape, *weight.shape, *out.shape))


def _pays(data, weight, out, rows):
    """Returns whether this method saves enough multiplications. Vectors of channels and filters, and `rows`, are
    padded."""
    filled, direct = _work(data, weight, out, rows)
    return direct >= GAIN * filled


def _work(data, weight, out, rows):
    """Returns (multiplications of this method, and of the direct method)."""
    tiles = _tiles(weight, out)
    direct = math.prod(out.shape) * data.shape[1] * weight.shape[2] * weight.shape[3]
    filled = (POINTS * _round_up(data.shape[1], WIDE) * _round_up(out.shape[1], PAIR)
              * _round_up(tiles.strips * tiles.each, rows))
    return filled if tiles.each <= MAX_TILES else math.inf, direct


def _tiles(weight, out):
    size = PATCH + 1 - weight.shape[2]
    strips_each, each = -(-out.shape[2] // size), -(-out.shape[3] // size)
    return Tiles(size, strips_each, each, out.shape[0] * strips_each)


def _sizes(data, out, pad, tiles):
    """Returns the fields shared by both kernels."""
    batch, channels, height, width = data.shape
    return {"batch": batch, "channels": channels, "height": height, "width": width, "filters": out.shape[1],
            "out_height": out.shape[2], "out_width": out.shape[3], "pad_y": pad[0], "pad_x": pad[1],
            "tile": tiles.size}


def _round_up(n, unit):
    return -(-n // unit) * unit


def _parts(work, count):
    """Returns the number of parts into which to divide `count` items with this much work each."""
    return min(parts(work * count, GRAIN), count)


def _strips_at_a_time(tiles):
    """Returns the number of strips in a block, such that blocks have at most TILES tiles and few padding rows, and are
    shared evenly."""
    def time(n):
        blocks = -(-tiles.strips // n)
        return -(-blocks // 2) * _round_up(n * tiles.each, ROWS)
    return min(range(1, max(min(tiles.strips, TILES // tiles.each), 1) + 1), key=lambda n: (time(n), -n))


def _convolution(data, weight, out, pad, places, turned, relu, bias_at=0, cap=0.0):
    tiles, dtype, has_filters = _tiles(weight, out), data.dtype, "kept" in places
    at_once = _strips_at_a_time(tiles)
    blocks = -(-tiles.strips // at_once)
    pairs, vectors = -(-out.shape[1] // PAIR), -(-data.shape[1] // WIDE)
    group = PAIRS if pairs >= 2 * PAIRS else 1
    fields = {**{name: places.get(name, -1) for name in NAMES}, **_sizes(data, out, pad, tiles), "bias_at": bias_at,
              "turned": turned, "relu": relu, "cap": cap, "strips": at_once, "pairs": group}
    rows = _round_up(at_once * tiles.each, ROWS)
    work = POINTS * rows * PAIR * vectors       # the cost of a block for a pair of filters, in vector multiplications
    groups = -(-pairs // group)
    if tiles.strips * tiles.each > out.shape[1] or has_filters and groups < 2:
        size = 0 if has_filters else length_of_filters((out.shape[1], data.shape[1]))
        phases = (Phase("winograd_by_tiles", dtype, _parts(work * pairs, blocks), **fields),)
        if not has_filters:
            phases = (Phase("winograd_filters", dtype, _parts(FILTER_WORK, 2 * pairs * vectors), **fields), *phases)
    else:
        size = blocks * POINTS * (vectors * rows * WIDE + WIDE)
        phases = (Phase("winograd_data", dtype, _parts(rows * TILE_WORK, vectors * blocks), **fields),
                  Phase("winograd_by_filters", dtype, _parts(work * group * blocks, groups), **fields))
    return Call(*phases, scratch=[Spec((size,), dtype)])
