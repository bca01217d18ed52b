"""Bilinear interpolation of planes at given points, its adjoint, and its derivatives with respect to the points.

A point (y, x) lies between four elements. Each has the weight (1 - |y - row|) · (1 - |x - column|); an element beyond
the edge counts as zero. An operator that extends the edges first moves such points onto the edge (see `inside`).
"""

import numpy as np

__all__ = ["Points", "inside", "points_between"]


def inside(at, length, reach=1):
    """Moves points along an axis into [0, length - 1], or away from all elements if they are more than `reach` outside.

    At the end of the axis, points up to length - 1 + reach are moved onto the last element.
    """
    moved = np.clip(at, 0, max(length - 1, 0))
    return np.where((at >= -reach) & (at <= length - 1 + reach), moved, at.dtype.type(-2))


def points_between(at, length):
    """Returns (lower element, distance to it) along an axis; points far outside and NaN become -2."""
    at = np.where((at > -1) & (at < length), at, at.dtype.type(-2))
    low = np.floor(at)
    return low.astype(np.int64), at - low


class Points:
    """Points of any shape P in planes (h, w): the four elements around each and their weights, as arrays (4, *P)."""

    def __init__(self, y, x, h, w):
        (top, down), (left, right) = points_between(y, h), points_between(x, w)
        rows, columns = np.stack([top, top, top + 1, top + 1]), np.stack([left, left + 1, left, left + 1])
        there = (rows >= 0) & (rows < h) & (columns >= 0) & (columns < w)
        self.size, self.index = h * w, np.where(there, rows * w + columns, 0)
        up, back = 1 - down, 1 - right
        self.weight = np.where(there, np.stack([up * back, up * right, down * back, down * right]), 0)
        self.by_y = np.where(there, np.stack([-back, -right, back, right]), 0)
        self.by_x = np.where(there, np.stack([-up, up, -down, down]), 0)
        self.there = there

    def _combined(self, planes, weights):
        """Returns Σ weight · element over the four elements; those beyond the edge are not read."""
        total = 0
        for index, weight, there in zip(self.index, weights, self.there, strict=True):
            values = np.take(planes, index, 1) * weight
            total = total + (values if there.all() else np.where(there, values, values.dtype.type(0)))
        return total

    def of(self, planes):
        """Returns the planes (C, h · w) at the points: (C, *P)."""
        return self._combined(planes, self.weight)

    def slopes(self, planes):
        """Returns the derivatives of `of` with respect to y and x, each (C, *P)."""
        return self._combined(planes, self.by_y), self._combined(planes, self.by_x)

    def spread(self, grad):
        """Computes the adjoint of `of`: grad (C, *P) to planes (C, h · w)."""
        count = len(grad)
        places = self.index.reshape(4, 1, -1) + np.arange(count).reshape(1, -1, 1) * self.size
        values = self.weight.reshape(4, 1, -1) * grad.reshape(1, count, -1)
        values = np.where(self.there.reshape(4, 1, -1), values, 0)
        out = np.bincount(places.ravel(), values.ravel(), count * self.size)
        return out.reshape(count, self.size).astype(grad.dtype)
