"""Operators that return the same elements, in the same order, with a different shape."""

import math

import numpy as np

from ..fields import Shape
from ..kinds import View
from ..registry import register
from ..remedies import to_reshape
from ..shapes import is_known, size_of

__all__ = ["Flatten", "Reshape", "expand_dims", "require_short_axes", "reshape_like", "squeeze"]

MOST = 2 ** 63 - 1          # the maximum number of elements along an axis in NumPy


def require_short_axes(op, shape):
    """Raises ShapeError for an axis too long for any array, which multiplying operators could lengthen further."""
    if any(isinstance(n, int) and n > MOST for n in shape):
        raise op.shape_clash("the result would have an axis of more than 2 ** 63 - 1 elements")


@register("data", aliases=["reshape"])
class Reshape(View):
    """The same elements in a different shape.

    data (any shape) | out: described by `shape`, with the same number of elements

    shape: the lengths of the result; 0 copies a dimension of data, -1 is computed from the others, -2 copies the
        remaining dimensions, -3 joins two dimensions, -4 splits one into the two numbers that follow (one of them may
        be -1).
    reverse: if True, read these codes from right to left, so that the two numbers of a split precede its -4.
    target_shape: an older form of `shape`, in which 0 stands for a length computed from the others.
    keep_highest: if True, keep data's first dimension and ignore the first item of `target_shape`.

    >>> nd.reshape(nd.arange(6), shape=(2, -1)).asnumpy()
    array([[0., 1., 2.],
           [3., 4., 5.]], dtype=float32)
    >>> nd.reshape(nd.zeros((2, 3, 4)), shape=(-3, 0)).shape
    (6, 4)
    """

    shape: Shape = ()
    reverse: bool = False
    target_shape: Shape = ()
    keep_highest: bool = False
    keeps = ("shapes",)

    def infer_shape(self, data):
        if data is None:
            return [None], [None]
        codes = self.shape
        if self.target_shape and not codes:
            codes = (data[0], *self.target_shape[1:]) if self.keep_highest else self.target_shape
            codes = tuple(-1 if c == 0 else c for c in codes)
        out = self._decode(data[::-1], codes[::-1])[::-1] if self.reverse else self._decode(data, codes)
        if is_known(data) and size_of(out) != size_of(data):
            raise self.shape_clash(f"data {data} has {size_of(data)} elements, but shape={self.shape} asks for {out}, "
                                   f"which has {size_of(out)}", "data", to_reshape(size_of(data), out))
        require_short_axes(self, out)
        return [data], [out]

    def infer_inputs(self, shapes, outputs):
        """Completes an unknown length of data from the number of elements."""
        data, out = shapes[0], outputs[0]
        if data is None or data.count(None) != 1 or not is_known(out):
            return shapes
        product = math.prod(n for n in data if n is not None)
        if not product or size_of(out) % product:
            return shapes
        return [tuple([size_of(out) // product if n is None else n for n in data])]

    def _decode(self, source, codes):
        """Returns the target shape. `source` is consumed from the left, in step with `codes`. None is unknown."""
        out, position, codes = [], 0, list(codes)
        while codes:
            code = codes.pop(0)
            if code in (0, -3, -4) and position + (code == -3) >= len(source):
                raise self.shape_clash(f"shape={self.shape} refers to more dimensions than data {source} has", "data")
            if code == -2:
                out += source[position:]
                position = len(source)
            elif code == -3:
                pair = source[position:position + 2]
                out.append(None if None in pair else pair[0] * pair[1])
                position += 2
            elif code == -4:
                if len(codes) < 2:
                    raise self.shape_clash(f"shape={self.shape} has a -4 without the two numbers that belong to it")
                out += self._split(source[position], codes.pop(0), codes.pop(0))
                position += 1
            else:
                out.append(source[position] if code == 0 else code)
                position += 1
        return self._fill(source, out)

    def _split(self, whole, first, second):
        if whole is None:
            return [None if part == -1 else part for part in (first, second)]
        parts = [whole // abs(second) if first == -1 and second else first,
                 whole // abs(first) if second == -1 and first else second]
        if parts[0] * parts[1] != whole:
            raise self.shape_clash(f"shape={self.shape} cannot split {whole} into {first} x {second}", "data")
        return parts

    def _fill(self, source, out):
        if out.count(-1) > 1:
            raise self.shape_clash(f"shape={self.shape} has more than one -1")
        if -1 in out and (None in out or None in source):
            out[out.index(-1)] = None
        elif -1 in out:
            product = math.prod(n for n in out if n != -1)
            out[out.index(-1)] = size_of(source) // product if product else 0
        return tuple(out)

    def forward(self, data):
        return data.reshape(self.infer_shape(data.shape)[1][0]).copy()

    def gradient(self, F, out_grads, inputs, outputs):
        return F.reshape_like(out_grads[0], inputs[0])


@register("lhs", "rhs")
class reshape_like(View):
    """The elements of lhs with the shape of rhs. Optionally only some axes of lhs take the shape of some axes of rhs.

    lhs (any shape) | rhs (any shape; only the shape matters) | out like rhs, in these axes

    lhs_begin, lhs_end: the axes lhs_begin:lhs_end of lhs are replaced; all by default.
    rhs_begin, rhs_end: the axes rhs_begin:rhs_end of rhs replace them; all by default.

    >>> nd.reshape_like(nd.arange(4), nd.zeros((2, 2))).asnumpy()
    array([[0., 1.],
           [2., 3.]], dtype=float32)
    """

    shape_only = ("rhs",)

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
class Flatten(View):
    """Joins all axes except the first into one.

    data (N, *rest) | out (N, product of rest)

    >>> nd.flatten(nd.array([[[1, 2], [3, 4]]])).asnumpy()
    array([[1., 2., 3., 4.]], dtype=float32)
    """

    keeps = ("shapes",)

    def infer_shape(self, data):
        if data is None:
            return [None], [None]
        trailing = data[1:]
        out = data[0], None if None in trailing else size_of(trailing)
        require_short_axes(self, out)
        return [data], [out]

    def forward(self, data):
        return data.reshape(data.shape[0], size_of(data.shape[1:])).copy()

    def gradient(self, F, out_grads, inputs, outputs):
        return F.reshape_like(out_grads[0], inputs[0])


@register("data")
class expand_dims(View):
    """A new axis of length 1.

    data (*lead, *rest) | out (*lead, 1, *rest)

    axis: its position in the result; -1 is the end.

    >>> nd.expand_dims(nd.array([1, 2]), axis=1).asnumpy()
    array([[1.],
           [2.]], dtype=float32)
    """

    axis: int
    keeps = ()

    def infer_shape(self, data):
        if data is None:
            return [None], [None]
        axis = self.normalize_axis(self.axis, len(data) + 1)
        return [data], [(*data[:axis], 1, *data[axis:])]

    def infer_inputs(self, shapes, outputs):
        out = outputs[0]
        if out is None:
            return shapes
        axis = self.normalize_axis(self.axis, len(out))
        return [self.require("data", shapes[0], out[:axis] + out[axis + 1:])]

    def forward(self, data):
        return np.expand_dims(data, self.axis).copy()

    def gradient(self, F, out_grads, inputs, outputs):
        return F.squeeze(out_grads[0], axis=self.axis)


@register("data", aliases=["_npx_squeeze"])
class squeeze(View):
    """data without its axes of length 1; the result has at least one axis.

    data (any shape) | out: data's shape without these axes

    axis: the axes to remove, which must have length 1; None removes all axes of length 1.

    >>> nd.squeeze(nd.zeros((2, 1, 3, 1))).shape
    (2, 3)
    >>> nd.squeeze(nd.zeros((2, 1, 3, 1)), axis=1).shape
    (2, 3, 1)
    """

    axis: Shape | None = None
    keeps = ("shapes",)

    def infer_shape(self, data):
        if data is None or (self.axis is None and None in data):
            return [data], [None]
        if self.axis is None:
            return [data], [tuple(n for n in data if n != 1) or (1,)]
        axes = {self.normalize_axis(a, len(data)) for a in self.axis}
        for axis in sorted(axes):
            if data[axis] not in (1, None):
                raise self.shape_clash(f"axis {axis} of data {data} has length {data[axis]}; only an axis of length 1 "
                                       "can be left out", "data")
        return [data], [tuple(n for i, n in enumerate(data) if i not in axes) or (1,)]

    def forward(self, data):
        return data.reshape(self.infer_shape(data.shape)[1][0]).copy()

    def gradient(self, F, out_grads, inputs, outputs):
        return F.reshape_like(out_grads[0], inputs[0])
