"""Operators that move elements without changing them."""

import math

import numpy as np

from .fields import Shape
from .op import Op
from .registry import register
from .shapes import is_known, size_of

__all__ = ["Flatten", "Reshape", "transpose"]


@register("data", aliases=["reshape"])
class Reshape(Op):
    """The same elements in another shape.

    Codes in `shape`: 0 copies a dimension, -1 is computed from the rest, -2 copies all that remain, -3 joins two,
    -4 splits one into the two numbers that follow (one of them may be -1). With reverse=True the codes are read
    from the right.
    """

    shape: Shape = ()
    reverse: bool = False
    target_shape: Shape = ()
    keep_highest: bool = False
    keeps = ("shapes",)

    def infer_shape(self, data):
        if not is_known(data):
            return [data], [None]
        codes = self.shape
        if self.target_shape and not codes:
            codes = (data[0], *self.target_shape[1:]) if self.keep_highest else self.target_shape
            codes = tuple(-1 if c == 0 else c for c in codes)
        out = self._decode(data[::-1], codes[::-1])[::-1] if self.reverse else self._decode(data, codes)
        if size_of(out) != size_of(data):
            raise self.shape_clash(f"data {data} has {size_of(data)} elements, but shape={self.shape} asks for {out}, "
                                   f"which has {size_of(out)}", "data")
        return [data], [out]

    def _decode(self, source, codes):
        """The target shape. `source` is consumed from the left, in step with `codes`."""
        out, taken, codes = [], 0, list(codes)
        if self.reverse:                                # a split's code stands after its numbers when reversed
            for i in [i for i, c in enumerate(codes) if c == -4]:
                codes[i - 2:i + 1] = [-4, codes[i - 2], codes[i - 1]]
        while codes:
            code = codes.pop(0)
            if code in (0, -3, -4) and taken + (code == -3) >= len(source):
                raise self.shape_clash(f"shape={self.shape} refers to more dimensions than data {source} has", "data")
            if code == -2:
                out += source[taken:]
                taken = len(source)
            elif code == -3:
                out.append(source[taken] * source[taken + 1])
                taken += 2
            elif code == -4:
                out += self._split(source[taken], codes.pop(0), codes.pop(0))
                taken += 1
            else:
                out.append(source[taken] if code == 0 else code)
                taken += 1
        return self._fill(source, out)

    def _split(self, whole, first, second):
        first = whole // second if first == -1 else first
        second = whole // first if second == -1 else second
        if first * second != whole:
            raise self.shape_clash(f"shape={self.shape} cannot split {whole} into {first} x {second}", "data")
        return [first, second]

    def _fill(self, source, out):
        if out.count(-1) > 1:
            raise self.shape_clash(f"shape={self.shape} has more than one -1")
        if -1 in out:
            rest = math.prod(n for n in out if n != -1)
            out[out.index(-1)] = size_of(source) // rest if rest else 0
        return tuple(out)

    def forward(self, data):
        return data.reshape(self.infer_shape(data.shape)[1][0]).copy()

    def gradient(self, F, out_grads, inputs, outputs):
        return F.reshape_like(out_grads[0], inputs[0])


@register("lhs", "rhs")
class reshape_like(Op):
    """The elements of lhs in the shape of rhs, or axes lhs_begin:lhs_end of lhs in that of rhs_begin:rhs_end."""

    lhs_begin: int | None = None
    lhs_end: int | None = None
    rhs_begin: int | None = None
    rhs_end: int | None = None
    keeps = ("shapes",)

    def infer_shape(self, lhs, rhs):
        if not (is_known(lhs) and is_known(rhs)):
            return [lhs, rhs], [None]
        left, right = slice(self.lhs_begin, self.lhs_end), slice(self.rhs_begin, self.rhs_end)
        a, b, _ = left.indices(len(lhs))
        out = lhs[:a] + rhs[right] + lhs[max(a, b):]
        if size_of(out) != size_of(lhs):
            raise self.shape_clash(f"lhs {lhs} has {size_of(lhs)} elements, but the result {out} has {size_of(out)}")
        return [lhs, rhs], [out]

    def infer_dtype(self, lhs, rhs):
        return [lhs, rhs], [lhs]

    def forward(self, lhs, rhs):
        return lhs.reshape(self.infer_shape(lhs.shape, rhs.shape)[1][0]).copy()

    def gradient(self, F, out_grads, inputs, outputs):
        return [F.reshape_like(out_grads[0], inputs[0]), None]


@register("data", aliases=["flatten"])
class Flatten(Op):
    """data (N, ...) | out (N, the rest as one axis)"""

    keeps = ("shapes",)

    def infer_shape(self, data):
        if data is None:
            return [None], [None]
        rest = data[1:]
        return [data], [(data[0], None if None in rest else size_of(rest))]

    def forward(self, data):
        return data.reshape(data.shape[0], size_of(data.shape[1:])).copy()

    def gradient(self, F, out_grads, inputs, outputs):
        return F.reshape_like(out_grads[0], inputs[0])


@register("data")
class transpose(Op):
    """Axes in the order `axes`; reversed when axes is ()."""

    axes: Shape = ()
    keeps = ()

    def _order(self, ndim):
        if self.axes and sorted(a % ndim if -ndim <= a < ndim else a for a in self.axes) != list(range(ndim)):
            raise self.shape_clash(f"axes={self.axes} is not an order of the {ndim} axes of data")
        return tuple(a % ndim for a in self.axes) or tuple(reversed(range(ndim)))

    def infer_shape(self, data):
        if data is None:
            return [None], [None]
        return [data], [tuple(data[a] for a in self._order(len(data)))]

    def forward(self, data):
        # `copy` rather than `ascontiguousarray`: the result must own its memory even when nothing moves
        return data.transpose(self._order(data.ndim)).copy()

    def gradient(self, F, out_grads, inputs, outputs):
        inverse = tuple(int(a) for a in np.argsort([a % len(self.axes) for a in self.axes]))
        return F.transpose(out_grads[0], axes=inverse)
