"""Convolutions with fewer multiplications, for filters of 3 x 3 and 5 x 5 with stride 1: see csrc/winograd.h.

`forward`, `data_gradient` and `weight_gradient` are asked by `convolution`. Each returns a Call, or None where this way
does not apply or does not pay. They take the places of arrays among those of the call, by name: "bias", if given, is
added to the result; "mask" has the shape of the gradient, which counts where the mask is greater than 0.
"""

from minigluon.ops.shapes import Spec

from ..engine import Call, Phase
from .registry import reals

__all__ = ["data_gradient", "forward", "weight_gradient"]

SIDE, POINTS = 6, 36
# Of the widest instruction set; others need less memory.
WIDE, PAIR, ROWS = 16, 32, 8

# Chosen by measurement; what is in use at a time fits the second-level cache, more or less.
TILES, PAIRS = 64, 2    # tiles and pairs of vectors of filters
VALUES = 2 ** 20        # of a block, for a weight gradient


def forward(geometry, data, weight, out, places, relu=False):
    """out = the convolution of data with weight, plus the bias if there is one; max(0, ·) of that if relu.

    places: {"data": 0, "weight": 1, "bias": 2, "out": 3, "stash": 4}, the last one of the Call's scratch.
    """
    if not _applies(geometry, data, weight, out):
        return None
    return _convolution(data, weight, out, geometry.pad, places, False, relu)


def data_gradient(geometry, grad, weight, data, places):
    """The gradient at data from that at the result. places: {"data": of grad, "weight", "out": of the result, "stash"}.

    It is a convolution of grad with the filters turned by half.
    """
    if not _applies(geometry, grad, weight, data):
        return None
    pad = tuple(k - 1 - p for k, p in zip(geometry.kernel, geometry.pad, strict=True))
    return None if min(pad) < 0 else _convolution(grad, weight, data, pad, places, True, False)


def _applies(geometry, data, weight, out):
    return (len(geometry.kernel) == 2 and geometry.kernel in ((3, 3), (5, 5)) and set(geometry.stride) == {1}
            and set(geometry.dilate) == {1} and geometry.groups == 1 and not geometry.last
            and not reals(data, weight, out) and 0 not in (*data.shape, *weight.shape, *out.shape))


def _round_up(n, unit):
    return -(-n // unit) * unit


def strips_at_a_time(strips, tiles_each, most):
    """How many strips to work on at a time, so that few rows of products are wasted and about `most` tiles are enough."""
    def rows(n):
        whole, rest = divmod(strips, n)
        return whole * _round_up(n * tiles_each, ROWS) + _round_up(rest * tiles_each, ROWS)
    return min(range(1, max(min(strips, most // tiles_each), 1) + 1), key=lambda n: (rows(n), -n))


def _convolution(data, weight, out, pad, places, turned, relu):
    (batch, channels, height, width), (_, filters, out_height, out_width) = data.shape, out.shape
    tile = SIDE + 1 - weight.shape[2]
    strips_each, tiles_each = -(-out_height // tile), -(-out_width // tile)
    strips, dtype = batch * strips_each, data.dtype
    at_once = strips_at_a_time(strips, tiles_each, TILES)
    group = PAIRS
    pairs, vectors, blocks = -(-filters // PAIR), -(-channels // WIDE), -(-strips // at_once)
    places = {name: places.get(name, -1) for name in ("data", "mask", "weight", "bias", "out", "stash")}
    fields = dict(**places, batch=batch, channels=channels, height=height, width=width, filters=filters,
                  out_height=out_height, out_width=out_width, pad_y=pad[0], pad_x=pad[1], tile=tile,
                  turned=turned, relu=relu, strips=at_once, pairs=group)
    if strips * tiles_each > filters:
        size = pairs * POINTS * (vectors * WIDE * PAIR + WIDE)
        phases = (Phase("winograd_filters", dtype, min(2 * pairs * vectors, 64), **fields),
                  Phase("winograd_by_tiles", dtype, blocks, **fields))
    else:
        size = blocks * POINTS * (vectors * _round_up(at_once * tiles_each, ROWS) * WIDE + WIDE)
        phases = (Phase("winograd_data", dtype, min(vectors * blocks, 64), **fields),
                  Phase("winograd_by_filters", dtype, -(-pairs // group), **fields))
    return Call(*phases, scratch=[Spec((size,), dtype)])


def weight_gradient(geometry, grad, data, weight, places):
    """The gradient at weight from that at the result. places: {"grad", "data", "out": of the result, "stash"}.

    A second buffer of scratch may follow stash.
    """
    if not _applies(geometry, data, weight, grad):
        return None
    (batch, channels, height, width), (_, filters, out_height, out_width) = data.shape, grad.shape
    tile = SIDE + 1 - weight.shape[2]
    strips_each, tiles_each = -(-out_height // tile), -(-out_width // tile)
    strips, dtype = batch * strips_each, data.dtype
    depth = _round_up(channels, WIDE) + _round_up(filters, PAIR)
    values = strips * tiles_each * depth * POINTS
    blocks = 1 if values < 1.5 * VALUES else -(-values // VALUES)
    at_once = -(-strips // min(blocks, strips))
    tiles = at_once * tiles_each
    places = {name: places.get(name, -1) for name in ("grad", "mask", "data", "out", "stash")}
    places["sums"] = places["stash"] + 1
    parts = -(-channels // PAIR) * -(-filters // PAIR)
    phases = []
    for first in range(0, strips, at_once):
        last = min(first + at_once, strips)
        fields = dict(**places, batch=batch, channels=channels, height=height, width=width, filters=filters,
                      out_height=out_height, out_width=out_width, pad_y=geometry.pad[0], pad_x=geometry.pad[1], tile=tile,
                      first=first, last=last, tiles=tiles, begins=first == 0, ends=last == strips)
        phases += [Phase("winograd_values", dtype, min(depth // WIDE, 64), **fields),
                   Phase("winograd_outer", dtype, min(parts, 64), **fields)]
    scratch = [Spec((POINTS * (depth * tiles + 2 * WIDE),), dtype)]
    if len(phases) > 2:
        scratch.append(Spec((parts * POINTS * (PAIR * PAIR + WIDE),), dtype))
    return Call(*phases, scratch=scratch)
