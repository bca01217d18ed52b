"""Sampling of images at the points of a grid."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from ..... import symbol as sym
from ..table import operator

if TYPE_CHECKING:
    from .....symbol import Symbol
    from ..call import Call

MODES = {"bilinear": "linear", "bicubic": "cubic"}          # the names of the modes until opset 19
CUBIC = -0.75


@operator("GridSample")
def grid_sample(call: Call) -> Symbol:
    """Maps X (N, C, *space) and grid (N, *out, axes) to (N, C, *out).

    The grid ranges from -1 to 1, and its coordinates begin with the last axis of space.
    """
    mode = call.choice("mode", "linear", "nearest", "cubic", "bilinear", "bicubic")
    padding = call.choice("padding_mode", "zeros", "border", "reflection")
    aligned, count = call.attribute("align_corners", 0), call.rank() - 2
    grid = call.data(1)
    near = []
    for axis in range(count):
        length = call.length(axis + 2)
        at = sym.squeeze(sym.slice_axis(grid, axis=-1, begin=count - 1 - axis, end=count - axis), axis=count + 1)
        at = (at + 1) * ((length - 1) / 2) if aligned else (at + 1) * (length / 2) - 0.5
        near.append(_neighbours(at, _Border(length, padding, aligned), MODES.get(mode, mode)))
    image = sym.transpose(call.data(), axes=(0, *range(2, count + 2), 1))
    number = sym.reshape(sym.contrib.arange_like(grid, axis=0), shape=(-1,) + (1,) * count)
    total = None
    for corner in itertools.product(*near):
        rows = [place for place, _ in corner]
        pixels = sym.gather_nd(image, sym.stack(sym.broadcast_add(number, sym.zeros_like(rows[0])), *rows, axis=0))
        for _, weight in corner:
            if weight is not None:
                pixels = sym.broadcast_mul(pixels, sym.cast(sym.expand_dims(weight, axis=-1), dtype=call.dtype().name))
        total = pixels if total is None else total + pixels
    return sym.transpose(total, axes=(0, count + 1, *range(1, count + 1)))


class _Border:
    """The padding mode of a GridSample, which applies beyond the ends of an axis."""

    def __init__(self, length, padding, aligned):
        self.last, self.padding = length - 1, padding
        self.low, self.high = (0, length - 1) if aligned else (-0.5, length - 0.5)

    def brought_inside(self, at):
        """Returns positions inside the axis as fractions; with zero padding, they stay outside."""
        if self.padding == "border":
            return sym.clip(at, a_min=0, a_max=self.last)
        return self.reflected(at) if self.padding == "reflection" else at

    def reflected(self, at):
        """Returns `at`, mirrored at both ends until it lies between them."""
        reach = self.high - self.low
        return self.high - sym.abs((at - self.low) % (2 * reach) - reach) if reach else sym.zeros_like(at)

    def element(self, place, weight):
        """Returns (element, weight) for an integer position, which may be outside the axis."""
        if self.padding == "zeros":
            exists = (place >= 0) * (place <= self.last)
            weight = exists if weight is None else weight * exists
        elif self.padding == "reflection":
            place = self.reflected(place)
        return sym.clip(place, a_min=0, a_max=self.last), weight


def _neighbours(at, border, mode):
    """Returns [(position, weight)] for the elements that are interpolated along one axis."""
    at = border.brought_inside(at)
    if mode == "nearest":
        return [border.element(_to_even(at), None)]
    first = sym.floor(at)
    part = at - first
    if mode == "linear":
        return [border.element(first, 1 - part), border.element(first + 1, part)]
    distances = [part + 1, part, 1 - part, 2 - part]
    return [border.element(first + step, _cubic(distance, 1 <= step + 1 <= 2))
            for step, distance in zip(range(-1, 3), distances, strict=True)]


def _to_even(at):
    """Returns the nearest integer, with halves rounded to even."""
    above = sym.floor(at + 0.5)
    return above - (above - at == 0.5) * (above % 2)


def _cubic(d, inner):
    """Returns Keys's cubic kernel for a distance below 1 (inner) or from 1 to 2."""
    if inner:
        return ((CUBIC + 2) * d - (CUBIC + 3)) * d * d + 1
    return ((CUBIC * d - 5 * CUBIC) * d + 8 * CUBIC) * d - 4 * CUBIC
